// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/text_events.h"

#include "base/bytes.h"

/* --- kmem events ------------------------------------------------------------------------- */

/* clang-format off */
/* A __data_loc word and its data come last, so that the word can be left out. */
#define SITE	{ "call_site", TEXT_SITE, 8, 8, false, "call_site=%pS" }
#define POINTER { "ptr", TEXT_POINTER, 16, 8, false, "ptr=%p" }
#define SLAB_ALLOC \
	SITE, POINTER, \
	{ "bytes_req", TEXT_UINT, 24, 8, false, "bytes_req=%zu" }, \
	{ "bytes_alloc", TEXT_UINT, 32, 8, false, "bytes_alloc=%zu" }, \
	{ "gfp_flags", TEXT_GFP, 40, 8, false, "gfp_flags=%s" }, \
	{ "node", TEXT_INT, 48, 4, true, "node=%d" }, \
	{ "accounted", TEXT_BOOL, 52, 1, true, "accounted=%s" }
#define SLAB_NAME(at) { "name", TEXT_NAME, at, 4, true, "name=%s" }
#define PFN	{ "pfn", TEXT_PFN, 8, 8, false, "pfn=0x%lx" }
#define PAGE	PFN, { "order", TEXT_UINT, 16, 4, false, "order=%u" }
#define TYPE	{ "migratetype", TEXT_INT, 20, 4, false, "migratetype=%d" }

const struct text_spec text_specs[TEXT_NR_SPECS] = {
	{ "kmalloc", 53, { SLAB_ALLOC } },
	{ "kmalloc_node", 53, { SLAB_ALLOC } },
	{ "kmem_cache_alloc", 60, { SLAB_ALLOC, SLAB_NAME(56) } },
	{ "kmem_cache_alloc_node", 60, { SLAB_ALLOC, SLAB_NAME(56) } },
	{ "kfree", 24, { SITE, POINTER } },
	{ "kmem_cache_free", 28, { SITE, POINTER, SLAB_NAME(24) } },
	{ "mm_page_alloc", 32,
		{ PAGE, TYPE, { "gfp_flags", TEXT_GFP, 24, 8, false, "gfp_flags=%s" } } },
	{ "mm_page_free", 20, { PAGE } },
	{ "mm_page_free_batched", 16, { PFN } },
	{ "mm_page_alloc_zone_locked", 28, { PAGE, TYPE,
		{ "percpu_refill", TEXT_INT, 24, 4, true, "percpu_refill=%d" } } },
	{ "mm_page_pcpu_drain", 24, { PAGE, TYPE } },
	{ "mm_page_alloc_extfrag", 36, {
		PFN,
		{ "alloc_order", TEXT_INT, 16, 4, false, "alloc_order=%d" },
		{ "fallback_order", TEXT_INT, 20, 4, false, "fallback_order=%d" },
		{ "alloc_migratetype", TEXT_INT, 24, 4, false, "alloc_migratetype=%d" },
		{ "fallback_migratetype", TEXT_INT, 28, 4, false, "fallback_migratetype=%d" },
		{ "change_ownership", TEXT_INT, 32, 4, true, "change_ownership=%d" } } },
};
/* clang-format on */

/* Events that were renamed in 3.4. */
static const struct {
	const char *name, *today;
} renamed[] = {
	{ "mm_page_free_direct", "mm_page_free" },
	{ "mm_pagevec_free", "mm_page_free_batched" },
};

/* The index of the event in text_specs, also by its name before 3.4; -1: another event. */
static int text_spec_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (strlen(renamed[i].name) == len && !memcmp(renamed[i].name, name, len))
			return text_spec_find(renamed[i].today, strlen(renamed[i].today));
	for (int i = 0; i < TEXT_NR_SPECS; i++)
		if (strlen(text_specs[i].name) == len &&
		    !memcmp(text_specs[i].name, name, len))
			return i;
	return -1;
}

/* --- values ------------------------------------------------------------------------------ */

static void put(struct text_record *out, size_t offset, uint64_t value, unsigned int size)
{
	set_uint(out->data + offset, value, size, HOST_BIG_ENDIAN);
}

/* Writes the common fields, and zeros up to @size. */
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

/* @site: the event's callsite, 0 if unknown. A real address printed with a name is used if symbols
 * were given, or if it is @site. Otherwise only the name counts, as in the event itself, and the
 * address is remembered for functions printed without a name.
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

/* "(____ptrval____)" stands for any address. */
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

