/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: what nearly all files need: types, the C library, annotations for the compiler.
 * In: nothing. Out: these. Comes with every other header of the project.
 */
#ifndef KMEMX_BASE_COMPILER_H
#define KMEMX_BASE_COMPILER_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __must_check	   __attribute__((warn_unused_result))
#define __printf_fmt(f, a) __attribute__((format(printf, f, a)))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define likely(x)     __builtin_expect(!!(x), 1)
#define unlikely(x)   __builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Loops over @nr @items, which must not move or change in number: @item is the address of each. */
#ifdef __cppcheck__ /* it does not understand a loop with two variables */
#define for_each(item, items, nr) \
	for (__auto_type item = &(items)[0]; item < (items) + (nr); item++)
#else
#define for_each(item, items, nr)                                            \
	for (__typeof__((items) + 0) item = (items),                         \
				     item##_end = item ? item + (nr) : item; \
	     item < item##_end; item++)
#endif

/* The smaller or the larger of two numbers, both signed or both unsigned. */
#define SMALLER(a, b)                 \
	({                            \
		__auto_type a_ = (a); \
		__auto_type b_ = (b); \
		a_ < b_ ? a_ : b_;    \
	})
#define LARGER(a, b)                  \
	({                            \
		__auto_type a_ = (a); \
		__auto_type b_ = (b); \
		a_ > b_ ? a_ : b_;    \
	})

/* a - b, but not below 0. */
static inline uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Does one of the numbers @i below @nr meet @condition? */
#define ANY(i, nr, condition)                                            \
	({                                                               \
		bool any_ = false;                                       \
                                                                         \
		for (__typeof__((nr) + 0) i = 0; i < (nr) && !any_; i++) \
			any_ = (condition);                              \
		any_;                                                    \
	})

/* The first of @nr @items, as @item, that meets @condition; NULL: none does. */
#define FIND(item, items, nr, condition)                                  \
	({                                                                \
		__typeof__((items) + 0) item = (items),                   \
					end_ = item ? item + (nr) : item; \
                                                                          \
		while (item < end_ && !(condition))                       \
			item++;                                           \
		item < end_ ? item : NULL;                                \
	})

/* A local pointer with this owns memory from malloc(), which is freed when its block is left. */
#define __auto_mem __attribute__((cleanup(free_pointee)))
static inline void free_pointee(void *pointer)
{
	void *memory;

	memcpy(&memory, pointer, sizeof(memory));
	free(memory);
}

#endif
