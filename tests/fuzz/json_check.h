/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: checks that a text is JSON.
 * In: bytes. Out: yes or no. Several values in sequence are valid, too (script).
 */
#ifndef KMEMX_TESTS_FUZZ_JSON_CHECK_H
#define KMEMX_TESTS_FUZZ_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

bool json_check(const char *text, size_t size);

#endif
