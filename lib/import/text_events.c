// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/text_events.h"

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
	intern_free(&te->others);
}
