/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: is a text JSON?
 * In: bytes. Out: yes or no. Several values, one after the other, are JSON too (script).
 */
#ifndef KMEMX_TESTS_FUZZ_JSON_CHECK_H
#define KMEMX_TESTS_FUZZ_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

bool json_check(const char *text, size_t size);

#endif
