// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): SQL functions beyond SQLite's own.
 * In: a database. Out: the same with them.
 */
#include "query/store.h"

#include <errno.h>
#include <strings.h>

#define KERNEL_VERSION "kernel_version"

#define PARTS	 3
#define PART_MAX 99999U

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool query_kernel_version(const char *text, size_t size, uint64_t *version)
{
	uint64_t parts[PARTS] = { 0 };
	unsigned int part = 0;
	size_t i = 0;

	while (part < PARTS && i < size && is_digit(text[i])) {
		for (; i < size && is_digit(text[i]); i++) {
			parts[part] = parts[part] * 10 + (uint64_t)(text[i] - '0');
			if (parts[part] > PART_MAX)
				parts[part] = PART_MAX;
		}
		part++;
		if (i < size && text[i] == '.')
			i++;
		else
			break;
	}
	*version = (parts[0] * (PART_MAX + 1) + parts[1]) * (PART_MAX + 1) + parts[2];
	return part > 0;
}

/* SQLite's functions without side effects that reveal nothing about the process; includes names
 * from newer versions (3.51).
 */
static const char *const allowed[] = {
	/* of one value */
	"abs", "char", "coalesce", "concat", "concat_ws", "format", "glob", "hex", "if",
	"ifnull", "iif", "instr", "length", "like", "likelihood", "likely", "lower",
	"ltrim", "max", "min", "nullif", "octet_length", "printf", "quote", "random",
	"randomblob", "replace", "round", "rtrim", "sign", "soundex", "sqlite_version",
	"substr", "substring", "trim", "typeof", "unhex", "unicode", "unistr",
	"unistr_quote", "unlikely", "upper", "zeroblob",
	/* mathematics */
	"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling",
	"cos", "cosh", "degrees", "exp", "floor", "ln", "log", "log10", "log2", "mod",
	"pi", "pow", "power", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
	/* dates and times */
	"current_date", "current_time", "current_timestamp", "date", "datetime",
	"julianday", "strftime", "time", "timediff", "unixepoch",
	/* aggregates and windows */
	"avg", "count", "cume_dist", "dense_rank", "first_value", "group_concat", "lag",
	"last_value", "lead", "median", "nth_value", "ntile", "percent_rank",
	"percentile", "percentile_cont", "percentile_disc", "rank", "row_number",
	"string_agg", "sum", "total",
	/* JSON, including SQLite's functions for "->" and "->>" */
	"->", "->>", "json", "json_array", "json_array_insert", "json_array_length",
	"json_error_position", "json_extract", "json_group_array", "json_group_object",
	"json_insert", "json_object", "json_patch", "json_pretty", "json_quote",
	"json_remove", "json_replace", "json_set", "json_type", "json_valid", "jsonb",
	"jsonb_array", "jsonb_array_insert", "jsonb_extract", "jsonb_group_array",
	"jsonb_group_object", "jsonb_insert", "jsonb_object", "jsonb_patch",
	"jsonb_remove", "jsonb_replace", "jsonb_set",
	/* kmemx's own */
	KERNEL_VERSION
};

bool query_function_allowed(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		if (!strcasecmp(name, allowed[i]))
			return true;
	}
	return false;
}

#ifdef HAVE_SQLITE
#include "query/sqlite.h"

static void kernel_version(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	const unsigned char *text = sqlite3_value_text(values[0]);
	uint64_t version;

	if (text &&
	    query_kernel_version((const char *)text,
				 (size_t)sqlite3_value_bytes(values[0]), &version))
		sqlite3_result_int64(ctx, (sqlite3_int64)version);
}

int query_functions_add(struct sqlite3 *db)
{
	int ret = sqlite3_create_function_v2(db, KERNEL_VERSION, 1,
					     SQLITE_UTF8 | SQLITE_DETERMINISTIC |
						     SQLITE_INNOCUOUS,
					     NULL, kernel_version, NULL, NULL, NULL);

	return ret == SQLITE_OK ? 0 : -ENOMEM;
}
#endif
