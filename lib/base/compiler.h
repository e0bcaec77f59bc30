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

/* A local pointer with this owns memory from malloc(), which is freed when its block is left. */
#define __auto_mem __attribute__((cleanup(free_pointee)))
static inline void free_pointee(void *pointer)
{
	void *memory;

	memcpy(&memory, pointer, sizeof(memory));
	free(memory);
}

#endif
