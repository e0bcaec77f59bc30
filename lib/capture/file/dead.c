// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/file/dead.h"

#include <sys/stat.h>

#include "capture/events/probes.h"
#include "capture/facts/facts.h"

static int count_one(const struct instance *in, struct dead_content *out)
{
	uint32_t *cpus __auto_mem = NULL;
	size_t nr;
	int ret = instance_cpus(in, &cpus, &nr);

	for (size_t i = 0; !ret && i < nr; i++) {
		struct strbuf __auto_free sb = { 0 };
		const char *text;

		ret = facts_read_cpustat(in, cpus[i], &sb);
		text = strbuf_text(&sb);
		out->events += facts_number(text, "entries");
		out->history += facts_number(text, "read events") +
				facts_number(text, "overrun") +
				facts_number(text, "commit overrun") +
				facts_number(text, "dropped events");
	}
	return ret;
}

int dead_count(const struct instance *in, struct dead_content *out)
{
	int ret = 0;

	*out = (struct dead_content){ 0 };
	for (; in && !ret; in = in->frees)
		ret = count_one(in, out);
	return ret;
}

int dead_look(const char *token, struct dead_content *out, const struct log *log)
{
	struct instance in;
	int ret = instance_adopt(&in, token);

	*out = (struct dead_content){ 0 };
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	/* With all events off, the buffers hold only this program's own lines (pids.h,
	 * flight_causes.h).
	 */
	if (!instance_begins(&in, "events/enable", '0'))
		ret = dead_count(&in, out);
	if (ret || out->events || out->history)
		instance_detach(&in);
	else
		instance_destroy(&in, log);
	return ret;
}

bool dead_has_events(const struct leftover *l, const struct log *log)
{
	struct dead_content content;
	struct stat st;

	if (leftover_has_pages(l))
		return true;
	if (dead_look(l->token, &content, log))
		return fstat(l->fd, &st) < 0 || st.st_blocks;
	return content.events || content.history;
}

static void look(const char *name, const struct log *log)
{
	const char *token = instance_token(name);
	struct dead_content content;
	struct strbuf __auto_free all = { 0 };

	if (!token)
		instance_remove_orphan(name);
	if (!token || dead_look(token, &content, log))
		return;
	instance_directories(name, &all);
	if (content.events || content.history)
		log_msg(log, LOG_WARN,
			"a killed kmemx left %" PRIu64
			" event%s in the kernel's buffers, which still use memory\n  Save them: kmemx recover%s    or discard them: rmdir%s",
			content.events, plural(content.events),
			instance_is_stream(token) ? " --streams"
						  : " DIR (its output directory)",
			strbuf_text(&all));
}

void dead_sweep(const struct log *log)
{
	char *text __auto_mem = instance_list(), *rest = text, *name;

	while (rest && (name = strsep(&rest, "\n")))
		look(name, log);
	probes_sweep(log);
}
