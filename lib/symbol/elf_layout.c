// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/elf_layout.h"

#include <gelf.h>
#include <libelf.h>

#include "base/array.h"
#include "symbol/elf.h"

/**
 * struct elf_layout_file - the open file
 * @by_index: index in the layout of each of the file's sections; UINT32_MAX: it takes no memory
 * @strings, @strings_size: names of the symbols; the last byte is NUL
 * @wide: section numbers that do not fit a symbol (SHT_SYMTAB_SHNDX); NULL if the file has none
 * @content_left: bytes of sections that may still be read: at most the file's size in total,
 *	because sections of a damaged file may overlap
 * @names_left: bytes of symbol names that may still be read
 * @init_begin, @init_end: addresses that vmlinux frees after boot; 0: not stated
 */
struct elf_layout_file {
	Elf *elf;
	uint32_t *by_index;
	size_t nr_by_index;
	const char *strings;
	size_t strings_size;
	Elf_Data *wide;
	uint64_t init_begin, init_end;
	uint64_t names_left, content_left;
};

#define NO_SECTION	  UINT32_MAX
/* Names may share bytes as suffixes of longer names: at most this factor, plus 1 MB. */
#define NAMES_SHARED	  4
#define NAMES_SHARED_MORE (1U << 20)
/* Maximum number of symbols tried before an address. */
#define FIND_STEPS	  64

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The kind of a section. The kernel links tables that it writes during boot into .rodata, which it
 * makes read-only afterwards; so the section's flags say that it is writable. @bare: the file has
 * only debug information; its sections have no content.
 */
static enum elf_kind kind_of(const char *name, const GElf_Shdr *shdr, bool bare)
{
	if (shdr->sh_flags & SHF_EXECINSTR)
		return ELF_KIND_TEXT;
	if (shdr->sh_type == SHT_NOBITS && (!bare || begins(name, ".bss")))
		return ELF_KIND_BSS;
	return begins(name, ".rodata") || !(shdr->sh_flags & SHF_WRITE) ? ELF_KIND_RODATA
									: ELF_KIND_DATA;
}

/* Does any code lack content? strip --only-keep-debug drops the content of all sections. */
static bool only_debug(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR &&
		    shdr.sh_type == SHT_NOBITS && shdr.sh_size)
			return true;
	}
	return false;
}

/* elf_strptr() searches for the end of each name; this checks the end of the table once. */
static void find_strings(struct elf_layout_file *f, size_t section)
{
	Elf_Data *data = elf_names_end(f->elf, section)
				 ? elf_getdata(elf_getscn(f->elf, section), NULL)
				 : NULL;

	if (!data)
		return;
	f->strings = data->d_buf;
	f->strings_size = data->d_size;
}

static const char *text_at(const struct elf_layout_file *f, uint64_t offset)
{
	const char *text = offset < f->strings_size ? f->strings + offset : "";

	return strnlen(text, ELF_LAYOUT_NAME_MAX) < ELF_LAYOUT_NAME_MAX ? text : "";
}

/* May the bytes of a section be read? If so, subtracts them from the bytes left. */
static bool has_content(struct elf_layout_file *f, const GElf_Shdr *shdr)
{
	if (shdr->sh_type == SHT_NOBITS || shdr->sh_size > f->content_left)
		return false;
	f->content_left -= shdr->sh_size;
	return true;
}

static int read_sections(struct elf_layout *layout)
{
	struct elf_layout_file *f = layout->file;
	size_t nr = 0, names = 0, size = 0;
	bool bare = only_debug(f->elf);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (elf_getshdrnum(f->elf, &nr) || elf_getshdrstrndx(f->elf, &names) || !nr)
		return -ENOEXEC;
	f->by_index = malloc(nr * sizeof(*f->by_index));
	if (!f->by_index)
		return -ENOMEM;
	f->nr_by_index = nr;
	for (size_t i = 0; i < nr; i++)
		f->by_index[i] = NO_SECTION;
	find_strings(f, names);
	if (!elf_rawfile(f->elf, &size))
		return -ENOEXEC;
	f->content_left = size;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &shdr) || elf_ndxscn(scn) >= nr)
			continue;
		name = text_at(f, shdr.sh_name);
		layout->debug |= !strcmp(name, ".debug_info");
		if (!(shdr.sh_flags & SHF_ALLOC) || !shdr.sh_size)
			continue;
		f->by_index[elf_ndxscn(scn)] = (uint32_t)layout->nr_sections;
		if (ARRAY_ADD(layout->sections, layout->nr_sections,
			      (struct elf_section){ .name = name,
						    .addr = shdr.sh_addr,
						    .size = shdr.sh_size,
						    .kind = kind_of(name, &shdr, bare),
						    .init = begins(name, ".init"),
						    .content = has_content(f, &shdr),
						    .index = (uint32_t)elf_ndxscn(scn) }))
			return -ENOMEM;
	}
	return layout->nr_sections ? 0 : -ENODATA;
}

