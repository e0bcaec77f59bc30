// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): SQL functions beyond SQLite's own.
 * In: a database. Out: the database with these functions.
 */
#include "query/store.h"

#include <strings.h>

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
			parts[part] = SMALLER(parts[part], PART_MAX);
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

#ifdef HAVE_SQLITE
#include "base/array.h"
#include "query/compare.h"
#include "query/sqlite.h"
#include "report/stats.h"

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
	"jsonb_remove", "jsonb_replace", "jsonb_set"
};

/* Values for which no memory is allocated: most hosts have few recordings. */
#define FEW 4

/* Maximum number of coins of a sign test. */
#define COINS_MAX 100000000

static void kernel_version(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	const unsigned char *text = sqlite3_value_text(values[0]);
	uint64_t version;

	if (text &&
	    query_kernel_version((const char *)text,
				 (size_t)sqlite3_value_bytes(values[0]), &version))
		sqlite3_result_int64(ctx, (sqlite3_int64)version);
}

/* A value of an aggregate: @at says when, or on which side; @nr: how many came before. */
struct item {
	sqlite3_int64 at;
	double value;
	size_t nr;
};

/* @of: the values, if @few cannot hold them; @part: the quantile */
struct items {
	struct item *of, few[FEW];
	size_t nr, capacity;
	double part;
	bool failed;
};

static void add_item(struct items *s, sqlite3_int64 at, double value)
{
	if (s->nr >= FEW && array_reserve(&s->of, &s->capacity, s->nr + 1)) {
		s->failed = true;
		return;
	}
	if (s->nr == FEW)
		memcpy(s->of, s->few, sizeof(s->few));
	(s->nr < FEW ? s->few : s->of)[s->nr] = (struct item){ at, value, s->nr };
	s->nr++;
}

static struct item *items_of(struct items *s)
{
	return s->nr > FEW ? s->of : s->few;
}

/* The values whose @at is 0, @nr_first of them, then the others; the caller frees them. NULL:
 * memory ran out.
 */
static double *values_of(struct items *s, size_t *nr_first)
{
	double *values = malloc((s->nr + 1) * sizeof(*values));
	size_t nr = 0;

	for (int others = 0; values && others < 2; others++) {
		*nr_first = nr;
		for (size_t i = 0; i < s->nr; i++) {
			if ((items_of(s)[i].at != 0) == others)
				values[nr++] = items_of(s)[i].value;
		}
	}
	return values;
}

/* mann_whitney(side, value), drops(at, value) */
static void items_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct items *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (s && sqlite3_value_type(values[0]) != SQLITE_NULL &&
	    sqlite3_value_type(values[1]) != SQLITE_NULL)
		add_item(s, sqlite3_value_int64(values[0]),
			 sqlite3_value_double(values[1]));
}

/**
 * struct function - one of kmemx's own functions
 * @nr: number of its arguments
 * @one: called for one row; @step, @end: for several rows, if it is an aggregate
 * @items: sets the result in items_end(); @late: ends_end() returns the last value, not the first
 */
struct function {
	const char *name;
	int nr;
	void (*one)(sqlite3_context *ctx, int nr, sqlite3_value **values);
	void (*step)(sqlite3_context *ctx, int nr, sqlite3_value **values);
	void (*end)(sqlite3_context *ctx);
	void (*items)(sqlite3_context *ctx, struct items *s);
	bool late;
};

static void items_end(sqlite3_context *ctx)
{
	const struct function *f = sqlite3_user_data(ctx);
	struct items *s = sqlite3_aggregate_context(ctx, 0);

	if (!s)
		return;
	if (s->failed)
		sqlite3_result_error_nomem(ctx);
	else if (s->nr)
		f->items(ctx, s);
	free(s->of);
}

static void mann_whitney(sqlite3_context *ctx, struct items *s)
{
	size_t nr = 0;
	double *values __auto_mem = values_of(s, &nr);
	double p;
	int err = values ? mann_whitney_test(values, nr, values + nr, s->nr - nr, &p)
			 : -ENOMEM;

	if (err == -ENOMEM)
		sqlite3_result_error_nomem(ctx);
	else if (!err)
		sqlite3_result_double(ctx, p);
}

/* quantile(value, part) */
static void quantile_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct items *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (!s || sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	s->part = sqlite3_value_double(values[1]);
	add_item(s, 0, sqlite3_value_double(values[0]));
}

