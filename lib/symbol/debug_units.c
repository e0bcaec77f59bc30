// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/debug_units.h"

#include <unistd.h>

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

int debug_units_open_fd(struct debug_units **out, int fd, const char *path)
{
	*out = NULL;
	(void)path;
	close(fd);
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

int debug_units_symbol(struct debug_units *units, const char *name, uint64_t *addr)
{
	(void)units;
	(void)name;
	(void)addr;
	return 0;
}

#else

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "symbol/debug_limit.h"
#include "symbol/source_path.h"
#include "symbol/elf.h"

#define UNITS_MAX     (1U << 20)
#define RANGES_MAX    (1U << 22)
#define FUNCTIONS_MAX (1 << 20)
#define SEVERAL	      UINT32_MAX

/* Code of a unit, from @low up to @high. */
struct range {
	uint64_t low, high;
	uint32_t dir; /* number in @dirs; 0: outside the tree */
	uint32_t unit;
};

/**
 * struct function - the functions of one name
 * @addr: of the first
 * @dir: number in @dirs; 0: unknown, or outside the tree; SEVERAL
 * @several: there is more than one
 */
struct function {
	uint64_t addr;
	uint32_t dir;
	bool several;
};

/**
 * struct debug_units - the file's ranges, sorted
 * @units, @nr_units: offsets of the DIEs of units that have code
 * @dirs: paths of directories
 * @root: of the kernel's tree, with a '/'; empty if paths are relative to it
 * @whole_build, @hidden_build: the first absolute, and the first relative, working directory of the
 *	compiler
 * @functions: by name number - 1
 */
struct debug_units {
	struct range *ranges;
	size_t nr, capacity;
	Dwarf_Off *units;
	size_t nr_units, units_capacity;
	struct intern dirs, names;
	struct function *functions;
	size_t functions_capacity;
	struct strbuf root;
	const char *whole_build, *hidden_build;
	bool functions_read;
	struct debug_limit limit;
	Dwfl *dwfl;
	Dwfl_Module *module;
};

bool debug_units_built_in(void)
{
	return true;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(die, name, &attr));
}

/* Finds the root: the part of "/src/linux/init/main.c" before a path that every kernel has. */
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

/* Reads the unit's DIE; false: it is of another type, or damaged. */
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

/* A build that hides its path (-ffile-prefix-map) does so for C, but not for assembly: C units were
 * compiled in "build", assembly units in "/src/linux/build".
 */
static void compare_builds(struct debug_units *u, const char *comp_dir)
{
	const char **kind = *comp_dir == '/' ? &u->whole_build : &u->hidden_build;
	size_t whole, hidden;

	if (!*kind && *comp_dir)
		*kind = comp_dir;
	if (!u->whole_build || !u->hidden_build)
		return;
	whole = strlen(u->whole_build);
	hidden = strlen(u->hidden_build);
	if (whole > hidden && u->whole_build[whole - hidden - 1] == '/' &&
	    !strcmp(u->whole_build + whole - hidden, u->hidden_build))
		strbuf_add(&u->root, u->whole_build, whole - hidden);
}

static int take_root(struct debug_units *u, Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_name);
	const char *comp_dir = text_of(die, DW_AT_comp_dir);

	if (name)
		find_root(u, name);
	if (!u->root.size && comp_dir)
		compare_builds(u, comp_dir);
	return u->root.size != 0;
}

/* 0: unknown; UINT32_MAX: memory ran out. */
static uint32_t dir_of(struct debug_units *u, Dwarf_Die *die)
{
	const char *name = text_of(die, DW_AT_name);
	struct strbuf __auto_free dir = { 0 };
	uint32_t id = 0;

	if (name && source_path_dir(name, strbuf_text(&u->root),
				    text_of(die, DW_AT_comp_dir), &dir)) {
		id = intern_id(&u->dirs, dir.data, dir.size);
		id = id ? id : UINT32_MAX;
	}
	return dir.failed ? UINT32_MAX : id;
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
		u->ranges[u->nr++] =
			(struct range){ low, high, dir, (uint32_t)u->nr_units };
	}
	if (u->nr == before)
		return 0;
	if (array_reserve(&u->units, &u->units_capacity, u->nr_units + 1,
			  sizeof(*u->units)))
		return -ENOMEM;
	u->units[u->nr_units++] = dwarf_dieoffset(die);
	return 0;
}

ORDER_BY(compare_ranges, struct range, low, high)

static int read_units(struct debug_units *u)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(u->module, &bias);
	int ret;

	if (!dwarf)
		return -ENODATA;
	/* Otherwise libdw opens the file that .gnu_debugaltlink names, even a pipe. */
	dwarf_setalt(dwarf, dwarf);
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

/* Prevents libdwfl from searching for other files, on this machine or on a server. */
static int no_other_file(Dwfl_Module *module, void **data, const char *name,
			 Dwarf_Addr base, const char *file, const char *link,
			 GElf_Word crc, char **path)
{
	return -1;
}

