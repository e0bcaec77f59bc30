// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <stdarg.h>

#include "base/safe_text.h"

void log_msg(const struct log *log, enum log_level level, const char *fmt, ...)
{
	struct strbuf __auto_free sb = { 0 };
	va_list ap;

	if (!log || !log->fn)
		return;
	va_start(ap, fmt);
	safe_text_vprintf(&sb, fmt, ap);
	va_end(ap);
	log->fn(log->ctx, level, fmt, sb.failed ? "out of memory" : strbuf_text(&sb));
}