static void quantile(sqlite3_context *ctx, struct items *s)
{
	size_t nr = 0;
	double *values __auto_mem = values_of(s, &nr);

	if (!values) {
		sqlite3_result_error_nomem(ctx);
	} else if (s->part >= 0 && s->part <= 1) {
		values_sort(values, nr);
		sqlite3_result_double(ctx, values_quantile(values, nr, s->part));
	}
}

ORDER_BY(by_time, struct item, at, nr)

static void drops(sqlite3_context *ctx, struct items *s)
{
	struct item *of = items_of(s);
	sqlite3_int64 nr = 0;

	qsort(of, s->nr, sizeof(*of), by_time);
	for (size_t i = 1; i < s->nr; i++)
		nr += of[i].value < of[i - 1].value;
	sqlite3_result_int64(ctx, nr);
}

/* A value with its SQL type. */
struct number {
	sqlite3_int64 whole;
	double real;
	bool is_real;
};

/* The earliest and the latest value of an aggregate. */
struct ends {
	sqlite3_int64 at[2];
	struct number value[2];
	bool any;
};

/* change(at, value), at_first(at, value), at_last(at, value) */
static void ends_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct ends *e = sqlite3_aggregate_context(ctx, sizeof(*e));
	sqlite3_int64 at = sqlite3_value_int64(values[0]);
	struct number value = { sqlite3_value_int64(values[1]),
				sqlite3_value_double(values[1]),
				sqlite3_value_type(values[1]) == SQLITE_FLOAT };

	if (!e || sqlite3_value_type(values[0]) == SQLITE_NULL ||
	    sqlite3_value_type(values[1]) == SQLITE_NULL)
		return;
	for (int late = 0; late < 2; late++) {
		if (e->any && (late ? at < e->at[1] : at >= e->at[0]))
			continue;
		e->at[late] = at;
		e->value[late] = value;
	}
	e->any = true;
}

static void change_end(sqlite3_context *ctx)
{
	struct ends *e = sqlite3_aggregate_context(ctx, 0);
	sqlite3_int64 more;

	if (e && e->any &&
	    !__builtin_sub_overflow(e->value[1].whole, e->value[0].whole, &more))
		sqlite3_result_int64(ctx, more);
}

static void ends_end(sqlite3_context *ctx)
{
	const struct function *f = sqlite3_user_data(ctx);
	const struct ends *e = sqlite3_aggregate_context(ctx, 0);

	if (e && e->any && e->value[f->late].is_real)
		sqlite3_result_double(ctx, e->value[f->late].real);
	else if (e && e->any)
		sqlite3_result_int64(ctx, e->value[f->late].whole);
}

/* sign_test(up, down) */
static void sign_test(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	sqlite3_int64 up = sqlite3_value_int64(values[0]);
	sqlite3_int64 down = sqlite3_value_int64(values[1]);

	if (up >= 0 && down >= 0 && up <= COINS_MAX && down <= COINS_MAX && up + down)
		sqlite3_result_double(ctx, sign_test_p((uint64_t)up, (uint64_t)down));
}

/* student(t, freedom) */
static void student(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	double freedom = sqlite3_value_double(values[1]);

	if (sqlite3_value_type(values[0]) != SQLITE_NULL && freedom > 0)
		sqlite3_result_double(
			ctx, student_tail(sqlite3_value_double(values[0]), freedom));
}

static const struct function functions[] = {
	{ "at_first", 2, NULL, ends_step, ends_end },
	{ "at_last", 2, NULL, ends_step, ends_end, .late = true },
	{ "change", 2, NULL, ends_step, change_end },
	{ "compare", 4, NULL, query_compare_step, query_compare_end },
	{ "drops", 2, NULL, items_step, items_end, drops },
	{ "kernel_version", 1, kernel_version },
	{ "mann_whitney", 2, NULL, items_step, items_end, mann_whitney },
	{ "outlying", 4, NULL, query_compare_step, query_outlying_end },
	{ "quantile", 2, NULL, quantile_step, items_end, quantile },
	{ "sign_test", 2, sign_test },
	{ "student", 2, student },
};

bool query_function_allowed(const char *name)
{
	return ANY(i, ARRAY_SIZE(functions), !strcasecmp(name, functions[i].name)) ||
	       ANY(i, ARRAY_SIZE(allowed), !strcasecmp(name, allowed[i]));
}

int query_functions_add(struct sqlite3 *db)
{
	for_each(f, functions, ARRAY_SIZE(functions)) {
		if (sqlite3_create_function_v2(
			    db, f->name, f->nr,
			    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
			    (void *)f, f->one, f->step, f->end, NULL) != SQLITE_OK)
			return -ENOMEM;
	}
	return 0;
}
#endif
