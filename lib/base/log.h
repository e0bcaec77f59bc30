/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: the log callback. The library never prints; it calls back.
 * In: messages from all of lib/. Out: one call of the caller's function each.
 */
#ifndef KMEMX_BASE_LOG_H
#define KMEMX_BASE_LOG_H

#include "base/compiler.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/**
 * struct log - where messages go
 * @fn: called with one message, safe for a terminal and without a newline at its end; the text is
 *	valid during the call only. @kind is its format: messages with the same pointer are of the
 *	same kind
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
 * @level: its severity; a LOG_ERROR message says what failed, where, and what to do
 * @fmt: printf format; arguments are made safe (base/safe_text.h), line breaks of @fmt stay
 */
void log_msg(const struct log *log, enum log_level level, const char *fmt, ...)
	__printf_fmt(3, 4);

/* Reports that something failed with @err, a negative errno, which "%m" in @fmt stands for; nothing
 * if it is 0. Returns @err.
 */
int log_errno(const struct log *log, enum log_level level, int err, const char *fmt, ...)
	__printf_fmt(4, 5);

#endif
