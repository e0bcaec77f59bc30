// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/footprint.h"

#include <gelf.h>
#include <unistd.h>
#ifdef HAVE_LIBDW
#include <dwarf.h>
#endif

#include "base/array.h"
#include "base/io.h"
#include "symbol/debug_limit.h"
#include "symbol/elf.h"
#include "symbol/source_path.h"

#define SEVERAL	 UINT32_MAX
#define NO_IMAGE UINT32_MAX

/**
 * struct places - the source file of each item of a layout, where known
 * @paths: for each item, the number of its path; 0: still unknown
 * @sources: the same for each source file in the symbol table
 * @names: by file name without a directory: number of the path, or SEVERAL
 * @dir: of a module: the directory of all its files; NULL: unknown
 * @units: the debug information; NULL: none
 * @of_unit: number of a unit with code -> number of its path; 0: outside the tree
 * @variables: addresses, as linked, of variables -> numbers of paths
 */
struct places {
	struct footprint *fp;
	const struct elf_layout *layout;
	uint32_t *paths, *sources;
	KEYED(uint32_t) names;
	const char *dir;
	struct debug_units *units;
	struct u64_map of_unit, variables;
};

/* The number of a path; 0: memory ran out. */
static uint32_t path_id(struct places *p, const char *path)
{
	return intern_id(&p->fp->paths, path, strlen(path));
}

#ifdef HAVE_LIBDW
/* Memory ran out; path numbers are always smaller. */
#define NO_MEMORY UINT32_MAX

/* The number of the path of a unit's file, which is indexed by its name; 0: outside the tree. */
static uint32_t path_of(struct places *p, Dwarf_Die *unit)
{
	const char *name = debug_units_text(unit, DW_AT_name);
	struct strbuf __auto_free path = { 0 };
	uint32_t file, *known;

	if (!name)
		return 0;
	source_path_file(name, strbuf_text(&p->units->root),
			 debug_units_text(unit, DW_AT_comp_dir), &path);
	if (path.failed)
		return NO_MEMORY;
	if (!path.size || *path.data == '/')
		return 0;
	file = path_id(p, path.data);
	name = text_after_slash(path.data);
	known = KEYED_ITEM_OF(&p->names, name, strlen(name));
	if (!file || !known)
		return NO_MEMORY;
	*known = !*known || *known == file ? file : SEVERAL;
	return file;
}

/* Does the variable have a fixed address? */
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

/* Reads a unit's name and variables, but not the DIEs in functions and types. */
static int read_unit(void *ctx, Dwarf_Die *unit)
{
	struct places *p = ctx;
	uint32_t path = path_of(p, unit);
	Dwarf_Addr addr;
	Dwarf_Die die;
	int more;

	if (!path || path == NO_MEMORY)
		return path ? -ENOMEM : 0;
	for (more = dwarf_child(unit, &die); !more; more = dwarf_siblingof(&die, &die)) {
		if (debug_limit_over(&p->units->limit))
			return -EFBIG;
		if (dwarf_tag(&die) == DW_TAG_variable && has_address(&die, &addr) &&
		    !u64_map_insert(&p->variables, addr, path))
			return -ENOMEM;
	}
	return 0;
}

/* The file of the code at @addr; 0: unknown, or memory ran out. */
static uint32_t file_of_code(struct places *p, uint64_t addr)
{
	const uint32_t *known;
	uint32_t unit, path;
	Dwarf_Die die;

	if (!debug_units_find(p->units, addr, &unit, &die))
		return 0;
	known = u64_map_find(&p->of_unit, unit);
	if (known)
		return *known;
	path = path_of(p, &die);
	path = path == NO_MEMORY ? 0 : path;
	return u64_map_insert(&p->of_unit, unit, path) ? path : 0;
}

static uint32_t file_of_variable(const struct places *p, uint64_t addr)
{
	const uint32_t *path = u64_map_find(&p->variables, addr);

	return path ? *path : 0;
}

/* The address that libdwfl assigned to a module's section, which it stores in the section header;
 * 0: unknown.
 */
