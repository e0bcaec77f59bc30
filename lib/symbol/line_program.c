// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF 5, 6.2; versions 2 to 4 differ only in the header. libdw's dwarf_getsrclines() has no
 * bound: a file of 200 KB whose 20 000 files name one directory of 100 KB makes one call allocate
 * 1.9 GB. For a usual table, it keeps eleven times its size.
 */
#include "symbol/line_program.h"

#include "base/bytes.h"

/* Standard opcodes (7.22, table 7.25). */
enum {
	LNS_EXTENDED,
	LNS_COPY,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_SET_COLUMN,
	LNS_NEGATE_STMT,
	LNS_SET_BASIC_BLOCK,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,
	LNS_SET_PROLOGUE_END,
	LNS_SET_EPILOGUE_BEGIN,
	LNS_SET_ISA,
};

enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };
/* Content types (table 7.27) and forms (table 7.6) of a header's entries. */
enum { LNCT_PATH = 1, LNCT_DIRECTORY = 2, LNCT_OTHER = 3 };
enum {
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
};

/* Drops bits above the 64th, like libdw. */
static uint64_t read_leb(struct byte_reader *r, bool is_signed)
{
	unsigned int shift = 0;
	uint64_t value = 0;
	const uint8_t *p;

	while ((p = byte_reader_skip(r, 1))) {
		if (shift < 64)
			value |= (uint64_t)(*p & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (*p & 0x80)
			continue;
		if (is_signed && *p & 0x40 && shift < 64)
			value |= ~(uint64_t)0 << shift;
		break;
	}
	return value;
}

static uint64_t read_uleb(struct byte_reader *r)
{
	return read_leb(r, false);
}

static struct byte_reader reader_of(const struct line_table *t, struct line_bytes bytes)
{
	return byte_reader(bytes.data, bytes.size, t->sections->big_endian);
}

/* The bytes from @r's position to its end. */
static struct line_bytes rest_of(const struct byte_reader *r)
{
	return (struct line_bytes){ r->p, byte_reader_left(r) };
}

/* Path and directory of one directory or file in a header. A text in another section is not read
 * until needed, because many entries may share one long text.
 */
struct entry {
	const char *inside;
	const struct line_bytes *elsewhere;
	uint64_t offset, dir;
};

/* NULL if damaged. */
static const char *entry_text(const struct entry *e)
{
	const struct line_bytes *s = e->elsewhere;

	if (!s)
		return e->inside;
	if (e->offset >= s->size ||
	    !memchr(s->data + e->offset, 0, s->size - (size_t)e->offset))
		return NULL;
	return (const char *)s->data + e->offset;
}

static void read_text(const struct line_table *t, struct byte_reader *r, uint64_t form,
		      struct entry *e)
{
	if (form == FORM_STRING) {
		e->inside = byte_reader_string(r);
		return;
	}
	e->elsewhere = form == FORM_STRP ? &t->sections->str : &t->sections->line_str;
	e->offset = byte_reader_uint(r, t->offset_size);
}

/* Reads a number, or skips a value: 0, -EOPNOTSUPP. */
static int read_number(struct byte_reader *r, uint64_t form, uint64_t *value)
{
	static const uint8_t sizes[] = { [FORM_DATA1] = 1,
					 [FORM_DATA2] = 2,
					 [FORM_DATA4] = 4,
					 [FORM_DATA8] = 8,
					 [FORM_DATA16] = 16 };

	if (form == FORM_UDATA)
		*value = read_uleb(r);
	else if (form == FORM_BLOCK)
		byte_reader_skip(r, read_uleb(r));
	else if (form < ARRAY_SIZE(sizes) && sizes[form])
		*value = byte_reader_uint(r, sizes[form]); /* 0 for 16 bytes */
	else
		return -EOPNOTSUPP;
	return 0;
}

/* Reads a value of @form. 0, -EBADMSG, -EOPNOTSUPP. */
static int read_value(const struct line_table *t, struct byte_reader *r, uint64_t form,
		      uint64_t content, struct entry *e)
{
	bool text = form == FORM_STRING || form == FORM_LINE_STRP || form == FORM_STRP;
	struct entry other;
	uint64_t value = 0;
	int ret = 0;

	if (text)
		read_text(t, r, form, content == LNCT_PATH ? e : &other);
	else
		ret = read_number(r, form, &value);
	if (ret)
		return ret;
	if (content == LNCT_DIRECTORY)
		e->dir = value;
	return r->failed || (content == LNCT_PATH && !text) ? -EBADMSG : 0;
}

/* Layout of entries before DWARF 5: a path; for a file, also the number of its directory and two
 * more numbers (time, size).
 */
static const uint8_t old_dir_forms[] = { LNCT_PATH, FORM_STRING };
static const uint8_t old_file_forms[] = { LNCT_PATH,  FORM_STRING, LNCT_DIRECTORY,
					  FORM_UDATA, LNCT_OTHER,  FORM_UDATA,
					  LNCT_OTHER, FORM_UDATA };

/* Is it the empty text that ends a list before DWARF 5? */
static bool is_end(const struct line_table *t, const struct entry *e)
{
	return t->version < 5 && e->inside && !*e->inside;
}

/* Reads the next entry of a list, as described by @forms. */
static int read_entry(const struct line_table *t, struct byte_reader *r,
		      struct line_bytes forms, struct entry *e)
{
	struct byte_reader f = reader_of(t, forms);
	int ret = 0;

	*e = (struct entry){ 0 };
	while (!ret && byte_reader_left(&f) && !is_end(t, e)) {
		uint64_t content = read_uleb(&f), form = read_uleb(&f);

		ret = read_value(t, r, form, content, e);
	}
	if (!ret && !e->inside && !e->elsewhere)
		ret = -EBADMSG;
	return ret;
}

/* DWARF 5: the pairs that describe an entry; each takes two bytes or more. */
static struct line_bytes read_forms(struct byte_reader *r)
{
	uint64_t nr = byte_reader_uint(r, 1), i;
	const uint8_t *start = r->p;

	for (i = 0; i < nr; i++) {
		(void)read_uleb(r);
		(void)read_uleb(r);
	}
	return (struct line_bytes){ start, r->failed ? 0 : (size_t)(r->p - start) };
}

/* Reads the lists of DWARF 5; @r is moved to the start of the second. */
static int read_lists(struct line_table *t, struct byte_reader *r)
{
	struct entry e;
	int ret = 0;

	t->dir_forms = read_forms(r);
	t->nr_dirs = read_uleb(r);
	t->dirs = rest_of(r);
	/* An entry has a path, which takes at least one byte. */
	for (uint64_t i = 0; i < t->nr_dirs && !ret; i++)
		ret = read_entry(t, r, t->dir_forms, &e);
	if (ret)
		return ret;
	t->file_forms = read_forms(r);
	t->nr_files = read_uleb(r);
	t->files = rest_of(r);
	return r->failed ? -EBADMSG : 0;
}

/* Counts the entries of a list before DWARF 5, and moves @r after it. */
static int count_entries(struct line_table *t, struct byte_reader *r,
			 struct line_bytes forms, uint64_t *nr)
{
	struct entry e;
	int ret;

	for (ret = read_entry(t, r, forms, &e); !ret && !is_end(t, &e);
	     ret = read_entry(t, r, forms, &e))
		++*nr;
	return ret;
}

static int read_old_lists(struct line_table *t, struct byte_reader *r)
{
	int ret;

	t->first = 1;
	t->dir_forms = (struct line_bytes){ old_dir_forms, sizeof(old_dir_forms) };
	t->file_forms = (struct line_bytes){ old_file_forms, sizeof(old_file_forms) };
	t->dirs = rest_of(r);
	ret = count_entries(t, r, t->dir_forms, &t->nr_dirs);
	t->files = rest_of(r);
	return ret ?: count_entries(t, r, t->file_forms, &t->nr_files);
}

/* Reads the fields between the header's length and its lists. */
static int read_fields(struct line_table *t, struct byte_reader *r)
{
	t->min_instruction = (uint8_t)byte_reader_uint(r, 1);
	t->max_operations = t->version < 4 ? 1 : (uint8_t)byte_reader_uint(r, 1);
	(void)byte_reader_uint(r, 1); /* default_is_stmt */
	t->line_base = (int8_t)byte_reader_uint(r, 1);
	t->line_range = (uint8_t)byte_reader_uint(r, 1);
	t->opcode_base = (uint8_t)byte_reader_uint(r, 1);
	t->operands = byte_reader_skip(r, t->opcode_base ? t->opcode_base - 1U : 0);
	if (r->failed || !t->opcode_base || !t->line_range || !t->max_operations)
		return -EBADMSG;
	return t->version < 5 ? read_old_lists(t, r) : read_lists(t, r);
}

int line_table_open(struct line_table *table, const struct line_sections *sections,
		    uint64_t at)
{
	struct line_bytes line = sections->line;
	struct byte_reader r, header;
	const uint8_t *p;
	uint64_t size;

	*table = (struct line_table){ .sections = sections,
				      .offset_size = 4,
				      .address_size = sections->address_size };
	if (at >= line.size)
		return -EBADMSG;
	r = byte_reader(line.data + at, line.size - at, sections->big_endian);
	size = byte_reader_u32(&r);
	if (size == UINT32_MAX) {
		table->offset_size = 8;
		size = byte_reader_u64(&r);
	}
	p = byte_reader_skip(&r, size);
	if (!p)
		return -EBADMSG;
	r = byte_reader(p, (size_t)size, sections->big_endian);
	table->version = byte_reader_u16(&r);
	if (r.failed || table->version < 2 || table->version > 5)
		return r.failed ? -EBADMSG : -EOPNOTSUPP;
	if (table->version == 5) {
		table->address_size = (uint8_t)byte_reader_uint(&r, 1);
		(void)byte_reader_uint(&r, 1); /* segment selector size */
	}
	size = byte_reader_uint(&r, table->offset_size);
	p = byte_reader_skip(&r, size);
	if (!p || (table->address_size != 4 && table->address_size != 8))
		return -EBADMSG;
	table->program = rest_of(&r);
	header = byte_reader(p, (size_t)size, sections->big_endian);
	return read_fields(table, &header);
}

/* The state machine's registers that are needed, and the previous row. */
struct machine {
	const struct line_table *t;
	uint64_t addr, wanted;
	uint32_t operation;
	struct line_row now;
	uint64_t last_addr;
	struct line_row last;
	bool has_last;
};

static void start_sequence(struct machine *m)
{
	m->addr = 0;
	m->operation = 0;
	m->now = (struct line_row){ 1, 1 };
	m->has_last = false;
}

static void advance(struct machine *m, uint64_t operations)
{
	const struct line_table *t = m->t;

	if (t->max_operations == 1) {
		m->addr += t->min_instruction * operations;
		return;
	}
	operations += m->operation;
	m->addr += t->min_instruction * (operations / t->max_operations);
	m->operation = (uint32_t)(operations % t->max_operations);
}

/* Adds a row at m->addr: does the previous row contain the wanted address? */
static bool add_row(struct machine *m)
{
	if (m->has_last && m->last_addr <= m->wanted && m->wanted < m->addr)
		return true;
	m->last = m->now;
	m->last_addr = m->addr;
	m->has_last = true;
	return false;
}

static bool run_special(struct machine *m, uint8_t opcode)
{
	const struct line_table *t = m->t;
	uint8_t adjusted = (uint8_t)(opcode - t->opcode_base);

	advance(m, adjusted / t->line_range);
	m->now.line += (uint32_t)(t->line_base + adjusted % t->line_range);
	return add_row(m);
}

static bool run_extended(struct machine *m, struct byte_reader *r)
{
	uint64_t size = read_uleb(r);
	const uint8_t *p = byte_reader_skip(r, size);
	bool found;

	if (!p || !size)
		return false;
	if (*p == LNE_END_SEQUENCE) {
		found = add_row(m);
		if (!found)
			start_sequence(m);
		return found;
	}
	if (*p == LNE_SET_ADDRESS && size - 1 == m->t->address_size) {
		m->addr = get_uint(p + 1, m->t->address_size, r->big_endian);
		m->operation = 0;
	}
	return false;
}

static bool run_standard(struct machine *m, struct byte_reader *r, uint8_t opcode)
{
	switch (opcode) {
	case LNS_EXTENDED:
		return run_extended(m, r);
	case LNS_COPY:
		return add_row(m);
	case LNS_ADVANCE_PC:
		advance(m, read_uleb(r));
		return false;
	case LNS_ADVANCE_LINE:
		m->now.line += (uint32_t)((int64_t)read_leb(r, true));
		return false;
	case LNS_SET_FILE:
		m->now.file = read_uleb(r);
		return false;
	case LNS_CONST_ADD_PC:
		advance(m, (255U - m->t->opcode_base) / m->t->line_range);
		return false;
	case LNS_FIXED_ADVANCE_PC:
		m->addr += byte_reader_u16(r);
		m->operation = 0;
		return false;
	case LNS_NEGATE_STMT:
	case LNS_SET_BASIC_BLOCK:
	case LNS_SET_PROLOGUE_END:
	case LNS_SET_EPILOGUE_BEGIN:
		return false;
	default: /* a column, an instruction set, or opcodes of later versions */
		for (uint8_t i = 0; i < m->t->operands[opcode - 1]; i++)
			(void)read_uleb(r);
		return false;
	}
}

int line_table_find(const struct line_table *table, uint64_t addr, struct line_row *row)
{
	struct machine m = { .t = table, .wanted = addr };
	struct byte_reader r = reader_of(table, table->program);
	bool found = false;

	start_sequence(&m);
	while (!found && byte_reader_left(&r)) {
		uint8_t opcode = (uint8_t)byte_reader_uint(&r, 1);

		found = opcode >= table->opcode_base ? run_special(&m, opcode)
						     : run_standard(&m, &r, opcode);
	}
	*row = m.last;
	if (found)
		return 1;
	return r.failed ? -EBADMSG : 0;
}

/* Reads entry @index of @list, from 0 on. */
static int find_entry(const struct line_table *t, struct line_bytes list,
		      struct line_bytes forms, uint64_t index, struct entry *e)
{
	struct byte_reader r = reader_of(t, list);
	int ret = 0;

	for (uint64_t i = 0; i <= index && !ret; i++)
		ret = read_entry(t, &r, forms, e);
	return ret;
}

int line_table_file(const struct line_table *table, uint64_t file, struct line_file *out)
{
	struct entry e, dir;
	int ret;

	*out = (struct line_file){ 0 };
	if (file < table->first || file - table->first >= table->nr_files)
		return 0;
	ret = find_entry(table, table->files, table->file_forms, file - table->first, &e);
	/* Directory 0 is the compiler's. */
	if (!ret && e.dir && e.dir - table->first >= table->nr_dirs)
		ret = -EBADMSG;
	if (!ret && e.dir)
		ret = find_entry(table, table->dirs, table->dir_forms,
				 e.dir - table->first, &dir);
	if (ret)
		return ret;
	out->name = entry_text(&e);
	out->dir = e.dir ? entry_text(&dir) : NULL;
	return out->name && (out->dir || !e.dir) ? 1 : -EBADMSG;
}
