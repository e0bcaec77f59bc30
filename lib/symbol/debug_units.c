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
	return -EOPNOTSUPP;
}

int debug_units_open_fd(struct debug_units **out, int fd, const char *path)
{
	*out = NULL;
	close(fd);
	return -EOPNOTSUPP;
}

void debug_units_free(struct debug_units *units)
{
}

const char *debug_units_at(struct debug_units *units, uint64_t addr)
{
	return NULL;
}

int debug_units_function(struct debug_units *units, const char *name, const char **dir)
{
	return 0;
}

int debug_units_symbol(struct debug_units *units, const char *name, uint64_t *addr)
{
	return 0;
}

int debug_units_frames(struct debug_units *units, uint64_t addr,
		       struct source_frame out[SOURCE_FRAMES_MAX], size_t *nr)
{
	*nr = 0;
	return 0;
}

void debug_units_restart(struct debug_units *units)
{
}

#else

#include <dwarf.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "symbol/debug_limit.h"
#include "symbol/source_path.h"
#include "symbol/elf.h"

#define UNITS_MAX     (1U << 20)
#define RANGES_MAX    (1U << 22)
#define FUNCTIONS_MAX (1 << 20)
#define SEVERAL	      UINT32_MAX

bool debug_units_built_in(void)
{
	return true;
}

const char *debug_units_text(Dwarf_Die *die, unsigned int name)
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

/* Reads the unit's DIE; false: the unit is of another type, or damaged. */
static bool unit_die(Dwarf_CU *cu, uint8_t type, Dwarf_Die *die)
{
	return (type == DW_UT_compile || type == DW_UT_skeleton) &&
	       dwarf_cu_die(cu, die, NULL, NULL, NULL, NULL, NULL, NULL) &&
	       dwarf_tag(die) == DW_TAG_compile_unit;
}

