// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: events of a kernel's text log as ring-buffer records.
 * In: lines of ftrace text. Out: records, and the formats that describe them.
 *
 * Format: TP_printk() of include/trace/events/kmem.h, 2.6.33 to 6.18.
 */
#include "import/text_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define ID_STACK     4 /* as in every kernel */
#define ID_KMEM	     1000
#define ID_OTHER     2000
#define COMMON_SIZE  8
#define STACK_FRAMES 16 /* where the frames of a stack begin */
#define OTHER_TEXT   12 /* where the text of an event begins that is kept as text */

enum text_kind {
	TEXT_SITE,    /* %pS, or %lx of kernels before 4.15 */
	TEXT_POINTER, /* %p */
	TEXT_PFN,
	TEXT_UINT,
	TEXT_INT,
	TEXT_GFP,
	TEXT_BOOL,
	TEXT_NAME, /* a string, at the record's end */
};

/**
 * struct text_field - a field, where it is in the record, and how it is printed
 * @optional: the text of some kernels does not have it; then the format has it not either
 * @print: its part of the print format
 */
struct text_field {
	const char *key;
	uint8_t kind; /* enum text_kind */
	uint8_t offset, size;
	bool optional;
	const char *print;
};

struct text_spec {
	const char *name;
	uint8_t size; /* of all fields */
	const struct text_field *fields;
};

/* A __data_loc word and what it stands for come last, so that the word can be left out. */
#define SITE                                                         \
	{                                                            \
		"call_site", TEXT_SITE, 8, 8, false, "call_site=%pS" \
	}
#define POINTER                                             \
	{                                                   \
		"ptr", TEXT_POINTER, 16, 8, false, "ptr=%p" \
	}
#define SLAB_ALLOC                                                                \
	SITE, POINTER, { "bytes_req", TEXT_UINT, 24, 8, false, "bytes_req=%zu" }, \
		{ "bytes_alloc", TEXT_UINT, 32, 8, false, "bytes_alloc=%zu" },    \
		{ "gfp_flags", TEXT_GFP, 40, 8, false, "gfp_flags=%s" },          \
		{ "node", TEXT_INT, 48, 4, true, "node=%d" },                     \
	{                                                                         \
		"accounted", TEXT_BOOL, 52, 1, true, "accounted=%s"               \
	}
#define PFN                                               \
	{                                                 \
		"pfn", TEXT_PFN, 8, 8, false, "pfn=0x%lx" \
	}
#define ORDER                                                \
	{                                                    \
		"order", TEXT_UINT, 16, 4, false, "order=%u" \
	}
#define END                                \
	{                                  \
		NULL, 0, 0, 0, false, NULL \
	}

static const struct text_field kmalloc_fields[] = { SLAB_ALLOC, END };
static const struct text_field cache_alloc_fields[] = {
	SLAB_ALLOC, { "name", TEXT_NAME, 56, 4, true, "name=%s" }, END
};
static const struct text_field kfree_fields[] = { SITE, POINTER, END };
static const struct text_field cache_free_fields[] = {
	SITE, POINTER, { "name", TEXT_NAME, 24, 4, true, "name=%s" }, END
};
static const struct text_field page_alloc_fields[] = {
	PFN,
	ORDER,
	{ "migratetype", TEXT_INT, 20, 4, false, "migratetype=%d" },
	{ "gfp_flags", TEXT_GFP, 24, 8, false, "gfp_flags=%s" },
	END
};
static const struct text_field page_free_fields[] = { PFN, ORDER, END };
static const struct text_field page_batched_fields[] = { PFN, END };
static const struct text_field page_zone_fields[] = {
	PFN,
	ORDER,
	{ "migratetype", TEXT_INT, 20, 4, false, "migratetype=%d" },
	{ "percpu_refill", TEXT_INT, 24, 4, true, "percpu_refill=%d" },
	END
};
static const struct text_field page_drain_fields[] = {
	PFN, ORDER, { "migratetype", TEXT_INT, 20, 4, false, "migratetype=%d" }, END
};
static const struct text_field extfrag_fields[] = {
	PFN,
	{ "alloc_order", TEXT_INT, 16, 4, false, "alloc_order=%d" },
	{ "fallback_order", TEXT_INT, 20, 4, false, "fallback_order=%d" },
	{ "alloc_migratetype", TEXT_INT, 24, 4, false, "alloc_migratetype=%d" },
	{ "fallback_migratetype", TEXT_INT, 28, 4, false, "fallback_migratetype=%d" },
	{ "change_ownership", TEXT_INT, 32, 4, true, "change_ownership=%d" },
	END
};

