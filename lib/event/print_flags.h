/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the (mask, name) pairs of a __print_flags() in a format's print string, and numbers in it.
 * In: a hostile format text. Out: one call per pair; the number.
 *
 * libtraceevent evaluates these too, but 1.7.1 divides by zero and leaks on crafted texts, so its
 * parser is given the fields only.
 */
#ifndef KMEMX_EVENT_PRINT_FLAGS_H
#define KMEMX_EVENT_PRINT_FLAGS_H

#include "base/compiler.h"

/**
 * print_flags_parse() - read the pairs that name @field's bits
 * @text, @size: a whole format text; what stands before "print fmt:" is skipped
 * @field: e.g. "gfp_flags": the first __print_flags(REC->gfp_flags, ...) is read
 * @pair: called for each pair with a name and a mask other than 0; the name is valid during
 *	  the call only; a negative return value ends the reading
 *
 * Masks are constant expressions of numbers, casts, parentheses, ~, *, +, -, <<, >>, <, &, ^, | and
 * ?:; pairs with other masks are left out.
 *
 * Return: the number of pairs, or @pair's negative value.
 */
int print_flags_parse(const char *text, size_t size, const char *field,
		      int (*pair)(void *ctx, uint64_t mask, const char *name),
		      void *ctx) __must_check;

/**
 * constant_value() - evaluate the C expression at the start of @text
 *
 * E.g. "(((unsigned int)((21 - 12))) < (10) ? 9 : 10), REC->x". The expression is as above but
 * without unary operators, and ends at a comma or with the text. The text is hostile: numbers
 * beyond 2^31 and deep parentheses are refused.
 *
 * Return: true, or false if it is something else, such as a variable.
 */
bool constant_value(const char *text, int64_t *value);

#endif
