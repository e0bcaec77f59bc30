// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): SQL functions beyond SQLite's own.
 * In: a database. Out: the same with them.
 */
#include "query/store.h"

#include <strings.h>

#define AT_FIRST       "at_first"
#define AT_LAST	       "at_last"
#define CHANGE	       "change"
#define COMPARE	       "compare"
#define DROPS	       "drops"
#define KERNEL_VERSION "kernel_version"
#define MANN_WHITNEY   "mann_whitney"
#define OUTLYING       "outlying"
#define QUANTILE       "quantile"
#define SIGN_TEST      "sign_test"
#define STUDENT	       "student"

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
	AT_FIRST, AT_LAST, CHANGE, COMPARE, DROPS, KERNEL_VERSION, MANN_WHITNEY, OUTLYING,
	QUANTILE, SIGN_TEST, STUDENT
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
#include "base/array.h"
#include "query/compare.h"
#include "query/sqlite.h"
#include "report/stats.h"

/* Values for which no memory is allocated: most hosts have few recordings. */
#define FEW 4

/* The most coins of a sign test. */
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

/**
 * struct values - the values of an aggregate
 * @of: by side: the values, at first those of @few; @nr, @capacity: how many
 * @part: the quantile
 */
struct values {
	double *of[2], few[2][FEW];
	size_t nr[2], capacity[2];
	double part;
	bool failed;
};

static void add_value(struct values *s, size_t side, double value)
{
	size_t nr = s->nr[side];

	if (nr >= FEW &&
	    array_reserve(&s->of[side], &s->capacity[side], nr + 1, sizeof(value))) {
		s->failed = true;
		return;
	}
	if (nr == FEW)
		memcpy(s->of[side], s->few[side], sizeof(s->few[side]));
	(nr < FEW ? s->few[side] : s->of[side])[nr] = value;
	s->nr[side]++;
}

static double *values_of(struct values *s, size_t side)
{
	return s->nr[side] > FEW ? s->of[side] : s->few[side];
}

static void free_values(struct values *s)
{
	free(s->of[0]);
	free(s->of[1]);
}

/* mann_whitney(side, value) */
static void mann_whitney_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct values *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (s && sqlite3_value_type(values[0]) != SQLITE_NULL &&
	    sqlite3_value_type(values[1]) != SQLITE_NULL)
		add_value(s, sqlite3_value_int64(values[0]) != 0,
			  sqlite3_value_double(values[1]));
}

static void mann_whitney_end(sqlite3_context *ctx)
{
	struct values *s = sqlite3_aggregate_context(ctx, 0);
	struct mann_whitney test;
	int err;

	if (!s)
		return;
	err = s->failed ? -ENOMEM
			: mann_whitney_test(values_of(s, 0), s->nr[0], values_of(s, 1),
					    s->nr[1], &test);
	if (err == -ENOMEM)
		sqlite3_result_error_nomem(ctx);
	else if (!err)
		sqlite3_result_double(ctx, test.p);
	free_values(s);
}

/* quantile(value, part) */
static void quantile_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct values *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (!s || sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	s->part = sqlite3_value_double(values[1]);
	add_value(s, 0, sqlite3_value_double(values[0]));
}

static void quantile_end(sqlite3_context *ctx)
{
	struct values *s = sqlite3_aggregate_context(ctx, 0);
	double *of;

	if (!s)
		return;
	of = values_of(s, 0);
	if (s->failed)
		sqlite3_result_error_nomem(ctx);
	if (!s->failed && s->nr[0] && s->part >= 0 && s->part <= 1) {
		values_sort(of, s->nr[0]);
		sqlite3_result_double(ctx, values_quantile(of, s->nr[0], s->part));
	}
	free_values(s);
}

/* A value, as SQL has it. */
struct number {
	sqlite3_int64 whole;
	double real;
	bool is_real;
};

/* The values of an aggregate that are the earliest and the latest. */
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

