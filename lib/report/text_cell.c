// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_cell.h"

#include <math.h>

#include "base/safe_text.h"

#define NS_PER_S UINT64_C(1000000000)

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
	/* 999.5 of a unit would print as 1e+03 */
	if (ns < 1000)
		strbuf_printf(sb, "%" PRIu64 "%sns", ns, space);
	else if (ns < 999500)
		strbuf_printf(sb, "%.3g%sus", (double)ns / 1e3, space);
	else if (ns < 999500000)
		strbuf_printf(sb, "%.3g%sms", (double)ns / 1e6, space);
	else
		strbuf_printf(sb, "%.2f%ss", (double)ns / 1e9, space);
}

void text_time(struct strbuf *sb, uint64_t ns)
{
	strbuf_printf(sb, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_S, ns % NS_PER_S);
}

/* Is @p inside a UTF-8 character? */
static bool inside_char(const char *p)
{
	return ((unsigned char)*p & 0xc0) == 0x80;
}

void text_shorten(struct strbuf *sb, const char *text, size_t size, size_t width)
{
	size_t head, tail;

	if (size <= width) {
		strbuf_add(sb, text, size);
		return;
	}
	head = width < 4 ? width : (width - 2) / 2;
	tail = size - (width < 4 ? 0 : width - 2 - head);
	while (head && inside_char(text + head))
		head--;
	while (tail < size && inside_char(text + tail))
		tail++;
	strbuf_add(sb, text, head);
	strbuf_puts(sb, width < 4 ? "" : "..");
	strbuf_add(sb, text + tail, size - tail);
}

static void text_uint(struct strbuf *sb, uint64_t value, enum column_unit unit,
		      bool human, const char *space)
{
	if (human && unit == UNIT_BYTES)
		text_bytes(sb, value, space);
	else if (human && (unit == UNIT_NS || unit == UNIT_TIME || unit == UNIT_MOMENT))
		text_duration(sb, value, space);
	else if (unit == UNIT_TIME || unit == UNIT_MOMENT)
		text_time(sb, value);
	else
		strbuf_printf(sb, "%" PRIu64 "%s", value,
			      unit == UNIT_PERCENT ? "%" : "");
}

/* A median of whole numbers may end in a half: print "-33.5", as "-33.500" looks like thousands. */
static void text_real(struct strbuf *sb, double f, enum column_unit unit)
{
	bool counted = unit == UNIT_COUNT || unit == UNIT_BYTES || unit == UNIT_PAGES;
	int decimals = unit == UNIT_SHARE		      ? 2
		       : counted && fabs(f - trunc(f)) == 0.5 ? 1
							      : 3;

	strbuf_printf(sb, "%.*f%s", decimals, f,
		      unit == UNIT_PERCENT || unit == UNIT_SHARE ? "%" : "");
}

void text_cell(struct strbuf *sb, const struct cell *cell, enum column_unit unit,
	       bool human, const char *space)
{
	switch (cell->type) {
	case CELL_UINT:
		if (human && unit == UNIT_MOMENT)
			strbuf_puts(sb, "+");
		text_uint(sb, cell->u, unit, human, space);
		break;
	case CELL_INT:
		if (cell->i < 0)
			strbuf_puts(sb, "-");
		text_uint(sb, cell->i < 0 ? -(uint64_t)cell->i : (uint64_t)cell->i, unit,
			  human, space);
		break;
	case CELL_REAL:
		text_real(sb, cell->f, unit);
		break;
	case CELL_ADDRESS:
		strbuf_printf(sb, "0x%" PRIx64, cell->u);
		break;
	case CELL_TEXT:
		safe_text_puts(sb, cell->s);
		break;
	case CELL_NONE:
		strbuf_puts(sb, "-");
		break;
	}
}

int text_cell_sign(const struct cell *cell)
{
	double f = cell_as_real(cell);

	return (f > 0) - (f < 0);
}

size_t text_fitting(const char *text, size_t width)
{
	size_t size = strlen(text), i;

	if (!width || size <= width)
		return size;
	for (i = width; i && text[i] != ' '; i--)
		;
	if (i)
		return i;
	for (i = width; i > 1 && inside_char(text + i); i--)
		;
	return i;
}

void text_wrap(struct strbuf *sb, const char *text, const struct text_margins *margins)
{
	size_t width = margins->width ? margins->width + margins->more : 0, size;
	const char *lead = margins->first;

	do {
		size = text_fitting(text, width);
		strbuf_printf(sb, "%s%.*s%s\n", lead, (int)size, text, margins->end);
		text += size;
		text += strspn(text, " ");
		lead = margins->next;
		width = margins->width;
	} while (*text);
}
