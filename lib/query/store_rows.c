// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows of a store.
 * In: rows. Out: the tables' rows, with each recording and each callchain stored once.
 */
#include "query/store_state.h"

#include <limits.h>

#include "base/array.h"

#ifdef HAVE_SQLITE
/* Makes a key of @row's fields from @first to before @end. */
static bool make_key(struct strbuf *key, const struct query_row *row, unsigned int first,
		     unsigned int end)
{
	strbuf_reset(key);
	for (unsigned int i = first; i < end; i++) {
		const struct export_value *v = &row->of[i];
		bool number = export_fields[i].number;
		size_t size = number ? v->number > INT64_MAX : v->size;
		/* As in the table, large numbers with the same double are equal. */
		double large = (double)v->number;

		if (!v->known)
			size = SIZE_MAX;
		strbuf_add(key, &size, sizeof(size));
		if (!v->known)
			continue;
		if (number && size)
			strbuf_add(key, &large, sizeof(large));
		else if (number)
			strbuf_add(key, &v->number, sizeof(v->number));
		else
			strbuf_add(key, v->text, v->size);
	}
	return !key->failed;
}

static bool same_key(const struct strbuf *a, const struct strbuf *b)
{
	return a->size == b->size && a->size && !memcmp(a->data, b->data, a->size);
}

static void swap_keys(struct strbuf *a, struct strbuf *b)
{
	struct strbuf old = *a;

	*a = *b;
	*b = old;
}

/* Sets @s->repeated: is this row's part from an earlier file? 0 or an error. */
static int find_part(struct query_store *s, const struct query_row *row)
{
	const struct store_value part[] = {
		FIELDS(row, FIELD_RECORDING_ID, FIELD_HOST),
		FIELDS(row, FIELD_ALLOCATOR, FIELD_CALLSITE),
		NUMBER(s->file),
	};
	sqlite3_int64 file = s->file;
	int found;

	strbuf_reset(&s->key);
	strbuf_add(&s->key, row->of[FIELD_RECORDING_ID].text,
		   row->of[FIELD_RECORDING_ID].size);
	strbuf_add(&s->key, "", 1);
	strbuf_add(&s->key, row->of[FIELD_ALLOCATOR].text, row->of[FIELD_ALLOCATOR].size);
	if (s->key.failed)
		return -ENOMEM;
	if (same_key(&s->key, &s->part_key))
		return 0;
	found = store_do(s, STORE_FIND_PART, &file, part, 2);
	if (found < 0)
		return found;
	s->repeated = file != s->file;
	swap_keys(&s->key, &s->part_key);
	return found ? 0 : store_do(s, STORE_ADD_PART, NULL, part, 3);
}

int store_end_recording(struct query_store *s)
{
	int ret = s->nr_rows ? STORE_DO(s, STORE_COUNT_ROWS, NULL, NUMBER(s->nr_rows),
					NUMBER(s->recording))
			     : 0;

	s->nr_rows = 0;
	strbuf_reset(&s->recording_key);
	return ret;
}

/* Sets @s->host to the row's machine. */
static int find_host(struct query_store *s, const struct query_row *row)
{
	const struct store_value host[] = {
		TEXT(NULL),
		FIELDS(row, FIELD_HOST, FIELD_HOST + 2),
	};
	int ret = store_do(s, STORE_FIND_HOST, &s->host, &host[1], 1);

	ret = ret ?: store_do(s, STORE_TABLE_HOST, &s->host, host, 2);
	return ret < 0 ? ret : 0;
}

/* Sets @s->recording. */
static int find_recording(struct query_store *s, const struct query_row *row)
{
	const struct store_value fields = FIELDS(row, 0, EXPORT_FIELDS_SAME);
	int ret;

	if (!make_key(&s->key, row, 0, EXPORT_FIELDS_SAME))
		return -ENOMEM;
	if (same_key(&s->key, &s->recording_key))
		return 0;
	ret = store_end_recording(s);
	ret = ret ?: find_host(s, row);
	ret = ret ?: store_do(s, STORE_FIND_RECORDING, &s->recording, &fields, 1);
	if (!ret)
		ret = STORE_DO(s, STORE_TABLE_RECORDING, &s->recording, TEXT(NULL),
			       NUMBER(0), TEXT(strbuf_text(&s->name)), NUMBER(s->host),
			       TEXT(NULL), fields, TEXT(NULL));
	swap_keys(&s->key, &s->recording_key);
	return ret < 0 ? ret : 0;
}

