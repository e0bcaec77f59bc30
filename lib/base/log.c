// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base: formats a message and hands it to the caller's function.
 * In: printf arguments. Out: one callback.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_msg(const struct log *log, enum log_level level, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	if (!log || !log->fn)
		return;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	log->fn(log->ctx, level, buf);
}