static void result(sqlite3_context *ctx, const struct number *value)
{
	if (value->is_real)
		sqlite3_result_double(ctx, value->real);
	else
		sqlite3_result_int64(ctx, value->whole);
}

static void at_first_end(sqlite3_context *ctx)
{
	struct ends *e = sqlite3_aggregate_context(ctx, 0);

	if (e && e->any)
		result(ctx, &e->value[0]);
}

static void at_last_end(sqlite3_context *ctx)
{
	struct ends *e = sqlite3_aggregate_context(ctx, 0);

	if (e && e->any)
		result(ctx, &e->value[1]);
}

/* Values in the order of time, of which few need no memory. */
struct step {
	sqlite3_int64 at;
	double value;
	size_t nr;
};

struct steps {
	struct step *of, few[FEW];
	size_t nr, capacity;
	bool failed;
};

/* drops(at, value) */
static void drops_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct steps *s = sqlite3_aggregate_context(ctx, sizeof(*s));
	struct step step = { sqlite3_value_int64(values[0]),
			     sqlite3_value_double(values[1]), s ? s->nr : 0 };

	if (!s || sqlite3_value_type(values[0]) == SQLITE_NULL ||
	    sqlite3_value_type(values[1]) == SQLITE_NULL)
		return;
	if (s->nr >= FEW &&
	    array_reserve(&s->of, &s->capacity, s->nr + 1, sizeof(step))) {
		s->failed = true;
		return;
	}
	if (s->nr == FEW)
		memcpy(s->of, s->few, sizeof(s->few));
	(s->nr < FEW ? s->few : s->of)[s->nr] = step;
	s->nr++;
}

ORDER_BY(by_time, struct step, at, nr)

static void drops_end(sqlite3_context *ctx)
{
	struct steps *s = sqlite3_aggregate_context(ctx, 0);
	struct step *of;
	sqlite3_int64 drops = 0;

	if (!s)
		return;
	of = s->nr > FEW ? s->of : s->few;
	if (s->failed) {
		sqlite3_result_error_nomem(ctx);
	} else if (s->nr) {
		qsort(of, s->nr, sizeof(*of), by_time);
		for (size_t i = 1; i < s->nr; i++)
			drops += of[i].value < of[i - 1].value;
		sqlite3_result_int64(ctx, drops);
	}
	free(s->of);
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

int query_functions_add(struct sqlite3 *db)
{
	static const struct {
		const char *name;
		int nr;
		void (*one)(sqlite3_context *ctx, int nr, sqlite3_value **values);
		void (*step)(sqlite3_context *ctx, int nr, sqlite3_value **values);
		void (*end)(sqlite3_context *ctx);
	} functions[] = {
		{ AT_FIRST, 2, NULL, ends_step, at_first_end },
		{ AT_LAST, 2, NULL, ends_step, at_last_end },
		{ CHANGE, 2, NULL, ends_step, change_end },
		{ COMPARE, 4, NULL, query_compare_step, query_compare_end },
		{ DROPS, 2, NULL, drops_step, drops_end },
		{ KERNEL_VERSION, 1, kernel_version, NULL, NULL },
		{ MANN_WHITNEY, 2, NULL, mann_whitney_step, mann_whitney_end },
		{ OUTLYING, 4, NULL, query_compare_step, query_outlying_end },
		{ QUANTILE, 2, NULL, quantile_step, quantile_end },
		{ SIGN_TEST, 2, sign_test, NULL, NULL },
		{ STUDENT, 2, student, NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (sqlite3_create_function_v2(db, functions[i].name, functions[i].nr,
					       SQLITE_UTF8 | SQLITE_DETERMINISTIC |
						       SQLITE_INNOCUOUS,
					       NULL, functions[i].one, functions[i].step,
					       functions[i].end, NULL) != SQLITE_OK)
			return -ENOMEM;
	}
	return 0;
}
#endif