/* Sets @id to the number of the row's name in table @table, and adds it if it is new. */
static int find_name(struct query_store *s, const struct query_row *row,
		     unsigned int table, uint32_t *id)
{
	unsigned int first = store_tables[table].from, end = store_tables[table].to;
	struct intern *names = &s->names[table];
	uint32_t nr = names->count;

	*id = make_key(&s->key, row, first, end)
		      ? intern_id(names, s->key.data, s->key.size)
		      : 0;
	if (!*id)
		return -ENOMEM;
	if (names->count == nr)
		return 0;
	return STORE_DO(s, table, NULL, NUMBER(*id), FIELDS(row, first, end));
}

/* Reads a number that store_do() stored, or another one with the same double. */
static uint64_t whole(sqlite3_stmt *stmt, int at)
{
	double large;

	if (sqlite3_column_type(stmt, at) != SQLITE_FLOAT)
		return (uint64_t)sqlite3_column_int64(stmt, at);
	large = sqlite3_column_double(stmt, at);
	return large < 0x1p63 ? 0 : large < 0x1p64 ? (uint64_t)large : UINT64_MAX;
}

static int read_names(struct query_store *s, unsigned int table)
{
	unsigned int first = store_tables[table].from, end = store_tables[table].to;
	struct strbuf __auto_free sql = { 0 };
	sqlite3_stmt *stmt = NULL;
	struct query_row row = { 0 };
	int ret;

	strbuf_puts(&sql, "SELECT id");
	for (unsigned int i = first; i < end; i++)
		strbuf_printf(&sql, ", \"%s\"", export_fields[i].name);
	strbuf_printf(&sql, " FROM %s ORDER BY id", store_tables[table].name);
	ret = sql.failed ? SQLITE_NOMEM
			 : sqlite3_prepare_v2(s->db, strbuf_text(&sql), -1, &stmt, NULL);
	intern_free(&s->names[table]);
	while (ret == SQLITE_OK && (ret = sqlite3_step(stmt)) == SQLITE_ROW) {
		uint32_t id;

		for (unsigned int i = first; i < end; i++) {
			int at = (int)(i - first) + 1;

			row.of[i].known = sqlite3_column_type(stmt, at) != SQLITE_NULL;
			if (export_fields[i].number) {
				row.of[i].number = whole(stmt, at);
				continue;
			}
			row.of[i].text = sqlite3_column_blob(stmt, at);
			row.of[i].size = (size_t)sqlite3_column_bytes(stmt, at);
		}
		id = make_key(&s->key, &row, first, end)
			     ? intern_id(&s->names[table], s->key.data, s->key.size)
			     : 0;
		ret = !id				    ? SQLITE_NOMEM
		      : sqlite3_column_int64(stmt, 0) == id ? SQLITE_OK
							    : SQLITE_CORRUPT;
	}
	sqlite3_finalize(stmt);
	return store_error(ret);
}

int store_read_names(struct query_store *s)
{
	int ret = 0;

	for (unsigned int table = 0; table < STORE_NAMES && !ret; table++)
		ret = read_names(s, table);
	s->nr_chain_names = 0;
	return ret;
}

/* Sets @names to the numbers of callsite and allocator of the row's callchain @chain. */
static int find_chain_names(struct query_store *s, const struct query_row *row,
			    uint32_t chain, struct chain_names *names)
{
	struct chain_names *known;
	int ret = 0;

	if (array_reach(&s->chain_names, &s->nr_chain_names, &s->chain_names_capacity,
			chain))
		return -ENOMEM;
	known = &s->chain_names[chain - 1];
	if (!known->site)
		ret = find_name(s, row, STORE_TABLE_SITE, &known->site);
	if (!ret && !known->allocator)
		ret = find_name(s, row, STORE_TABLE_ALLOCATOR, &known->allocator);
	*names = *known;
	return ret;
}

/* --- sums of a file's rows, by recording and callsite, callchain, or task ---------------- */

#define METRICS	 (EXPORT_FIELDS - FIELD_FIRST_METRIC)
#define KEYS_MAX 4

/* The columns of a table of sums before the figures; the last one is the recording. */
struct sums_key {
	sqlite3_int64 of[KEYS_MAX];
};

/* Bits of @known: some row has the figure; @is_real: it is floating point, because a value is. */
struct sums {
	union {
		sqlite3_int64 whole;
		double real;
	} of[METRICS];
	uint16_t known, is_real;
};

