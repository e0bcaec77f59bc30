// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbol/elf_rest.c
 */
#include "symbol/footprint.h"

#include <check.h>
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "build_elf.h"

#define LABEL_AT 0x40

static uint8_t code[0x90];
/* A symbol, three texts separated by zeros, bytes, and zeros before and after the first label. */
static const uint8_t data[256] = "12345678"
				 "one text\0two\0\0\0\0a third\0\xff\xfe\xfd";

static const struct elf_more sections[] = {
	{ ".rodata", SHT_PROGBITS, SHF_ALLOC, 0x2000, sizeof(data) },
	{ ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x3000, 0x1000 },
	{ "__ksymtab", SHT_PROGBITS, SHF_ALLOC, 0x7000, 24 },
};

static const struct elf_sized symbols[] = {
	{ 0x1000, "function", 0, 0x10, 0 },
	{ 0x1040, "aligned", 0, 2, 0 },
	{ 0x108a, "behind", 0, 6, 0 },
	{ 0x2000, "number", 0, 8, 1 },
	{ 0x2000 + LABEL_AT, "nothing_known", 0, 0, 1 },
	{ 0x2000 + LABEL_AT, "kallsyms_offsets", 0, 0, 1 },
	{ 0x2000 + LABEL_AT + 8, "kallsyms_seqs_of_names", 0, 0, 1 },
	{ 0x2080, "known", 0, 64, 1 },
	{ 0x3000, "counter", 0, 4, 2 },
	{ 0x3410, "behind_what", 0, 4, 2 },
};

static const struct elf_build built = {
	.is_64 = true,
	.machine = EM_X86_64,
	.sized = symbols,
	.nr_sized = ARRAY_SIZE(symbols),
	.code = code,
	.code_size = sizeof(code),
	.code_addr = 0x1000,
	.more = sections,
	.nr_more = ARRAY_SIZE(sections),
	.more_content = data,
};

static uint64_t bytes_of(const struct elf_rests *rests, const struct elf_layout *layout,
			 const char *section, const char *group, const char *label)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < rests->nr; i++) {
		const struct elf_rest *r = &rests->items[i];

		if (!strcmp(layout->sections[r->section].name, section) &&
		    !strcmp(r->group, group) && !r->label == !label &&
		    (!label || !strcmp(r->label, label)))
			bytes += r->bytes;
	}
	return bytes;
}

START_TEST(tells_bytes_apart)
{
	static const struct {
		const char *section, *group, *label;
		uint64_t bytes;
	} wanted[] = {
		/* 48 bytes up to a cache line, and 12 filler bytes. */
		{ ".text", "alignment padding", NULL, 48 + 12 },
		{ ".text", "others", NULL, 60 },
		{ ".rodata", "strings", NULL, 9 + 4 + 3 + 8 },
		{ ".rodata", "others", NULL, 3 },
		{ ".rodata", "alignment padding", NULL, 29 + 48 + 64 },
		{ ".rodata", "kallsyms", "kallsyms_offsets", 8 },
		/* Two names of three bytes each, aligned. */
		{ ".rodata", "kallsyms", "kallsyms_seqs_of_names", 8 },
		{ ".bss", "others", NULL, 0x40c },
		{ ".bss", "alignment padding", NULL, 0x1000 - 0x414 },
		{ "__ksymtab", "exported symbols", NULL, 24 },
	};
	struct elf_rests rests = { 0 };
	struct elf_layout layout;
	uint64_t all = 0, bare = 0;
	size_t i;
	int fd;

	memset(code, 0xe8, sizeof(code));
	memset(code + 0x42 + 60, 0xcc, 12);
	fd = build_elf(&built);
	ck_assert_int_eq(elf_layout_open(&layout, fd), 0);
	close(fd);
	ck_assert_int_eq(elf_rests_read(&rests, &layout), 0);
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		uint64_t bytes = bytes_of(&rests, &layout, wanted[i].section,
					  wanted[i].group, wanted[i].label);

		ck_assert_msg(bytes == wanted[i].bytes, "%s %s: %lu", wanted[i].section,
			      wanted[i].group, (unsigned long)bytes);
		all += bytes;
	}
	for (i = 0; i < layout.nr_sections; i++)
		bare += layout.sections[i].bare;
	ck_assert_uint_eq(all, bare);
	elf_rests_free(&rests);
	elf_layout_close(&layout);
}
END_TEST

Suite *test_elf_rest_suite(void);
Suite *test_elf_rest_suite(void)
{
	Suite *s = suite_create("symbol/elf_rest");
	TCase *tc = tcase_create("elf_rest");

	tcase_add_test(tc, tells_bytes_apart);
	suite_add_tcase(s, tc);
	return s;
}
