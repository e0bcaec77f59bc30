// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbols from other files: moved kernels, other kernels, files without symbols.
 */
#include <check.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "build_elf.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/command.h"
#include "symbol/elf.h"
#include "symbol/symbols.h"

#define FIXTURE "data/bookworm-amd64-small-stack.v7.dat"
/* The KASLR offset of that boot. */
#define MOVED	0x1a200000ULL

static char said[4096];

/* Redirects messages to @said until end_hearing(). */
static int start_hearing(int *saved)
{
	int fd = memfd_create("messages", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	fflush(stderr);
	*saved = dup(STDERR_FILENO);
	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
	return fd;
}

static void end_hearing(int fd, int saved)
{
	ssize_t n;

	fflush(stderr);
	n = pread(fd, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fd);
}

/* Takes symbols from @files. Returns the exit code or GO_ON; the message is in @said. */
static int open_with(struct input *in, const struct symbol_files *files)
{
	int saved, fd = start_hearing(&saved), ret;

	ret = study_open_symbols(&in->study, files) ? input_failed(in) : GO_ON;
	end_hearing(fd, saved);
	return ret;
}

static void open_fixture(struct input *in, const char *path)
{
	const struct study_options opts = { .path = path };

	ck_assert_int_eq(input_open(in, &opts, "test", 0), GO_ON);
}

static const char *fd_path(int fd)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* Symbols that free_kept() frees. */
#define NR_FUNCTIONS 10000U
static struct elf_symbol *kept[8];

static void free_kept(void)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		for (j = 0; kept[i] && j < NR_FUNCTIONS; j++)
			free((char *)kept[i][j].name);
		free(kept[i]);
		kept[i] = NULL;
	}
}

/* The recording's functions outside modules, moved down by @moved. */
static struct elf_symbol *functions(const struct input *in, uint64_t moved, size_t *nr)
{
	const char *p = in->study.rec->kallsyms, *end = p + in->study.rec->kallsyms_size;
	struct elf_symbol *list = calloc(NR_FUNCTIONS, sizeof(*list));
	struct symbol_line line;
	size_t i;

	ck_assert_ptr_nonnull(list);
	for (i = 0; kept[i];)
		i++;
	ck_assert_uint_lt(i, ARRAY_SIZE(kept) - 1);
	kept[i] = list;
	for (*nr = 0; *nr < NR_FUNCTIONS && symbol_line_next(&line, &p, end);) {
		if (line.module_len || !symbol_line_is_text(&line))
			continue;
		list[(*nr)++] = (struct elf_symbol){
			.addr = line.addr - moved,
			.name = strndup(line.name, line.name_len),
		};
	}
	ck_assert_uint_gt(*nr, 100);
	return list;
}

static struct elf_build kernel_of(const struct input *in, uint64_t moved)
{
	struct elf_build b = { .is_64 = true, .machine = EM_X86_64 };

	b.symbols = functions(in, moved, &b.nr_symbols);
	b.code = "\xe8\0\0\0";
	b.code_size = 5;
	b.code_addr = b.symbols[0].addr;
	return b;
}

/* Writes the symbols as a System.map. */
static int map_of(const struct elf_build *b)
{
	int fd = memfd_create("System.map", MFD_CLOEXEC);
	size_t i;

	ck_assert_int_ge(fd, 0);
	for (i = 0; i < b->nr_symbols; i++)
		dprintf(fd, "%016" PRIx64 " T %s\n", b->symbols[i].addr,
			b->symbols[i].name);
	return fd;
}

