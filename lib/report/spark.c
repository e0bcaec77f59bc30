// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/spark.h"

#include "report/text_cell.h"

#define PLACES 64

/* Reads the next count at *@p; false: no more. */
static bool next_count(const char **p, uint64_t *count)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	*count = strtoull(*p, &end, 10);
	*p = end + (*end == '|');
	return true;
}

void spark_fit(struct spark *s, const char *counts)
{
	uint64_t count;

	for (unsigned int i = 0; i < PLACES && next_count(&counts, &count); i++) {
		if (!count)
			continue;
		if (!s->any || i < s->first)
			s->first = i;
		if (!s->any || i > s->last)
			s->last = i;
		s->any = true;
	}
}

/* How many places share a mark; there are at most SPARK_MARKS marks. */
static unsigned int spark_step(const struct spark *s)
{
	return (s->last - s->first) / SPARK_MARKS + 1;
}

static void add_level(struct strbuf *sb, uint64_t number, uint64_t most)
{
	double part = most ? (double)number / (double)most : 0;
	unsigned int level = number ? 1 + (unsigned int)(part * (SPARK_LEVELS - 1)) : 0;

	strbuf_printf(sb, "%u", level);
}

void spark_levels(const struct spark *s, const char *counts, struct strbuf *sb)
{
	unsigned int step = spark_step(s), nr = (s->last - s->first) / step + 1, i;
	uint64_t marks[SPARK_MARKS] = { 0 }, most = 0, count;

	for (i = 0; i <= s->last && next_count(&counts, &count); i++) {
		uint64_t *mark = &marks[i < s->first ? 0 : (i - s->first) / step];

		*mark += count;
		most = LARGER(most, *mark);
	}
	for (i = 0; i < nr && s->any; i++)
		add_level(sb, marks[i], most);
}

void spark_series(const char *numbers, struct strbuf *sb)
{
	const char *p = numbers;
	uint64_t most = 0, number;

	while (next_count(&p, &number))
		most = LARGER(number, most);
	for (p = numbers; next_count(&p, &number);)
		add_level(sb, number, most);
}

void spark_paint(const char *levels, bool utf8, struct strbuf *sb)
{
	static const char ascii[] = " .:-=+*#@";

	for (; *levels >= '0' && *levels <= '0' + SPARK_LEVELS; levels++) {
		if (!utf8 || *levels == '0')
			strbuf_add(sb, &ascii[*levels - '0'], 1);
		else /* U+2581 to U+2588: one to eight eighths of a block */
			strbuf_printf(sb, "\xe2\x96%c", 0x80 + *levels - '0');
	}
}

static void add_value(struct strbuf *sb, unsigned int place, enum column_unit unit)
{
	uint64_t value = place ? 1ULL << place : 0;

	if (unit == UNIT_NS)
		text_duration(sb, value, " ");
	else
		strbuf_printf(sb, "%" PRIu64, value);
}

void spark_axis(const struct spark *s, enum column_unit unit, struct strbuf *sb)
{
	unsigned int step = spark_step(s), nr = (s->last - s->first) / step + 1;
	unsigned int end = s->first + nr * step;

	add_value(sb, s->first, unit);
	strbuf_puts(sb, " to ");
	add_value(sb, end < PLACES ? end : PLACES - 1, unit);
	strbuf_printf(sb, ", a mark for every power of %u", 1U << SMALLER(step, 31U));
}
