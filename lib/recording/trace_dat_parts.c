// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording (internal): the metadata parts that trace.dat 6 and 7 share.
 * In: a reader at the part. Out: texts in struct recording.
 */

#include "recording/trace_dat.h"

#include "base/array.h"

/* Reads "offset:" and "size:" of the header_page line that declares @name; false without it. */
static bool header_page_field(const char *text, const char *name, unsigned int *offset,
			      unsigned int *size)
{
	const char *at = strstr(text, name);
	const char *off, *sz;

	if (!at)
		return false;
	off = strstr(at, "offset:");
	sz = off ? strstr(off, "size:") : NULL;
	return sz && sscanf(off, "offset:%9u", offset) == 1 &&
	       sscanf(sz, "size:%9u", size) == 1;
}

/* The size of "commit" is that of the kernel's long; user space's may differ. */
int trace_dat_parse_header_page(const char *text, struct page_layout *layout,
				uint32_t *subbuf_size)
{
	unsigned int commit = 0, long_size = 0, data = 0, size = 0;

	if (!header_page_field(text, " commit;", &commit, &long_size) ||
	    !header_page_field(text, " data;", &data, &size) ||
	    (long_size != 4 && long_size != 8) || commit < 8 || commit > 64 ||
	    data < commit + long_size || data > 128)
		return -EBADMSG;
	*layout = (struct page_layout){ long_size, commit, data };
	*subbuf_size = data + size;
	return 0;
}

static void set_layout(struct trace_dat *td, uint64_t offset)
{
	struct recording *rec = td->rec;
	uint32_t subbuf_size;

	if (!trace_dat_parse_header_page(rec->header_page, &rec->layout, &subbuf_size)) {
		trace_dat_found_page_size(td, subbuf_size);
		return;
	}
	trace_dat_damage(td, offset,
			 "the header_page text is invalid; assuming %u-byte longs",
			 rec->layout.long_size);
}

int trace_dat_header_info(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;
	uint64_t offset = r->pos;

	if (rec->header_page)
		return 0;
	reader_tag(r, "header_page", 12);
	rec->header_page = reader_text(r, reader_u64(r));
	if (!rec->header_page)
		return r->err;
	set_layout(td, offset);
	reader_tag(r, "header_event", 13);
	rec->header_event = reader_text(r, reader_u64(r));
	return r->err;
}

static int add_text(struct recording_text **texts, size_t *nr, const char *name,
		    char *text, size_t size)
{
	struct recording_text *t;

	if (array_grow(texts, *nr, sizeof(**texts)))
		goto err;
	t = &(*texts)[*nr];
	t->name = strdup(name);
	if (!t->name)
		goto err;
	t->text = text;
	t->size = size;
	++*nr;
	return 0;
err:
	free(text);
	return -ENOMEM;
}

/* u32 count, then {u64 size, text}... */
static int read_formats(struct reader *r, struct recording_text **texts, size_t *nr,
			const char *group)
{
	uint32_t count = reader_u32(r), i;
	uint64_t size;
	char *text;
	int err;

	/* The smallest entry is its size field. */
	if (count > reader_left(r) / 8 || count > TRACE_DAT_MAX_FORMATS)
		return r->err ? r->err : -EBADMSG;
	for (i = 0; i < count; i++) {
		size = reader_u64(r);
		if (!size && !r->err && source_next_data(r->src, r->pos) == r->pos)
			continue;
		if (*nr >= TRACE_DAT_MAX_FORMATS)
			return -EBADMSG;
		text = reader_text(r, size);
		if (!text)
			return r->err;
		err = add_text(texts, nr, group, text, (size_t)size);
		if (err)
			return err;
	}
	return 0;
}

int trace_dat_ftrace_formats(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;

	if (rec->nr_ftrace_formats)
		return 0;
	return read_formats(r, &rec->ftrace_formats, &rec->nr_ftrace_formats, "ftrace");
}

int trace_dat_event_formats(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;
	uint32_t systems;
	char *group;
	int err;

	if (rec->nr_event_formats)
		return 0;
	systems = reader_u32(r);
	/* The smallest group is a NUL and a count. */
	if (systems > reader_left(r) / 5 || systems > TRACE_DAT_MAX_FORMATS)
		return r->err ? r->err : -EBADMSG;
	for (uint32_t i = 0; i < systems; i++) {
		group = reader_name(r);
		if (!group)
			return r->err;
		err = read_formats(r, &rec->event_formats, &rec->nr_event_formats, group);
		free(group);
		if (err)
			return err;
	}
	return 0;
}

int trace_dat_kallsyms(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;
	uint32_t size;

	if (rec->kallsyms)
		return 0;
	size = reader_u32(r);
	if (!size)
		return r->err;
	rec->kallsyms = reader_text(r, size);
	if (rec->kallsyms)
		rec->kallsyms_size = size;
	return r->err;
}

int trace_dat_printk(struct trace_dat *td, struct reader *r)
{
	uint32_t size;

	if (td->rec->printk_formats)
		return 0;
	size = reader_u32(r);
	if (size)
		td->rec->printk_formats = reader_text(r, size);
	return r->err;
}

int trace_dat_cmdlines(struct trace_dat *td, struct reader *r)
{
	uint64_t size;

	if (td->rec->cmdlines)
		return 0;
	size = reader_u64(r);
	if (size)
		td->rec->cmdlines = reader_text(r, size);
	return r->err;
}

const struct trace_dat_part trace_dat_parts[TRACE_DAT_NR_PARTS] = {
	{ "header_page fields", trace_dat_header_info },
	{ "ftrace formats", trace_dat_ftrace_formats },
	{ "event formats", trace_dat_event_formats },
	{ "kallsyms", trace_dat_kallsyms },
	{ "printk formats", trace_dat_printk },
	{ "command lines", trace_dat_cmdlines },
};
