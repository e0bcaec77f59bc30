// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/symbols.h"

#include "base/array.h"

/* No function is larger; an address farther after a symbol is in a hole of the map. */
#define SYMBOL_MAX_SIZE (1U << 20)

struct symbol_entry {
	uint64_t addr;
	uint32_t name;	 /* offset into text */
	uint32_t module; /* the same; 0: the kernel itself */
};

/* Names are not copied: they end with NULs in the text itself. */
struct symbols {
	struct symbols *user;	      /* of programs; NULL: none */
	struct symbol_entry *entries; /* sorted, one for each address */
	size_t count, capacity;
	char *text;
	bool hidden;
};

/* Longer than any kernel symbol (KSYM_NAME_LEN). The rest of a longer name is ignored. */
#define NAME_LOOK 512U

/* Among aliases the lowest rank wins: people use plain, global names for functions. */
static uint32_t name_rank(const struct symbols *syms, const struct symbol_entry *e)
{
	const char *name = syms->text + e->name;
	char type = name[-2]; /* "addr type name" */
	uint32_t rank = 0;

	if (*name == '_')
		rank += 4;
	if (memchr(name, '.', strnlen(name, NAME_LOOK)) || *name == '$')
		rank += 4;
	if (type == 'w' || type == 'W')
		rank += 2;
	else if (type >= 'a')
		rank += 1;
	return rank;
}

/* What scan_text() finds besides the entries. */
struct scan {
	size_t nr_lines, nr_bad;
	bool any_address;
};

/* Ends the line's names with NULs, which overwrite the separators. */
static int keep_line(struct symbols *syms, const struct symbol_line *line)
{
	char *text = syms->text;
	struct symbol_entry *e;

	if (array_reserve(&syms->entries, &syms->capacity, syms->count + 1))
		return -ENOMEM;
	e = &syms->entries[syms->count++];
	*e = (struct symbol_entry){ .addr = line->addr,
				    .name = (uint32_t)(line->name - text) };
	text[e->name + line->name_len] = '\0';
	if (line->module_len) {
		e->module = (uint32_t)(line->module - text);
		text[e->module + line->module_len] = '\0';
	}
	return 0;
}

/* Appends an entry for each text symbol, or for each symbol if @all. */
static int scan_text(struct symbols *syms, size_t size, bool all, struct scan *scan)
{
	const char *p = syms->text, *end = p + size;
	struct symbol_line line;
	int ret;

	*scan = (struct scan){ 0 };
	while ((ret = symbol_line_read(&line, &p, end))) {
		scan->nr_lines++;
		if (ret < 0) {
			scan->nr_bad++;
			continue;
		}
		scan->any_address |= line.addr != 0;
		if (!all && !symbol_line_is_text(&line))
			continue;
		ret = keep_line(syms, &line);
		if (ret)
			return ret;
	}
	return 0;
}

ORDER_BY(compare_entries, struct symbol_entry, addr, name)

/* Sorts the entries. The kernel's own symbols, most of them, are sorted already: only the modules'
 * at the end need sorting.
 */
static int sort_entries(struct symbols *syms)
{
	struct symbol_entry *e = syms->entries, *tail;
	size_t sorted = 1, nr_tail, i, t;

	while (sorted < syms->count && e[sorted - 1].addr <= e[sorted].addr)
		sorted++;
	if (sorted >= syms->count)
		return 0;
	nr_tail = syms->count - sorted;
	tail = malloc(nr_tail * sizeof(*tail));
	if (!tail)
		return -ENOMEM;
	memcpy(tail, e + sorted, nr_tail * sizeof(*tail));
	qsort(tail, nr_tail, sizeof(*tail), compare_entries);
	for (i = syms->count, t = nr_tail; t > 0;) { /* merge from the back */
		if (sorted > 0 && e[sorted - 1].addr > tail[t - 1].addr)
			e[--i] = e[--sorted];
		else
			e[--i] = tail[--t];
	}
	free(tail);
	return 0;
}

