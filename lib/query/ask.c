// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/ask.h"

#include "base/number.h"
#include "base/safe_text.h"
#include "query/schema.h"
#include "query/store_state.h"

#ifdef HAVE_SQLITE
/* Steps of SQLite's virtual machine between two calls of @stop. */
#define STEPS 100000

static bool fail(struct query_failure *why, enum query_problem problem, int offset,
		 const char *text)
{
	why->problem = problem;
	why->offset = offset;
	strbuf_reset(&why->text);
	strbuf_puts(&why->text, text);
	return false;
}

/* Translates SQLite's error. */
static bool fail_sql(struct query_failure *why, sqlite3 *db, int code)
{
	int offset = -1;

#if SQLITE_VERSION_NUMBER >= 3038000
	offset = sqlite3_error_offset(db);
#endif
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return fail(why, QUERY_MEMORY, -1, "");
	case SQLITE_INTERRUPT:
		return fail(why, QUERY_STOPPED, -1, "");
	case SQLITE_AUTH:
		return fail(why, QUERY_WRITES, offset, "");
	default:
		/* SQLite refused what a table's own code would do. */
		return fail(why,
			    !strcmp(sqlite3_errmsg(db), "not authorized") ? QUERY_WRITES
									  : QUERY_SQL,
			    offset, sqlite3_errmsg(db));
	}
}

/* Prepares the one statement of @sql. */
static bool prepare(sqlite3 *db, const char *sql, sqlite3_stmt **stmt,
		    struct query_failure *why)
{
	sqlite3_stmt *second = NULL;
	const char *tail = NULL;
	int ret = sqlite3_prepare_v2(db, sql, -1, stmt, &tail);
	bool more;

	if (ret != SQLITE_OK)
		return fail_sql(why, db, ret);
	if (!*stmt)
		return fail(why, QUERY_EMPTY, -1, "");
	/* Blanks and comments are not a statement. */
	ret = sqlite3_prepare_v2(db, tail, -1, &second, NULL);
	more = ret != SQLITE_OK || second;
	sqlite3_finalize(second);
	tail += strspn(tail, " \t\r\n");
	if (more)
		return fail(why, QUERY_SEVERAL, (int)(tail - sql), "");
	if (!sqlite3_stmt_readonly(*stmt) || !sqlite3_column_count(*stmt))
		return fail(why, QUERY_WRITES, -1, "");
	return true;
}

/* Is it a whole number that fits 64 bits? */
static bool whole_number(const char *text, sqlite3_int64 *number)
{
	bool negative = *text == '-';
	uint64_t value;

	if (!number_is(text + negative, INT64_MAX, &value))
		return false;
	*number = negative ? -(sqlite3_int64)value : (sqlite3_int64)value;
	return true;
}

static bool bind_value(sqlite3_stmt *stmt, int at, const char *value,
		       struct query_failure *why)
{
	sqlite3_int64 number;
	int ret = whole_number(value, &number)
			  ? sqlite3_bind_int64(stmt, at, number)
			  : sqlite3_bind_text(stmt, at, value, -1, SQLITE_TRANSIENT);

	return ret == SQLITE_OK ? true : fail_sql(why, sqlite3_db_handle(stmt), ret);
}

static bool bind_parameters(sqlite3_stmt *stmt, const struct query_ask *ask,
			    struct query_failure *why)
{
	bool *used __auto_mem = calloc(ask->nr_settings + 1, sizeof(*used));
	int nr = sqlite3_bind_parameter_count(stmt);

	if (!used)
		return fail(why, QUERY_MEMORY, -1, "");
	for (int i = 1; i <= nr; i++) {
		const char *name = sqlite3_bind_parameter_name(stmt, i);
		const struct query_setting *set =
			FIND(one, ask->settings, ask->nr_settings,
			     name && !strcmp(one->name, name + 1));

		if (!set)
			return fail(why, QUERY_UNSET, -1, name ? name + 1 : "");
		used[set - ask->settings] = true;
		if (!bind_value(stmt, i, set->value, why))
			return false;
	}
	for (size_t k = 0; k < ask->nr_settings; k++) {
		if (!used[k])
			return fail(why, QUERY_UNUSED, -1, ask->settings[k].name);
	}
	return true;
}

/* Makes a unique name for column @i: "bytes", "bytes_2"; "column_3" if it has none. */
static void put_name(const struct table *t, sqlite3_stmt *stmt, int i,
		     struct strbuf *name)
{
	const char *given = sqlite3_column_name(stmt, i);
	unsigned int n = 1;

	strbuf_reset(name);
	if (given && *given)
		strbuf_puts(name, given);
	else
		strbuf_printf(name, "column_%d", i + 1);
	while (!name->failed && table_column(t, strbuf_text(name)) >= 0) {
		strbuf_reset(name);
		strbuf_printf(name, "%s_%u", given && *given ? given : "column", ++n);
	}
}

static void add_columns(struct table *t, sqlite3_stmt *stmt)
{
	struct strbuf __auto_free name = { 0 };

	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		put_name(t, stmt, i, &name);
		table_add_column(
			t, &(struct column){ .name = strbuf_text(&name),
					     .unit = query_unit(strbuf_text(&name)) });
		t->failed |= name.failed;
	}
}

