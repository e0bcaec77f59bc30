/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: numbers in texts, which may be hostile.
 * In: a place in a text. Out: the number there, and what follows it.
 */
#ifndef KMEMX_BASE_NUMBER_H
#define KMEMX_BASE_NUMBER_H

#include "base/compiler.h"

/**
 * number_read() - read digits, and nothing else
 * @at: where they begin; moved to what follows them
 * @end: they end there at the latest; NULL: the text ends with a NUL
 * @base: 10 or 16, without 0x and in upper or lower case
 *
 * Return: 0; -EINVAL: no digit is there; -ERANGE: it is more than @max. @at and @number are
 * unchanged then.
 */
static inline int __must_check number_read(const char **at, const char *end,
					   unsigned int base, uint64_t max,
					   uint64_t *number)
{
	const char *p = *at;
	uint64_t sum = 0;

	for (; p != end; p++) {
		unsigned int digit = (unsigned char)*p - (unsigned int)'0';
		unsigned int letter = (*p | 0x20U) - 'a';

		if (digit > 9)
			digit = letter < 6 ? letter + 10 : base;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit, &sum) || sum > max)
			return -ERANGE;
	}
	if (p == *at)
		return -EINVAL;
	*at = p;
	*number = sum;
	return 0;
}

/* The same for a whole text: a decimal number of at most @max. */
static inline bool number_is(const char *text, uint64_t max, uint64_t *number)
{
	return !number_read(&text, NULL, 10, max, number) && !*text;
}

/* Reads "1" or "1.5"; at most nine decimals go to @billionths. As number_read(), also -EINVAL if
 * decimals are missing or there are too many.
 */
int number_read_decimal(const char **at, uint64_t *whole,
			uint64_t *billionths) __must_check;

#endif
