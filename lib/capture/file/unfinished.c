// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/file/unfinished.h"

#include <unistd.h>

/* More CPUs than any machine has. */
#define CPUS_MAX 65536U

/* "FIRST STRIDE BLOCK CPU CPU ..." */
static void format_layout(const struct ring_reader *r, struct strbuf *sb)
{
	strbuf_printf(sb, "%" PRIu64 " %" PRIu64 " %" PRIu32, r->regions.first,
		      r->regions.stride, r->regions.block);
	for (size_t i = 0; i < r->nr_cpus; i++)
		strbuf_printf(sb, " %" PRIu32, r->cpus[i].cpu);
}

/* On an error, empties the file: nothing is better than half of it. */
static int empty(struct wire *w, int err)
{
	return err && ftruncate(w->fd, 0) < 0 ? -errno : err;
}

int unfinished_write(struct wire *w, const struct writer_facts *facts,
		     const struct ring_reader *reader)
{
	struct strbuf __auto_free sb = { 0 };
	struct recording_text item = { .name = (char *)UNFINISHED_LAYOUT };
	struct writer_facts layout = { .nr_cpus = facts->nr_cpus,
				       .meta = &item,
				       .nr_meta = 1 };
	struct wire second;
	int ret;

	format_layout(reader, &sb);
	item.text = sb.data;
	item.size = sb.size;
	ret = sb.failed ? -ENOMEM : wire_start(w, facts);
	second = (struct wire){ .fd = w->fd };
	ret = ret ?: wire_options(&second, &layout);
	return empty(w, ret);
}

int unfinished_add(struct wire *w, const struct writer_facts *facts)
{
	return empty(w, wire_options(w, facts) ?: wire_end(w, facts));
}

static int parse_layout(const char *text, struct unfinished_layout *out)
{
	char *end;
	int at = 0;

	if (sscanf(text, "%20" SCNu64 " %20" SCNu64 " %10" SCNu32 "%n",
		   &out->regions.first, &out->regions.stride, &out->regions.block,
		   &at) != 3 ||
	    out->regions.first > INT64_MAX / 4)
		return -EBADMSG;
	for (text += at; *text; text = end) {
		unsigned long cpu = strtoul(text, &end, 10);

		if (end == text || cpu >= CPUS_MAX || out->nr_cpus >= CPUS_MAX ||
		    (out->nr_cpus && cpu <= out->cpus[out->nr_cpus - 1]))
			return -EBADMSG;
		out->cpus[out->nr_cpus++] = (uint32_t)cpu;
	}
	/* The end of every region must be a valid file offset. */
	if (!out->nr_cpus || out->regions.stride > INT64_MAX / 4 / out->nr_cpus)
		return -EBADMSG;
	return 0;
}

int unfinished_read_layout(const struct recording *rec, struct unfinished_layout *out)
{
	const struct recording_text *item = recording_meta(rec, UNFINISHED_LAYOUT);
	int ret;

	*out = (struct unfinished_layout){ 0 };
	if (!item)
		return -ENOENT;
	/* Each CPU takes at least two characters. */
	out->cpus = calloc(item->size / 2 + 1, sizeof(*out->cpus));
	ret = out->cpus ? parse_layout(item->text, out) : -ENOMEM;
	if (ret) {
		free(out->cpus);
		*out = (struct unfinished_layout){ 0 };
	}
	return ret;
}
