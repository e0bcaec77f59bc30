// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/elf.h"

#include <gelf.h>
#include <libelf.h>

#include "base/bytes.h"

/* KSYM_NAME_LEN of the kernel: no name in kallsyms is longer. */
#define NAME_MAX_LEN 512
/* Kernels have two note sections. Sections may share the same bytes. */
#define MAX_NOTES    64

static bool name_ok(const char *name)
{
	size_t len = strnlen(name, NAME_MAX_LEN);

	/* Mapping symbols and local labels are not functions. */
	if (!len || len == NAME_MAX_LEN || *name == '$' || !strncmp(name, ".L", 2))
		return false;
	return !ANY(i, len, (unsigned char)name[i] <= ' ');
}

/* Is it a function, or a label in assembly code? */
static bool is_function(Elf *elf, const GElf_Sym *sym)
{
	GElf_Shdr shdr;
	Elf_Scn *scn;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	if (GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		return true;
	if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		return false;
	scn = elf_getscn(elf, sym->st_shndx);
	return scn && gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR;
}

static char type_letter(const GElf_Sym *sym)
{
	return GELF_ST_BIND(sym->st_info) == STB_LOCAL	? 't'
	       : GELF_ST_BIND(sym->st_info) == STB_WEAK ? 'W'
							: 'T';
}

const char *elf_section_name(Elf *elf, size_t offset)
{
	size_t names;
	const char *name =
		elf_getshdrstrndx(elf, &names) ? NULL : elf_strptr(elf, names, offset);

	return name ? name : "";
}

Elf_Scn *elf_find_section(Elf *elf, uint32_t type, size_t link)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type &&
		    (!link || shdr.sh_link == link))
			return scn;
	}
	return NULL;
}

bool elf_names_end(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf && data->d_size &&
	       !((const char *)data->d_buf)[data->d_size - 1];
}

static void add_symbols(struct elf_image *img, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf *elf = img->elf;
	size_t nr;

	if (!data || !shdr->sh_entsize || !elf_names_end(elf, shdr->sh_link))
		return;
	nr = data->d_size / shdr->sh_entsize;
	for (size_t i = 0; i < nr && i < INT32_MAX; i++) {
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !is_function(elf, &sym))
			continue;
		name = elf_strptr(elf, shdr->sh_link, sym.st_name);
		if (!name || !name_ok(name))
			continue;
		/* Bit 0 of a Thumb function's address selects the instruction set. */
		if (img->machine == EM_ARM && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			sym.st_value &= ~(uint64_t)1;
		strbuf_printf(&img->symbols, "%016" PRIx64 " %c %s\n",
			      (uint64_t)sym.st_value, type_letter(&sym), name);
	}
}

static void add_code(struct elf_image *img, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data;

	if (img->nr_code == ELF_CODE_MAX || shdr->sh_type == SHT_NOBITS)
		return;
	data = elf_rawdata(scn, NULL);
	if (data && data->d_buf && shdr->sh_addr <= UINT64_MAX - data->d_size)
		img->code[img->nr_code++] =
			(struct elf_code){ shdr->sh_addr, data->d_size, data->d_buf };
}

bool elf_notes_build_id(const void *notes, size_t notes_size, bool big_endian,
			char build_id[ELF_BUILD_ID_MAX])
{
	struct byte_reader r = byte_reader(notes, notes_size, big_endian);

	/* u32 name size, u32 content size, u32 type; name and content are padded to four bytes. */
	while (byte_reader_left(&r)) {
		uint32_t name_size = byte_reader_u32(&r), size = byte_reader_u32(&r);
		uint32_t type = byte_reader_u32(&r), i;
		const uint8_t *name = byte_reader_skip(&r, (name_size + 3ULL) & ~3ULL);
		const uint8_t *id = byte_reader_skip(&r, size);

		if (!name || !id)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 &&
		    !memcmp(name, "GNU", 4) && size <= 64) {
			*build_id = '\0';
			for (i = 0; i < size; i++)
				snprintf(build_id + 2 * i, 3, "%02x", id[i]);
			return true;
		}
		byte_reader_skip(&r, -size & 3);
	}
	return false;
}

static void find_build_id(Elf *elf, bool big_endian, char build_id[ELF_BUILD_ID_MAX])
{
	unsigned int nr_notes = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	*build_id = '\0';
	while (!*build_id && nr_notes < MAX_NOTES && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE)
			continue;
		nr_notes++;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			elf_notes_build_id(data->d_buf, data->d_size, big_endian,
					   build_id);
	}
}

static void read_sections(struct elf_image *img)
{
	Elf_Scn *scn = NULL;
	bool has_symbols = false;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(img->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		/* The ELF specification allows one symbol table per file. */
		if (shdr.sh_type == SHT_SYMTAB && !has_symbols) {
			add_symbols(img, scn, &shdr);
			has_symbols = true;
		} else if (shdr.sh_flags & SHF_EXECINSTR) {
			add_code(img, scn, &shdr);
		}
	}
}

Elf *elf_read(int fd)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE
			   ? NULL
			   : elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

int elf_image_open(struct elf_image *img, int fd)
{
	GElf_Ehdr ehdr;
	int err;

	*img = (struct elf_image){ .elf = elf_read(fd) };
	if (!img->elf || !gelf_getehdr(img->elf, &ehdr) ||
	    elf_cntl(img->elf, ELF_C_FDREAD) < 0) {
		elf_image_close(img);
		return -ENOEXEC;
	}
	img->is_64 = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	img->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	img->machine = ehdr.e_machine;
	find_build_id(img->elf, img->big_endian, img->build_id);
	read_sections(img);
	if (img->symbols.size && !img->symbols.failed)
		return 0;
	err = img->symbols.failed ? -ENOMEM : -ENODATA;
	elf_image_close(img);
	return err;
}

int elf_build_id(int fd, char build_id[ELF_BUILD_ID_MAX])
{
	Elf *elf = elf_read(fd);
	GElf_Ehdr ehdr;
	bool known = elf && gelf_getehdr(elf, &ehdr);

	*build_id = '\0';
	if (known)
		find_build_id(elf, ehdr.e_ident[EI_DATA] == ELFDATA2MSB, build_id);
	elf_end(elf);
	return known ? 0 : -ENOEXEC;
}

void elf_image_close(struct elf_image *img)
{
	strbuf_free(&img->symbols);
	elf_end(img->elf);
	img->elf = NULL;
}

const uint8_t *elf_image_code(const struct elf_image *img, uint64_t addr, size_t size)
{
	for_each(c, img->code, img->nr_code) {
		if (addr > c->addr && addr - c->addr <= c->size)
			return addr - c->addr < size ? NULL
						     : c->bytes + (addr - c->addr - size);
	}
	return NULL;
}

bool elf_image_code_range(const struct elf_image *img, uint64_t *low, uint64_t *high)
{
	*low = UINT64_MAX;
	*high = 0;
	for_each(c, img->code, img->nr_code) {
		*low = SMALLER(*low, c->addr);
		*high = LARGER(*high, c->addr + c->size);
	}
	return img->nr_code > 0;
}
