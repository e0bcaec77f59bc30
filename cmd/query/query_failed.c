// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (query): why SQL has no result.
 * In: a failure of the library. Out: a message that shows the place in the SQL.
 */

#include <strings.h>

#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/query/query_load.h"
#include "query/schema.h"

static const char command_name[] = "query";

#define NAMES_MAX 64
/* Maximum length of the SQL that is shown. */
#define SHOWN_MAX 72

int query_unknown(const char *word)
{
	const char *names[NAMES_MAX], *near;
	size_t nr;

	for (nr = 0; nr < NAMES_MAX && query_named_at(nr); nr++)
		names[nr] = query_named_at(nr)->name;
	near = options_nearest(word, names, nr);
	if (near)
		return message_fail(
			EXIT_USAGE, command_name,
			"'%s' is neither SQL nor the name of a query. Did you mean '%s'?",
			word, near);
	return message_fail(
		EXIT_USAGE, command_name,
		"'%s' is neither SQL nor the name of a query\n  List the built-in queries: kmemx query --list",
		word);
}

#ifdef HAVE_SQLITE
/* The column of any table that is nearest to @name, or NULL. */
static const char *nearest_column(const char *name)
{
	const char *names[NAMES_MAX];
	size_t nr;

	for (nr = 0; nr < NAMES_MAX && query_column(nr); nr++)
		names[nr] = query_column(nr);
	return options_nearest(name, names, nr);
}

static const char *nearest_table(const char *name)
{
	static const char *const names[] = { "allocations", "sites",   "chains",
					     "tasks",	    "trusted", "hosts",
					     "recordings",  "files" };

	return options_nearest(name, names, ARRAY_SIZE(names));
}

/* @name is not a column here: it may be one of another table, a typo, or text. */
static void put_column_advice(struct strbuf *text, const char *name)
{
	const char *near = nearest_column(name);

	if (near && !strcasecmp(near, name))
		strbuf_puts(text, "; not all tables have it (kmemx query --schema)");
	else if (near)
		strbuf_printf(text, ". Did you mean '%s'?", near);
	else
		strbuf_puts(text, ". Text stands in single quotes");
}

/* Appends advice for SQLite's message. */
static void put_advice(struct strbuf *text, const char *message)
{
	static const char column[] = "no such column: ", table[] = "no such table: ";
	static const char order[] = "near \"order\": syntax error";
	const char *near = NULL;

	if (!strcmp(message, "integer overflow"))
		strbuf_puts(text,
			    ": a sum exceeds 2^63 - 1. Use total() instead of sum()");
	if (!strcasecmp(message, order))
		strbuf_puts(text, ". The column needs double quotes: \"order\"");
	if (!strncmp(message, column, strlen(column)))
		put_column_advice(text, message + strlen(column));
	else if (!strncmp(message, table, strlen(table)))
		near = nearest_table(message + strlen(table));
	if (near)
		strbuf_printf(text, ". Did you mean '%s'?", near);
}

static bool is_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Appends to @line the line of @sql that contains byte @offset, or the part around it, and to
 * @blanks one blank for each character before that byte.
 */
static void put_place(const char *sql, size_t offset, struct strbuf *line,
		      struct strbuf *blanks)
{
	const char *at = sql + offset, *first = at, *end = at + strcspn(at, "\n"), *p;

	while (first > sql && first[-1] != '\n' && (size_t)(at - first) < SHOWN_MAX / 2)
		first--;
	while (first < at && is_inside(*first))
		first++;
	if ((size_t)(end - first) > SHOWN_MAX)
		end = first + SHOWN_MAX;
	while (end > at && is_inside(*end))
		end--;
	for (p = first; p < end; p++)
		strbuf_add(line, *p == '\t' ? " " : p, 1);
	for (p = first; p < at; p++) {
		if (!is_inside(*p))
			strbuf_add(blanks, " ", 1);
	}
}

static int sql_failed(const struct query_ask *ask, const struct query_failure *why,
		      const char *what)
{
	struct strbuf __auto_free text = { 0 }, line = { 0 }, blanks = { 0 };

	strbuf_puts(&text, what);
	put_advice(&text, what);
	if (why->offset < 0 || (size_t)why->offset > strlen(ask->sql))
		return message_fail(EXIT_USAGE, command_name, "%s", strbuf_text(&text));
	put_place(ask->sql, (size_t)why->offset, &line, &blanks);
	return message_fail(EXIT_USAGE, command_name, "%s\n  %s\n  %s^",
			    strbuf_text(&text), strbuf_text(&line), strbuf_text(&blanks));
}

static int unset(const char *name)
{
	if (*name)
		return message_fail(
			EXIT_USAGE, command_name,
			"the query needs a value for :%s\n  Give it: --set %s=VALUE",
			name, name);
	return message_fail(
		EXIT_USAGE, command_name,
		"parameters need names\n  Write :name instead of ?, and --set name=VALUE");
}

static int writes(void)
{
	return message_fail(
		EXIT_USAGE, command_name,
		"only statements that read are allowed: SELECT, WITH ... SELECT, VALUES");
}

int query_failed(const struct query_ask *ask, const struct query_failure *why)
{
	switch (why->problem) {
	case QUERY_MEMORY:
		return query_load_failed(&(struct query_load){ .memory = ask->memory },
					 -ENOMEM);
	case QUERY_LARGE:
		return message_fail(
			EXIT_FAILED, command_name,
			"the result is too large for the memory limit\n  Select less, or allow more: --max-memory SIZE");
	case QUERY_STOPPED:
		return message_fail(
			EXIT_FAILED, command_name,
			"the query took longer than --timeout allows and was stopped");
	case QUERY_EMPTY:
		return message_fail(EXIT_USAGE, command_name,
				    "there is no SQL statement");
	case QUERY_SEVERAL:
		return sql_failed(ask, why,
				  "only one statement can be run; this is a second one");
	case QUERY_WRITES:
		return writes();
	case QUERY_UNSET:
		return unset(strbuf_text(&why->text));
	case QUERY_UNUSED:
		return message_fail(EXIT_USAGE, command_name,
				    "--set %s: the query has no parameter :%s",
				    strbuf_text(&why->text), strbuf_text(&why->text));
	case QUERY_SQL:
		/* SQLite fails with this before it calls the authorizer. */
		if (strstr(strbuf_text(&why->text), " because it is a view"))
			return writes();
		break;
	}
	return sql_failed(ask, why, strbuf_text(&why->text));
}
#endif
