// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/footprint.h"

#include <elf.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "symbol/elf.h"

#define SEVERAL	 UINT32_MAX
#define NO_IMAGE UINT32_MAX

/**
 * struct places - the source file of each item of a layout, as far as known
 * @paths: of each item: number of its path; 0: unknown yet
 * @sources: the same for each source file in the symbol table
 * @names: file names without directories; @of_name: number of the path, or SEVERAL
 * @dir: of a module: the directory of all its files; NULL: unknown
 */
struct places {
	struct footprint *fp;
	const struct elf_layout *layout;
	uint32_t *paths, *sources;
	struct intern names;
	uint32_t *of_name;
	size_t of_name_capacity;
	const char *dir;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The number of a path; 0: memory ran out. */
static uint32_t path_id(struct places *p, const char *path)
{
	return intern_id(&p->fp->paths, path, strlen(path));
}

/* Takes the files of code and variables from the debug information. */
static int ask_units(struct places *p, struct unit_files *files)
{
	const struct elf_layout *layout = p->layout;

	for (size_t i = 0; i < layout->nr_items; i++) {
		const struct elf_item *item = &layout->items[i];
		const struct elf_section *section = &layout->sections[item->section];
		uint64_t base = 0;
		uint32_t file;

		if (layout->relocatable)
			base = unit_files_section(files, section->index);
		if (layout->relocatable && !base)
			continue;
		file = section->kind == ELF_KIND_TEXT
			       ? unit_files_code(files, base + item->addr)
			       : unit_files_variable(files, base + item->addr);
		if (!file)
			continue;
		p->paths[i] = path_id(p, intern_get(&files->paths, file, NULL));
		if (!p->paths[i])
			return -ENOMEM;
	}
	return 0;
}

/* Indexes the files by their names without directories. */
static int name_files(struct places *p, const struct unit_files *files)
{
	for (uint32_t i = 1; i <= files->paths.count; i++) {
		const char *file = intern_get(&files->paths, i, NULL);
		const char *name = base_name(file);
		uint32_t known = p->names.count;
		uint32_t id = intern_id(&p->names, name, strlen(name));
		uint32_t path = id ? path_id(p, file) : 0;

		if (!path || array_reserve(&p->of_name, &p->of_name_capacity, id,
					   sizeof(*p->of_name)))
			return -ENOMEM;
		p->of_name[id - 1] = id > known ? path : SEVERAL;
	}
	return 0;
}

static int use_units(struct places *p, struct debug_units *units)
{
	struct unit_files files = { 0 };
	int ret = unit_files_read(&files, units);

	if (!ret)
		ret = ask_units(p, &files);
	if (!ret)
		ret = name_files(p, &files);
	unit_files_free(&files);
	return ret;
}

/* Finds the path of a file by its name; 0: unknown. */
static int find_source(struct places *p, const char *name, uint32_t *path)
{
	uint32_t id = intern_find(&p->names, name, strlen(name));
	struct strbuf __auto_free whole = { 0 };

	if (id && p->of_name[id - 1] != SEVERAL)
		*path = p->of_name[id - 1];
	if (*path || !p->dir)
		return 0;
	strbuf_printf(&whole, "%s/%s", p->dir, name);
	*path = whole.failed ? 0 : path_id(p, whole.data);
	return *path ? 0 : -ENOMEM;
}

/* Finds the files of the names in the symbol table: the file of those of their symbols that are
 * known already, else the only file of that name, else a file in the module's directory.
 */
static int find_sources(struct places *p)
{
	const struct elf_layout *layout = p->layout;

	for (size_t i = 0; i < layout->nr_items; i++) {
		uint32_t source = layout->items[i].source, id = p->paths[i];
		const char *path = footprint_path(p->fp, id);

		if (path && source && !p->sources[source] &&
		    !strcmp(base_name(path), base_name(layout->sources[source])))
			p->sources[source] = id;
	}
	for (size_t i = 1; i < layout->nr_sources; i++) {
		if (!p->sources[i] &&
		    find_source(p, base_name(layout->sources[i]), &p->sources[i]))
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

static int add_part(struct footprint *fp, const struct footprint_part *part)
{
	if (array_reserve(&fp->parts, &fp->parts_capacity, fp->nr_parts + 1,
			  sizeof(*fp->parts)))
		return -ENOMEM;
	fp->parts[fp->nr_parts++] = *part;
	return 0;
}

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

/* Adds the bytes without a symbol: section by section in a module, or if no section has symbols. */
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
		ret = add_part(fp, &part);
	}
	for (size_t i = 0; whole && i < layout->nr_sections && !ret; i++) {
		part.section = &layout->sections[i];
		if (part.section->bare)
			ret = add_part(fp, &part);
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
		if (!ret)
			ret = add_part(fp, &part);
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

	if (array_reserve(&fp->images, &fp->images_capacity, fp->nr_images + 1,
			  sizeof(*fp->images)))
		return -ENOMEM;
	image = &fp->images[fp->nr_images];
	*image = (struct footprint_image){ .path = strdup(path) };
	if (name)
		image->name = strdup(name);
	ret = open_layout(&image->layout, path);
	if (!ret && (!image->path || (name && !image->name)))
		ret = -ENOMEM;
	if (!ret) {
		fp->nr_images++;
		return 0;
	}
	elf_layout_close(&image->layout);
	free(image->path);
	free(image->name);
	return ret;
}

/* Finds the source files of all symbols of the last image. */
static int place_all(struct footprint *fp, struct debug_units *units,
		     const struct source_tree *tree, const char *dir)
{
	const struct elf_layout *layout = &fp->images[fp->nr_images - 1].layout;
	struct places p = { .fp = fp, .layout = layout, .dir = dir };
	int ret = 0;

	p.paths = calloc(layout->nr_items + 1, sizeof(*p.paths));
	p.sources = calloc(layout->nr_sources + 1, sizeof(*p.sources));
	if (!p.paths || !p.sources)
		ret = -ENOMEM;
	if (!ret && units)
		ret = use_units(&p, units);
	if (!ret)
		ret = find_sources(&p);
	if (!ret)
		ret = ask_neighbours(&p);
	if (!ret)
		ret = add_parts(&p, tree);
	intern_free(&p.names);
	free(p.of_name);
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
	uint32_t known = fp->modules.count,
		 id = intern_id(&fp->modules, name, strlen(name));
	struct debug_units *units = NULL;
	int ret;

	if (!id || array_reserve(&fp->of_module, &fp->of_module_capacity, id,
				 sizeof(*fp->of_module)))
		return -ENOMEM;
	if (id > known)
		fp->of_module[id - 1] = NO_IMAGE;
	ret = add_image(fp, path, name);
	if (ret)
		return ret;
	fp->of_module[id - 1] = (uint32_t)fp->nr_images - 1;
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

/* Indexes the names of an image's symbols. */
static int name_functions(struct footprint_image *image)
{
	const struct elf_layout *layout = &image->layout;

	for (uint32_t i = 0; i < layout->nr_items; i++) {
		const struct elf_item *item = &layout->items[i];
		uint32_t known = image->functions.count, id;

		if (layout->sections[item->section].kind != ELF_KIND_TEXT)
			continue;
		id = intern_id(&image->functions, item->name, strlen(item->name));
		if (!id ||
		    array_reserve(&image->of_function, &image->of_function_capacity, id,
				  sizeof(*image->of_function)))
			return -ENOMEM;
		image->of_function[id - 1] = id > known ? i : SEVERAL;
	}
	image->asked = true;
	return 0;
}

int footprint_find_name(struct footprint *fp, const char *module, const char *name,
			const struct footprint_part **part)
{
	uint32_t id = intern_find(&fp->modules, module, strlen(module));
	struct footprint_image *image;

	if (!id || fp->of_module[id - 1] == NO_IMAGE)
		return 0;
	image = &fp->images[fp->of_module[id - 1]];
	if (!image->asked && name_functions(image))
		return -ENOMEM;
	id = intern_find(&image->functions, name, strlen(name));
	if (!id || image->of_function[id - 1] == SEVERAL)
		return 0;
	*part = &fp->parts[image->first + image->of_function[id - 1]];
	return 1;
}

void footprint_free(struct footprint *fp)
{
	for (size_t i = 0; i < fp->nr_images; i++) {
		elf_rests_free(&fp->images[i].rests);
		elf_layout_close(&fp->images[i].layout);
		free(fp->images[i].path);
		free(fp->images[i].name);
		intern_free(&fp->images[i].functions);
		free(fp->images[i].of_function);
	}
	free(fp->images);
	free(fp->parts);
	free(fp->of_module);
	intern_free(&fp->paths);
	intern_free(&fp->modules);
	*fp = (struct footprint){ 0 };
}
