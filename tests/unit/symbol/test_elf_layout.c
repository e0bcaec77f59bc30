// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbol/elf_layout.h
 */
#include "symbol/elf_layout.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_elf.h"

#define LOCAL(type) ELF64_ST_INFO(STB_LOCAL, type)
#define WEAK(type)  ELF64_ST_INFO(STB_WEAK, type)

static const uint8_t code[100];

static const struct elf_more sections[] = {
	{ ".rodata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, 40 },
	{ ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, 16 },
	{ ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x4000, 1 << 20 },
	{ ".init.data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x5000, 8 },
	{ ".freed", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x6000, 8 },
	{ ".debug", SHT_PROGBITS, 0, 0, 64 },
	{ "__ksymtab", SHT_PROGBITS, SHF_ALLOC, 0x7000, 24 },
};

static const struct elf_sized symbols[] = {
	{ 0, "inode.c", LOCAL(STT_FILE), 0, ELF_BUILD_ABS },
	{ 0x1000, "local", LOCAL(STT_FUNC), 10, 0 },
	{ 0x2000, "table", LOCAL(STT_OBJECT), 8, 1 },
	{ 0, "", LOCAL(STT_FILE), 0, ELF_BUILD_ABS },
	{ 0x2008, "nobodys", LOCAL(STT_OBJECT), 4, 1 },
	{ 0, "dir/namei.c", LOCAL(STT_FILE), 0, ELF_BUILD_ABS },
	{ 0x3000, "counter", LOCAL(STT_OBJECT), 8, 2 },
	/* Three names of one function; the one without leading underscores counts. */
	{ 0x1020, "__alias", 0, 16, 0 },
	{ 0x1020, "alias", WEAK(STT_FUNC), 16, 0 },
	{ 0x1020, "_alias", 0, 16, 0 },
	/* A symbol within another, and one that reaches beyond that one's end. */
	{ 0x1030, "outer", 0, 16, 0 },
	{ 0x1034, "inner", 0, 4, 0 },
	{ 0x103c, "across", 0, 12, 0 },
	/* One that reaches beyond the end of the section, one completely outside. */
	{ 0x1060, "tail", 0, 100, 0 },
	{ 0x9000, "outside", 0, 8, 0 },
	{ 0x1070, "empty", 0, 0, 0 },
	{ 0x1234, "constant", LOCAL(STT_OBJECT), 8, ELF_BUILD_ABS },
	{ 0x4000, "buffer", LOCAL(STT_OBJECT), 1 << 19, 3 },
	{ 0x6000, "__init_begin", 0, 0, 5 },
	{ 0x6010, "__init_end", 0, 0, 5 },
	{ 0x10, "debugging", 0, 8, 6 },
};

static const struct elf_build built = {
	.machine = EM_X86_64,
	.sized = symbols,
	.nr_sized = ARRAY_SIZE(symbols),
	.code = code,
	.code_size = sizeof(code),
	.code_addr = 0x1000,
	.more = sections,
	.nr_more = ARRAY_SIZE(sections),
};

static const struct elf_item *item(const struct elf_layout *layout, const char *name)
{
	size_t i;

	for (i = 0; i < layout->nr_items; i++) {
		if (!strcmp(layout->items[i].name, name))
			return &layout->items[i];
	}
	ck_abort_msg("no symbol %s", name);
	return NULL;
}

static const struct elf_section *section(const struct elf_layout *layout,
					 const char *name)
{
	size_t i;

	for (i = 0; i < layout->nr_sections; i++) {
		if (!strcmp(layout->sections[i].name, name))
			return &layout->sections[i];
	}
	return NULL;
}

static struct elf_layout open_built(const struct elf_build *b)
{
	struct elf_layout layout;
	int fd = build_elf(b);

	ck_assert_int_eq(elf_layout_open(&layout, fd), 0);
	close(fd);
	return layout;
}

/* With 32 and 64 bits, in both byte orders. */
START_TEST(sections_have_a_kind)
{
	static const struct {
		const char *name;
		enum elf_kind kind;
		uint64_t size, bare;
		bool init;
	} wanted[] = {
		{ ".text", ELF_KIND_TEXT, 100, 100 - 10 - 16 - 24 - 4, false },
		{ ".rodata", ELF_KIND_RODATA, 40, 28, false },
		{ ".data", ELF_KIND_DATA, 16, 8, false },
		{ ".bss", ELF_KIND_BSS, 1 << 20, 1 << 19, false },
		{ ".init.data", ELF_KIND_DATA, 8, 8, true },
		{ ".freed", ELF_KIND_DATA, 8, 8, true },
		{ "__ksymtab", ELF_KIND_RODATA, 24, 24, false },
	};
	struct elf_build b = built;
	struct elf_layout layout;
	size_t i;

	b.is_64 = _i & 1;
	b.big_endian = _i & 2;
	layout = open_built(&b);
	ck_assert(layout.is_64 == b.is_64 && layout.big_endian == b.big_endian);
	ck_assert(!layout.relocatable);
	ck_assert_uint_eq(layout.machine, EM_X86_64);
	ck_assert_uint_eq(layout.nr_sections, ARRAY_SIZE(wanted));
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct elf_section *s = section(&layout, wanted[i].name);

		ck_assert_ptr_nonnull(s);
		ck_assert_int_eq(s->kind, wanted[i].kind);
		ck_assert_uint_eq(s->size, wanted[i].size);
		ck_assert_msg(s->bare == wanted[i].bare, "%s: %lu", s->name,
			      (unsigned long)s->bare);
		ck_assert(s->init == wanted[i].init);
	}
	elf_layout_close(&layout);
}
END_TEST

START_TEST(bytes_are_counted_once)
{
	static const struct {
		const char *name;
		uint64_t own;
	} wanted[] = {
		{ "local", 10 },  { "alias", 16 },  { "_alias", 0 },
		{ "__alias", 0 }, { "outer", 16 },  { "inner", 0 },
		{ "across", 8 },  { "tail", 4 },    { "outside", 0 },
		{ "table", 8 },	  { "counter", 8 }, { "buffer", 1 << 19 },
	};
	struct elf_layout layout;
	struct elf_build b = built;
	size_t i;

	b.is_64 = true;
	layout = open_built(&b);
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		ck_assert_msg(item(&layout, wanted[i].name)->own == wanted[i].own, "%s",
			      wanted[i].name);
	/* Every section appears, but symbols without size or memory do not. */
	ck_assert_uint_eq(layout.nr_items, ARRAY_SIZE(wanted) + 1);
	ck_assert_uint_eq(item(&layout, "inner")->size, 4);
	elf_layout_close(&layout);
}
END_TEST

START_TEST(local_symbols_have_a_source)
{
	struct elf_layout layout;
	struct elf_build b = built;

	b.is_64 = true;
	layout = open_built(&b);
	ck_assert_str_eq(layout.sources[item(&layout, "local")->source], "inode.c");
	ck_assert_str_eq(layout.sources[item(&layout, "table")->source], "inode.c");
	ck_assert_str_eq(layout.sources[item(&layout, "counter")->source], "dir/namei.c");
	ck_assert_uint_eq(item(&layout, "nobodys")->source, 0);
	ck_assert_uint_eq(item(&layout, "outer")->source, 0);
	ck_assert(item(&layout, "outer")->global && !item(&layout, "local")->global);
	elf_layout_close(&layout);
}
END_TEST

START_TEST(addresses_find_their_symbol)
{
	struct elf_layout layout;
	struct elf_build b = built;
	uint32_t text;

	b.is_64 = true;
	layout = open_built(&b);
	text = elf_layout_section_at(&layout, 0x1000);
	ck_assert_str_eq(layout.sections[text].name, ".text");
	ck_assert_uint_eq(elf_layout_section_at(&layout, 0x1063), text);
	ck_assert_uint_eq(elf_layout_section_at(&layout, 0x1064), UINT32_MAX);
	ck_assert_uint_eq(elf_layout_section_at(&layout, 0), UINT32_MAX);
	ck_assert_str_eq(elf_layout_find(&layout, text, 0x1000)->name, "local");
	ck_assert_str_eq(elf_layout_find(&layout, text, 0x1009)->name, "local");
	ck_assert_ptr_null(elf_layout_find(&layout, text, 0x100a));
	ck_assert_str_eq(elf_layout_find(&layout, text, 0x102f)->name, "alias");
	ck_assert_str_eq(elf_layout_find(&layout, text, 0x1035)->name, "outer");
	ck_assert_ptr_null(elf_layout_find(&layout, text, 0xfff));
	elf_layout_close(&layout);
}
END_TEST

START_TEST(a_modules_sections_begin_at_0)
{
	static const struct elf_more more[] = {
		{ ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, 16 },
	};
	static const struct elf_sized both[] = {
		{ 0, "function", 0, 60, 0 },
		{ 4, "variable", 0, 8, 1 },
	};
	struct elf_build b = built;
	struct elf_layout layout;

	b.is_64 = b.relocatable = true;
	b.code_addr = 0;
	b.sized = both;
	b.nr_sized = ARRAY_SIZE(both);
	b.more = more;
	b.nr_more = 1;
	layout = open_built(&b);
	ck_assert(layout.relocatable);
	ck_assert_uint_eq(item(&layout, "function")->own, 60);
	ck_assert_uint_eq(item(&layout, "variable")->own, 8);
	ck_assert_uint_eq(section(&layout, ".data")->bare, 8);
	elf_layout_close(&layout);
}
END_TEST

START_TEST(other_files_are_refused)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	struct elf_layout layout;

	ck_assert_int_eq(write(fd, "no ELF file", 11), 11);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ck_assert_int_eq(elf_layout_open(&layout, fd), -ENOEXEC);
	elf_layout_close(&layout);
	close(fd);
}
END_TEST

Suite *test_elf_layout_suite(void);
Suite *test_elf_layout_suite(void)
{
	Suite *s = suite_create("symbol/elf_layout");
	TCase *tc = tcase_create("elf_layout");

	tcase_add_loop_test(tc, sections_have_a_kind, 0, 4);
	tcase_add_test(tc, bytes_are_counted_once);
	tcase_add_test(tc, local_symbols_have_a_source);
	tcase_add_test(tc, addresses_find_their_symbol);
	tcase_add_test(tc, a_modules_sections_begin_at_0);
	tcase_add_test(tc, other_files_are_refused);
	suite_add_tcase(s, tc);
	return s;
}
