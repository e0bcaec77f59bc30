// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/options_value.h"

#include <ctype.h>
#include <strings.h>

#include "base/array.h"
#include "base/number.h"

#define NSEC_PER_SEC 1000000000ULL

int option_value_uint(const char *text, uint64_t *value)
{
	unsigned int base = 10;
	uint64_t number;
	int err;

	if (!strncasecmp(text, "0x", 2)) {
		base = 16;
		text += 2;
	}
	err = number_read(&text, NULL, base, UINT64_MAX, &number);
	if (err)
		return err;
	if (*text)
		return -EINVAL;
	*value = number;
	return 0;
}

static int read_rows(const char *text, uint64_t *value)
{
	if (strcmp(text, "all"))
		return option_value_uint(text, value);
	*value = OPTION_ROWS_ALL;
	return 0;
}

int option_value_size(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	uint64_t number;
	int err = number_read(&text, NULL, 10, UINT64_MAX, &number);

	if (err)
		return err;
	suffix = *text ? strchr(suffixes, toupper((unsigned char)*text)) : NULL;
	if (suffix) {
		uint64_t unit = 1ULL << (10 * (suffix - suffixes + 1));

		if (__builtin_mul_overflow(number, unit, &number))
			return -ERANGE;
		text++;
	}
	if (*text && strcasecmp(text, "B") && !(suffix && !strcasecmp(text, "iB")))
		return -EINVAL;
	*bytes = number;
	return 0;
}

static const struct {
	const char *suffix;
	uint64_t ns;
} time_units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", NSEC_PER_SEC },
	{ "", NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
	{ "d", 86400 * NSEC_PER_SEC },
};

int option_value_duration(const char *text, uint64_t *ns)
{
	uint64_t whole, unit, billionths;
	size_t i;
	int err = number_read_decimal(&text, &whole, &billionths);

	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(time_units); i++)
		if (!strcmp(time_units[i].suffix, text))
			break;
	if (i == ARRAY_SIZE(time_units))
		return -EINVAL;
	unit = time_units[i].ns;
	/* A unit is either a multiple of 10^9 ns or a divisor of it. */
	billionths = unit >= NSEC_PER_SEC ? billionths * (unit / NSEC_PER_SEC)
					  : billionths / (NSEC_PER_SEC / unit);
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, billionths, &whole))
		return -ERANGE;
	*ns = whole;
	return 0;
}

int option_value_percent(const char *text, uint64_t *millionths)
{
	uint64_t whole, billionths;
	int err = number_read_decimal(&text, &whole, &billionths);

	if (err)
		return err;
	text += *text == '%';
	if (*text)
		return -EINVAL;
	if (whole > 100 || (whole == 100 && billionths))
		return -ERANGE;
	/* One percent is 10^4 millionths of the whole, and 10^9 of @billionths. */
	*millionths = whole * 10000 + billionths / 100000;
	return 0;
}

int option_value_append(struct option_strings *list, const char *value)
{
	return ARRAY_ADD(list->items, list->count, value);
}

#define SIZE_FORM "a size in bytes such as 4096, 512K, 8M or 1G"
#define TIME_FORM "a time such as 2, 1.5s, 500ms or 10m"

/* The numeric types: how to parse them, and what they look like. Options of a @positive type reject
 * 0, which means that the option is not given.
 */
static const struct {
	int (*read)(const char *text, uint64_t *value);
	const char *form;
	bool positive;
} numbers[] = {
	[OPTION_UINT] = { option_value_uint, "a whole number, 0 or more" },
	[OPTION_POSITIVE] = { option_value_uint, "a whole number, 1 or more", true },
	[OPTION_ROWS] = { read_rows, "a whole number, 1 or more, or all", true },
	[OPTION_SIZE] = { option_value_size, SIZE_FORM },
	[OPTION_POSITIVE_SIZE] = { option_value_size, SIZE_FORM, true },
	[OPTION_PERCENT] = { option_value_percent,
			     "a percentage from 0 to 100 such as 0.5" },
	[OPTION_DURATION] = { option_value_duration, TIME_FORM },
	[OPTION_POSITIVE_DURATION] = { option_value_duration, TIME_FORM, true },
};

int option_value_store(const struct option_entry *opt, const char *value)
{
	uint64_t number;
	int err;

	if (opt->type == OPTION_STRINGS)
		return option_value_append(opt->value, value);
	if (opt->type == OPTION_STRING || opt->type == OPTION_LIST ||
	    opt->type == OPTION_OPTIONAL) {
		*(const char **)opt->value = value;
		return 0;
	}
	err = numbers[opt->type].read(value, &number);
	if (!err && numbers[opt->type].positive && !number)
		err = -EDOM;
	if (!err)
		*(uint64_t *)opt->value = number;
	return err;
}

const char *option_value_problem(int err)
{
	return err == -ERANGE ? "too large" : err == -EDOM ? "too small" : "not valid";
}

const char *option_value_form(enum option_type type)
{
	return numbers[type].form;
}
