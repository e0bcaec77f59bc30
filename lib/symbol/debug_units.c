// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: which file of the source an address was compiled from.
 * In: an ELF file with debug information (DWARF). Out: the directory of that file.
 */
#include "symbol/debug_units.h"

#include <errno.h>
#include <stdlib.h>

#ifndef HAVE_LIBDW

bool debug_units_built_in(void)
{
	return false;
}

int debug_units_open(struct debug_units **out, const char *path)
{
	*out = NULL;
	(void)path;
	return -EOPNOTSUPP;
}

void debug_units_free(struct debug_units *units)
{
	(void)units;
}

size_t debug_units_count(const struct debug_units *units)
{
	(void)units;
	return 0;
}

const char *debug_units_at(struct debug_units *units, uint64_t addr)
{
	(void)units;
	(void)addr;
	return NULL;
}

int debug_units_function(struct debug_units *units, const char *name, const char **dir)
{
	(void)units;
	(void)name;
	(void)dir;
	return 0;
}

#else

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "symbol/debug_limit.h"
#include "symbol/source_path.h"

#define UNITS_MAX     (1U << 20)
#define RANGES_MAX    (1U << 22)
#define FUNCTIONS_MAX (1 << 20)

/* Code of a unit: from @low up to @high. */
struct range {
	uint64_t low, high;
	uint32_t dir; /* of @dirs; 0: outside the tree */
};

/**
 * struct debug_units - the file's ranges, sorted
 * @dirs: texts
 * @root: of the kernel's tree, with a '/'; empty if paths are relative to it
 * @functions: names; @function_dirs: by name number - 1: of @dirs, or SEVERAL
 */
struct debug_units {
	struct range *ranges;
	size_t nr, capacity, nr_units;
	struct intern dirs, functions;
	uint32_t *function_dirs;
	size_t functions_capacity;
	struct strbuf root;
	bool functions_read;
	struct debug_limit limit;
	Dwfl *dwfl;
	Dwfl_Module *module;
};

#define SEVERAL UINT32_MAX

bool debug_units_built_in(void)
{
	return true;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(die, name, &attr));
}

/* The part of "/src/linux/init/main.c" before what is in every kernel. */
static void find_root(struct debug_units *u, const char *name)
{
	static const char *const known[] = { "/init/main.c", "/kernel/fork.c",
					     "/mm/slub.c" };
	size_t size = strlen(name), i;

	for (i = 0; i < ARRAY_SIZE(known) && !u->root.size; i++) {
		size_t tail = strlen(known[i]);

		if (size > tail && !strcmp(name + size - tail, known[i]))
			strbuf_add(&u->root, name, size - tail + 1);
	}
}

/* The unit's first entry; false: it is of another kind, or damaged. */
static bool unit_die(Dwarf_CU *cu, uint8_t type, Dwarf_Die *die)
{
	return (type == DW_UT_compile || type == DW_UT_skeleton) &&
	       dwarf_cu_die(cu, die, NULL, NULL, NULL, NULL, NULL, NULL) &&
	       dwarf_tag(die) == DW_TAG_compile_unit;
}

/* Calls @take for each compile unit. */
static int each_unit(struct debug_units *u, Dwarf *dwarf,
		     int (*take)(struct debug_units *u, Dwarf_Die *die))
{
	Dwarf_CU *cu = NULL;
	uint32_t nr = 0;
	uint8_t type;
	Dwarf_Die die;
	int ret = 0;

	while (!ret && nr++ < UNITS_MAX &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (debug_limit_over(&u->limit))
			return -EFBIG;
		if (unit_die(cu, type, &die))
			ret = take(u, &die);
	}
	return ret;
}

static int take_root(struct debug_units *u, Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_name);

	if (name)
		find_root(u, name);
	return u->root.size != 0;
}

/* 0: none; UINT32_MAX: no memory. */
static uint32_t dir_of(struct debug_units *u, Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_name);
	struct strbuf dir = { 0 };
	uint32_t id = 0;

	if (name && source_path_dir(name, strbuf_text(&u->root),
				    text_of(die, DW_AT_comp_dir), &dir)) {
		id = intern_id(&u->dirs, dir.data, dir.size);
		id = id ? id : UINT32_MAX;
	}
	id = dir.failed ? UINT32_MAX : id;
	strbuf_free(&dir);
	return id;
}

