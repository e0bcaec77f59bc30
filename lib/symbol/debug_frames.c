// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: the functions at an address, inlined ones included, and their lines.
 * In: debug information (DWARF), an address. Out: frames, innermost first.
 */
#include "symbol/debug_limit.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <gelf.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "symbol/elf.h"
#include "symbol/source_path.h"

/* Maximum number of code ranges in all units together. */
#define CODE_MAX  (1U << 22)
/* Maximum nesting of blocks and inlined functions. */
#define DEPTH_MAX 256

/* A frame before its file number is replaced by a path. */
struct draft {
	const char *function;
	uint64_t file;
	uint32_t line;
};

static struct line_bytes section_bytes(Elf_Scn *scn)
{
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf)
		return (struct line_bytes){ 0 };
	return (struct line_bytes){ data->d_buf, data->d_size };
}

/* libdw has decompressed the sections by now, and libdwfl has relocated them. */
static void find_sections(struct debug_units *f, Elf *elf)
{
	struct line_sections *s = &f->sections;
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf, &ehdr))
		return;
	s->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	s->address_size = ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		name = elf_section_name(elf, shdr.sh_name);
		if (!strcmp(name, ".debug_line") || !strcmp(name, ".zdebug_line"))
			s->line = section_bytes(scn);
		else if (!strcmp(name, ".debug_line_str"))
			s->line_str = section_bytes(scn);
		else if (!strcmp(name, ".debug_str") || !strcmp(name, ".zdebug_str"))
			s->str = section_bytes(scn);
	}
}

/* Prepares for the first look-up. 0 or -ENOMEM. */
static int begin(struct debug_units *f)
{
	f->read = calloc(f->nr_units, sizeof(*f->read));
	if (!f->read)
		return -ENOMEM;
	find_sections(f, dwarf_getelf(f->dwarf));
	return 0;
}

static int add_code(struct debug_units *f, struct debug_unit *u, Dwarf_Die *function)
{
	const Dwarf_Off at = dwarf_dieoffset(function);
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	while (f->nr_code < CODE_MAX &&
	       (next = dwarf_ranges(function, next, &base, &low, &high)) > 0) {
		if (debug_limit_over(&f->limit))
			return -EFBIG;
		if (low >= high)
			continue;
		if (ARRAY_ADD(u->code, u->nr, (struct debug_code){ low, high, at }))
			return -ENOMEM;
		f->nr_code++;
	}
	return 0;
}

ORDER_BY(compare_code, struct debug_code, low, function)

static bool number_of(Dwarf_Die *die, unsigned int name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return dwarf_formudata(dwarf_attr(die, name, &attr), value) == 0;
}

/* Reads a unit's functions and its line table. */
static int read_unit(struct debug_units *f, struct debug_unit *u, Dwarf_Die *die)
{
	Dwarf_Word lines;
	Dwarf_Die child;
	int more, ret = 0;

	u->read = true;
	u->comp_dir = debug_units_text(die, DW_AT_comp_dir);
	u->has_lines = number_of(die, DW_AT_stmt_list, &lines) &&
		       !line_table_open(&u->lines, &f->sections, lines);
	for (more = dwarf_child(die, &child); more == 0 && !ret;
	     more = dwarf_siblingof(&child, &child)) {
		if (debug_limit_over(&f->limit))
			return -EFBIG;
		if (dwarf_tag(&child) == DW_TAG_subprogram)
			ret = add_code(f, u, &child);
	}
	if (u->nr)
		qsort(u->code, u->nr, sizeof(*u->code), compare_code);
	return ret;
}

/* Finds the function that contains @addr. */
static bool find_function(const struct debug_units *f, const struct debug_unit *u,
			  uint64_t addr, Dwarf_Die *die)
{
	size_t nr = COUNT_FIRST(i, u->nr, u->code[i].low <= addr);

	return nr && u->code[nr - 1].high > addr &&
	       dwarf_offdie(f->dwarf, u->code[nr - 1].function, die);
}

/* Finds the block or inlined function in @die that contains @addr: 1 and @child, 0, -EFBIG. */
static int find_child(struct debug_units *f, Dwarf_Die *die, uint64_t addr,
		      Dwarf_Die *child)
{
	int more;

	for (more = dwarf_child(die, child); more == 0;
	     more = dwarf_siblingof(child, child)) {
		int tag = dwarf_tag(child);

		if (debug_limit_over(&f->limit))
			return -EFBIG;
		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(child, addr) > 0)
			return 1;
	}
	return 0;
}

static void call_place(Dwarf_Die *die, struct draft *caller)
{
	Dwarf_Word value;

	if (number_of(die, DW_AT_call_file, &value))
		caller->file = value;
	if (number_of(die, DW_AT_call_line, &value) && value <= UINT32_MAX)
		caller->line = (uint32_t)value;
}

