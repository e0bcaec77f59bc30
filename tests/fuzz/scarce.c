// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: allocations that fail on demand.
 *
 * The linker (--wrap) redirects calls in all of the target's own code to these functions, but not
 * those in libraries.
 */
#include "scarce.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t nr, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t size);
int __real_vasprintf(char **out, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t nr, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t size);
int __wrap_asprintf(char **out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int __wrap_vasprintf(char **out, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

static unsigned long left;

void scarce_set(unsigned long nth)
{
	__atomic_store_n(&left, nth, __ATOMIC_RELAXED);
}

/* True for the chosen allocation. All threads share the count. */
static bool none_left(void)
{
	if (!__atomic_load_n(&left, __ATOMIC_RELAXED) ||
	    __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED))
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return none_left() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return none_left() ? NULL : __real_calloc(nr, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return none_left() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t nr, size_t size)
{
	return none_left() ? NULL : __real_reallocarray(p, nr, size);
}

char *__wrap_strdup(const char *s)
{
	return none_left() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t size)
{
	return none_left() ? NULL : __real_strndup(s, size);
}

int __wrap_vasprintf(char **out, const char *fmt, va_list args)
{
	return none_left() ? -1 : __real_vasprintf(out, fmt, args);
}

DIR *__wrap_fdopendir(int fd)
{
	return none_left() ? NULL : __real_fdopendir(fd);
}

int __wrap_asprintf(char **out, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = __wrap_vasprintf(out, fmt, args);
	va_end(args);
	return ret;
}
