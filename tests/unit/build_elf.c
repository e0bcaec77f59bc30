// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: builds small kernels' ELF files.
 */
#include "build_elf.h"

#include <check.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"

/* Sections, and their places in this string. */
static const char section_names[] = "\0.text\0.symtab\0.strtab\0.note.gnu.build-id\0";
enum { TEXT = 1, SYMTAB = 2, STRTAB = 3 };

static Elf_Scn *add_section(Elf *elf, const char *name, const GElf_Shdr *header,
			    Elf_Data content)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);
	GElf_Shdr shdr;

	ck_assert_ptr_nonnull(data);
	content.d_version = EV_CURRENT;
	content.d_align = 8;
	*data = content;
	ck_assert_ptr_nonnull(gelf_getshdr(scn, &shdr));
	shdr.sh_name =
		(GElf_Word)((const char *)memmem(section_names, sizeof(section_names),
						 name, strlen(name) + 1) -
			    section_names);
	shdr.sh_type = header->sh_type;
	shdr.sh_flags = header->sh_flags;
	shdr.sh_addr = header->sh_addr;
	shdr.sh_link = header->sh_link;
	shdr.sh_entsize = header->sh_entsize;
	ck_assert(gelf_update_shdr(scn, &shdr));
	return scn;
}

/* Returns what the caller frees when the file is written. */
static void *add_symbols(Elf *elf, const struct elf_build *b, struct strbuf *names)
{
	size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), i;
	Elf_Data *data;
	Elf_Scn *scn;

	scn = add_section(elf, ".symtab",
			  &(GElf_Shdr){ .sh_type = SHT_SYMTAB,
					.sh_link = STRTAB,
					.sh_entsize = entry },
			  (Elf_Data){ .d_type = ELF_T_SYM,
				      .d_size = entry * (b->nr_symbols + 1),
				      .d_buf = calloc(b->nr_symbols + 1, entry) });
	data = elf_getdata(scn, NULL);
	strbuf_add(names, "", 1);
	for (i = 0; i < b->nr_symbols; i++) {
		const struct elf_symbol *s = &b->symbols[i];
		GElf_Sym sym = {
			.st_name = (GElf_Word)names->size,
			.st_value = s->addr,
			.st_shndx = TEXT,
			.st_info = s->info ? s->info : GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
		};

		strbuf_add(names, s->name, strlen(s->name) + 1);
		ck_assert(gelf_update_sym(data, (int)i + 1, &sym));
	}
	add_section(elf, ".strtab", &(GElf_Shdr){ .sh_type = SHT_STRTAB },
		    (Elf_Data){ .d_size = names->size, .d_buf = names->data });
	return data->d_buf;
}

static void put_word(uint8_t *p, uint32_t v, bool big_endian)
{
	int i;

	for (i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * (big_endian ? 3 - i : i));
}

int build_elf(const struct elf_build *b)
{
	int fd = memfd_create("vmlinux", MFD_CLOEXEC), class;
	struct strbuf names = { 0 };
	uint8_t note[36] = { 0 };
	void *symbols;
	GElf_Ehdr ehdr;
	Elf *elf;

	class = b->is_64 ? ELFCLASS64 : ELFCLASS32;
	ck_assert_int_ge(fd, 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ck_assert_ptr_nonnull(elf);
	ck_assert_ptr_nonnull(gelf_newehdr(elf, class));
	ck_assert_ptr_nonnull(gelf_getehdr(elf, &ehdr));
	ehdr.e_ident[EI_DATA] = b->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	ehdr.e_machine = b->machine;
	ehdr.e_type = ET_EXEC;
	ehdr.e_version = EV_CURRENT;
	ck_assert(gelf_update_ehdr(elf, &ehdr));
	add_section(elf, ".text",
		    &(GElf_Shdr){ .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				  .sh_addr = b->code_addr },
		    (Elf_Data){ .d_size = b->code_size, .d_buf = (void *)b->code });
	symbols = add_symbols(elf, b, &names);
	ck_assert_ptr_nonnull(gelf_getehdr(elf, &ehdr));
	ehdr.e_shstrndx = (GElf_Half)elf_ndxscn(
		add_section(elf, "", &(GElf_Shdr){ .sh_type = SHT_STRTAB },
			    (Elf_Data){ .d_size = sizeof(section_names),
					.d_buf = (void *)section_names }));
	ck_assert(gelf_update_ehdr(elf, &ehdr));
	if (b->build_id) {
		put_word(note, 4, b->big_endian);
		put_word(note + 4, 20, b->big_endian);
		put_word(note + 8, NT_GNU_BUILD_ID, b->big_endian);
		memcpy(note + 12, "GNU", 4);
		memcpy(note + 16, b->build_id, 20);
		add_section(elf, ".note.gnu.build-id",
			    &(GElf_Shdr){ .sh_type = SHT_NOTE },
			    (Elf_Data){ .d_size = sizeof(note), .d_buf = note });
	}
	ck_assert_int_gt(elf_update(elf, ELF_C_WRITE), 0);
	elf_end(elf);
	free(symbols);
	strbuf_free(&names);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}
