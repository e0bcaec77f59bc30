/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: the log callback. The library never prints; it calls back.
 * In: messages from any floor of lib/. Out: one call of the caller's function each.
 */
#ifndef KMEMX_BASE_LOG_H
#define KMEMX_BASE_LOG_H

#include "base/compiler.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/**
 * struct log - where messages go
 * @fn: called with one message, without a newline at its end, safe for a terminal; the text
 *	is valid during the call only. @kind is its format: messages with the same pointer
 *	tell of the same thing
 * @ctx: handed to @fn
 */
struct log {
	void (*fn)(void *ctx, enum log_level level, const char *kind,
		   const char *message);
	void *ctx;
};

/**
 * log_msg() - report a message
 * @log: the destination; NULL or a NULL @fn drops the message
 * @level: its severity; an LOG_ERROR message says what failed, where, and what to do
 * @fmt: printf format; its arguments are made safe (base/safe_text.h), its line breaks stay
 */
void log_msg(const struct log *log, enum log_level level, const char *fmt, ...)
	__printf_fmt(3, 4);

#endif
