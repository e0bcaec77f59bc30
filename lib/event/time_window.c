// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/time_window.h"

#include "base/number.h"

#define NS_PER_S 1000000000ULL
#define MILLION	 1000000ULL

/* whole.billionths times @unit; @unit is at most NS_PER_S. */
static int scale_number(uint64_t whole, uint64_t billionths, uint64_t unit, uint64_t *out)
{
	uint64_t value;

	if (__builtin_mul_overflow(whole, unit, &value) ||
	    __builtin_add_overflow(value, billionths * unit / NS_PER_S, &value))
		return -ERANGE;
	*out = value;
	return 0;
}

/* Reads one side, which ends at a comma or at the end of the text. */
static int parse_bound(const char **text, struct time_bound *b)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", NS_PER_S }, { "s", NS_PER_S }, { "ms", 1000000 },
		{ "us", 1000 },	  { "ns", 1 },
	};
	size_t size = strcspn(*text, ","), i;
	const char *p = *text, *end = p + size, *number;
	uint64_t whole, billionths;
	int err;

	*b = (struct time_bound){ .kind = TIME_OPEN };
	*text = end;
	if (!size)
		return 0;
	b->kind = *p == '+' ? TIME_RELATIVE : TIME_ABSOLUTE;
	if (*p == '+')
		p++;
	number = p;
	err = number_read_decimal(&p, &whole, &billionths);
	if (err)
		return err;
	if (*p == '%' && p + 1 == end && b->kind == TIME_ABSOLUTE) {
		b->kind = TIME_PERCENT;
		if (whole > 100 || (whole == 100 && billionths))
			return -EINVAL;
		return scale_number(whole, billionths, MILLION / 100, &b->value);
	}
	b->is_raw = p == end && !memchr(number, '.', (size_t)(p - number));
	b->raw = whole;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if ((size_t)(end - p) != strlen(units[i].name) ||
		    memcmp(p, units[i].name, (size_t)(end - p)))
			continue;
		err = scale_number(whole, billionths, units[i].ns, &b->value);
		b->only_raw = err && b->is_raw;
		return b->only_raw ? 0 : err;
	}
	return -EINVAL;
}

int time_window_parse(struct time_window *w, const char *text)
{
	int err = parse_bound(&text, &w->start);

	w->stop = (struct time_bound){ .kind = TIME_OPEN };
	if (!err && *text == ',') {
		text++;
		err = parse_bound(&text, &w->stop);
	}
	if (err)
		return err;
	if (*text || (w->start.kind == TIME_OPEN && w->stop.kind == TIME_OPEN))
		return -EINVAL;
	return 0;
}

static int resolve_bound(const struct time_bound *b, const struct time_range *recorded,
			 bool ns, uint64_t *ts)
{
	uint64_t first = recorded->first, last = recorded->last;
	uint64_t value = ns ? b->value : b->raw;

	if (b->kind == TIME_OPEN)
		return 0;
	if (b->kind == TIME_PERCENT) {
		uint64_t span = less(last, first);

		/* span * value / MILLION, exactly, in 64 bits */
		*ts = first + span / MILLION * b->value +
		      span % MILLION * b->value / MILLION;
		return 0;
	}
	if (!ns && !b->is_raw)
		return -EOPNOTSUPP;
	if (ns && b->only_raw)
		return -EOVERFLOW;
	if (b->kind == TIME_ABSOLUTE)
		*ts = value;
	else if (__builtin_add_overflow(first, value, ts))
		*ts = UINT64_MAX;
	return 0;
}

int time_window_resolve(const struct time_window *w, const struct time_range *recorded,
			bool ns, struct time_range *out)
{
	int err;

	*out = (struct time_range){ 0, UINT64_MAX };
	err = resolve_bound(&w->start, recorded, ns, &out->first);
	err = err ?: resolve_bound(&w->stop, recorded, ns, &out->last);
	if (!err && out->first > out->last)
		err = -ERANGE;
	return err;
}
