/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: functions that no file of kmemx may call.
 * In: nothing. Out: a compile error at the call, when make lint includes this first. A build
 * leaves it out: not every file needs all headers below, and they cost time.
 */
#ifndef KMEMX_BASE_BANNED_H
#define KMEMX_BASE_BANNED_H

/* A poisoned name must not be declared after this: the headers that declare these come first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* They write without a bound: use strbuf, snprintf(), or memcpy() with a checked length. */
#undef alloca
#pragma GCC poison strcpy stpcpy strcat sprintf vsprintf gets alloca
/* They leave the result without a NUL, or count in a way that is easy to get wrong. */
#pragma GCC poison strncpy strncat
/* They do not detect a bad number and overflow silently: use strtoull() with errno,
 * option_value_*().
 */
#pragma GCC poison atoi atol atoll atof
/* Hidden state shared by all callers: use the _r forms, strsep(). */
#pragma GCC poison strtok gmtime localtime ctime asctime
/* They run a shell, or return a name that another process can take first. */
#pragma GCC poison popen mktemp tmpnam tempnam
/* Only calls are banned: an event has a field of that name. */
#define system(command) system_is_banned__run_the_program_without_a_shell(command)

#endif
