/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: selects the fixtures that every run tests; LONG=1 tests all.
 * In: $LONG, paths of fixtures. Out: yes or no.
 */
#ifndef KMEMX_TESTS_OFTEN_H
#define KMEMX_TESTS_OFTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static inline bool long_tests(void)
{
	return getenv("LONG") && *getenv("LONG");
}

/* Both byte orders, 32 and 64 bits, files of version 6 and 7, callchains and losses. */
static inline bool tested_often(const char *path)
{
	static const char *const often[] = {
		"trixie-amd64-small-stack.v7",	 "bookworm-armhf-small-plain.v6",
		"bookworm-i386-small-stack.v7",	 "bookworm-s390x-small-overflow.v7",
		"variants-amd64-plain-zlib.v7",	 "bullseye-amd64-small-stack.v6",
		"bookworm-arm64-small-stack.v7", "fragment-bookworm-amd64.v7",
	};

	for (size_t i = 0; i < sizeof(often) / sizeof(often[0]); i++) {
		if (strstr(path, often[i]))
			return true;
	}
	return long_tests();
}

#endif
