/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the values that options take.
 * In: text. Out: numbers, or why the text is none.
 */
#ifndef KMEMX_CMD_OPTIONS_VALUE_H
#define KMEMX_CMD_OPTIONS_VALUE_H

#include <stdint.h>

#include "base/compiler.h"
#include "options.h"

/* All: 0, -EINVAL when the whole text is not such a value, -ERANGE when it overflows; the
 * destination changes on success only.
 */

/* A decimal number, or hexadecimal after 0x. */
int __must_check option_value_uint(const char *text, uint64_t *value);
/* The same, and -EDOM for 0. */
int __must_check option_value_positive(const char *text, uint64_t *value);
/* The same, or "all": OPTION_ROWS_ALL. */
int __must_check option_value_rows(const char *text, uint64_t *value);
/* Bytes; K, M and G (also KiB, k, ...) mean powers of 1024. */
int __must_check option_value_size(const char *text, uint64_t *bytes);
/* Millionths of the whole, from percent with up to nine decimals; "%" may follow. */
int __must_check option_value_percent(const char *text, uint64_t *millionths);
/* Nanoseconds; a number with up to nine decimals and ns, us, ms, s (or nothing), m, h. */
int __must_check option_value_duration(const char *text, uint64_t *ns);

/* Puts @value, as an option of that type has it, where @opt says. As above; -ENOMEM. */
int __must_check option_value_store(const struct option_entry *opt, const char *value);
/* What one of these found wrong: "too large". */
const char *option_value_problem(int err);
/* What a value of that type looks like: "a whole number, 0 or more". */
const char *option_value_form(enum option_type type);

#endif