/* Each recorded function must be found at its recorded address. */
static void check_names(const struct input *in, uint64_t moved)
{
	struct elf_build b = kernel_of(in, 0);
	struct symbol sym;
	size_t i, equal = 0;

	ck_assert_uint_eq(in->study.origin.offset, moved);
	for (i = 0; i < b.nr_symbols; i++) {
		ck_assert_int_eq(symbols_find(in->study.syms, b.symbols[i].addr, &sym),
				 1);
		ck_assert_uint_eq(sym.addr, b.symbols[i].addr);
		equal += !strcmp(sym.name, b.symbols[i].name);
	}
	ck_assert_uint_gt(equal, b.nr_symbols * 9 / 10); /* the others are aliases */
}

START_TEST(a_moved_kernel_is_moved_back)
{
	struct input in;
	struct elf_build b;
	struct symbol_files files = { 0 };
	int fd;

	open_fixture(&in, FIXTURE);
	b = kernel_of(&in, MOVED);
	fd = _i ? map_of(&b) : build_elf(&b);
	if (_i == 0)
		files.vmlinux = fd_path(fd);
	else if (_i == 1)
		files.system_map = fd_path(fd);
	else
		files.kallsyms = fd_path(fd);
	ck_assert_int_eq(open_with(&in, &files), GO_ON);
	ck_assert_str_eq(said, "");
	check_names(&in, MOVED);
	ck_assert(!in.study.origin.build_id_equal);
	close(fd);
	input_close(&in);
}
END_TEST

START_TEST(another_kernel_is_refused)
{
	struct input in;
	struct elf_build b;
	struct elf_symbol *symbols;
	size_t i;
	int fd;

	open_fixture(&in, FIXTURE);
	b = kernel_of(&in, MOVED);
	symbols = (struct elf_symbol *)b.symbols;
	for (i = 0; i < b.nr_symbols;
	     i++) /* one function larger by 16 bytes, and so on */
		symbols[i].addr += i / 50 * 16;
	fd = _i ? map_of(&b) : build_elf(&b);
	ck_assert_int_eq(
		open_with(&in, &(struct symbol_files){ .vmlinux = _i ? NULL : fd_path(fd),
						       .system_map =
							       _i ? fd_path(fd) : NULL }),
		EXIT_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(said, "from a different kernel"));
	ck_assert_ptr_nonnull(strstr(said, "have a different offset"));
	ck_assert_ptr_nonnull(
		strstr(said, "Use the symbols of Linux 6.1.0-50-cloud-amd64"));
	close(fd);
	input_close(&in);
}
END_TEST

static void add_meta(struct recording *rec, const char *name, const char *text)
{
	free(rec->meta);
	rec->meta = calloc(1, sizeof(*rec->meta));
	rec->meta[0] =
		(struct recording_text){ strdup(name), strdup(text), strlen(text) };
	rec->nr_meta = 1;
}

START_TEST(build_ids_are_compared)
{
	static const uint8_t id[20] = { 0x00, 0xab, 0xff, 1, 2, 3, [19] = 0x99 };
	const char *equal = "00abff0102030000000000000000000000000099\n";
	const char *other = "10abff0102030000000000000000000000000099\n";
	struct input in;
	struct elf_build b;
	int fd;

	open_fixture(&in, FIXTURE);
	b = kernel_of(&in, MOVED);
	b.build_id = id;
	fd = build_elf(&b);
	add_meta(in.study.rec, "build_id", _i ? other : equal);
	ck_assert_int_eq(open_with(&in, &(struct symbol_files){ .vmlinux = fd_path(fd) }),
			 _i ? EXIT_UNREADABLE : GO_ON);
	if (_i)
		ck_assert_ptr_nonnull(strstr(
			said,
			"its build ID is 00abff0102030000000000000000000000000099, that of the recorded kernel 10abff"));
	else
		ck_assert(in.study.origin.build_id_equal);
	close(fd);
	input_close(&in);
}
END_TEST

