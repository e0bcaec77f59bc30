// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: runs the fuzz targets on the corpus and former findings.
 * In: tests/fuzz/corpus, tests/fuzz/regress. Out: a crash is a failure.
 */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#define LLVMFuzzerTestOneInput fuzz_recording
#include "../fuzz/fuzz_recording.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_formats
#include "../fuzz/fuzz_formats.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_subbuf
#include "../fuzz/fuzz_subbuf.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_symbols
#include "../fuzz/fuzz_symbols.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_elf
#include "../fuzz/fuzz_elf.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_dwarf
#include "../fuzz/fuzz_dwarf.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_ftrace_text
#include "../fuzz/fuzz_ftrace_text.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_perf
#include "../fuzz/fuzz_perf.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_source
#include "../fuzz/fuzz_source.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_ndjson
#include "../fuzz/fuzz_ndjson.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_writer
#include "../fuzz/fuzz_writer.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_command
#include "../fuzz/case.c"
#include "../fuzz/fuzz_command.c"
#include "../fuzz/json_check.c"
#include "source_file.h"
#undef LLVMFuzzerTestOneInput

/* Allocations fail only in make fuzz-smoke, which runs the target itself: here, such inputs run
 * without failures.
 */
void scarce_set(unsigned long nth)
{
	(void)nth;
}

static const struct {
	const char *name;
	int (*run)(const uint8_t *data, size_t size);
} targets[] = {
	{ "fuzz_recording", fuzz_recording },
	{ "fuzz_formats", fuzz_formats },
	{ "fuzz_subbuf", fuzz_subbuf },
	{ "fuzz_symbols", fuzz_symbols },
	{ "fuzz_elf", fuzz_elf },
	{ "fuzz_dwarf", fuzz_dwarf },
	{ "fuzz_ftrace_text", fuzz_ftrace_text },
	{ "fuzz_perf", fuzz_perf },
	{ "fuzz_source", fuzz_source },
	{ "fuzz_ndjson", fuzz_ndjson },
	{ "fuzz_writer", fuzz_writer },
	{ "fuzz_command", fuzz_command },
};

START_TEST(known_inputs)
{
	glob_t files = { 0 };
	char pattern[128];
	size_t i;

	snprintf(pattern, sizeof(pattern), "fuzz/corpus/%s/*", targets[_i].name);
	ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
	snprintf(pattern, sizeof(pattern), "fuzz/regress/%s/*", targets[_i].name);
	(void)glob(pattern, GLOB_APPEND, NULL, &files);
	for (i = 0; i < files.gl_pathc; i++) {
		struct source src;
		uint8_t *data;

		ck_assert_int_eq(source_open_file(&src, files.gl_pathv[i]), 0);
		/* Exactly this size, for ASan. */
		data = malloc(src.size ? (size_t)src.size : 1);
		ck_assert_ptr_nonnull(data);
		ck_assert_int_eq(source_read(&src, data, (size_t)src.size, 0), 0);
		ck_assert_int_eq(targets[_i].run(data, (size_t)src.size), 0);
		free(data);
		source_close(&src);
	}
	ck_assert_uint_gt(files.gl_pathc, 0);
	globfree(&files);
}
END_TEST

Suite *test_fuzz_replay_suite(void)
{
	Suite *s = suite_create("fuzz/replay");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, known_inputs, 0, (int)ARRAY_SIZE(targets));
	suite_add_tcase(s, tc);
	return s;
}