/* Appends bytes in SQL syntax: X'2f00'. */
static void put_blob(struct strbuf *text, const unsigned char *bytes, int size)
{
	strbuf_puts(text, "X'");
	for (int i = 0; i < size; i++)
		strbuf_printf(text, "%02x", bytes[i]);
	strbuf_puts(text, "'");
}

/* A cell with a text or bytes; @text is scratch space. */
static struct cell text_cell(struct table *t, sqlite3_stmt *stmt, int i,
			     struct strbuf *text)
{
	const char *bytes = sqlite3_column_blob(stmt, i);
	size_t size = (size_t)sqlite3_column_bytes(stmt, i);

	strbuf_reset(text);
	if (sqlite3_column_type(stmt, i) == SQLITE_BLOB)
		put_blob(text, (const unsigned char *)bytes, (int)size);
	else if (size && memchr(bytes, '\0', size))
		safe_text_add(text, bytes, size);
	else
		strbuf_add(text, bytes ? bytes : "", size);
	t->failed |= text->failed;
	return cell_text(t, strbuf_text(text));
}

static struct cell cell_of(struct table *t, sqlite3_stmt *stmt, int i,
			   struct strbuf *text)
{
	sqlite3_int64 number;

	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_NULL:
		return (struct cell){ .type = CELL_NONE };
	case SQLITE_INTEGER:
		number = sqlite3_column_int64(stmt, i);
		return number < 0 ? cell_int(number) : cell_uint((uint64_t)number);
	case SQLITE_FLOAT:
		return cell_real(sqlite3_column_double(stmt, i));
	default:
		return text_cell(t, stmt, i, text);
	}
}

static bool add_rows(struct table *t, sqlite3_stmt *stmt, const struct query_ask *ask,
		     struct query_failure *why)
{
	uint64_t left = ask->memory ? ask->memory : UINT64_MAX, size;
	struct strbuf __auto_free text = { 0 };
	struct cell *cells;
	int ret, i;

	while ((ret = sqlite3_step(stmt)) == SQLITE_ROW) {
		size = (uint64_t)t->nr_columns * sizeof(*cells);
		cells = table_add_row(t);
		for (i = 0; cells && i < (int)t->nr_columns; i++) {
			cells[i] = cell_of(t, stmt, i, &text);
			size += cells[i].type == CELL_TEXT ? text.size : 0;
		}
		if (!cells || !table_ok(t) || size > left)
			break;
		left -= size;
	}
	if (ret == SQLITE_ROW)
		return fail(why, table_ok(t) ? QUERY_LARGE : QUERY_MEMORY, -1, "");
	return ret == SQLITE_DONE ? true : fail_sql(why, sqlite3_db_handle(stmt), ret);
}

/* Text shows the column with the longest text at the end of the line, where it has the most room.
 * If the line is too narrow, numbers are left out before texts and bytes, the last ones first.
 */
static void lay_out(struct table *t)
{
	size_t longest = 0, last = 0, row, i, size;

	for (i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].unit != UNIT_BYTES)
			t->columns[i].drop = (unsigned char)(i < 254 ? i + 1 : 255);
	}
	for (row = 0; row < t->nr_rows; row++) {
		for (i = 0; i < t->nr_columns; i++) {
			const struct cell *c = &t->cells[row * t->nr_columns + i];

			if (c->type != CELL_TEXT)
				continue;
			t->columns[i].drop = 0;
			size = strlen(c->s);
			if (size && size >= longest) {
				longest = size;
				last = i;
			}
		}
	}
	if (longest)
		t->columns[last].last = true;
	if (t->nr_columns)
		table_set_by(t, t->columns[last].name);
}

static struct table *result(sqlite3_stmt *stmt, const struct query_ask *ask,
			    struct query_failure *why)
{
	struct table *t = table_new("query", ask->title);
	bool ok = t ? true : fail(why, QUERY_MEMORY, -1, "");

	if (ok) {
		t->no_shares = true;
		add_columns(t, stmt);
	}
	if (ok)
		ok = add_rows(t, stmt, ask, why);
	if (ok)
		lay_out(t);
	if (ok && !table_ok(t))
		ok = fail(why, QUERY_MEMORY, -1, "");
	if (ok)
		return t;
	table_free(t);
	return NULL;
}

static int asked_to_stop(void *arg)
{
	const struct query_ask *ask = arg;

	return ask->stop(ask->ctx);
}

struct table *query_ask(struct query_store *s, const struct query_ask *ask,
			struct query_failure *why)
{
	sqlite3_stmt *stmt = NULL;
	struct table *t = NULL;

	sqlite3_progress_handler(s->db, STEPS, ask->stop ? asked_to_stop : NULL,
				 (void *)ask);
	if (prepare(s->db, ask->sql, &stmt, why) && bind_parameters(stmt, ask, why))
		t = result(stmt, ask, why);
	sqlite3_finalize(stmt);
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
	return t;
}
#endif