_Static_assert(METRICS <= 16, "one bit each");

/* Adds the row's figures to sums number @which, of @key. -EOVERFLOW: one exceeds 2^63 - 1. */
static int add_figures(struct query_store *s, unsigned int which,
		       const struct sums_key *key, const struct query_row *row)
{
	struct sums *sums = KEYED_ITEM(&s->sums[which], key);

	if (!sums)
		return -ENOMEM;
	for (unsigned int i = 0; i < METRICS; i++) {
		const struct export_value *v = &row->of[FIELD_FIRST_METRIC + i];
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

static int write_sums(struct query_store *s, unsigned int which,
		      const struct sums_key *key, const struct sums *sums)
{
	struct store_value values[KEYS_MAX + METRICS];
	size_t nr = 0, nr_keys = which == STORE_BY_TASK ? 4 : 3;

	for (size_t i = 0; i < nr_keys; i++)
		values[nr++] = (struct store_value)NUMBER(key->of[i]);
	for (unsigned int i = 0; i < METRICS; i++) {
		struct store_value *v = &values[nr++];

		*v = (struct store_value)NUMBER(sums->of[i].whole);
		if (!(sums->known >> i & 1))
			*v = (struct store_value)TEXT(NULL);
		else if (sums->is_real >> i & 1)
			*v = (struct store_value){ STORE_REAL, .real = sums->of[i].real };
	}
	return store_do(s, STORE_TABLE_SUMS + which, NULL, values, nr);
}

int store_end_sums(struct query_store *s)
{
	int ret = 0;

	for (unsigned int t = 0; t < STORE_SUMS; t++) {
		for (size_t i = 0; i < s->sums[t].nr && !ret; i++)
			ret = write_sums(s, t, KEYED_KEY(&s->sums[t], i),
					 &s->sums[t].of[i]);
	}
	store_drop_sums(s);
	return ret;
}

void store_drop_sums(struct query_store *s)
{
	for (unsigned int t = 0; t < STORE_SUMS; t++)
		KEYED_FREE(&s->sums[t]);
	memset(s->sums, 0, sizeof(s->sums));
}

/* The numbers of a row's names. */
struct row_ids {
	uint32_t chain, task, kind;
	struct chain_names of_chain;
};

static int find_names(struct query_store *s, const struct query_row *row,
		      struct row_ids *ids)
{
	int ret = find_name(s, row, STORE_TABLE_CHAIN, &ids->chain);

	ret = ret ?: find_name(s, row, STORE_TABLE_TASK, &ids->task);
	ret = ret ?: find_name(s, row, STORE_TABLE_KIND, &ids->kind);
	return ret ? ret : find_chain_names(s, row, ids->chain, &ids->of_chain);
}

static int add_sums(struct query_store *s, const struct query_row *row,
		    const struct row_ids *ids)
{
	const struct sums_key keys[STORE_SUMS] = {
		[STORE_BY_SITE] = { { ids->of_chain.site, s->host, s->recording } },
		[STORE_BY_CHAIN] = { { ids->chain, s->host, s->recording } },
		[STORE_BY_TASK] = { { ids->of_chain.allocator, ids->task, s->host,
				      s->recording } },
	};
	int ret = 0;

	for (unsigned int i = 0; i < STORE_SUMS && !ret; i++)
		ret = add_figures(s, i, &keys[i], row);
	return ret;
}

int query_store_add(struct query_store *s, const struct query_row *row)
{
	int ret = find_part(s, row);
	struct row_ids ids;

	if (ret)
		return ret;
	if (s->repeated) {
		s->nr_repeated++;
		return 0;
	}
	ret = find_recording(s, row);
	/* The first row of a recording has its balance, but rows may have been sorted. */
	if (!ret && row->of[FIELD_BALANCE].known)
		ret = STORE_DO(s, STORE_SET_BALANCE, NULL,
			       FIELDS(row, FIELD_BALANCE, FIELD_ALLOCATOR),
			       NUMBER(s->recording));
	ret = ret ?: find_names(s, row, &ids);
	ret = ret ?: add_sums(s, row, &ids);
	if (!ret)
		ret = STORE_DO(s, STORE_TABLE_ROW, NULL, NUMBER(ids.chain),
			       NUMBER(s->recording), NUMBER(ids.task), NUMBER(ids.kind),
			       FIELDS(row, FIELD_FIRST_METRIC, EXPORT_FIELDS));
	s->nr_rows += !ret;
	return ret;
}
#endif
