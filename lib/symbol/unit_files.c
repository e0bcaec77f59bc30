// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: the source file that code and variables were compiled from.
 * In: debug information (DWARF). Out: "fs/ext4/inode.c", by address.
 */
#include "symbol/footprint.h"

#ifndef HAVE_LIBDW

int unit_files_read(struct unit_files *files, struct debug_units *units)
{
	files->units = units;
	return 0;
}

uint32_t unit_files_code(struct unit_files *files, uint64_t addr)
{
	(void)files;
	(void)addr;
	return 0;
}

uint32_t unit_files_variable(const struct unit_files *files, uint64_t addr)
{
	(void)files;
	(void)addr;
	return 0;
}

uint64_t unit_files_section(const struct unit_files *files, uint32_t index)
{
	(void)files;
	(void)index;
	return 0;
}

#else

#include <dwarf.h>
#include <gelf.h>

#include "symbol/debug_limit.h"
#include "symbol/source_path.h"

#define UNITS_MAX (1U << 20)
/* Means that memory ran out; path numbers are always smaller. */
#define NO_MEMORY UINT32_MAX

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(die, name, &attr));
}

/* The number of the unit's path; 0: outside the tree. */
static uint32_t path_of(struct unit_files *files, Dwarf_Die *unit)
{
	const char *name = text_of(unit, DW_AT_name);
	struct strbuf __auto_free path = { 0 };
	uint32_t id = 0;

	if (!name)
		return 0;
	source_path_file(name, debug_units_root(files->units),
			 text_of(unit, DW_AT_comp_dir), &path);
	if (path.failed) {
		id = NO_MEMORY;
	} else if (path.size && *path.data != '/') {
		id = intern_id(&files->paths, path.data, path.size);
		id = id ? id : NO_MEMORY;
	}
	return id;
}

/* Is the variable at a fixed address? */
static bool has_address(Dwarf_Die *die, Dwarf_Addr *addr)
{
	Dwarf_Attribute attr, indexed;
	size_t nr = 0;
	Dwarf_Op *ops;

	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation(&attr, &ops, &nr) || nr != 1)
		return false;
	if (ops->atom == DW_OP_addr) {
		*addr = ops->number;
		return true;
	}
	/* clang stores the addresses in a table. */
	return ops->atom == DW_OP_addrx &&
	       !dwarf_getlocation_attr(&attr, ops, &indexed) &&
	       !dwarf_formaddr(&indexed, addr);
}

static int read_unit(struct unit_files *files, Dwarf_Die *unit)
{
	struct debug_limit *limit = debug_units_limit(files->units);
	uint32_t path = path_of(files, unit);
	Dwarf_Addr addr;
	Dwarf_Die die;
	int more;

	if (!path || path == NO_MEMORY)
		return path ? -ENOMEM : 0;
	for (more = dwarf_child(unit, &die); !more; more = dwarf_siblingof(&die, &die)) {
		if (debug_limit_over(limit))
			return -EFBIG;
		if (dwarf_tag(&die) == DW_TAG_variable && has_address(&die, &addr) &&
		    !u64_map_insert(&files->variables, addr, path))
			return -ENOMEM;
	}
	return 0;
}

int unit_files_read(struct unit_files *files, struct debug_units *units)
{
	Dwarf *dwarf = debug_units_dwarf(units);
	Dwarf_CU *cu = NULL;
	uint32_t nr = 0;
	uint8_t type;
	Dwarf_Die die;
	int ret = 0;

	files->units = units;
	debug_limit_restart(debug_units_limit(units));
	while (dwarf && !ret && nr++ < UNITS_MAX &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile ||
		    !dwarf_cu_die(cu, &die, NULL, NULL, NULL, NULL, NULL, NULL))
			continue;
		if (dwarf_tag(&die) == DW_TAG_compile_unit)
			ret = read_unit(files, &die);
	}
	if (ret != -EFBIG)
		return ret;
	u64_map_free(&files->variables);
	return 0;
}

uint32_t unit_files_code(struct unit_files *files, uint64_t addr)
{
	const uint32_t *known;
	uint32_t unit, path;
	Dwarf_Die die;

	if (!debug_units_find(files->units, addr, &unit, &die))
		return 0;
	known = u64_map_find(&files->of_unit, unit);
	if (known)
		return *known;
	path = path_of(files, &die);
	path = path == NO_MEMORY ? 0 : path;
	return u64_map_insert(&files->of_unit, unit, path) ? path : 0;
}

/* libdwfl assigns each section an address, and stores it in the section's header. */
uint64_t unit_files_section(const struct unit_files *files, uint32_t index)
{
	Elf *elf = dwarf_getelf(debug_units_dwarf(files->units));
	Elf_Scn *scn = elf ? elf_getscn(elf, index) : NULL;
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) ? shdr.sh_addr : 0;
}

uint32_t unit_files_variable(const struct unit_files *files, uint64_t addr)
{
	const uint32_t *path = u64_map_find(&files->variables, addr);

	return path ? *path : 0;
}

#endif

void unit_files_free(struct unit_files *files)
{
	intern_free(&files->paths);
	u64_map_free(&files->of_unit);
	u64_map_free(&files->variables);
	*files = (struct unit_files){ 0 };
}