/* Newer kernels print a failed allocation as page 0 with pfn 0. In a record it is pfn -1, which
 * 32-bit kernels print as a 32-bit -1.
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

/* Extends up to the next field, as a name may contain blanks. */
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
	/* A missing name has length 0, unlike an empty one. */
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
	const struct text_spec *spec = &text_specs[nr];
	uint64_t seen = 0;

	begin(out, line, (uint16_t)(TEXT_ID_KMEM + nr), spec->size);
	for (const struct text_field *f = spec->fields; f->key; f++) {
		const char *text = ftrace_value(line->body, f->key);
		uint64_t value = 0;
		int ret;

		if (!text && !f->optional)
			return -EINVAL;
		if (f->kind == TEXT_NAME) {
			size_t len = text ? name_length(text) : 0;

			*(text ? &te->stats.nr_named : &te->stats.nr_nameless) += 1;
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

	if (*name == '<') { /* only this one of the two marks gets here */
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
	begin(out, line, (uint16_t)(TEXT_ID_OTHER + id), TEXT_OTHER_TEXT);
	put_string(out, TEXT_COMMON_SIZE, line->body, len);
	te->stats.nr_others++;
	return 0;
}

int text_events_encode(struct text_events *te, const struct ftrace_line *line,
		       struct text_record *out)
{
	int nr = text_spec_find(line->name, line->name_len);
	int ret = nr < 0 ? encode_other(te, line, out) : encode_known(te, line, nr, out);

	te->stats.nr_records += !ret;
	return ret;
}

void text_events_stack(struct text_events *te, const struct ftrace_line *line,
		       uint64_t site, uint64_t site_function, struct text_record *out)
{
	begin(out, line, TEXT_ID_STACK, TEXT_STACK_FRAMES);
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
	/* An address of 0 ends a stack. It is kept if the text has it, as the outermost frame on
	 * some machines, but a name without an address must not become 0.
	 */
	put(out, out->size, addr || (!ret && !sym.name) ? addr : 1, 8);
	out->size += 8;
	put(out, TEXT_COMMON_SIZE, (out->size - TEXT_STACK_FRAMES) / 8, 4);
	return ret;
}

void text_events_free(struct text_events *te)
{
	text_gfp_free(&te->gfp);
	name_addrs_free(te->addrs);
	intern_free(&te->others);
}

/* --- formats ----------------------------------------------------------------------------- */

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

/* By enum text_kind: the type in a declaration, and what is around the name of an argument. */
static const struct {
	const char *type, *before, *after;
} kinds[] = {
	[TEXT_SITE] = { "unsigned long", "(void *)REC->", "" },
	[TEXT_POINTER] = { "const void *", "REC->", "" },
	[TEXT_PFN] = { "unsigned long", "REC->", "" },
	[TEXT_UINT] = { "unsigned int", "REC->", "" },
	[TEXT_INT] = { "int", "REC->", "" },
	[TEXT_GFP] = { "unsigned long", "(REC->", ")" },
	[TEXT_BOOL] = { "bool", "REC->", " ? \"true\" : \"false\"" },
	[TEXT_NAME] = { "__data_loc char[]", "__get_str(", ")" },
};

static void declare(const struct text_field *f, struct strbuf *sb)
{
	const char *type =
		f->kind == TEXT_UINT && f->size == 8 ? "size_t" : kinds[f->kind].type;

	strbuf_printf(sb, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type,
		      f->key, f->offset, f->size, f->kind == TEXT_INT);
}

static void argument(const struct text_events *te, const struct text_field *f,
		     struct strbuf *sb)
{
	strbuf_printf(sb, ", %s%s%s", kinds[f->kind].before, f->key,
		      kinds[f->kind].after);
	if (f->kind != TEXT_GFP)
		return;
	strbuf_printf(sb, " ? __print_flags(REC->%s, \"|\", ", f->key);
	text_gfp_pairs(&te->gfp, sb);
	strbuf_printf(sb, ") : \"%s\"", te->gfp.none);
}

static int add_known(const struct text_events *te, int nr, struct text_list *list)
{
	const struct text_field *fields = text_specs[nr].fields, *f;
	struct strbuf sb = { 0 };

	head(&sb, text_specs[nr].name, (unsigned int)(TEXT_ID_KMEM + nr));
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			declare(f, &sb);
	strbuf_puts(&sb, "\nprint fmt: \"");
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			strbuf_printf(&sb, "%s%s", f == fields ? "" : " ", f->print);
	strbuf_puts(&sb, "\"");
	for (f = fields; f->key; f++)
		if (te->seen[nr] >> (f - fields) & 1)
			argument(te, f, &sb);
	strbuf_puts(&sb, "\n");
	return text_list_take(list, "kmem", &sb);
}

static int add_other(const struct text_events *te, uint32_t id, struct text_list *list)
{
	const char *name = intern_get(&te->others, id, NULL);
	struct strbuf sb = { 0 };

	head(&sb, name ? name : "", TEXT_ID_OTHER + id);
	strbuf_printf(
		&sb,
		"\tfield:__data_loc char[] text;\toffset:%u;\tsize:4;\tsigned:0;\n\nprint fmt: \"%%s\", __get_str(text)\n",
		TEXT_COMMON_SIZE);
	return text_list_take(list, "imported", &sb);
}

int text_formats(const struct text_events *te, struct text_list *events)
{
	int ret = 0;

	for (int i = 0; !ret && i < TEXT_NR_SPECS; i++)
		if (te->seen[i])
			ret = add_known(te, i, events);
	for (uint32_t id = 1; !ret && id <= te->others.count; id++)
		ret = add_other(te, id, events);
	return ret;
}

int text_formats_of_ftrace(struct text_list *ftrace)
{
	struct strbuf sb = { 0 };

	head(&sb, "kernel_stack", TEXT_ID_STACK);
	strbuf_puts(
		&sb,
		"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
		"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\"");
	for (int i = 0; i < 8; i++)
		strbuf_printf(&sb, ", (void *)REC->caller[%d]", i);
	strbuf_puts(&sb, "\n");
	return text_list_take(ftrace, "ftrace", &sb);
}
