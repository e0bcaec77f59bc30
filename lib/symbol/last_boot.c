// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/last_boot.h"

#include "base/keyed.h"

/* A module's address then and now; 0: unknown. */
struct module_place {
	uint64_t then, now;
};

struct module_places {
	KEYED(struct module_place) names;
};

/* The place of a module; NULL: unknown. */
static struct module_place *known_place(const struct module_places *m, const char *name,
					size_t len)
{
	uint32_t id = intern_find(&m->names.keys, name, len);

	return id ? &m->names.of[id - 1] : NULL;
}

/* Parses lines "ADDR NAME", one of them for "[kernel]". 0 or -ENOMEM. */
static int read_info(struct module_places *m, const char *info)
{
	for (const char *p = info; *p; p = text_next_line(p)) {
		size_t len = strcspn(p, "\n");
		uint64_t addr;
		char *name;

		addr = strtoull(p, &name, 16);
		if (name == p || name >= p + len)
			continue;
		name += strspn(name, " \t");
		if (name < p + len) {
			struct module_place *place =
				KEYED_ITEM_OF(&m->names, name, (size_t)(p + len - name));

			if (!place)
				return -ENOMEM;
			place->then = addr;
		}
	}
	return 0;
}

/* Parses lines "NAME SIZE USERS DEPENDENTS STATE 0xADDR". 0 or -ENOMEM. */
static int read_modules(struct module_places *m, const char *modules)
{
	for (const char *p = modules; p && *p; p = text_next_line(p)) {
		size_t len = strcspn(p, "\n"), name = strcspn(p, " \n"), at = name;
		struct module_place *place;

		for (unsigned int field = 1; field < 5 && at < len; field++)
			at += 1 + strcspn(p + at + 1, " \n");
		if (!name || at >= len)
			continue;
		place = KEYED_ITEM_OF(&m->names, p, name);
		if (!place)
			return -ENOMEM;
		place->now = strtoull(p + at + 1, NULL, 16);
	}
	return 0;
}

/* The start of the kernel's code: "_text", else "_stext". 0: not in kallsyms. */
static uint64_t kernel_start(const struct symbol_text *kallsyms)
{
	const char *p = kallsyms->text, *end = p ? p + kallsyms->size : NULL;
	struct symbol_line line;
	uint64_t start = 0;

	while (p && symbol_line_next(&line, &p, end)) {
		if (line.module_len)
			continue;
		if (line.name_len == 5 && !memcmp(line.name, "_text", 5))
			return line.addr;
		if (line.name_len == 6 && !memcmp(line.name, "_stext", 6))
			start = line.addr;
	}
	return start;
}

static void count_modules(const struct module_places *m, struct last_boot *last)
{
	for_each(place, m->names.of, m->names.nr) {
		if (place->then && place->now)
			last->nr_modules++;
		else if (place->now)
			last->nr_dropped++;
		if (place->then && place->now && place->then != place->now)
			last->kind = LAST_BOOT_MOVED;
	}
}

/* The offset for @line's symbol; false if its old address is unknown. */
static bool line_offset(const struct module_places *m, const struct last_boot *last,
			const struct symbol_line *line, uint64_t *offset)
{
	const struct module_place *place;

	*offset = last->offset;
	if (!line->module_len)
		return true;
	place = known_place(m, line->module, line->module_len);
	/* A module's data is allocated separately and may have another offset. */
	if (!place || !place->then || !place->now || !symbol_line_is_text(line))
		return false;
	*offset = place->then - place->now;
	return true;
}

static int move_lines(const struct module_places *m, const struct last_boot *last,
		      const struct symbol_text *kallsyms, struct strbuf *out)
{
	const char *p = kallsyms->text, *end = p + kallsyms->size;
	struct symbol_line line;
	uint64_t offset;

	while (symbol_line_next(&line, &p, end)) {
		if (line_offset(m, last, &line, &offset))
			symbol_line_add(out, &line, offset);
	}
	return out->failed ? -ENOMEM : 0;
}

/* Reads the kernel's offset from @info, and whether @info has the modules' addresses. */
static void compare_kernels(struct module_places *m, const char *info,
			    const struct symbol_text *kallsyms, struct last_boot *last)
{
	const char *delta = strstr(info, "text delta:");
	struct module_place *kernel = known_place(m, "[kernel]", 8);
	uint64_t now;

	last->kind = LAST_BOOT_NONE;
	if (!delta && !kernel)
		return;
	last->kind = LAST_BOOT_UNKNOWN;
	if (delta) {
		last->offset = -(uint64_t)strtoll(delta + 11, NULL, 10);
		last->kind = last->offset ? LAST_BOOT_MOVED : LAST_BOOT_SAME;
		return;
	}
	now = kernel_start(kallsyms);
	if (!now || !kernel->then)
		return;
	last->offset = kernel->then - now;
	last->kind = last->offset ? LAST_BOOT_MOVED : LAST_BOOT_SAME;
	*kernel = (struct module_place){ 0 };
}

int last_boot_symbols(const char *info, const struct symbol_text *kallsyms,
		      const char *modules, struct strbuf *out, struct last_boot *last)
{
	struct module_places m = { 0 };
	int ret = read_info(&m, info);

	*last = (struct last_boot){ 0 };
	if (!ret) {
		compare_kernels(&m, info, kallsyms, last);
		ret = read_modules(&m, modules);
	}
	if (!ret && (last->kind == LAST_BOOT_SAME || last->kind == LAST_BOOT_MOVED))
		count_modules(&m, last);
	if (!ret && last->nr_dropped)
		last->kind = LAST_BOOT_MOVED;
	if (!ret && last->kind == LAST_BOOT_MOVED)
		ret = move_lines(&m, last, kallsyms, out);
	KEYED_FREE(&m.names);
	return ret;
}
