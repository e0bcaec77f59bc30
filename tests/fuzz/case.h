/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: a command line and the files that it reads, as one input of a fuzzer.
 * In: bytes. Out: the parts; and bytes again.
 *
 * An input is a line of arguments, separated by spaces, then each file as a line
 * "NAME SIZE" and SIZE bytes. Whoever finds one can read it:
 *
 *   stat -i a --page --vmlinux k
 *   a 4711
 *   ...
 *
 * "NAME SIZE AT" puts them at a place of the file, of which the rest is as it was, or a hole.
 *
 * "fail=N" as the first argument is none: it has the command's Nth allocation of memory fail.
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

/* @data borrows from the input; @at: where in the file, 0: the file is nothing else. */
struct case_file {
	char name[CASE_MAX_NAME];
	const uint8_t *data;
	size_t size;
	unsigned long at;
};

/**
 * struct fuzz_case - an input, taken apart
 * @line: the arguments, NUL terminated
 * @fail: the allocation that fails; 0: none
 */
struct fuzz_case {
	unsigned long fail;
	char line[CASE_MAX_LINE];
	struct case_file files[CASE_MAX_FILES];
	size_t nr_files;
};

/* A last file that is cut gets what there is. False if nothing can be made of it. */
bool case_parse(struct fuzz_case *c, const uint8_t *data, size_t size);
/* Bytes written to @out; 0 if they are more than @max. */
size_t case_write(const struct fuzz_case *c, uint8_t *out, size_t max);
/*
 * Splits @line in place. False if an argument could name a file outside the directory that the
 * command runs in: fuzzers run as root too.
 */
bool case_split(char *line, char **argv, int *argc);

#endif