int debug_units_each(struct debug_units *u, int (*take)(void *ctx, Dwarf_Die *die),
		     void *ctx)
{
	Dwarf_CU *cu = NULL;
	uint32_t nr = 0;
	uint8_t type;
	Dwarf_Die die;
	int ret = 0;

	while (!ret && nr++ < UNITS_MAX &&
	       dwarf_get_units(u->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (debug_limit_over(&u->limit))
			return -EFBIG;
		if (unit_die(cu, type, &die))
			ret = take(ctx, &die);
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

static int take_root(void *ctx, Dwarf_Die *die)
{
	struct debug_units *u = ctx;
	const char *name = debug_units_text(die, DW_AT_name);
	const char *comp_dir = debug_units_text(die, DW_AT_comp_dir);

	if (name)
		find_root(u, name);
	if (!u->root.size && comp_dir)
		compare_builds(u, comp_dir);
	return u->root.size != 0;
}

/* 0: unknown; UINT32_MAX: memory ran out. */
static uint32_t dir_of(struct debug_units *u, Dwarf_Die *die)
{
	const char *name = debug_units_text(die, DW_AT_name);
	struct strbuf __auto_free dir = { 0 };
	uint32_t id = 0;

	if (name && source_path_dir(name, strbuf_text(&u->root),
				    debug_units_text(die, DW_AT_comp_dir), &dir)) {
		id = intern_id(&u->dirs, dir.data, dir.size);
		id = id ? id : UINT32_MAX;
	}
	return dir.failed ? UINT32_MAX : id;
}

static int take_ranges(void *ctx, Dwarf_Die *die)
{
	struct debug_units *u = ctx;
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
		if (ARRAY_ADD(u->ranges, u->nr,
			      (struct debug_range){ low, high, dir,
						    (uint32_t)u->nr_units }))
			return -ENOMEM;
	}
	if (u->nr == before)
		return 0;
	return ARRAY_ADD(u->units, u->nr_units, dwarf_dieoffset(die));
}

ORDER_BY(compare_ranges, struct debug_range, low, high)

static int read_units(struct debug_units *u)
{
	Dwarf_Addr bias;
	int ret;

	u->dwarf = dwfl_module_getdwarf(u->module, &bias);
	if (!u->dwarf)
		return -ENODATA;
	/* Otherwise libdw opens the file that .gnu_debugaltlink names, even a pipe. */
	dwarf_setalt(u->dwarf, u->dwarf);
	ret = debug_limit_units(&u->limit, u->dwarf);
	ret = ret ?: debug_units_each(u, take_root, u);
	if (u->root.failed)
		return -ENOMEM;
	if (ret >= 0)
		ret = debug_units_each(u, take_ranges, u);
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
	return !u->module || dwfl_report_end(u->dwfl, NULL, NULL) ? -ENOEXEC : 0;
}

void debug_units_restart(struct debug_units *units)
{
	debug_limit_restart(&units->limit);
	debug_limit_pause(&units->limit);
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
	ret = ret ?: read_units(u);
	if (ret) {
		debug_units_free(u);
		return ret;
	}
	debug_units_restart(u);
	*out = u;
	return 0;
}

int debug_units_open(struct debug_units **out, const char *path)
{
	int fd = unpack_open(path);

	*out = NULL;
	return fd < 0 ? fd : debug_units_open_fd(out, fd, path);
}

void debug_units_free_frames(struct debug_units *units)
{
	for (size_t i = 0; units->read && i < units->nr_units; i++)
		free(units->read[i].code);
	free(units->read);
	units->read = NULL;
	units->nr_code = 0;
	intern_free(&units->paths);
	u64_map_free(&units->path_of);
}

void debug_units_free(struct debug_units *units)
{
	if (!units)
		return;
	debug_units_free_frames(units);
	if (units->dwfl)
		dwfl_end(units->dwfl);
	intern_free(&units->dirs);
	strbuf_free(&units->root);
	KEYED_FREE(&units->functions);
	free(units->ranges);
	free(units->units);
	free(units);
}

/* The last range that contains @addr. Only empty and damaged units overlap, so a few steps back are
 * enough.
 */
static const struct debug_range *range_at(const struct debug_units *u, uint64_t addr)
{
	size_t low = COUNT_FIRST(i, u->nr, u->ranges[i].low <= addr);

	for (size_t i = 0; i < 8 && low > 0; i++)
		if (u->ranges[--low].high > addr)
			return &u->ranges[low];
	return NULL;
}

static uint32_t dir_at(const struct debug_units *u, uint64_t addr)
{
	const struct debug_range *range = range_at(u, addr);

	return range ? range->dir : 0;
}

const char *debug_units_at(struct debug_units *units, uint64_t addr)
{
	return intern_get(&units->dirs, dir_at(units, addr), NULL);
}

static int add_function(struct debug_units *u, const char *name, uint64_t addr)
{
	size_t known = u->functions.nr;
	uint32_t id = KEYED_ID_OF(&u->functions, name, strlen(name)),
		 dir = dir_at(u, addr);
	struct debug_function *f;

	if (!id)
		return -ENOMEM;
	f = &u->functions.of[id - 1];
	if (id > known) {
		*f = (struct debug_function){ .addr = addr, .dir = dir };
		return 0;
	}
	f->several |= f->addr != addr;
	if (!f->dir)
		f->dir = dir;
	else if (dir && f->dir != dir)
		f->dir = SEVERAL;
	return 0;
}

/* Reads all, or none if that takes too long: results must not depend on the machine's speed. */
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
			KEYED_FREE(&u->functions);
			memset(&u->functions, 0, sizeof(u->functions));
			break;
		}
		if (name && *name && sym.st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			ret = add_function(u, name, addr - bias);
	}
	u->functions_read = !ret;
	return ret;
}

/* Finds functions by name: 1 and @f, 0, or -ENOMEM. */
static int find_function(struct debug_units *u, const char *name,
			 const struct debug_function **f)
{
	int ret = u->functions_read ? 0 : read_functions(u);
	uint32_t id = ret ? 0 : intern_find(&u->functions.keys, name, strlen(name));

	if (!id)
		return ret;
	*f = &u->functions.of[id - 1];
	return 1;
}

int debug_units_function(struct debug_units *units, const char *name, const char **dir)
{
	const struct debug_function *f;
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
	const struct debug_function *f;
	int ret = find_function(units, name, &f);

	if (ret <= 0)
		return ret;
	*addr = f->addr;
	return f->several ? -ENOTUNIQ : 1;
}

bool debug_units_find(const struct debug_units *units, uint64_t addr, uint32_t *unit,
		      Dwarf_Die *die)
{
	const struct debug_range *range = range_at(units, addr);

	if (!range)
		return false;
	*unit = range->unit;
	return dwarf_offdie(units->dwarf, units->units[range->unit], die);
}

#endif