static int open_module(struct debug_units *u, int fd, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = no_other_file,
		.section_address = dwfl_offline_section_address,
	};
	int ret = debug_limit_begin(&u->limit, fd);

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
		close(fd); /* otherwise libdwfl owns it */
	if (!u->module || dwfl_report_end(u->dwfl, NULL, NULL))
		return -ENOEXEC;
	return 0;
}

int debug_units_open_fd(struct debug_units **out, int fd, const char *path)
{
	struct debug_units *u = calloc(1, sizeof(*u));
	int ret;

	*out = NULL;
	if (!u) {
		close(fd);
		return -ENOMEM;
	}
	ret = open_module(u, fd, path);
	if (!ret)
		ret = read_units(u);
	if (ret) {
		debug_units_free(u);
		return ret;
	}
	*out = u;
	return 0;
}

int debug_units_open(struct debug_units **out, const char *path)
{
	int fd = unpack_open(path);

	*out = NULL;
	return fd < 0 ? fd : debug_units_open_fd(out, fd, path);
}

void debug_units_free(struct debug_units *units)
{
	if (!units)
		return;
	if (units->dwfl)
		dwfl_end(units->dwfl);
	intern_free(&units->dirs);
	intern_free(&units->names);
	strbuf_free(&units->root);
	free(units->functions);
	free(units->ranges);
	free(units->units);
	free(units);
}

size_t debug_units_count(const struct debug_units *units)
{
	return units->nr_units;
}

/* The last range that begins at or below @addr and has not ended. Only empty and damaged units
 * overlap, so a few steps back are enough.
 */
static const struct range *range_at(const struct debug_units *u, uint64_t addr)
{
	size_t low = COUNT_FIRST(i, u->nr, u->ranges[i].low <= addr);

	for (size_t i = 0; i < 8 && low > 0; i++)
		if (u->ranges[--low].high > addr)
			return &u->ranges[low];
	return NULL;
}

static uint32_t dir_at(const struct debug_units *u, uint64_t addr)
{
	const struct range *range = range_at(u, addr);

	return range ? range->dir : 0;
}

const char *debug_units_at(struct debug_units *units, uint64_t addr)
{
	return intern_get(&units->dirs, dir_at(units, addr), NULL);
}

static int add_function(struct debug_units *u, const char *name, uint64_t addr)
{
	uint32_t known = u->names.count;
	uint32_t id = intern_id(&u->names, name, strlen(name)), dir = dir_at(u, addr);
	struct function *f;

	if (!id || array_reserve(&u->functions, &u->functions_capacity, id,
				 sizeof(*u->functions)))
		return -ENOMEM;
	f = &u->functions[id - 1];
	if (id > known) {
		*f = (struct function){ .addr = addr, .dir = dir };
		return 0;
	}
	f->several |= f->addr != addr;
	if (!f->dir)
		f->dir = dir;
	else if (dir && f->dir != dir)
		f->dir = SEVERAL;
	return 0;
}

/* Reads all, or none if that is too much work: results must not depend on the machine's speed. */
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

		if (debug_limit_over(&u->limit)) {
			intern_free(&u->names);
			u->names = (struct intern){ 0 };
			break;
		}
		if (name && *name && sym.st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			ret = add_function(u, name, addr - bias);
	}
	u->functions_read = !ret;
	return ret;
}

/* 1 and @f, 0, -ENOMEM. */
static int find_function(struct debug_units *u, const char *name,
			 const struct function **f)
{
	int ret = u->functions_read ? 0 : read_functions(u);
	uint32_t id = ret ? 0 : intern_find(&u->names, name, strlen(name));

	if (!id)
		return ret;
	*f = &u->functions[id - 1];
	return 1;
}

int debug_units_function(struct debug_units *units, const char *name, const char **dir)
{
	const struct function *f;
	int ret = find_function(units, name, &f);

	if (ret <= 0 || !f->dir)
		return ret < 0 ? ret : 0;
	if (f->dir == SEVERAL)
		return -ENOTUNIQ;
	*dir = intern_get(&units->dirs, f->dir, NULL);
	return 1;
}

int debug_units_symbol(struct debug_units *units, const char *name, uint64_t *addr)
{
	const struct function *f;
	int ret = find_function(units, name, &f);

	if (ret <= 0)
		return ret;
	*addr = f->addr;
	return f->several ? -ENOTUNIQ : 1;
}

Dwarf *debug_units_dwarf(const struct debug_units *units)
{
	Dwarf_Addr bias;

	return dwfl_module_getdwarf(units->module, &bias);
}

struct debug_limit *debug_units_limit(struct debug_units *units)
{
	return &units->limit;
}

const char *debug_units_root(const struct debug_units *units)
{
	return strbuf_text(&units->root);
}

bool debug_units_find(const struct debug_units *units, uint64_t addr, uint32_t *unit,
		      Dwarf_Die *die)
{
	const struct range *range = range_at(units, addr);

	if (!range)
		return false;
	*unit = range->unit;
	return dwarf_offdie(debug_units_dwarf(units), units->units[range->unit], die);
}

#endif
