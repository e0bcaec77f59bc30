// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/comms.h"

#include "base/number.h"
#include "capture/facts/threads.h"
#include "event/formats.h"

static struct comm *find_or_add(struct comms *c, uint32_t pid)
{
	struct comm *item = INDEXED_ITEM(&c->by_pid, pid);

	if (item)
		item->pid = pid;
	return item;
}

static void set_name(struct comm *item, const char *name)
{
	size_t i;

	/* A process may choose any bytes; a newline could forge another line. */
	for (i = 0; i < sizeof(item->name) - 1 && name[i] && name[i] != '\n'; i++)
		item->name[i] = (unsigned char)name[i] < ' ' ? '?' : name[i];
	item->name[i] = '\0';
}

/* --- events ------------------------------------------------------------------------------ */

static int read_format(const struct instance *in, const char *event, const char *name,
		       struct comm_event *out)
{
	struct strbuf __auto_free text = { 0 };
	struct raw_field *fields __auto_mem = NULL;
	const struct raw_field *field;
	char path[64], head[128];
	size_t nr = 0;
	int ret;

	*out = (struct comm_event){ 0 };
	snprintf(path, sizeof(path), "events/task/%s/format", event);
	if (instance_read(in, path, &text))
		return text.failed ? -ENOMEM : 0;
	ret = fields_parse(strbuf_text(&text), text.size, &fields, &nr);
	field = field_named(fields, nr, "pid");
	if (field && field->size == sizeof(uint32_t))
		out->pid = *field;
	field = field_named(fields, nr, name);
	if (field && format_head(strbuf_text(&text), text.size, head, &out->id))
		out->name = *field;
	return ret;
}

int comms_watch(struct comms *c, const struct instance *in)
{
	int ret = read_format(in, "task_newtask", "comm", &c->starts);

	return ret ?: read_format(in, "task_rename", "newcomm", &c->renames);
}

static int learn(struct comms *c, const struct comm_event *ev,
		 const struct raw_record *rec)
{
	const bool be = HOST_BIG_ENDIAN;
	struct field_content pid, name;
	char text[sizeof(((struct comm *)0)->name)] = "";
	struct comm *item;

	/* The common fields of every record have the current task. */
	if (!ev->pid.size)
		pid = (struct field_content){ rec->data + 4, 4 };
	else if (!field_content(&ev->pid, rec->data, rec->size, be, &pid))
		return 0;
	if (!field_content(&ev->name, rec->data, rec->size, be, &name))
		return 0;
	item = find_or_add(c, get_u32(pid.data, be));
	if (!item)
		return -ENOMEM;
	if (rec->ts < item->ts)
		return 0;
	memcpy(text, name.data,
	       name.size < sizeof(text) - 1 ? name.size : sizeof(text) - 1);
	set_name(item, text);
	item->ts = rec->ts;
	item->renamed = ev == &c->renames;
	return 0;
}

int comms_see(void *comms, const struct raw_record *rec)
{
	struct comms *c = comms;
	const uint16_t id = rec->size < 8 ? 0 : get_u16(rec->data, HOST_BIG_ENDIAN);

	if (likely(id != c->starts.id && id != c->renames.id) || !id)
		return 0;
	return learn(c, id == c->renames.id ? &c->renames : &c->starts, rec);
}

/* --- lists ------------------------------------------------------------------------------- */

static int add_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	struct comm *item;
	char comm[64];

	if (thread_read(task_fd, pid, "comm", comm, sizeof(comm)) <= 0)
		return 0;
	item = find_or_add(ctx, pid);
	if (item)
		set_name(item, comm);
	return item ? 0 : -ENOMEM;
}

int comms_add_proc(struct comms *c, const char *proc)
{
	return threads_walk(proc, add_thread, c, 0);
}

int comms_add_text(struct comms *c, const char *text)
{
	for (; *text; text = text_next_line(text)) {
		const char *at = text;
		struct comm *item;
		uint64_t pid;

		if (number_read(&at, NULL, 10, INT32_MAX, &pid) || *at++ != ' ' ||
		    strncmp(at, "<...>", 5) == 0)
			continue;
		item = find_or_add(c, (uint32_t)pid);
		if (!item)
			return -ENOMEM;
		if (!item->renamed)
			set_name(item, at);
	}
	return 0;
}

void comms_format(const struct comms *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->by_pid.nr; i++)
		if (c->by_pid.of[i].name[0])
			strbuf_printf(out, "%u %s\n", c->by_pid.of[i].pid,
				      c->by_pid.of[i].name);
}

void comms_free(struct comms *c)
{
	INDEXED_FREE(&c->by_pid);
	*c = (struct comms){ .starts = c->starts, .renames = c->renames };
}
