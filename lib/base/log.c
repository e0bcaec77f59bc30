// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <stdarg.h>

#include "base/safe_text.h"

static __printf_fmt(3, 0) void report(const struct log *log, enum log_level level,
				      const char *fmt, va_list args)
{
	struct strbuf __auto_free sb = { 0 };

	if (!log || !log->fn)
		return;
	safe_text_vprintf(&sb, fmt, args);
	log->fn(log->ctx, level, fmt, sb.failed ? "out of memory" : strbuf_text(&sb));
}

void log_msg(const struct log *log, enum log_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(log, level, fmt, args);
	va_end(args);
}

int log_errno(const struct log *log, enum log_level level, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	errno = -err;
	if (err)
		report(log, level, fmt, args);
	va_end(args);
	return err;
}