/* --- symbols ----------------------------------------------------------------------------- */

/* The index of a symbol's section in the layout. */
static uint32_t section_of(const struct elf_layout_file *f, const GElf_Sym *sym, size_t i)
{
	const uint32_t *wide = f->wide ? f->wide->d_buf : NULL;
	uint32_t index = sym->st_shndx;

	if (index == SHN_XINDEX)
		index = wide && i < f->wide->d_size / sizeof(*wide) ? wide[i] : 0;
	else if (index >= SHN_LORESERVE)
		return NO_SECTION;
	return index < f->nr_by_index ? f->by_index[index] : NO_SECTION;
}

static int add_source(struct elf_layout *layout, const char *name, uint32_t *source)
{
	*source = 0;
	if (!*name)
		return 0;
	if (!layout->nr_sources && ARRAY_ADD(layout->sources, layout->nr_sources, ""))
		return -ENOMEM;
	*source = (uint32_t)layout->nr_sources;
	return ARRAY_ADD(layout->sources, layout->nr_sources, name);
}

/* A file's local symbols follow its STT_FILE entry. */
static int add_symbol(struct elf_layout *layout, const GElf_Sym *sym, size_t i,
		      uint32_t *source)
{
	struct elf_layout_file *f = layout->file;
	const char *name = text_at(f, sym->st_name);
	bool local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;
	uint32_t section = section_of(f, sym, i);

	if (GELF_ST_TYPE(sym->st_info) == STT_FILE)
		return add_source(layout, name, source);
	if (!strcmp(name, "__init_begin"))
		f->init_begin = sym->st_value;
	else if (!strcmp(name, "__init_end"))
		f->init_end = sym->st_value;
	if (section == NO_SECTION || !*name || (local && !sym->st_size) ||
	    GELF_ST_TYPE(sym->st_info) == STT_SECTION)
		return 0;
	if (strlen(name) > f->names_left)
		return -EFBIG;
	f->names_left -= strlen(name);
	const struct elf_item item = { .name = name,
				       .addr = sym->st_value,
				       .size = sym->st_size,
				       .section = section,
				       .source = local ? *source : 0,
				       .global = !local };

	if (!item.size)
		return ARRAY_ADD(layout->labels, layout->nr_labels, item);
	return ARRAY_ADD(layout->items, layout->nr_items, item);
}

