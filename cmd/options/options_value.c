// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/options_value.h"

#include <ctype.h>
#include <strings.h>

#include "base/array.h"

#define NSEC_PER_SEC 1000000000ULL

/* Parses digits of @base at *@text and moves *@text past them. */
static int parse_digits(const char **text, unsigned int base, uint64_t *value)
{
	const char *p = *text;
	uint64_t sum = 0;

	for (;; p++) {
		unsigned char c = (unsigned char)*p;
		unsigned int digit;

		if (isdigit(c))
			digit = c - '0';
		else if (base == 16 && isxdigit(c))
			digit = (unsigned int)tolower(c) - 'a' + 10;
		else
			break;
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return -ERANGE;
	}
	if (p == *text)
		return -EINVAL;
	*text = p;
	*value = sum;
	return 0;
}

int option_value_uint(const char *text, uint64_t *value)
{
	unsigned int base = 10;
	uint64_t number;
	int err;

	if (!strncasecmp(text, "0x", 2)) {
		base = 16;
		text += 2;
	}
	err = parse_digits(&text, base, &number);
	if (err)
		return err;
	if (*text)
		return -EINVAL;
	*value = number;
	return 0;
}

int option_value_positive(const char *text, uint64_t *value)
{
	uint64_t number;
	int err = option_value_uint(text, &number);

	if (!err && !number)
		err = -EDOM;
	if (!err)
		*value = number;
	return err;
}

int option_value_rows(const char *text, uint64_t *value)
{
	if (strcmp(text, "all"))
		return option_value_positive(text, value);
	*value = OPTION_ROWS_ALL;
	return 0;
}

int option_value_size(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	uint64_t number;
	int err = parse_digits(&text, 10, &number);

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

/* Parses the decimals after the point, in billionths. */
static int parse_decimals(const char **text, uint64_t *billionths)
{
	uint64_t sum = 0, scale = NSEC_PER_SEC / 10;
	const char *p = *text;

	for (; isdigit((unsigned char)*p); p++, scale /= 10) {
		if (!scale)
			return -EINVAL;
		sum += scale * (uint64_t)(*p - '0');
	}
	if (p == *text)
		return -EINVAL;
	*text = p;
	*billionths = sum;
	return 0;
}

/* Parses "1" or "1.5"; the decimals go to @billionths. 0, -EINVAL or -ERANGE. */
static int parse_decimal(const char **text, uint64_t *whole, uint64_t *billionths)
{
	int err = parse_digits(text, 10, whole);

	*billionths = 0;
	if (err || **text != '.')
		return err;
	++*text;
	return parse_decimals(text, billionths);
}

int option_value_duration(const char *text, uint64_t *ns)
{
	uint64_t whole, unit, billionths;
	size_t i;
	int err = parse_decimal(&text, &whole, &billionths);

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
	int err = parse_decimal(&text, &whole, &billionths);

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
	if (array_grow(&list->items, list->count, sizeof(*list->items)))
		return -ENOMEM;
	list->items[list->count++] = value;
	return 0;
}

/* Rejects zero, which means that an option is not given. */
static int not_zero(int err, const uint64_t *value)
{
	return !err && !*value ? -EDOM : err;
}

int option_value_store(const struct option_entry *opt, const char *value)
{
	switch (opt->type) {
	case OPTION_STRING:
	case OPTION_OPTIONAL:
		*(const char **)opt->value = value;
		return 0;
	case OPTION_STRINGS:
		return option_value_append(opt->value, value);
	case OPTION_UINT:
		return option_value_uint(value, opt->value);
	case OPTION_POSITIVE:
		return option_value_positive(value, opt->value);
	case OPTION_ROWS:
		return option_value_rows(value, opt->value);
	case OPTION_SIZE:
		return option_value_size(value, opt->value);
	case OPTION_POSITIVE_SIZE:
		return not_zero(option_value_size(value, opt->value), opt->value);
	case OPTION_PERCENT:
		return option_value_percent(value, opt->value);
	case OPTION_DURATION:
		return option_value_duration(value, opt->value);
	case OPTION_POSITIVE_DURATION:
		return not_zero(option_value_duration(value, opt->value), opt->value);
	default:
		return -EINVAL;
	}
}

const char *option_value_problem(int err)
{
	return err == -ERANGE ? "too large" : err == -EDOM ? "too small" : "not valid";
}

const char *option_value_form(enum option_type type)
{
	switch (type) {
	case OPTION_ROWS:
		return "a whole number, 1 or more, or all";
	case OPTION_SIZE:
	case OPTION_POSITIVE_SIZE:
		return "a size in bytes such as 4096, 512K, 8M or 1G";
	case OPTION_PERCENT:
		return "a percentage from 0 to 100 such as 0.5";
	case OPTION_DURATION:
	case OPTION_POSITIVE_DURATION:
		return "a time such as 2, 1.5s, 500ms or 10m";
	case OPTION_POSITIVE:
		return "a whole number, 1 or more";
	default:
		return "a whole number, 0 or more";
	}
}
