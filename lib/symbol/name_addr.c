// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/name_addr.h"

#include "base/keyed.h"
#include "symbol/symbols.h"

/* What is known about a function, by name number. */
struct known {
	uint32_t given;	  /* index + 1 of its last line in @given; 0: not there */
	uint32_t made_up; /* index + 1 of its first made-up address; 0: none */
	bool ambiguous;
};

/* A function in the given kallsyms; functions of one name are chained, last one first. */
struct given {
	uint64_t addr;
	uint32_t next; /* + 1 */
};

/* A made-up address. Functions of one name but of different sizes have different ones. */
struct made_up {
	uint32_t name;
	uint32_t next; /* index + 1 of the next one of this name; 0: none */
	uint64_t size; /* 0: unknown so far */
};

/* Maximum number of functions of one name that are distinguished. */
#define MAX_VARIANTS 16

struct name_addrs {
	struct strbuf text; /* as given */
	struct symbols *syms;
	KEYED(struct known) known; /* by "name" or "name\tmodule" */
	struct given *given;
	size_t nr_given;
	struct made_up *made_up;
	size_t nr_made_up;
	struct u64_map learned; /* address to name number */
	struct name_addr_stats stats;
};

/* The number of a function's name; 0 if memory ran out. */
static uint32_t name_id(struct name_addrs *na, const char *name, size_t name_len,
			const char *module, size_t module_len)
{
	char key[1024];

	name_len = SMALLER(name_len, sizeof(key) / 2);
	module_len = SMALLER(module_len, sizeof(key) / 2 - 2);
	memcpy(key, name, name_len);
	if (module_len) {
		key[name_len++] = '\t';
		memcpy(key + name_len, module, module_len);
	}
	return KEYED_ID_OF(&na->known, key, name_len + module_len);
}

static int add_given(struct name_addrs *na)
{
	const char *p = strbuf_text(&na->text), *end = p + na->text.size;
	struct symbol_line line;

	while (symbol_line_next(&line, &p, end)) {
		uint32_t id;

		if (!symbol_line_is_text(&line) || !line.addr)
			continue;
		id = name_id(na, line.name, line.name_len, line.module, line.module_len);
		if (!id ||
		    ARRAY_ADD(na->given, na->nr_given,
			      (struct given){ line.addr, na->known.of[id - 1].given }))
			return -ENOMEM;
		na->known.of[id - 1].given = (uint32_t)na->nr_given;
	}
	return 0;
}

int name_addrs_new(struct name_addrs **out, const char *kallsyms, size_t size)
{
	struct name_addrs *na = calloc(1, sizeof(*na));
	int ret = 0;

	if (!na)
		return -ENOMEM;
	if (kallsyms && size) {
		strbuf_add(&na->text, kallsyms, size);
		if (kallsyms[size - 1] != '\n')
			strbuf_puts(&na->text, "\n");
		ret = na->text.failed ? -ENOMEM
				      : symbols_new(&na->syms, na->text.data,
						    na->text.size, NULL);
		ret = ret ?: add_given(na);
	}
	if (ret) {
		name_addrs_free(na);
		return ret;
	}
	*out = na;
	return 0;
}

void name_addrs_free(struct name_addrs *na)
{
	if (!na)
		return;
	strbuf_free(&na->text);
	symbols_free(na->syms);
	KEYED_FREE(&na->known);
	free(na->given);
	free(na->made_up);
	u64_map_free(&na->learned);
	free(na);
}

bool name_addrs_given(const struct name_addrs *na)
{
	return na->nr_given != 0;
}

/* The function of this name and size, else the first of this name in the file. */
static uint64_t choose_given(struct name_addrs *na, struct known *known, uint64_t size)
{
	uint64_t first = 0, fitting = 0;
	unsigned int nr = 0, nr_fitting = 0;

	for (uint32_t i = known->given; i; i = na->given[i - 1].next) {
		struct symbol sym;

		first = na->given[i - 1].addr;
		nr++;
		if (size && symbols_find(na->syms, first, &sym) && sym.size == size) {
			fitting = first;
			nr_fitting++;
		}
	}
	if (nr > 1 && nr_fitting != 1 && !known->ambiguous) {
		known->ambiguous = true;
		na->stats.nr_ambiguous++;
	}
	return nr_fitting ? fitting : first;
}