static int take_ranges(struct debug_units *u, Dwarf_Die *die)
{
	uint32_t dir = dir_of(u, die);
	size_t before = u->nr;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (dir == UINT32_MAX)
		return -ENOMEM;
	while (u->nr < RANGES_MAX &&
	       (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (debug_limit_over(&u->limit))
			return -EFBIG;
		if (low >= high)
			continue;
		if (array_reserve(&u->ranges, &u->capacity, u->nr + 1,
				  sizeof(*u->ranges)))
			return -ENOMEM;
		u->ranges[u->nr++] = (struct range){ low, high, dir };
	}
	u->nr_units += u->nr > before;
	return 0;
}

static int compare_ranges(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

static int read_units(struct debug_units *u)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(u->module, &bias);
	int ret;

	if (!dwarf)
		return -ENODATA;
	ret = debug_limit_units(&u->limit, dwarf);
	if (!ret)
		ret = each_unit(u, dwarf, take_root);
	if (u->root.failed)
		return -ENOMEM;
	if (ret >= 0)
		ret = each_unit(u, dwarf, take_ranges);
	if (ret < 0)
		return ret;
	if (!u->nr)
		return -ENODATA;
	qsort(u->ranges, u->nr, sizeof(*u->ranges), compare_ranges);
	return 0;
}

/* Nothing is looked for elsewhere: not on this machine, and not on a server. */
static int no_other_file(Dwfl_Module *module, void **data, const char *name,
			 Dwarf_Addr base, const char *file, const char *link,
			 GElf_Word crc, char **path)
{
	return -1;
}

static int open_module(struct debug_units *u, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = no_other_file,
		.section_address = dwfl_offline_section_address,
	};
	int fd = io_open_input(path, IO_FILE), ret;

	if (fd < 0)
		return fd;
	ret = debug_limit_begin(&u->limit, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	u->dwfl = dwfl_begin(&callbacks);
	if (!u->dwfl) {
		close(fd);
		return -ENOMEM;
	}
	dwfl_report_begin(u->dwfl);
	u->module = dwfl_report_offline(u->dwfl, "kernel", path, fd);
	if (!u->module)
		close(fd); /* else it is libdwfl's */
	if (!u->module || dwfl_report_end(u->dwfl, NULL, NULL))
		return -ENOEXEC;
	return 0;
}

int debug_units_open(struct debug_units **out, const char *path)
{
	struct debug_units *u = calloc(1, sizeof(*u));
	int ret = u ? open_module(u, path) : -ENOMEM;

	*out = NULL;
	if (!ret)
		ret = read_units(u);
	if (ret) {
		debug_units_free(u);
		return ret;
	}
	*out = u;
	return 0;
}

void debug_units_free(struct debug_units *units)
{
	if (!units)
		return;
	if (units->dwfl)
		dwfl_end(units->dwfl);
	intern_free(&units->dirs);
	intern_free(&units->functions);
	strbuf_free(&units->root);
	free(units->function_dirs);
	free(units->ranges);
	free(units);
}

size_t debug_units_count(const struct debug_units *units)
{
	return units->nr_units;
}

/* Of the ranges that begin at or below @addr the last that is not past; units do not
 * overlap, but for empty and damaged ones: a few steps back are enough.
 */
static uint32_t dir_at(const struct debug_units *u, uint64_t addr)
{
	size_t low = 0, high = u->nr, i;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (u->ranges[middle].low <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = 0; i < 8 && low > 0; i++)
		if (u->ranges[--low].high > addr)
			return u->ranges[low].dir;
	return 0;
}

const char *debug_units_at(struct debug_units *units, uint64_t addr)
{
	return intern_get(&units->dirs, dir_at(units, addr), NULL);
}

static int add_function(struct debug_units *u, const char *name, uint32_t dir)
{
	uint32_t known = u->functions.count;
	uint32_t id = intern_id(&u->functions, name, strlen(name)), *old;

	if (!id || array_reserve(&u->function_dirs, &u->functions_capacity, id,
				 sizeof(*u->function_dirs)))
		return -ENOMEM;
	old = &u->function_dirs[id - 1];
	if (id > known)
		*old = dir;
	else if (*old != dir)
		*old = SEVERAL;
	return 0;
}

/* All, or none if they ask for too much work: what is known must not depend on the machine. */
static int read_functions(struct debug_units *u)
{
	int nr = dwfl_module_getsymtab(u->module), i, ret = 0;
	Dwarf_Addr bias = 0;

	debug_limit_restart(&u->limit);
	(void)dwfl_module_getdwarf(u->module, &bias);
	for (i = 1; i < nr && i < FUNCTIONS_MAX && !ret; i++) {
		GElf_Addr addr;
		GElf_Sym sym;
		const char *name = dwfl_module_getsym_info(u->module, i, &sym, &addr,
							   NULL, NULL, NULL);
		uint32_t dir;

		if (debug_limit_over(&u->limit)) {
			intern_free(&u->functions);
			u->functions = (struct intern){ 0 };
			break;
		}
		if (!name || !*name || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		dir = dir_at(u, addr - bias);
		if (dir)
			ret = add_function(u, name, dir);
	}
	u->functions_read = !ret;
	return ret;
}

int debug_units_function(struct debug_units *units, const char *name, const char **dir)
{
	int ret = units->functions_read ? 0 : read_functions(units);
	uint32_t id;

	if (ret)
		return ret;
	id = intern_find(&units->functions, name, strlen(name));
	if (!id)
		return 0;
	if (units->function_dirs[id - 1] == SEVERAL)
		return -ENOTUNIQ;
	*dir = intern_get(&units->dirs, units->function_dirs[id - 1], NULL);
	return 1;
}

#endif