static uint64_t section_address(const struct debug_units *units, uint32_t index)
{
	Elf *elf = dwarf_getelf(units->dwarf);
	Elf_Scn *scn = elf ? elf_getscn(elf, index) : NULL;
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) ? shdr.sh_addr : 0;
}

/* Takes the files of code and variables from the debug information. A file that needs more work
 * than its size allows gives no variables at all, because the result must not depend on the
 * machine's speed.
 */
static int use_units(struct places *p)
{
	const struct elf_layout *layout = p->layout;
	int ret;

	debug_limit_restart(&p->units->limit);
	ret = debug_units_each(p->units, read_unit, p);
	if (ret == -EFBIG)
		u64_map_free(&p->variables);
	else if (ret)
		return ret;
	for (size_t i = 0; i < layout->nr_items; i++) {
		const struct elf_item *item = &layout->items[i];
		const struct elf_section *section = &layout->sections[item->section];
		uint64_t base = 0;

		if (layout->relocatable)
			base = section_address(p->units, section->index);
		if (layout->relocatable && !base)
			continue;
		p->paths[i] = section->kind == ELF_KIND_TEXT
				      ? file_of_code(p, base + item->addr)
				      : file_of_variable(p, base + item->addr);
	}
	return 0;
}
#else
static int use_units(struct places *p)
{
	return 0;
}
#endif

/* Finds the path of a file by its name; 0: unknown. */
static int find_source(struct places *p, const char *name, uint32_t *path)
{
	uint32_t id = intern_find(&p->names.keys, name, strlen(name));
	struct strbuf __auto_free whole = { 0 };

	if (id && p->names.of[id - 1] != SEVERAL)
		*path = p->names.of[id - 1];
	if (*path || !p->dir)
		return 0;
	strbuf_printf(&whole, "%s/%s", p->dir, name);
	*path = whole.failed ? 0 : path_id(p, whole.data);
	return *path ? 0 : -ENOMEM;
}

/* Finds the paths of the file names in the symbol table: that of one of the file's symbols, if
 * known; else the only file of that name; else a file in the module's directory.
 */
static int find_sources(struct places *p)
{
	const struct elf_layout *layout = p->layout;

	for (size_t i = 0; i < layout->nr_items; i++) {
		uint32_t source = layout->items[i].source, id = p->paths[i];
		const char *path = footprint_path(p->fp, id);

		if (path && source && !p->sources[source] &&
		    !strcmp(text_after_slash(path),
			    text_after_slash(layout->sources[source])))
			p->sources[source] = id;
	}
	for (size_t i = 1; i < layout->nr_sources; i++) {
		if (!p->sources[i] &&
		    find_source(p, text_after_slash(layout->sources[i]), &p->sources[i]))
			return -ENOMEM;
	}
	for (size_t i = 0; i < layout->nr_items; i++) {
		uint32_t source = layout->items[i].source;

		if (!p->paths[i] && source)
			p->paths[i] = p->sources[source];
	}
	return 0;
}

/* The linker places a file's symbols one after the other: symbols between two of the same file
 * belong to that file, too.
 */
static int ask_neighbours(struct places *p)
{
	const struct elf_layout *layout = p->layout;
	uint32_t *before __auto_mem = calloc(layout->nr_items + 1, sizeof(*before)),
			 path = 0;
	size_t i;

	if (!before)
		return -ENOMEM;
	for (i = 0; i < layout->nr_items; i++) {
		if (i && layout->items[i].section != layout->items[i - 1].section)
			path = 0;
		path = p->paths[i] ? p->paths[i] : path;
		before[i] = path;
	}
	for (i = layout->nr_items, path = 0; i-- > 0;) {
		if (i + 1 < layout->nr_items &&
		    layout->items[i].section != layout->items[i + 1].section)
			path = 0;
		if (p->paths[i])
			path = p->paths[i];
		else if (path == before[i])
			p->paths[i] = path;
	}
	return 0;
}

/* --- parts ------------------------------------------------------------------------------- */