/* The call chain in @function at @addr, outermost first. Its length, or -EFBIG. */
static int unroll(struct debug_units *f, Dwarf_Die *function, uint64_t addr,
		  struct draft chain[SOURCE_FRAMES_MAX])
{
	Dwarf_Die die = *function, child;
	int nr = 0, ret = 1;

	chain[nr++] = (struct draft){ .function = dwarf_diename(&die) };
	for (unsigned int depth = 0; depth < DEPTH_MAX && nr < SOURCE_FRAMES_MAX;
	     depth++) {
		ret = find_child(f, &die, addr, &child);
		if (ret <= 0)
			break;
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
			call_place(&child, &chain[nr - 1]);
			chain[nr++] = (struct draft){ .function = dwarf_diename(&child) };
		}
		die = child;
	}
	return ret < 0 ? ret : nr;
}

/* Interns the path of @file in the kernel's tree: 0 and its @id, 0 if unknown; -ENOMEM. */
static int add_path(struct debug_units *f, const struct debug_unit *u, uint64_t file,
		    uint32_t *id)
{
	struct strbuf __auto_free path = { 0 }, tidy = { 0 };
	struct line_file parts;

	*id = 0;
	if (line_table_file(&u->lines, file, &parts) <= 0)
		return 0;
	if (parts.dir && *parts.name != '/')
		strbuf_printf(&path, "%s/", parts.dir);
	else if (*parts.name != '/' && u->comp_dir && *u->comp_dir == '/')
		strbuf_printf(&path, "%s/", u->comp_dir);
	strbuf_puts(&path, parts.name);
	source_path_file(strbuf_text(&path), strbuf_text(&f->root), u->comp_dir, &tidy);
	if (!path.failed && !tidy.failed)
		*id = intern_id(&f->paths, strbuf_text(&tidy), tidy.size);
	return *id ? 0 : -ENOMEM;
}

/* Like add_path(), but resolves each file only once. */
static int path_id(struct debug_units *f, const struct debug_unit *u, uint64_t file,
		   uint32_t *id)
{
	uint64_t key = (uint64_t)(u - f->read) << 32 | file;
	const uint32_t *known;
	int ret;

	*id = 0;
	if (!u->has_lines || file > UINT32_MAX)
		return 0;
	known = u64_map_find(&f->path_of, key);
	if (known) {
		*id = *known;
		return 0;
	}
	if (debug_limit_over(&f->limit))
		return -EFBIG;
	ret = add_path(f, u, file, id);
	if (!ret && !u64_map_insert(&f->path_of, key, *id))
		ret = -ENOMEM;
	return ret;
}

/* Reverses a chain and adds the paths of its files. */
static int finish(struct debug_units *f, const struct debug_unit *u,
		  const struct draft *chain, size_t nr, struct source_frame *out)
{
	uint32_t ids[SOURCE_FRAMES_MAX];
	int ret;

	for (size_t i = 0; i < nr; i++) {
		ret = path_id(f, u, chain[i].file, &ids[i]);
		if (ret)
			return ret;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct draft *d = &chain[nr - 1 - i];

		out[i] = (struct source_frame){ .function = d->function,
						.file = intern_get(&f->paths,
								   ids[nr - 1 - i], NULL),
						.line = d->line,
						.inlined = i + 1 < nr };
	}
	return 0;
}

static int frames_at(struct debug_units *f, uint64_t addr,
		     struct source_frame out[SOURCE_FRAMES_MAX], size_t *nr)
{
	struct draft chain[SOURCE_FRAMES_MAX];
	struct line_row row;
	Dwarf_Die die, function;
	struct debug_unit *u;
	uint32_t unit;
	int ret;

	*nr = 0;
	if (debug_limit_over(&f->limit))
		return -EFBIG;
	if (!debug_units_find(f, addr, &unit, &die))
		return 0;
	ret = f->read ? 0 : begin(f);
	if (ret)
		return ret;
	u = &f->read[unit];
	ret = u->read ? 0 : read_unit(f, u, &die);
	if (ret)
		return ret;
	chain[0] = (struct draft){ 0 };
	ret = find_function(f, u, addr, &function) ? unroll(f, &function, addr, chain)
						   : 1;
	if (ret < 0)
		return ret;
	*nr = (size_t)ret;
	if (u->has_lines && line_table_find(&u->lines, addr, &row) > 0) {
		chain[*nr - 1].file = row.file;
		chain[*nr - 1].line = row.line;
	}
	ret = finish(f, u, chain, *nr, out);
	if (ret)
		*nr = 0;
	return ret;
}

int debug_units_frames(struct debug_units *units, uint64_t addr,
		       struct source_frame out[SOURCE_FRAMES_MAX], size_t *nr)
{
	int ret;

	debug_limit_resume(&units->limit);
	ret = frames_at(units, addr, out, nr);
	debug_limit_pause(&units->limit);
	if (ret == -EFBIG)
		debug_units_free_frames(units);
	return ret;
}

#endif