/* The message is about the first file that exists, or else about the first place. */
START_TEST(a_search_says_what_does_not_fit)
{
	struct debug_found *found;
	int fd, saved, ret;
	struct input in;

	open_fixture(&in, FIXTURE);
	found = &in.study.found;
	add_meta(in.study.rec, "build_id", "10abff\n");
	found->nr = 2;
	found->places[0] = (struct debug_place){ .path = strdup("/root/a"),
						 .verdict = DEBUG_MISSING };
	found->places[1] =
		(struct debug_place){ .path = strdup("/root/b"),
				      .verdict = _i ? DEBUG_MISSING : DEBUG_OTHER_BUILD,
				      .build_id = "00abff" };
	fd = start_hearing(&saved);
	ret = input_search_failed(&in);
	end_hearing(fd, saved);
	ck_assert_int_eq(ret, EXIT_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(said, "Linux 6.1.0-50-cloud-amd64"));
	ck_assert_ptr_nonnull(strstr(
		said,
		_i ? "/root/a: there is no such file"
		   : "/root/b: its build ID is 00abff, that of the recorded kernel 10abff"));
	input_close(&in);
}
END_TEST

/* Makes a text section of the recorded size that contains only the calls before the callsites. */
static uint8_t *code_with_calls(struct input *in, uint64_t low, uint64_t moved,
				size_t size)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	uint8_t *code = calloc(1, size);
	struct event_stream *stream;
	struct kmem_event ev;

	ck_assert_ptr_nonnull(code);
	ck_assert_int_eq(
		event_stream_open(&stream, in->study.rec, in->study.fmts, &opts, NULL),
		0);
	while (event_stream_next(stream, &ev) > 0) {
		uint32_t nr = 0, i;
		const uint64_t *frames = event_stream_stack(stream, ev.stack, &nr);

		for (i = 0; frames && i < nr; i++)
			if (range_ok(frames[i] - moved - low - 5, 5, size))
				code[frames[i] - moved - low - 5] = 0xe8;
		if (ev.type == KMEM_CACHE_FREE &&
		    range_ok(ev.slab_free.callsite - moved - low - 5, 5, size))
			code[ev.slab_free.callsite - moved - low - 5] = 0xe8;
	}
	event_stream_close(stream);
	return code;
}

/* The recording has no symbols: only the code can prove the offset. */
START_TEST(callsites_prove_the_distance)
{
	struct input in;
	struct elf_build b;
	uint64_t low, high;
	uint8_t *code;
	int fd;

	open_fixture(&in, FIXTURE);
	b = kernel_of(&in, MOVED);
	low = b.symbols[0].addr & ~4095ULL;
	high = b.symbols[b.nr_symbols - 1].addr + 65536;
	code = code_with_calls(&in, low, MOVED, high - low);
	b.code = code;
	b.code_addr = low;
	b.code_size = high - low;
	if (_i == 1) /* different code: no call at any callsite */
		memset(code, 0, high - low);
	fd = build_elf(&b);
	free(in.study.rec->kallsyms);
	in.study.rec->kallsyms = NULL;
	in.study.rec->kallsyms_size = 0;
	if (!_i) {
		ck_assert_int_eq(
			open_with(&in, &(struct symbol_files){ .vmlinux = fd_path(fd) }),
			GO_ON);
		ck_assert_uint_eq(in.study.origin.offset, MOVED);
	} else if (_i == 1) {
		ck_assert_int_eq(
			open_with(&in, &(struct symbol_files){ .vmlinux = fd_path(fd) }),
			EXIT_UNREADABLE);
		ck_assert_ptr_nonnull(strstr(said, "cannot tell where"));
	} else {
		close(fd);
		fd = map_of(&b);
		ck_assert_int_eq(
			open_with(&in,
				  &(struct symbol_files){ .system_map = fd_path(fd) }),
			EXIT_UNREADABLE);
		ck_assert_ptr_nonnull(strstr(said, "whose code shows"));
	}
	close(fd);
	free(code);
	input_close(&in);
}
END_TEST

