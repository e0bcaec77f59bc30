// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: kmemx stat on recordings with little information: no kallsyms, cmdlines and uname; page
 * pointers instead of frame numbers; the old numbers of migratetypes.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compiler.h"
#include "build_trace_dat.h"
#include "cmd/options/command.h"
#include "format_text.h"

#define PAGE_POINTER "\tfield:struct page * page;\toffset:8;\tsize:8;\tsigned:0;\n"
#define ORDER	     "\tfield:unsigned int order;\toffset:16;\tsize:4;\tsigned:0;\n"
#define SITE	     "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
#define OBJECT	     "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
#define PRINT	     "\nprint fmt: \"\"\n"

enum { ID_ALLOC = 1, ID_FREE, ID_KMALLOC, ID_KFREE };

/* Formats of Linux 3.16. */
static const char *const formats[] = {
	"name: mm_page_alloc\nID: 1\n" FORMAT_COMMON PAGE_POINTER ORDER
	"\tfield:gfp_t gfp_flags;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:int migratetype;\toffset:24;\tsize:4;\tsigned:1;\n" PRINT,
	"name: mm_page_free\nID: 2\n" FORMAT_COMMON PAGE_POINTER ORDER PRINT,
	"name: kmalloc\nID: 3\n" FORMAT_COMMON SITE OBJECT
	"\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:size_t bytes_alloc;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:gfp_t gfp_flags;\toffset:40;\tsize:4;\tsigned:0;\n" PRINT,
	"name: kfree\nID: 4\n" FORMAT_COMMON SITE OBJECT PRINT,
};

static struct page_build page;
static char said[65536];

static void put64(uint64_t v)
{
	page_word(&page, (uint32_t)v);
	page_word(&page, (uint32_t)(v >> 32));
}

static void begin(uint16_t id, unsigned int words)
{
	page_head(&page, words, 1000);
	page_word(&page, id);
	page_word(&page, 77);
}

static void add_alloc(uint64_t pointer, uint32_t order, uint32_t migratetype)
{
	begin(ID_ALLOC, 7);
	put64(pointer);
	page_word(&page, order);
	page_word(&page, 0xd0);
	page_word(&page, migratetype);
}

static void add_free(uint64_t pointer, uint32_t order)
{
	begin(ID_FREE, 5);
	put64(pointer);
	page_word(&page, order);
}

static void add_kmalloc(uint64_t site, uint64_t ptr, uint32_t req, uint32_t size)
{
	begin(ID_KMALLOC, 11);
	put64(site);
	put64(ptr);
	put64(req);
	put64(size);
	page_word(&page, 0xd0);
}

static void add_kfree(uint64_t ptr)
{
	begin(ID_KFREE, 6);
	put64(0xffffffff81234567);
	put64(ptr);
}

static void begin_page(void)
{
	page = (struct page_build){ .long_size = 8, .page_size = 4096 };
	page_start(&page, 1000);
}