/* The directory below arch/; NULL: any. */
static const char *arch_of(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *arch;
	} known[] = {
		{ EM_X86_64, "x86" },	 { EM_386, "x86" },	{ EM_AARCH64, "arm64" },
		{ EM_ARM, "arm" },	 { EM_S390, "s390" },	{ EM_PPC64, "powerpc" },
		{ EM_PPC, "powerpc" },	 { EM_RISCV, "riscv" }, { EM_MIPS, "mips" },
		{ EM_SPARCV9, "sparc" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].machine == machine)
			return known[i].arch;
	}
	return NULL;
}

/* Finds the directory of a symbol whose file is unknown. 0; @path is unchanged if not found. */
static int ask_tree(struct footprint *fp, const struct source_tree *tree,
		    const char *name, const char *arch, uint32_t *path)
{
	const char *dir;
	int ret = tree ? source_tree_find(tree, name, NULL, arch, &dir) : 0;

	if (ret <= 0)
		return ret == -ENOMEM ? ret : 0;
	*path = intern_id(&fp->paths, dir, strlen(dir));
	return *path ? 0 : -ENOMEM;
}

/* Adds the bytes without a symbol: per section in a module, or if the file has no symbols. */
static int add_rest(struct footprint *fp, struct footprint_image *image, uint32_t dir)
{
	const struct elf_layout *layout = &image->layout;
	struct footprint_part part = { .image = (uint32_t)fp->nr_images - 1,
				       .path = dir };
	bool whole = image->name || !layout->nr_items;
	int ret = whole ? 0 : elf_rests_read(&image->rests, layout);

	for (size_t i = 0; i < image->rests.nr && !ret; i++) {
		part.rest = &image->rests.items[i];
		part.section = &layout->sections[part.rest->section];
		ret = ARRAY_ADD(fp->parts, fp->nr_parts, part);
	}
	for (size_t i = 0; whole && i < layout->nr_sections && !ret; i++) {
		part.section = &layout->sections[i];
		if (part.section->bare)
			ret = ARRAY_ADD(fp->parts, fp->nr_parts, part);
	}
	return ret;
}

static int add_parts(struct places *p, const struct source_tree *tree)
{
	struct footprint *fp = p->fp;
	struct footprint_image *image = &fp->images[fp->nr_images - 1];
	const struct elf_layout *layout = p->layout;
	const char *arch = arch_of(layout->machine);
	uint32_t dir = p->dir ? path_id(p, p->dir) : 0;
	int ret = p->dir && !dir ? -ENOMEM : 0;

	image->first = fp->nr_parts;
	for (size_t i = 0; i < layout->nr_items && !ret; i++) {
		const struct elf_item *item = &layout->items[i];
		struct footprint_part part = { .image = (uint32_t)fp->nr_images - 1,
					       .item = item,
					       .section =
						       &layout->sections[item->section],
					       .path = p->paths[i],
					       .is_file = p->paths[i] != 0 };

		if (!part.path)
			part.path = dir;
		if (!part.path)
			ret = ask_tree(fp, tree, item->name, arch, &part.path);
		ret = ret ?: ARRAY_ADD(fp->parts, fp->nr_parts, part);
	}
	return ret ? ret : add_rest(fp, image, dir);
}

static int open_layout(struct elf_layout *layout, const char *path)
{
	int fd __auto_fd = unpack_open(path);

	*layout = (struct elf_layout){ 0 };
	return fd < 0 ? fd : elf_layout_open(layout, fd);
}

/* Adds an image for @path. 0 or -errno. */
static int add_image(struct footprint *fp, const char *path, const char *name)
{
	struct footprint_image *image;
	int ret;

	if (array_grow(&fp->images, fp->nr_images))
		return -ENOMEM;
	image = &fp->images[fp->nr_images];
	*image = (struct footprint_image){ .name = NULL };
	if (name)
		image->name = strdup(name);
	ret = open_layout(&image->layout, path);
	if (!ret && name && !image->name)
		ret = -ENOMEM;
	if (!ret) {
		fp->nr_images++;
		return 0;
	}
	elf_layout_close(&image->layout);
	free(image->name);
	return ret;
}