/* If only the file has kallsyms, they are used if they contain the callsites. */
START_TEST(kallsyms_must_hold_the_callsites)
{
	struct input in;
	struct elf_build b;
	int fd;

	open_fixture(&in, FIXTURE);
	b = kernel_of(&in, _i ? 0x40000000 : 0);
	fd = map_of(&b);
	free(in.study.rec->kallsyms);
	in.study.rec->kallsyms = NULL;
	in.study.rec->kallsyms_size = 0;
	ck_assert_int_eq(
		open_with(&in, &(struct symbol_files){ .kallsyms = fd_path(fd) }),
		_i ? EXIT_UNREADABLE : GO_ON);
	if (_i)
		ck_assert_ptr_nonnull(strstr(said, "callsites are in its functions"));
	close(fd);
	input_close(&in);
}
END_TEST

/* 32-bit ARM never moves its kernel: its System.map needs no proof. */
START_TEST(arm_is_not_moved)
{
	struct input in;
	struct elf_build b;
	int fd;

	open_fixture(&in, "data/bookworm-armhf-small-stack.v7.dat");
	b = kernel_of(&in, 0);
	fd = map_of(&b);
	free(in.study.rec->kallsyms);
	in.study.rec->kallsyms = NULL;
	in.study.rec->kallsyms_size = 0;
	ck_assert_int_eq(
		open_with(&in, &(struct symbol_files){ .system_map = fd_path(fd) }),
		GO_ON);
	ck_assert_uint_eq(in.study.origin.offset, 0);
	close(fd);
	input_close(&in);
}
END_TEST

START_TEST(other_machines_and_other_files)
{
	struct elf_build b;
	struct input in;
	int fd;

	open_fixture(&in, FIXTURE);
	b = kernel_of(&in, MOVED);
	b.big_endian = true;
	fd = build_elf(&b);
	ck_assert_int_eq(open_with(&in, &(struct symbol_files){ .vmlinux = fd_path(fd) }),
			 EXIT_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(said, "64-bit big-endian"));
	close(fd);
	b.big_endian = false;
	b.nr_symbols = 0;
	fd = build_elf(&b);
	ck_assert_int_eq(open_with(&in, &(struct symbol_files){ .vmlinux = fd_path(fd) }),
			 EXIT_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(said, "was stripped"));
	close(fd);
	ck_assert_int_eq(open_with(&in, &(struct symbol_files){ .vmlinux = FIXTURE }),
			 EXIT_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(said, "not a valid ELF file"));
	ck_assert_int_eq(open_with(&in, &(struct symbol_files){ .vmlinux = "/nowhere" }),
			 EXIT_UNREADABLE);
	ck_assert_ptr_nonnull(strstr(said, "No such file"));
	input_close(&in);
}
END_TEST

/* Only symbols that kallsyms would list as functions are taken. */
START_TEST(elf_symbols_by_kind)
{
	static const struct elf_symbol symbols[] = {
		{ 0x80001001, "thumb", 0 },
		{ 0x80001010, "local", ELF32_ST_INFO(STB_LOCAL, STT_FUNC) },
		{ 0x80001020, "weak", ELF32_ST_INFO(STB_WEAK, STT_FUNC) },
		{ 0x80001030, "label", ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE) },
		{ 0x80001040, "$a", ELF32_ST_INFO(STB_LOCAL, STT_NOTYPE) },
		{ 0x80001050, "with blank", 0 },
		{ 0x80001060, "data", ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT) },
	};
	struct elf_build b = { .machine = EM_ARM,
			       .symbols = symbols,
			       .nr_symbols = ARRAY_SIZE(symbols),
			       .code = "\0\0\0\xeb",
			       .code_size = 4,
			       .code_addr = 0x80001000 };
	struct elf_image img;
	int fd = build_elf(&b);

	ck_assert_int_eq(elf_image_open(&img, fd), 0);
	ck_assert_str_eq(img.symbols.data, "0000000080001000 T thumb\n"
					   "0000000080001010 t local\n"
					   "0000000080001020 W weak\n"
					   "0000000080001030 T label\n");
	ck_assert_ptr_nonnull(elf_image_code(&img, 0x80001004, 4));
	ck_assert_ptr_null(elf_image_code(&img, 0x80001004, 5));
	ck_assert_ptr_null(elf_image_code(&img, 0x80001005, 1));
	ck_assert_ptr_null(elf_image_code(&img, 0x80001000, 1));
	elf_image_close(&img);
	close(fd);
}
END_TEST