/* Runs kmemx stat on the file built; its output is in @said. */
static int stat_of(struct file_build b, const char *option, const char *option2)
{
	int in = memfd_create("recording", MFD_CLOEXEC);
	int out = memfd_create("report", MFD_CLOEXEC), saved = dup(STDOUT_FILENO), ret;
	char path[64];
	char *argv[] = { (char *)"stat", (char *)"-i",	  path,
			 (char *)option, (char *)option2, NULL };
	struct strbuf file;
	ssize_t n;

	page_end(&page, 0, 0);
	b.long_size = 8;
	b.page_size = 4096;
	b.formats = formats;
	b.nr_formats = ARRAY_SIZE(formats);
	b.nr_buffers = 1;
	b.buffers[0].name = "";
	b.buffers[0].nr_cpus = 1;
	b.buffers[0].pages[0] = &page.bytes;
	file = build_file(&b);
	ck_assert_int_eq(write(in, file.data, file.size), (ssize_t)file.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in);
	fflush(stdout);
	ck_assert_int_ge(dup2(out, STDOUT_FILENO), 0);
	ret = command_stat.run(option2 ? 5 : 4, argv);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	n = pread(out, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(saved);
	close(in);
	close(out);
	strbuf_free(&file);
	strbuf_free(&page.bytes);
	return ret;
}

static void expect(const char *text)
{
	ck_assert_msg(strstr(said, text), "no '%s' in:\n%s", text, said);
}

/* Without any names the report has addresses and numbers. */
START_TEST(addresses_without_names)
{
	struct file_build b = { .version = 6 + (unsigned int)_i, .no_options = true };

	begin_page();
	add_kmalloc(0xffffffff81111110, 0xffff880000001000, 100, 128);
	add_kmalloc(0xffffffff81111110, 0xffff880000001080, 100, 128);
	add_kmalloc(0xffffffff82222220, 0xffff880000002000, 64, 64);
	add_kfree(0xffff880000001000);
	ck_assert_int_eq(stat_of(b, "--caller", "--csv"), 0);
	expect("ffffffff81111110");
	expect("ffffffff82222220");
	begin_page();
	add_kmalloc(0xffffffff81111110, 0xffff880000001000, 100, 128);
	ck_assert_int_eq(stat_of(b, "--by", "pid"), 0);
	expect("77");
	begin_page();
	add_kmalloc(0xffffffff81111110, 0xffff880000001000, 100, 128);
	add_kfree(0xffff880000001000);
	ck_assert_int_eq(stat_of(b, "--json", NULL), 0);
	expect("\"bytes_freed\": 128");
	expect("ffffffff81111110");
}
END_TEST

/* Before 4.1, events have page pointers, sizeof(struct page) apart: a block of 64 pages must not
 * reach into the next one, and is freed page by page.
 */
static const uint64_t strides[] = { 64, 56 };

START_TEST(pages_by_pointer)
{
	struct file_build b = { .version = 6,
				.uname = "Linux old 3.16.0-4-amd64 x86_64\n" };
	uint64_t base = 0xffffea0000000000, apart = strides[_i];
	uint32_t i;

	begin_page();
	add_alloc(base + 64 * apart, 6, 1);
	add_alloc(base + 128 * apart, 6, 2);
	add_alloc(base + 3 * apart, 0, 3);
	add_alloc(0, 9, 0);
	for (i = 64; i < 128; i++)
		add_free(base + i * apart, 0);
	add_free(base + 128 * apart, 6);
	ck_assert_int_eq(stat_of(b, "--page", "--json"), 0);
	expect("\"requests\": 4");
	expect("\"failures\": 1");
	expect("\"bytes_implicit\": 0");
	expect("\"frees_split\": 32");
	expect("\"frees_matched\": 33");
	expect("\"frees_unmatched\": 0");
	expect("\"alloc_only\": 1");
	expect("\"bytes_live\": 4096");
	/* The names for numbers before 4.4. */
	expect("\"migtype\": \"RECLAIMABLE\"");
	expect("\"migtype\": \"MOVABLE\"");
	expect("\"migtype\": \"RESERVE\"");
}
END_TEST

/* Checks the migratetype of a row, because the matrix always has all names. */
START_TEST(old_migratetype_numbers)
{
	static const char *const names[] = { "UNMOVABLE", "RECLAIMABLE", "MOVABLE",
					     "RESERVE" };
	struct file_build b = { .version = 7,
				.uname = "Linux old 4.0.0-1-amd64 x86_64\n" };
	char wanted[64];

	begin_page();
	add_alloc(0xffffea0000000040, 0, (uint32_t)_i);
	ck_assert_int_eq(stat_of(b, "--page", "--json"), 0);
	snprintf(wanted, sizeof(wanted), "\"migtype\": \"%s\"", names[_i]);
	expect(wanted);
}
END_TEST

Suite *test_old_kernels_suite(void);
Suite *test_old_kernels_suite(void)
{
	Suite *s = suite_create("event/old_kernels");
	TCase *tc = tcase_create("stat");

	tcase_add_loop_test(tc, addresses_without_names, 0, 2);
	tcase_add_loop_test(tc, pages_by_pointer, 0, ARRAY_SIZE(strides));
	tcase_add_loop_test(tc, old_migratetype_numbers, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
