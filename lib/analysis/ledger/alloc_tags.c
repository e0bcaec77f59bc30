// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/ledger/alloc_tags.h"

#include "base/strbuf.h"
#include "event/fields.h"
#include "event/formats.h"

/* A longer name means damage; the kernel's own limit in its ioctl is 64. */
#define NAME_MOST  256U
/* More bytes at once mean damage. */
#define BYTES_MOST (1ULL << 48)

enum tag_event { TAG_HIT, TAG_ALLOCED, TAG_FREED };

enum tag_field {
	FIELD_TAG,
	FIELD_BYTES_OF,
	FIELD_MODULE,
	FIELD_FILE,
	FIELD_FUNCTION,
	FIELD_LINE,
	FIELD_NR
};

/* One event of the recording, with the offsets of the fields used here. */
struct alloc_tag_format {
	uint16_t id;
	enum tag_event what;
	struct raw_field fields[FIELD_NR];
};

static const char *const events[] = {
	[TAG_HIT] = "alloc_tag_hit",
	[TAG_ALLOCED] = "alloc_tag_mem_alloced",
	[TAG_FREED] = "alloc_tag_mem_freed",
};

static const char *const names[FIELD_NR] = {
	[FIELD_TAG] = "tag",	       [FIELD_BYTES_OF] = "bytes",
	[FIELD_MODULE] = "modname",    [FIELD_FILE] = "filename",
	[FIELD_FUNCTION] = "function", [FIELD_LINE] = "lineno",
};

/* Does the format have the fields that are needed? */
static bool is_whole(const struct alloc_tag_format *f)
{
	enum tag_field other = f->what == TAG_HIT ? FIELD_FUNCTION : FIELD_BYTES_OF;

	return f->fields[FIELD_TAG].size && f->fields[other].size;
}

static int add_format(struct alloc_tags *t, const struct recording_text *text,
		      enum tag_event what, uint16_t id)
{
	struct alloc_tag_format f = { .id = id, .what = what };
	struct raw_field *fields;
	size_t nr, i;
	int ret = fields_parse(text->text, text->size, &fields, &nr);

	if (ret)
		return ret;
	for (i = 0; i < FIELD_NR; i++) {
		const struct raw_field *found = field_named(fields, nr, names[i]);

		if (found)
			f.fields[i] = *found;
	}
	free(fields);
	if (is_whole(&f))
		t->formats[t->nr_formats++] = f;
	return 0;
}

int alloc_tags_init(struct alloc_tags *t, const struct recording *rec)
{
	int ret;

	t->formats = calloc(ARRAY_SIZE(events), sizeof(*t->formats));
	ret = t->formats ? 0 : -ENOMEM;
	t->big_endian = rec->big_endian;
	for (size_t i = 0; !ret && i < rec->nr_event_formats; i++) {
		const struct recording_text *text = &rec->event_formats[i];
		char name[128];
		uint16_t id;

		if (!text->text || strcmp(text->name, "alloc_tag") != 0 ||
		    !format_head(text->text, text->size, name, &id))
			continue;
		for (size_t k = 0; !ret && k < ARRAY_SIZE(events); k++)
			if (!strcmp(name, events[k]) &&
			    t->nr_formats < ARRAY_SIZE(events))
				ret = add_format(t, text, (enum tag_event)k, id);
	}
	return ret;
}

/* Reads a number of the event; false: the field is missing. */
static bool number(const struct alloc_tags *t, const struct alloc_tag_format *f,
		   enum tag_field field, const struct kmem_event *ev, uint64_t *value)
{
	const struct raw_field *raw = &f->fields[field];
	struct field_content c;

	if (!raw->size || raw->place != FIELD_HERE || raw->size > 8 ||
	    !field_content(raw, ev->data, ev->size, t->big_endian, &c))
		return false;
	*value = get_uint(c.data, c.size, t->big_endian);
	return true;
}

/* Appends a text of the event, up to its NUL; nothing if the event lacks it. */
static void put_text(const struct alloc_tags *t, const struct alloc_tag_format *f,
		     enum tag_field field, const struct kmem_event *ev,
		     struct strbuf *out)
{
	const struct raw_field *raw = &f->fields[field];
	struct field_content c;
	size_t len;

	if (!raw->size || raw->kind != FIELD_TEXT ||
	    !field_content(raw, ev->data, ev->size, t->big_endian, &c))
		return;
	len = strnlen((const char *)c.data, c.size);
	strbuf_add(out, c.data, SMALLER(len, NAME_MOST));
}

/* "FUNCTION [MODULE]" and "FILE:LINE", as in /proc/allocinfo. */
static void name_tag(struct alloc_tags *t, struct alloc_tag *tag,
		     const struct alloc_tag_format *f, const struct kmem_event *ev)
{
	struct strbuf __auto_free function = { 0 }, module = { 0 }, place = { 0 };
	uint64_t line;

	put_text(t, f, FIELD_FUNCTION, ev, &function);
	put_text(t, f, FIELD_MODULE, ev, &module);
	/* The event has "(null)" if the kernel has no text. */
	if (module.size && strcmp(strbuf_text(&module), "(null)") != 0)
		strbuf_printf(&function, " [%s]", strbuf_text(&module));
	put_text(t, f, FIELD_FILE, ev, &place);
	if (place.size && number(t, f, FIELD_LINE, ev, &line))
		strbuf_printf(&place, ":%" PRIu64, line);
	if (function.size)
		tag->function =
			intern_id(&t->texts, strbuf_text(&function), function.size);
	if (place.size)
		tag->place = intern_id(&t->texts, strbuf_text(&place), place.size);
	t->failed |= function.failed || module.failed || place.failed ||
		     (function.size && !tag->function) || (place.size && !tag->place);
}

static const struct alloc_tag_format *format_of(const struct alloc_tags *t, uint16_t id)
{
	return FIND(format, t->formats, t->nr_formats, format->id == id);
}

void alloc_tags_event(struct alloc_tags *t, const struct kmem_event *ev)
{
	const struct alloc_tag_format *f;
	struct alloc_tag *tag;
	uint64_t address, bytes = 0;

	if (ev->type != KMEM_OTHER || t->failed)
		return;
	f = format_of(t, ev->id);
	if (!f)
		return;
	if (!number(t, f, FIELD_TAG, ev, &address) ||
	    (f->what != TAG_HIT &&
	     (!number(t, f, FIELD_BYTES_OF, ev, &bytes) || bytes > BYTES_MOST))) {
		t->bad++;
		return;
	}
	tag = INDEXED_ITEM(&t->tags, address);
	t->failed |= !tag;
	if (!tag)
		return;
	if (f->what == TAG_HIT) {
		if (!tag->function)
			name_tag(t, tag, f, ev);
		return;
	}
	/* The sum may wrap if the recording is damaged. */
	if (f->what == TAG_FREED)
		bytes = -bytes;
	tag->bytes = (int64_t)((uint64_t)tag->bytes + bytes);
	tag->nr += f->what == TAG_ALLOCED ? 1 : -1;
}

void alloc_tags_free(struct alloc_tags *t)
{
	free(t->formats);
	intern_free(&t->texts);
	INDEXED_FREE(&t->tags);
	*t = (struct alloc_tags){ 0 };
}