static int read_symbols(struct elf_layout *layout)
{
	struct elf_layout_file *f = layout->file;
	Elf_Scn *scn = elf_find_section(f->elf, SHT_SYMTAB, 0), *wide;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	uint32_t source = 0;
	GElf_Shdr shdr;
	size_t nr;
	int ret = 0;

	if (!data || !gelf_getshdr(scn, &shdr) || !shdr.sh_entsize)
		return 0;
	find_strings(f, shdr.sh_link);
	f->names_left = f->strings_size * NAMES_SHARED + NAMES_SHARED_MORE;
	wide = elf_find_section(f->elf, SHT_SYMTAB_SHNDX, elf_ndxscn(scn));
	f->wide = wide ? elf_getdata(wide, NULL) : NULL;
	nr = data->d_size / shdr.sh_entsize;
	for (size_t i = 1; i < nr && i < INT32_MAX && !ret; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			continue;
		/* Bit 0 of a Thumb function's address selects the instruction set. */
		if (layout->machine == EM_ARM && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			sym.st_value &= ~(uint64_t)1;
		ret = add_symbol(layout, &sym, i, &source);
	}
	return ret;
}

/* --- bytes ------------------------------------------------------------------------------- */

static unsigned int underscores(const char *name)
{
	return (unsigned int)strspn(name, "_");
}

/* By address; at the same address, the longest first, then the most common name. */
ORDER(compare_items, struct elf_item,
      UP(section) ?: UP(addr) ?: DOWN(size)
		?: COMPARE(underscores(x->name), underscores(y->name))
		?: DOWN(global) ?: strcmp(x->name, y->name))

/* Gives each byte to the first symbol that covers it, and counts bytes without a symbol. */
static void share_out(struct elf_layout *layout)
{
	uint64_t done = 0; /* bytes of the section before this are assigned */
	uint32_t section = NO_SECTION;

	for (size_t i = 0; i < layout->nr_sections; i++)
		layout->sections[i].bare = layout->sections[i].size;
	for_each(item, layout->items, layout->nr_items) {
		struct elf_section *s = &layout->sections[item->section];
		uint64_t begin, end;

		if (item->section != section)
			done = 0;
		section = item->section;
		if (item->addr < s->addr || item->addr - s->addr >= s->size)
			continue;
		begin = item->addr - s->addr;
		end = item->size < s->size - begin ? begin + item->size : s->size;
		begin = LARGER(begin, done);
		if (end <= begin)
			continue;
		item->own = end - begin;
		s->bare -= item->own;
		done = end;
	}
}

static void mark_init(struct elf_layout *layout)
{
	uint64_t begin = layout->file->init_begin, end = layout->file->init_end;

	for_each(s, layout->sections, layout->nr_sections) {
		if (!layout->relocatable && s->addr >= begin && s->addr < end &&
		    s->size <= end - s->addr)
			s->init = true;
	}
}

static int read_file(struct elf_layout *layout, int fd)
{
	struct elf_layout_file *f = layout->file;
	GElf_Ehdr ehdr;
	int ret;

	f->elf = elf_read(fd);
	if (!f->elf || !gelf_getehdr(f->elf, &ehdr) || elf_cntl(f->elf, ELF_C_FDREAD) < 0)
		return -ENOEXEC;
	layout->is_64 = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	layout->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	layout->machine = ehdr.e_machine;
	layout->relocatable = ehdr.e_type == ET_REL;
	ret = read_sections(layout);
	return ret ? ret : read_symbols(layout);
}

int elf_layout_open(struct elf_layout *layout, int fd)
{
	int ret;

	*layout = (struct elf_layout){ 0 };
	layout->file = calloc(1, sizeof(*layout->file));
	if (!layout->file)
		return -ENOMEM;
	ret = read_file(layout, fd);
	if (ret)
		return ret;
	mark_init(layout);
	if (layout->nr_items)
		qsort(layout->items, layout->nr_items, sizeof(*layout->items),
		      compare_items);
	if (layout->nr_labels)
		qsort(layout->labels, layout->nr_labels, sizeof(*layout->labels),
		      compare_items);
	share_out(layout);
	return 0;
}

void elf_layout_close(struct elf_layout *layout)
{
	if (layout->file) {
		elf_end(layout->file->elf);
		free(layout->file->by_index);
	}
	free(layout->file);
	free(layout->sections);
	free(layout->items);
	free(layout->labels);
	free(layout->sources);
	*layout = (struct elf_layout){ 0 };
}

const uint8_t *elf_layout_content(const struct elf_layout *layout, uint32_t section)
{
	const struct elf_section *s = &layout->sections[section];
	Elf_Scn *scn = s->content ? elf_getscn(layout->file->elf, s->index) : NULL;
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	return data && data->d_buf && data->d_size >= s->size ? data->d_buf : NULL;
}

const struct elf_item *elf_layout_find(const struct elf_layout *layout, uint32_t section,
				       uint64_t addr)
{
	const struct elf_item *items = layout->items;
	size_t low =
		COUNT_FIRST(i, layout->nr_items,
			    items[i].section < section || (items[i].section == section &&
							   items[i].addr <= addr));

	/* Finds the last symbol at or before @addr that has bytes of its own. Few have none. */
	for (size_t i = 0; i < FIND_STEPS && low-- > 0; i++) {
		const struct elf_item *item = &items[low];

		if (item->section != section)
			break;
		if (item->own)
			return addr - item->addr < item->size ? item : NULL;
	}
	return NULL;
}

uint32_t elf_layout_section_at(const struct elf_layout *layout, uint64_t addr)
{
	for (uint32_t i = 0; i < layout->nr_sections; i++) {
		const struct elf_section *s = &layout->sections[i];

		if (addr >= s->addr && addr - s->addr < s->size)
			return i;
	}
	return NO_SECTION;
}
