// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: kernel addresses as names.
 * In: kallsyms or System.map text. Out: the symbol that holds an address.
 */
#include "symbol/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol_line.h"

/* No function is larger; what lies farther behind a symbol is in a hole of the map. */
#define SYMBOL_MAX_SIZE (1U << 20)

struct symbol_entry {
	uint64_t addr;
	uint32_t name;	 /* offset into names */
	uint32_t module; /* the same; 0: none */
	uint32_t rank;	 /* among aliases the lowest wins */
};

struct symbols {
	struct symbol_entry *entries; /* sorted, one an address */
	size_t count;
	char *names; /* begins with an empty one */
	size_t names_size;
	bool hidden;
};

/* A plain, global name is what people call the function. */
static uint32_t name_rank(const struct symbol_line *line)
{
	uint32_t rank = 0;

	if (*line->name == '_')
		rank += 4;
	if (memchr(line->name, '.', line->name_len) || *line->name == '$')
		rank += 4;
	if (line->type == 'w' || line->type == 'W')
		rank += 2;
	else if (line->type >= 'a')
		rank += 1;
	return rank;
}

static uint32_t add_name(struct symbols *syms, const char *name, size_t len)
{
	uint32_t offset = (uint32_t)syms->names_size;

	memcpy(syms->names + offset, name, len);
	syms->names[offset + len] = '\0';
	syms->names_size += len + 1;
	return offset;
}

/* What a pass over the text found besides the entries. */
struct scan {
	size_t nr_lines, nr_bad;
	bool any_address;
};

/* Appends an entry for each line whose type is text, or for each if @all. The arrays have
 * room for every line of the text.
 */
static void scan_text(struct symbols *syms, const char *text, size_t size, bool all,
		      struct scan *scan)
{
	const char *p = text, *end = text + size;
	struct symbol_line line;
	uint32_t module = 0;

	*scan = (struct scan){ 0 };
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *line_end = nl ? nl : end;

		if (line_end == p) {
			p++;
			continue;
		}
		scan->nr_lines++;
		if (!symbol_line_parse(&line, p, line_end)) {
			scan->nr_bad++;
			p = line_end + 1;
			continue;
		}
		p = line_end + 1;
		scan->any_address |= line.addr != 0;
		if (!all && !symbol_line_is_text(&line))
			continue;
		if (!line.module_len)
			module = 0;
		else if (!module || strlen(syms->names + module) != line.module_len ||
			 memcmp(syms->names + module, line.module, line.module_len))
			module = add_name(syms, line.module, line.module_len);
		syms->entries[syms->count++] =
			(struct symbol_entry){ line.addr,
					       add_name(syms, line.name, line.name_len),
					       module, name_rank(&line) };
	}
}

static int compare_entries(const void *va, const void *vb)
{
	const struct symbol_entry *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Sorts the entries. The kernel's own symbols, most of them, come sorted: only the modules'
 * at the end have to be.
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

/* Keeps the best name of each address. */
static void drop_aliases(struct symbols *syms)
{
	struct symbol_entry *e = syms->entries;
	size_t i, kept = 0;

	for (i = 0; i < syms->count; i++) {
		if (!kept || e[kept - 1].addr != e[i].addr)
			e[kept++] = e[i];
		else if (e[i].rank < e[kept - 1].rank)
			e[kept - 1] = e[i];
	}
	syms->count = kept;
}

static size_t count_lines(const char *text, size_t size)
{
	const char *p = text, *end = text + size;
	size_t nr = 1;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		nr++;
		p++;
	}
	return nr;
}

/* Gives back what was reserved for lines that were not kept. */
static void shrink(struct symbols *syms)
{
	void *p = realloc(syms->entries, (syms->count + 1) * sizeof(*syms->entries));

	if (p)
		syms->entries = p;
	p = realloc(syms->names, syms->names_size);
	if (p)
		syms->names = p;
}

static int index_text(struct symbols *syms, const char *text, size_t size,
		      const struct log *log)
{
	struct scan scan;
	int ret;

	scan_text(syms, text, size, false, &scan);
	if (!syms->count) { /* a map of data only is better than none */
		syms->names_size = 1;
		scan_text(syms, text, size, true, &scan);
	}
	if (scan.nr_bad)
		log_msg(log, LOG_WARN, "%zu of %zu symbol lines cannot be read; skipped",
			scan.nr_bad, scan.nr_lines);
	if (!scan.any_address) {
		syms->hidden = syms->count > 0;
		syms->count = 0;
	}
	ret = sort_entries(syms);
	if (ret < 0)
		return ret;
	drop_aliases(syms);
	shrink(syms);
	return 0;
}

int symbols_new(struct symbols **out, const char *text, size_t size,
		const struct log *log)
{
	struct symbols *syms = calloc(1, sizeof(*syms));
	size_t nr_lines;
	int ret = -ENOMEM;

	if (!syms)
		return -ENOMEM;
	if (!text || !size) {
		*out = syms;
		return 0;
	}
	if (size > UINT32_MAX / 2) {
		log_msg(log, LOG_WARN, "only the first 2 GiB of the symbols are read");
		size = UINT32_MAX / 2;
	}
	nr_lines = count_lines(text, size);
	syms->entries = malloc((nr_lines + 1) * sizeof(*syms->entries));
	/* Each kept name replaces a longer line; module names lie in theirs too. */
	syms->names = malloc(size + 2);
	if (!syms->entries || !syms->names)
		goto err;
	syms->names[0] = '\0';
	syms->names_size = 1;
	ret = index_text(syms, text, size, log);
	if (ret < 0)
		goto err;
	*out = syms;
	return 0;
err:
	symbols_free(syms);
	return ret;
}

void symbols_free(struct symbols *syms)
{
	if (!syms)
		return;
	free(syms->entries);
	free(syms->names);
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

int symbols_find(const struct symbols *syms, uint64_t addr, struct symbol *sym)
{
	size_t low = 0, high = symbols_count(syms);
	const struct symbol_entry *e;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (syms->entries[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	e = &syms->entries[low - 1];
	if (addr - e->addr > SYMBOL_MAX_SIZE)
		return 0;
	*sym = (struct symbol){
		.addr = e->addr,
		.size = low < syms->count ? e[1].addr - e->addr : 0,
		.name = syms->names + e->name,
		.module = e->module ? syms->names + e->module : NULL,
	};
	return 1;
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