/* Changes each byte of a small file, and truncates it at each byte. */
START_TEST(damaged_elf_files)
{
	static const struct elf_symbol symbols[] = { { 0x1000, "a", 0 } };
	static const uint8_t id[20] = { 1 };
	struct elf_build b = { .is_64 = _i & 1,
			       .big_endian = _i & 2,
			       .machine = EM_PPC64,
			       .symbols = symbols,
			       .nr_symbols = 1,
			       .code = "\x48\0\0\1",
			       .code_size = 4,
			       .code_addr = 0x1000,
			       .build_id = id };
	int fd = build_elf(&b);
	off_t size = lseek(fd, 0, SEEK_END), at;
	struct elf_image img;

	for (at = 0; at < size; at++) {
		uint8_t byte, bad;

		ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
		bad = (uint8_t)(byte ^ (at % 3 ? 0xff : 0x10));
		ck_assert_int_eq(pwrite(fd, &bad, 1, at), 1);
		if (!elf_image_open(&img, fd))
			elf_image_close(&img);
		ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
	}
	ck_assert_int_eq(elf_image_open(&img, fd), 0);
	ck_assert_str_eq(img.build_id, "0100000000000000000000000000000000000000");
	elf_image_close(&img);
	for (at = size; at > 0; at--) {
		ck_assert_int_eq(ftruncate(fd, at - 1), 0);
		if (!elf_image_open(&img, fd))
			elf_image_close(&img);
	}
	close(fd);
}
END_TEST

/* Nothing proves an offset, but with an offset of 0 all callsites are in functions of the map. */
START_TEST(a_map_that_fits_as_it_is)
{
	struct elf_build b;
	struct input in;
	int fd;

	open_fixture(&in, FIXTURE);
	b = kernel_of(&in, 0);
	fd = map_of(&b);
	free(in.study.rec->kallsyms);
	in.study.rec->kallsyms = NULL;
	in.study.rec->kallsyms_size = 0;
	ck_assert_int_eq(
		open_with(&in, &(struct symbol_files){ .system_map = fd_path(fd) }),
		GO_ON);
	ck_assert_uint_eq(in.study.origin.offset, 0);
	ck_assert_ptr_nonnull(strstr(said, "assumed not to be relocated"));
	ck_assert_uint_gt(symbols_count(in.study.syms), 100);
	close(fd);
	input_close(&in);
}
END_TEST

Suite *test_input_symbols_suite(void)
{
	Suite *s = suite_create("cmd/input_symbols");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, NULL, free_kept);
	tcase_add_loop_test(tc, a_moved_kernel_is_moved_back, 0, 3);
	tcase_add_loop_test(tc, another_kernel_is_refused, 0, 2);
	tcase_add_loop_test(tc, build_ids_are_compared, 0, 2);
	tcase_add_loop_test(tc, a_search_says_what_does_not_fit, 0, 2);
	tcase_add_loop_test(tc, callsites_prove_the_distance, 0, 3);
	tcase_add_test(tc, a_map_that_fits_as_it_is);
	tcase_add_loop_test(tc, kallsyms_must_hold_the_callsites, 0, 2);
	tcase_add_test(tc, arm_is_not_moved);
	tcase_add_test(tc, other_machines_and_other_files);
	tcase_add_test(tc, elf_symbols_by_kind);
	tcase_add_loop_test(tc, damaged_elf_files, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