static const struct text_spec specs[TEXT_EVENTS_NR_SPECS] = {
	{ "kmalloc", 53, kmalloc_fields },
	{ "kmalloc_node", 53, kmalloc_fields },
	{ "kmem_cache_alloc", 60, cache_alloc_fields },
	{ "kmem_cache_alloc_node", 60, cache_alloc_fields },
	{ "kfree", 24, kfree_fields },
	{ "kmem_cache_free", 28, cache_free_fields },
	{ "mm_page_alloc", 32, page_alloc_fields },
	{ "mm_page_free", 20, page_free_fields },
	{ "mm_page_free_batched", 16, page_batched_fields },
	{ "mm_page_alloc_zone_locked", 28, page_zone_fields },
	{ "mm_page_pcpu_drain", 24, page_drain_fields },
	{ "mm_page_alloc_extfrag", 36, extfrag_fields },
};

/* Events of kernels before 3.4 that were renamed since. */
static const struct {
	const char *name, *today;
} renamed[] = {
	{ "mm_page_free_direct", "mm_page_free" },
	{ "mm_pagevec_free", "mm_page_free_batched" },
};

static int find_spec(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (strlen(renamed[i].name) == len && !memcmp(renamed[i].name, name, len))
			return find_spec(renamed[i].today, strlen(renamed[i].today));
	for (int i = 0; i < TEXT_EVENTS_NR_SPECS; i++)
		if (strlen(specs[i].name) == len && !memcmp(specs[i].name, name, len))
			return i;
	return -1;
}

/* --- values ------------------------------------------------------------------------------ */

static void put(struct text_record *out, size_t offset, uint64_t value, size_t size)
{
	uint32_t v32 = (uint32_t)value;
	uint8_t v8 = (uint8_t)value;

	memcpy(out->data + offset,
	       size == 8 ? (const void *)&value
			 : (size == 4 ? (const void *)&v32 : (const void *)&v8),
	       size);
}

/* Common fields, and zeroes up to @size. */
static void begin(struct text_record *out, const struct ftrace_line *line, uint16_t id,
		  size_t size)
{
	memset(out->data, 0, size);
	memcpy(out->data, &id, sizeof(id));
	out->site = out->site_function = 0;
	out->data[2] = line->flags;
	out->data[3] = line->preempt;
	memcpy(out->data + 4, &line->pid, 4);
	out->size = size;
}

/* @site: the event's callsite, 0 if it is not known. A true address beside a name is of use
 * where it can be looked up, or is that callsite; else the name alone counts, as it does in
 * the event itself, and the address is remembered for those that are printed without name.
 */
static int take_symbol(struct text_events *te, const struct ftrace_symbol *sym,
		       uint64_t site, uint64_t *addr)
{
	const struct name_addr at = { sym->name,       sym->module, sym->name_len,
				      sym->module_len, sym->offset, sym->size };
	bool given = name_addrs_given(te->addrs);
	int ret = 0;

	*addr = sym->addr;
	if (!sym->name || (sym->has_addr && given))
		return 0;
	if (sym->has_addr)
		ret = name_addrs_learn(te->addrs, &at, sym->addr);
	if (ret || (sym->has_addr && sym->addr == site))
		return ret;
	return name_addrs_find(te->addrs, &at, addr);
}

static int take_site(struct text_events *te, const char *text, struct text_record *out)
{
	struct ftrace_symbol sym;
	int ret;

	if (!ftrace_symbol_parse(&sym, text))
		return -EINVAL;
	te->stats.nr_hex_sites += !sym.name && sym.addr;
	ret = take_symbol(te, &sym, 0, &out->site);
	out->site_function = out->site - sym.offset;
	return ret;
}

