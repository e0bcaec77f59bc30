// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: one value as text for people.
 * In: a cell and its unit. Out: text that is safe on a terminal.
 */
#include "report/text_cell.h"

#include <inttypes.h>

void text_bytes(struct strbuf *sb, uint64_t bytes, const char *space)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024) {
		strbuf_printf(sb, "%" PRIu64 "%sB", bytes, space);
		return;
	}
	/* 1023.95 would print as 1024.0 */
	for (; value >= 1023.95 && i + 1 < ARRAY_SIZE(units); i++)
		value /= 1024;
	strbuf_printf(sb, "%.1f%s%s", value, space, units[i]);
}

void text_duration(struct strbuf *sb, uint64_t ns, const char *space)
{
	if (ns < 1000)
		strbuf_printf(sb, "%" PRIu64 "%sns", ns, space);
	else if (ns < 1000000)
		strbuf_printf(sb, "%.3g%sus", (double)ns / 1e3, space);
	else if (ns < 1000000000)
		strbuf_printf(sb, "%.3g%sms", (double)ns / 1e6, space);
	else
		strbuf_printf(sb, "%.2f%ss", (double)ns / 1e9, space);
}

/* Length of the control character at @p: C0 and DEL are one byte, in UTF-8 the C1 controls
 * are c2 80 to c2 9f; 0 if it is none.
 */
static size_t control_length(const unsigned char *p)
{
	if (*p < 0x20 || *p == 0x7f)
		return 1;
	return *p == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f ? 2 : 0;
}

void text_safe(struct strbuf *sb, const char *text)
{
	const unsigned char *p = (const unsigned char *)text, *start;

	while (*p) {
		for (start = p; *p && !control_length(p); p++)
			;
		strbuf_add(sb, start, (size_t)(p - start));
		if (!*p)
			break;
		strbuf_puts(sb, "?");
		p += control_length(p);
	}
}

void text_shorten(struct strbuf *sb, const char *text, size_t size, size_t width)
{
	size_t head;

	if (size <= width) {
		strbuf_add(sb, text, size);
		return;
	}
	if (width < 4) {
		strbuf_add(sb, text, width);
		return;
	}
	head = (width - 2) / 2;
	strbuf_add(sb, text, head);
	strbuf_puts(sb, "..");
	strbuf_add(sb, text + size - (width - 2 - head), width - 2 - head);
}

static void text_uint(struct strbuf *sb, uint64_t value, enum column_unit unit,
		      bool human, const char *space)
{
	if (human && unit == UNIT_BYTES)
		text_bytes(sb, value, space);
	else if (human && unit == UNIT_NS)
		text_duration(sb, value, space);
	else
		strbuf_printf(sb, "%" PRIu64 "%s", value,
			      unit == UNIT_PERCENT ? "%" : "");
}

void text_cell(struct strbuf *sb, const struct cell *cell, enum column_unit unit,
	       bool human, const char *space)
{
	switch (cell->type) {
	case CELL_UINT:
		text_uint(sb, cell->u, unit, human, space);
		break;
	case CELL_INT:
		if (cell->i < 0)
			strbuf_puts(sb, "-");
		text_uint(sb, cell->i < 0 ? -(uint64_t)cell->i : (uint64_t)cell->i, unit,
			  human, space);
		break;
	case CELL_REAL:
		strbuf_printf(sb, "%.3f%s", cell->f, unit == UNIT_PERCENT ? "%" : "");
		break;
	case CELL_ADDRESS:
		strbuf_printf(sb, "0x%" PRIx64, cell->u);
		break;
	case CELL_TEXT:
		text_safe(sb, cell->s);
		break;
	case CELL_NONE:
		strbuf_puts(sb, "-");
		break;
	}
}