/* Keeps the best name for each address. */
static void drop_aliases(struct symbols *syms)
{
	struct symbol_entry *e = syms->entries;
	size_t kept = 0;

	for (size_t i = 0; i < syms->count; i++) {
		if (!kept || e[kept - 1].addr != e[i].addr)
			e[kept++] = e[i];
		else if (name_rank(syms, &e[i]) < name_rank(syms, &e[kept - 1]))
			e[kept - 1] = e[i];
	}
	syms->count = kept;
}

static int index_text(struct symbols *syms, size_t size, const struct log *log)
{
	struct scan scan;
	int ret = scan_text(syms, size, false, &scan);

	if (!ret && !syms->count) /* data symbols are better than none */
		ret = scan_text(syms, size, true, &scan);
	if (ret)
		return ret;
	if (scan.nr_bad)
		log_msg(log, LOG_WARN, "%zu of %zu symbol lines cannot be read; skipped",
			scan.nr_bad, scan.nr_lines);
	if (!scan.any_address) {
		syms->hidden = syms->count > 0;
		syms->count = 0;
	}
	ret = sort_entries(syms);
	if (!ret)
		drop_aliases(syms);
	return ret;
}

int symbols_take(struct symbols **out, char *text, size_t size, const struct log *log)
{
	struct symbols *syms = calloc(1, sizeof(*syms));
	int ret;

	if (!syms) {
		free(text);
		return -ENOMEM;
	}
	syms->text = text;
	if (size > UINT32_MAX / 2) {
		log_msg(log, LOG_WARN, "only the first 2 GiB of the symbols are read");
		size = UINT32_MAX / 2;
	}
	ret = text ? index_text(syms, size, log) : 0;
	if (ret < 0)
		symbols_free(syms);
	else
		*out = syms;
	return ret;
}

int symbols_new(struct symbols **out, const char *text, size_t size,
		const struct log *log)
{
	char *copy = NULL;

	if (text && size) {
		copy = malloc(size + 1);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, text, size);
	}
	return symbols_take(out, copy, size, log);
}

int symbols_add_user(struct symbols *syms, const char *text, size_t size,
		     const struct log *log)
{
	symbols_free(syms->user);
	syms->user = NULL;
	return symbols_new(&syms->user, text, size, log);
}

void symbols_free(struct symbols *syms)
{
	if (!syms)
		return;
	symbols_free(syms->user);
	free(syms->entries);
	free(syms->text);
	free(syms);
}

size_t symbols_count(const struct symbols *syms)
{
	return syms ? syms->count : 0;
}

bool symbols_hidden(const struct symbols *syms)
{
	return syms && syms->hidden;
}

int symbols_at(const struct symbols *syms, size_t i, struct symbol *sym)
{
	const struct symbol_entry *e;

	if (i >= symbols_count(syms))
		return 0;
	e = &syms->entries[i];
	*sym = (struct symbol){
		.addr = e->addr,
		.size = i + 1 < syms->count ? e[1].addr - e->addr : 0,
		.name = syms->text + e->name,
		.module = e->module ? syms->text + e->module : NULL,
	};
	return 1;
}

int symbols_find(const struct symbols *syms, uint64_t addr, struct symbol *sym)
{
	size_t nr;

	if (unlikely(symbols_is_user(addr)) && syms && syms->user)
		syms = syms->user;
	nr = COUNT_FIRST(i, symbols_count(syms), syms->entries[i].addr <= addr);
	if (!nr || addr - syms->entries[nr - 1].addr > SYMBOL_MAX_SIZE)
		return 0;
	return symbols_at(syms, nr - 1, sym);
}

void symbols_format(const struct symbols *syms, uint64_t addr, struct strbuf *out)
{
	struct symbol sym;

	if (!symbols_find(syms, addr, &sym)) {
		strbuf_printf(out, "0x%" PRIx64, addr);
		return;
	}
	strbuf_printf(out, "%s+0x%" PRIx64, sym.name, addr - sym.addr);
	if (sym.module)
		strbuf_printf(out, " [%s]", sym.module);
}
