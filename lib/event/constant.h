/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: numbers that a print format holds as C expressions.
 * In: text such as "(((unsigned int)((21 - 12))) < (10) ? 9 : 10), REC->x". Out: the number.
 */
#ifndef KMEMX_EVENT_CONSTANT_H
#define KMEMX_EVENT_CONSTANT_H

#include "base/compiler.h"

/**
 * constant_value() - evaluate the C expression at the start of @text
 *
 * It may have decimal numbers, +, -, *, <, ?:, parentheses and casts to int and unsigned int, and
 * ends before a comma or with the text. The text is hostile: numbers beyond 2^31 and deep
 * parentheses are refused.
 *
 * Return: true, or false if it is something else, such as a variable.
 */
bool constant_value(const char *text, int64_t *value);

#endif
