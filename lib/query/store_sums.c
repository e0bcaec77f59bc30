// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): sums of a store's rows.
 * In: the rows of a file. Out: the tables' sums by recording and callsite, callchain, or task.
 */
#include "query/store_state.h"

#ifdef HAVE_SQLITE
#include <limits.h>

#include "base/array.h"

_Static_assert(METRICS <= 16, "one bit each");

/* Bits of @known: a row has the figure; @is_real: it is floating point, because one of its values
 * is.
 */
struct sums {
	struct store_sums_key key;
	union {
		sqlite3_int64 whole;
		double real;
	} of[METRICS];
	uint16_t known, is_real;
};

int store_add_sums(struct query_store *s, enum store_sums which,
		   const struct store_sums_key *key, const struct query_row *row)
{
	struct store_sums_table *t = &s->sums[which];
	uint32_t nr = t->keys.count, id = intern_id(&t->keys, key, sizeof(*key));
	struct sums *sums;

	if (!id || array_reserve(&t->sums, &t->capacity, id, sizeof(*sums)))
		return -ENOMEM;
	sums = &t->sums[id - 1];
	if (t->keys.count > nr)
		*sums = (struct sums){ .key = *key };
	for (unsigned int i = 0; i < METRICS; i++) {
		const struct query_value *v = &row->of[FIELD_FIRST_METRIC + i];
		uint16_t bit = (uint16_t)(1U << i);

		if (!v->known)
			continue;
		sums->known |= bit;
		if (v->number > INT64_MAX && !(sums->is_real & bit)) {
			sums->is_real |= bit;
			sums->of[i].real = (double)sums->of[i].whole;
		}
		if (sums->is_real & bit)
			sums->of[i].real += (double)v->number;
		else if (__builtin_add_overflow(sums->of[i].whole,
						(sqlite3_int64)v->number,
						&sums->of[i].whole))
			return -EOVERFLOW;
	}
	return 0;
}

static int write_sums(sqlite3_stmt *stmt, const struct sums *sums, int nr_keys)
{
	int ret = SQLITE_OK;

	for (int i = 0; i < nr_keys && ret == SQLITE_OK; i++)
		ret = sqlite3_bind_int64(stmt, 1 + i, sums->key.of[i]);
	for (int i = 0; i < (int)METRICS && ret == SQLITE_OK; i++) {
		int at = 1 + nr_keys + i;

		if (!(sums->known >> i & 1))
			ret = sqlite3_bind_null(stmt, at);
		else if (sums->is_real >> i & 1)
			ret = sqlite3_bind_double(stmt, at, sums->of[i].real);
		else
			ret = sqlite3_bind_int64(stmt, at, sums->of[i].whole);
	}
	if (ret == SQLITE_OK)
		ret = sqlite3_step(stmt);
	sqlite3_reset(stmt);
	return store_error(ret);
}

int store_end_sums(struct query_store *s)
{
	int ret = 0;

	for (unsigned int t = 0; t < STORE_SUMS && !ret; t++) {
		sqlite3_stmt *stmt = store_statement(
			s, (enum store_statement)(STORE_ADD_SITE_SUMS + t));

		ret = stmt ? 0 : -ENOMEM;
		for (uint32_t id = 0; id < s->sums[t].keys.count && !ret; id++)
			ret = write_sums(stmt, &s->sums[t].sums[id],
					 t == STORE_BY_TASK ? 4 : 3);
	}
	store_drop_sums(s);
	return ret;
}

void store_drop_sums(struct query_store *s)
{
	for (unsigned int t = 0; t < STORE_SUMS; t++)
		intern_free(&s->sums[t].keys);
}

void store_free_sums(struct query_store *s)
{
	store_drop_sums(s);
	for (unsigned int t = 0; t < STORE_SUMS; t++) {
		free(s->sums[t].sums);
		s->sums[t].sums = NULL;
		s->sums[t].capacity = 0;
	}
}
#endif