/* Makes up an address for the name; its number in @index, unless there are too many. */
static int make_up(struct name_addrs *na, uint32_t id, uint64_t size, uint32_t *index)
{
	struct known *known = &na->known.of[id - 1];
	struct made_up *first;

	if (na->nr_made_up == NAME_ADDR_MAX)
		return -E2BIG;
	*index = (uint32_t)na->nr_made_up;
	if (ARRAY_ADD(na->made_up, na->nr_made_up,
		      (struct made_up){ .name = id, .size = size }))
		return -ENOMEM;
	if (known->made_up) {
		first = &na->made_up[known->made_up - 1];
		na->made_up[*index].next = first->next;
		first->next = *index + 1;
	} else {
		known->made_up = *index + 1;
	}
	na->stats.nr_made_up++;
	return 0;
}

/* Finds the made-up address for a function: of its size, or the first if the size is unknown. */
static int find_made_up(struct name_addrs *na, uint32_t id, uint64_t size,
			uint32_t *index)
{
	uint32_t first = na->known.of[id - 1].made_up;
	unsigned int nr = 0;

	for (uint32_t i = first; i; i = na->made_up[i - 1].next) {
		struct made_up *m = &na->made_up[i - 1];

		if (!m->size)
			m->size = size;
		if (!size || m->size == size || ++nr == MAX_VARIANTS) {
			*index = i - 1;
			return 0;
		}
	}
	return make_up(na, id, size, index);
}

int name_addrs_find(struct name_addrs *na, const struct name_addr *at, uint64_t *addr)
{
	uint32_t id = name_id(na, at->name, at->name_len, at->module, at->module_len);
	struct known *known;
	uint32_t index;
	int ret;

	*addr = 0;
	if (!id)
		return -ENOMEM;
	known = &na->known.of[id - 1];
	if (at->offset >> NAME_ADDR_SHIFT) {
		na->stats.nr_refused++;
		return 0;
	}
	if (known->given) {
		*addr = choose_given(na, known, at->size) + at->offset;
		return 0;
	}
	ret = find_made_up(na, id, at->size, &index);
	if (ret == -E2BIG) {
		na->stats.nr_refused++;
		return 0;
	}
	if (!ret)
		*addr = NAME_ADDR_BASE + ((uint64_t)index << NAME_ADDR_SHIFT) +
			at->offset;
	return ret;
}

int name_addrs_learn(struct name_addrs *na, const struct name_addr *at, uint64_t addr)
{
	uint32_t id;

	if (addr < at->offset || na->learned.count == NAME_ADDR_MAX)
		return 0;
	id = name_id(na, at->name, at->name_len, at->module, at->module_len);
	return id && u64_map_insert(&na->learned, addr - at->offset, id) ? 0 : -ENOMEM;
}

static void add_line(const struct name_addrs *na, uint64_t addr, uint32_t id,
		     struct strbuf *out)
{
	size_t size = 0;
	const char *key = intern_get(&na->known.keys, id, &size);
	const char *tab = key ? memchr(key, '\t', size) : NULL;

	if (tab)
		strbuf_printf(out, "%016" PRIx64 " t %.*s\t[%s]\n", addr,
			      (int)(tab - key), key, tab + 1);
	else if (key)
		strbuf_printf(out, "%016" PRIx64 " T %s\n", addr, key);
}

void name_addrs_text(const struct name_addrs *na, struct strbuf *out)
{
	struct u64_map_slot *learned __auto_mem = u64_map_sorted(&na->learned);

	strbuf_add(out, strbuf_text(&na->text), na->text.size);
	for (size_t i = 0; i < na->nr_made_up; i++)
		add_line(na, NAME_ADDR_BASE + ((uint64_t)i << NAME_ADDR_SHIFT),
			 na->made_up[i].name, out);
	for (size_t i = 0; learned && i < na->learned.count; i++)
		add_line(na, learned[i].key, learned[i].value, out);
	out->failed |= !learned;
}

struct name_addr_stats name_addrs_stats(const struct name_addrs *na)
{
	return na->stats;
}
