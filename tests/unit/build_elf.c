// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: builds ELF files of small kernels.
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

/* Names of sections, and their offsets in this string. */
static const char section_names[] =
	"\0.text\0.symtab\0.strtab\0.note.gnu.build-id\0.rodata\0.data\0.bss\0"
	".init.data\0.freed\0.debug\0__ksymtab\0";
enum { TEXT = 1, SYMTAB = 2, STRTAB = 3, MORE = 5 };

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

static void add_more(Elf *elf, const struct elf_build *b, void *zeros)
{
	size_t i;

	for (i = 0; i < b->nr_more; i++) {
		const struct elf_more *m = &b->more[i];

		add_section(elf, m->name,
			    &(GElf_Shdr){ .sh_type = m->type,
					  .sh_flags = m->flags,
					  .sh_addr = m->addr },
			    (Elf_Data){ .d_size = m->size,
					.d_buf = m->type == SHT_NOBITS ? NULL
						 : i == 0 && b->more_content
							 ? (void *)b->more_content
							 : zeros });
	}
}

static void add_symbol(Elf_Data *data, int i, const struct elf_sized *s,
		       struct strbuf *names)
{
	GElf_Sym sym = {
		.st_name = (GElf_Word)names->size,
		.st_value = s->addr,
		.st_size = s->size,
		.st_shndx = s->section == ELF_BUILD_ABS ? SHN_ABS
			    : s->section		? MORE + s->section - 1
							: TEXT,
		.st_info = s->info ? s->info : GELF_ST_INFO(STB_GLOBAL, STT_FUNC),
	};

	strbuf_add(names, s->name, strlen(s->name) + 1);
	ck_assert(gelf_update_sym(data, i, &sym));
}

/* Returns memory that the caller frees after writing the file. */
static void *add_symbols(Elf *elf, const struct elf_build *b, struct strbuf *names)
{
	size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), i;
	size_t nr = b->sized ? b->nr_sized : b->nr_symbols;
	Elf_Data *data;
	Elf_Scn *scn;

	scn = add_section(elf, ".symtab",
			  &(GElf_Shdr){ .sh_type = SHT_SYMTAB,
					.sh_link = STRTAB,
					.sh_entsize = entry },
			  (Elf_Data){ .d_type = ELF_T_SYM,
				      .d_size = entry * (nr + 1),
				      .d_buf = calloc(nr + 1, entry) });
	data = elf_getdata(scn, NULL);
	strbuf_add(names, "", 1);
	for (i = 0; i < nr; i++) {
		struct elf_sized s = { .name = NULL };

		if (b->sized)
			s = b->sized[i];
		else
			s = (struct elf_sized){ .addr = b->symbols[i].addr,
						.name = b->symbols[i].name,
						.info = b->symbols[i].info };
		add_symbol(data, (int)i + 1, &s, names);
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
	static uint8_t zeros[4096];
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
	ehdr.e_type = b->relocatable ? ET_REL : ET_EXEC;
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
	add_more(elf, b, zeros);
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
