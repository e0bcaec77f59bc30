/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: may a format text be handed to libtraceevent?
 * In: a hostile text. Out: yes, or the reason why not; name and ID.
 */
#ifndef KMEMX_EVENT_FORMAT_CHECK_H
#define KMEMX_EVENT_FORMAT_CHECK_H

#include "base/compiler.h"

/* The longest kmem format known is 9 KiB. */
#define FORMAT_MAX_SIZE	     (256U << 10)
#define FORMAT_MAX_NESTING   64
/* Operators and parentheses between two commas: libtraceevent recurses over them. The
 * longest known, GFP_TRANSHUGE, has some 250.
 */
#define FORMAT_MAX_OPERATORS 1024

/**
 * format_check() - is @text safe to parse?
 *
 * libtraceevent's parser recurses for each parenthesis, operator and cast, so that a text
 * of some hundred KiB would run it out of stack.
 *
 * Return: NULL if it is; else the reason, a static string.
 */
const char *format_check(const char *text, size_t size);

/**
 * format_head() - the name and ID of a format, from its first lines
 * @name: receives the name, NUL terminated
 *
 * Return: does the text have both, the name of fitting length and printable, the ID below
 * 65536?
 */
bool format_head(const char *text, size_t size, char name[128], uint16_t *id);

#endif
