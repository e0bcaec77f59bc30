// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_symbols.h"

/* "ADDRESS T NAME\tMORE\n" */
struct symbol_line {
	uint64_t address;
	const char *type; /* and the rest of the line */
	const char *name;
	size_t name_size;
	bool module;
	const char *next;
};

/* Does @at have a line with a symbol? Sets @l->next to the following line in any case. */
static bool split(const char *at, struct symbol_line *l)
{
	const char *end = strchrnul(at, '\n');
	char *p;

	l->next = *end ? end + 1 : end;
	l->address = strtoull(at, &p, 16);
	if (p == at || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l->type = p + 1;
	l->name = p + 3;
	l->name_size = strcspn(l->name, " \t\r\n");
	l->module = memchr(l->name, '[', (size_t)(end - l->name));
	return l->name_size != 0;
}

uint64_t perf_symbols_find(const char *text, const char *name)
{
	const size_t size = strlen(name);
	struct symbol_line l;

	for (const char *at = text; size && *at; at = l.next)
		if (split(at, &l) && !l.module && l.name_size == size &&
		    !memcmp(l.name, name, size))
			return l.address;
	return 0;
}

bool perf_symbols_fit(const char *text, const struct import_kernel *kernel)
{
	return kernel->text &&
	       perf_symbols_find(text, kernel->text_symbol) == kernel->text &&
	       (*kernel->build_id ||
		(kernel->text_end &&
		 perf_symbols_find(text, "_etext") == kernel->text_end));
}

static void move_all(struct strbuf *out, const char *text, uint64_t from, uint64_t by)
{
	struct symbol_line l;

	for (const char *at = text; *at; at = l.next) {
		if (!split(at, &l) || l.module)
			continue;
		/* Lower values are offsets, for example of per-CPU variables. */
		strbuf_printf(out, "%016" PRIx64 " ",
			      l.address < from ? l.address : l.address + by);
		strbuf_add(out, l.type, (size_t)(l.next - l.type));
	}
}

int perf_symbols_add(struct strbuf *out, const char *text, const struct perf_system *s,
		     uint64_t *moved)
{
	uint64_t there = s->kernel_text ? perf_symbols_find(text, s->text_symbol) : 0;

	*moved = there ? s->kernel_text - there : 0;
	if (*moved)
		move_all(out, text, there, *moved);
	else
		strbuf_puts(out, text);
	if (out->size && out->data[out->size - 1] != '\n')
		strbuf_puts(out, "\n");
	if (s->ksymbols.size)
		strbuf_add(out, s->ksymbols.data, s->ksymbols.size);
	return out->failed ? -ENOMEM : 0;
}
