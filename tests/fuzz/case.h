/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: a fuzzer's input that consists of a command line and the files it reads.
 * In: bytes. Out: its parts, or bytes again.
 *
 * An input is a line of arguments, separated by spaces; each file follows as a line
 * "NAME SIZE" and SIZE bytes. Findings are readable:
 *
 *   stat -i a --page --vmlinux k
 *   a 4711
 *   ...
 *
 * "NAME SIZE AT" writes the bytes at an offset of the file; the rest of the file stays as it was,
 * or is a hole.
 *
 * "fail=N" as the first argument is not passed on: the command's Nth allocation fails.
 */
#ifndef KMEMX_TESTS_FUZZ_CASE_H
#define KMEMX_TESTS_FUZZ_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASE_MAX_ARGS  48
#define CASE_MAX_FILES 40
#define CASE_MAX_LINE  512
#define CASE_MAX_NAME  64
#define CASE_MAX_AT    (1UL << 31)

/* @data points into the input; @at: offset in the file, 0: these bytes are the whole file. */
struct case_file {
	char name[CASE_MAX_NAME];
	const uint8_t *data;
	size_t size;
	unsigned long at;
};

/**
 * struct fuzz_case - a parsed input
 * @line: the arguments, NUL terminated
 * @fail: number of the allocation that fails; 0: none
 */
struct fuzz_case {
	unsigned long fail;
	char line[CASE_MAX_LINE];
	struct case_file files[CASE_MAX_FILES];
	size_t nr_files;
};

/* A truncated last file gets the bytes that are left. False if the input is unusable. */
bool case_parse(struct fuzz_case *c, const uint8_t *data, size_t size);
/* Returns the number of bytes written to @out; 0 if they are more than @max. */
size_t case_write(const struct fuzz_case *c, uint8_t *out, size_t max);
/*
 * Splits @line in place. False if an argument could name a file outside the working directory,
 * because fuzzers run as root, too.
 */
bool case_split(char *line, char **argv, int *argc);

#endif
