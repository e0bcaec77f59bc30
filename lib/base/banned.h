/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: functions that no file of kmemx may call.
 * In: nothing. Out: a compile error at the call, when make lint includes this first. A build
 * leaves it out: the headers below cost it 5 % of its time.
 */
#ifndef KMEMX_BASE_BANNED_H
#define KMEMX_BASE_BANNED_H

/* A poisoned name may not be declared any more: the headers that declare them come first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* No bound on what they write: strbuf, snprintf() or memcpy() with a checked length. */
#undef alloca
#pragma GCC poison strcpy stpcpy strcat sprintf vsprintf gets alloca
/* Leave the result without a NUL, or count in a way that nobody gets right. */
#pragma GCC poison strncpy strncat
/* Do not detect a bad number, and overflow silently: strtoull() with errno, option_value_*(). */
#pragma GCC poison atoi atol atoll atof
/* Hidden state shared by all callers: the _r forms, strsep(). */
#pragma GCC poison strtok gmtime localtime ctime asctime
/* A shell in the middle, or a name that somebody else can take first. */
#pragma GCC poison popen mktemp tmpnam tempnam
/* A call only: an event has a field of that name. */
#define system(command) system_is_banned__run_the_program_without_a_shell(command)

#endif
