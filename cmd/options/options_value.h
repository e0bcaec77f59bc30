/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the values that options take.
 * In: text. Out: numbers, or why the text is not one.
 */
#ifndef KMEMX_CMD_OPTIONS_VALUE_H
#define KMEMX_CMD_OPTIONS_VALUE_H

#include "cmd/options/options.h"

/* All return 0, -EINVAL if the text as a whole is not such a value, or -ERANGE if it overflows. The
 * destination changes only on success.
 */

/* A decimal number, or hexadecimal after 0x. */
int __must_check option_value_uint(const char *text, uint64_t *value);
/* Bytes; K, M and G (also KiB, k, ...) mean powers of 1024. */
int __must_check option_value_size(const char *text, uint64_t *bytes);
/* Percent with up to nine decimals and an optional "%", in millionths of the whole. */
int __must_check option_value_percent(const char *text, uint64_t *millionths);
/* Nanoseconds; a number with up to nine decimals and ns, us, ms, s (or nothing), m, h. */
int __must_check option_value_duration(const char *text, uint64_t *ns);

/* Appends @value. 0 or -ENOMEM. */
int __must_check option_value_append(struct option_strings *list, const char *value);
/* Parses @value by the type of @opt, which takes one, and stores it there. As above, or -ENOMEM;
 * -EDOM for a 0 that the type does not allow.
 */
int __must_check option_value_store(const struct option_entry *opt, const char *value);
/* What @err means: "too large". */
const char *option_value_problem(int err);
/* What a number of that type looks like: "a whole number, 0 or more". */
const char *option_value_form(enum option_type type);

#endif