/* Finds the source files of all symbols of the last image. */
static int place_all(struct footprint *fp, struct debug_units *units,
		     const struct source_tree *tree, const char *dir)
{
	const struct elf_layout *layout = &fp->images[fp->nr_images - 1].layout;
	struct places p = { .fp = fp, .layout = layout, .dir = dir, .units = units };
	int ret = 0;

	p.paths = calloc(layout->nr_items + 1, sizeof(*p.paths));
	p.sources = calloc(layout->nr_sources + 1, sizeof(*p.sources));
	if (!p.paths || !p.sources)
		ret = -ENOMEM;
	if (!ret && units)
		ret = use_units(&p);
	ret = ret ?: find_sources(&p);
	ret = ret ?: ask_neighbours(&p);
	ret = ret ?: add_parts(&p, tree);
	KEYED_FREE(&p.names);
	u64_map_free(&p.of_unit);
	u64_map_free(&p.variables);
	free(p.paths);
	free(p.sources);
	return ret;
}

int footprint_add_kernel(struct footprint *fp, const char *path,
			 const struct directory_sources *sources)
{
	int ret = add_image(fp, path, NULL);

	return ret ? ret : place_all(fp, sources->vmlinux, sources->tree, NULL);
}

int footprint_add_module(struct footprint *fp, const char *path, const char *name,
			 const char *dir)
{
	size_t known = fp->modules.nr;
	uint32_t id = KEYED_ID_OF(&fp->modules, name, strlen(name));
	struct debug_units *units = NULL;
	int ret;

	if (!id)
		return -ENOMEM;
	if (id > known)
		fp->modules.of[id - 1] = NO_IMAGE;
	ret = add_image(fp, path, name);
	if (ret)
		return ret;
	fp->modules.of[id - 1] = (uint32_t)fp->nr_images - 1;
	if (fp->images[fp->nr_images - 1].layout.debug &&
	    debug_units_open(&units, path) == -ENOMEM)
		return -ENOMEM;
	ret = place_all(fp, units, NULL, dir);
	debug_units_free(units);
	return ret;
}

const struct footprint_part *footprint_find(const struct footprint *fp, uint64_t addr)
{
	const struct footprint_image *image = fp->images;
	const struct elf_item *item;
	uint32_t section;

	if (!fp->nr_images || image->name)
		return NULL;
	section = elf_layout_section_at(&image->layout, addr);
	item = section == UINT32_MAX ? NULL
				     : elf_layout_find(&image->layout, section, addr);
	return item ? &fp->parts[image->first + (size_t)(item - image->layout.items)]
		    : NULL;
}

/* Indexes the names of an image's functions. */
static int name_functions(struct footprint_image *image)
{
	const struct elf_layout *layout = &image->layout;

	for (uint32_t i = 0; i < layout->nr_items; i++) {
		const struct elf_item *item = &layout->items[i];
		size_t known = image->functions.nr;
		uint32_t id;

		if (layout->sections[item->section].kind != ELF_KIND_TEXT)
			continue;
		id = KEYED_ID_OF(&image->functions, item->name, strlen(item->name));
		if (!id)
			return -ENOMEM;
		image->functions.of[id - 1] = id > known ? i : SEVERAL;
	}
	image->asked = true;
	return 0;
}

int footprint_find_name(struct footprint *fp, const char *module, const char *name,
			const struct footprint_part **part)
{
	uint32_t id = intern_find(&fp->modules.keys, module, strlen(module));
	struct footprint_image *image;

	if (!id || fp->modules.of[id - 1] == NO_IMAGE)
		return 0;
	image = &fp->images[fp->modules.of[id - 1]];
	if (!image->asked && name_functions(image))
		return -ENOMEM;
	id = intern_find(&image->functions.keys, name, strlen(name));
	if (!id || image->functions.of[id - 1] == SEVERAL)
		return 0;
	*part = &fp->parts[image->first + image->functions.of[id - 1]];
	return 1;
}

void footprint_free(struct footprint *fp)
{
	for (size_t i = 0; i < fp->nr_images; i++) {
		elf_rests_free(&fp->images[i].rests);
		elf_layout_close(&fp->images[i].layout);
		free(fp->images[i].name);
		KEYED_FREE(&fp->images[i].functions);
	}
	free(fp->images);
	free(fp->parts);
	KEYED_FREE(&fp->modules);
	intern_free(&fp->paths);
	*fp = (struct footprint){ 0 };
}