/* "(null)", which old kernels pad to an address' width, and "(nil)". */
static bool is_null(const char *text)
{
	text += strspn(text, " ");
	return !strncmp(text, "(null)", 6) || !strncmp(text, "(nil)", 5);
}

/* "(____ptrval____)" is any address. */
static int take_pointer(struct text_events *te, const char *text, uint64_t *value)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF");

	*value = 0;
	if (is_null(text))
		return 0;
	if (*text == '(') {
		te->stats.nr_hidden++;
		*value = 1;
		return 0;
	}
	if (!strncmp(text, "0x", 2))
		return take_pointer(te, text + 2, value);
	if (!digits || digits > 16)
		return -EINVAL;
	*value = strtoull(text, NULL, 16);
	te->stats.nr_pointers += *value != 0;
	te->stats.nr_high += *value >> 32 != 0;
	te->stats.nr_uneven += (*value & 3) != 0;
	return 0;
}

/* Decimal or with 0x; may be negative if @is_signed. */
static int take_number(const char *text, bool is_signed, uint64_t *value)
{
	char *end;

	if (*text == '-' ? !is_signed : *text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*value = *text == '-' ? (uint64_t)strtoll(text, &end, 10)
			      : strtoull(text, &end, !strncmp(text, "0x", 2) ? 16 : 10);
	return errno || end == text || (*end && *end != ' ') ? -EINVAL : 0;
}

/* A failed allocation is printed as page 0 with pfn 0, in newer kernels; in a record it is
 * pfn -1, and so is what a 32-bit kernel prints of it.
 */
static int take_pfn(const char *body, const char *text, uint64_t *value)
{
	const char *page = ftrace_value(body, "page");
	int ret = take_number(text, false, value);
	size_t zeros;

	if (ret)
		return ret;
	if (*value == UINT32_MAX)
		*value = UINT64_MAX;
	if (*value || !page)
		return 0;
	zeros = strspn(page, "0x");
	if (is_null(page) || (zeros && (page[zeros] == ' ' || !page[zeros])))
		*value = UINT64_MAX;
	return 0;
}

static int take_gfp(struct text_events *te, const char *text, uint64_t *value)
{
	size_t len = strcspn(text, " ");

	te->stats.nr_no_gfp += !len;
	*value = 0;
	return len ? text_gfp_value(&te->gfp, text, len, value) : 0;
}

/* Up to the next field, as a name may hold blanks. */
static size_t name_length(const char *text)
{
	const char *end = strstr(text, " bytes_req=");
	size_t len = end ? (size_t)(end - text) : strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	return len < 255 ? len : 255;
}

static void put_string(struct text_record *out, size_t loc, const char *text, size_t len)
{
	/* No name at all is another thing than an empty one: length 0. */
	put(out, loc, out->size | (len ? len + 1 : 0) << 16, 4);
	if (len)
		memcpy(out->data + out->size, text, len);
	out->data[out->size + len] = '\0';
	out->size += len + 1;
}

static int take_value(struct text_events *te, const struct ftrace_line *line,
		      const struct text_field *f, const char *text, uint64_t *value)
{
	int ret;

	switch (f->kind) {
	case TEXT_POINTER:
		return take_pointer(te, text, value);
	case TEXT_PFN:
		return take_pfn(line->body, text, value);
	case TEXT_UINT:
		ret = take_number(text, false, value);
		return ret || f->size == 8 || *value <= UINT32_MAX ? ret : -EINVAL;
	case TEXT_INT:
		ret = take_number(text, true, value);
		return ret || (int64_t)*value == (int32_t)*value ? ret : -EINVAL;
	case TEXT_GFP:
		return take_gfp(te, text, value);
	default:
		*value = *text == 't';
		return 0;
	}
}

/* --- events ------------------------------------------------------------------------------ */

static int encode_known(struct text_events *te, const struct ftrace_line *line, int nr,
			struct text_record *out)
{
	const struct text_spec *spec = &specs[nr];
	uint64_t seen = 0;

	begin(out, line, (uint16_t)(ID_KMEM + nr), spec->size);
	for (const struct text_field *f = spec->fields; f->key; f++) {
		const char *text = ftrace_value(line->body, f->key);
		uint64_t value = 0;
		int ret;

		if (!text && !f->optional)
			return -EINVAL;
		if (f->kind == TEXT_NAME) {
			size_t len = text ? name_length(text) : 0;

			te->stats.nr_no_name += text && !len;
			put_string(out, f->offset, text, len);
		} else if (f->kind == TEXT_SITE) {
			ret = take_site(te, text, out);
			if (ret)
				return ret;
			put(out, f->offset, out->site, f->size);
		} else if (text) {
			ret = take_value(te, line, f, text, &value);
			if (ret)
				return ret;
			put(out, f->offset, value, f->size);
		} else if (f->kind == TEXT_INT) {
			put(out, f->offset, UINT64_MAX, f->size);
		}
		if (text)
			seen |= UINT64_C(1) << (f - spec->fields);
	}
	te->seen[nr] |= seen;
	return 0;
}

static int encode_other(struct text_events *te, const struct ftrace_line *line,
			struct text_record *out)
{
	bool many = te->others.count >= TEXT_EVENTS_MAX_OTHERS - 1;
	size_t len = strlen(line->body);
	const char *name = line->name;
	size_t name_len = line->name_len;
	uint32_t id;

	if (*name == '<') { /* of the two marks, only this one gets here */
		name = "user_stack";
		name_len = strlen(name);
	}
	if (many) {
		name = "further_events";
		name_len = strlen(name);
	}
	id = intern_id(&te->others, name, name_len);
	if (!id)
		return -ENOMEM;
	if (len > TEXT_EVENTS_MAX_TEXT) {
		len = TEXT_EVENTS_MAX_TEXT;
		te->stats.nr_cut++;
	}
	begin(out, line, (uint16_t)(ID_OTHER + id), OTHER_TEXT);
	put_string(out, COMMON_SIZE, line->body, len);
	te->stats.nr_others++;
	return 0;
}

int text_events_encode(struct text_events *te, const struct ftrace_line *line,
		       struct text_record *out)
{
	int nr = find_spec(line->name, line->name_len);
	int ret = nr < 0 ? encode_other(te, line, out) : encode_known(te, line, nr, out);

	te->stats.nr_records += !ret;
	return ret;
}

void text_events_stack(struct text_events *te, const struct ftrace_line *line,
		       uint64_t site, uint64_t site_function, struct text_record *out)
{
	begin(out, line, ID_STACK, STACK_FRAMES);
	out->site = site;
	out->site_function = site_function;
	te->stats.nr_records++;
}

int text_events_frame(struct text_events *te, const struct ftrace_line *line,
		      struct text_record *out)
{
	struct ftrace_symbol sym = { 0 };
	uint64_t addr = 0;
	int ret = 0, err;

	if (out->size + 8 > TEXT_EVENTS_MAX_RECORD) {
		te->stats.nr_cut++;
		return 0;
	}
	if (ftrace_symbol_parse(&sym, line->body)) {
		err = take_symbol(te, &sym, out->site, &addr);
		if (err)
			return err;
	} else {
		ret = -EINVAL;
	}
	te->stats.nr_bare_frames += sym.name && !sym.size && addr != sym.addr;
	if (out->site && addr == out->site_function) {
		addr = out->site;
		out->site = 0;
	}
	/* An address of 0 ends a stack: it is kept where the text has it, as the outermost
	 * frame of some machines, but must not stand for one that has no address.
	 */
	put(out, out->size, addr || (!ret && !sym.name) ? addr : 1, 8);
	out->size += 8;
	put(out, COMMON_SIZE, (out->size - STACK_FRAMES) / 8, 4);
	return ret;
}

void text_events_free(struct text_events *te)
{
	text_gfp_free(&te->gfp);
	intern_free(&te->others);
}

/* --- formats ----------------------------------------------------------------------------- */

struct list {
	struct recording_text *items;
	size_t count, capacity;
};

static int list_add(struct list *list, const char *system, struct strbuf *text)
{
	struct recording_text item = { .size = text->size };

	if (array_reserve(&list->items, &list->capacity, list->count + 1,
			  sizeof(*list->items))) {
		strbuf_free(text);
		return -ENOMEM;
	}
	item.text = strbuf_detach(text);
	item.name = strdup(system);
	list->items[list->count++] = item;
	return item.text && item.name ? 0 : -ENOMEM;
}

static void head(struct strbuf *sb, const char *name, unsigned int id)
{
	strbuf_printf(sb, "name: %s\nID: %u\nformat:\n", name, id);
	strbuf_puts(
		sb,
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
}

static const char *declaration(const struct text_field *f)
{
	switch (f->kind) {
	case TEXT_SITE:
	case TEXT_GFP:
	case TEXT_PFN:
		return "unsigned long";
	case TEXT_POINTER:
		return "const void *";
	case TEXT_UINT:
		return f->size == 8 ? "size_t" : "unsigned int";
	case TEXT_INT:
		return "int";
	case TEXT_BOOL:
		return "bool";
	default:
		return "__data_loc char[]";
	}
}

static void argument(const struct text_events *te, const struct text_field *f,
		     struct strbuf *sb)
{
	switch (f->kind) {
	case TEXT_SITE:
		strbuf_printf(sb, ", (void *)REC->%s", f->key);
		break;
	case TEXT_GFP:
		strbuf_printf(sb, ", (REC->%s) ? __print_flags(REC->%s, \"|\", ", f->key,
			      f->key);
		text_gfp_pairs(&te->gfp, sb);
		strbuf_printf(sb, ") : \"%s\"", text_gfp_none(&te->gfp));
		break;
	case TEXT_BOOL:
		strbuf_printf(sb, ", REC->%s ? \"true\" : \"false\"", f->key);
		break;
	case TEXT_NAME:
		strbuf_printf(sb, ", __get_str(%s)", f->key);
		break;
	default:
		strbuf_printf(sb, ", REC->%s", f->key);
	}
}

static int add_known(const struct text_events *te, int nr, struct list *list)
{
	const struct text_field *fields = specs[nr].fields, *f;
	struct strbuf sb = { 0 };

	head(&sb, specs[nr].name, (unsigned int)(ID_KMEM + nr));
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			strbuf_printf(
				&sb, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
				declaration(f), f->key, f->offset, f->size,
				f->kind == TEXT_INT);
	strbuf_puts(&sb, "\nprint fmt: \"");
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			strbuf_printf(&sb, "%s%s", f == fields ? "" : " ", f->print);
	strbuf_puts(&sb, "\"");
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			argument(te, f, &sb);
	strbuf_puts(&sb, "\n");
	return list_add(list, "kmem", &sb);
}

static int add_other(const struct text_events *te, uint32_t id, struct list *list)
{
	struct strbuf sb = { 0 };

	head(&sb, intern_get(&te->others, id, NULL), ID_OTHER + id);
	strbuf_printf(
		&sb,
		"\tfield:__data_loc char[] text;\toffset:%u;\tsize:4;\tsigned:0;\n\nprint fmt: \"%%s\", __get_str(text)\n",
		COMMON_SIZE);
	return list_add(list, "imported", &sb);
}

int text_events_formats(const struct text_events *te, struct recording_text **formats,
			size_t *count)
{
	struct list list = { 0 };
	int ret = 0;

	for (int i = 0; !ret && i < TEXT_EVENTS_NR_SPECS; i++)
		if (te->seen[i])
			ret = add_known(te, i, &list);
	for (uint32_t id = 1; !ret && id <= te->others.count; id++)
		ret = add_other(te, id, &list);
	*formats = list.items;
	*count = list.count;
	return ret;
}

int text_events_ftrace_formats(struct recording_text **formats, size_t *count)
{
	struct list list = { 0 };
	struct strbuf sb = { 0 };
	int ret;

	head(&sb, "kernel_stack", ID_STACK);
	strbuf_puts(
		&sb,
		"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
		"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\"");
	for (int i = 0; i < 8; i++)
		strbuf_printf(&sb, ", (void *)REC->caller[%d]", i);
	strbuf_puts(&sb, "\n");
	ret = list_add(&list, "ftrace", &sb);
	*formats = list.items;
	*count = list.count;
	return ret;
}
