// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/stat/stat_keys.h"

#include <ctype.h>

#include "analysis/pass/analyze.h"
#include "analysis/row/subject.h"
#include "cmd/options/message.h"
#include "cmd/stat/stat_analyses.h"

/* The known keys, without duplicates within an analysis. @first: the first key of the last one. */
struct known_keys {
	const char *names[STAT_KEYS_MAX];
	size_t nr, first;
};

/* Is @name one of the known keys, from index @first on? Called hundreds of times at every start. */
static bool has(const struct known_keys *known, size_t first, const char *name)
{
	const char *const *names = known->names + first;

	return ANY(i, known->nr - first, *names[i] == *name && !strcmp(names[i], name));
}

/* Can rows of @type be sorted by @col? Hidden columns of a tree only place its rows. */
static bool is_key(const struct table_type *type, const struct column_type *col)
{
	return !col->many && !col->column.part && !col->column.histogram &&
	       !col->column.series && !(type->tree && col->column.hidden);
}

/* Adds the columns of all tables of @analysis that rows can be sorted by. */
static void add_keys(struct known_keys *known, const struct analysis *analysis)
{
	const struct table_type *const *table;
	const struct column_type *col;

	known->first = known->nr;
	for (table = analysis->tables; *table; table++) {
		for (col = (*table)->columns; col->column.name; col++) {
			if (!is_key(*table, col) || known->nr == STAT_KEYS_MAX ||
			    has(known, known->first, col->column.name))
				continue;
			known->names[known->nr++] = col->column.name;
		}
	}
}

/* The title that @key means in a table of @analysis, or NULL. */
static const char *title_in(const struct analysis *analysis, const char *key)
{
	const struct table_type *const *table;
	const struct column_type *col;

	for (table = analysis->tables; *table; table++) {
		for (col = (*table)->columns; col->column.name; col++) {
			if (!is_key(*table, col))
				continue;
			if (column_title_is(col->column.title, key))
				return col->column.title;
			if (column_title_is(col->live_title, key))
				return col->live_title;
		}
	}
	return NULL;
}

/* The title that @key means in a table of @command, or NULL. */
static const char *title_of(const char *key, const char *command)
{
	const struct analysis *analysis;
	const char *title = NULL;

	for (size_t i = 0; !title && (analysis = stat_analyses_next(command, &i));)
		title = title_in(analysis, key);
	return title;
}

/* @near: the key that the user may mean, or NULL. */
static void list_keys(const char *lists, const char *problem, const char *name,
		      const char *near, const char *command)
{
	message_error(command, "%s '%s'%s%s%s", problem, name,
		      near ? ". Did you mean '" : "", near ? near : "", near ? "'?" : "");
	fprintf(stderr, "%s  (+KEY sorts up, -KEY down)\n", lists);
}

/* Collects all keys, and lists those of each analysis in lines of at most 80 columns. */
static void know_keys(struct known_keys *known, struct strbuf *lists, const char *command)
{
	const struct analysis *analysis;
	size_t begin;

	for (size_t i = 0; (analysis = stat_analyses_next(command, &i));) {
		add_keys(known, analysis);
		begin = lists->size;
		strbuf_printf(lists, "  %s keys:", analysis->name);
		for (size_t k = known->first; k < known->nr; k++) {
			if (lists->size - begin + strlen(known->names[k]) >= 80) {
				begin = lists->size + 1;
				strbuf_puts(lists, "\n   ");
			}
			strbuf_printf(lists, " %s", known->names[k]);
		}
		strbuf_puts(lists, "\n");
	}
}

void stat_keys_words(const char *words[STAT_KEYS_MAX + 1], const char *command)
{
	struct known_keys known = { .nr = 0 };
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = stat_analyses_next(command, &i));)
		add_keys(&known, analysis);
	memcpy(words, known.names, known.nr * sizeof(*words));
	words[known.nr] = NULL;
}

/* The column of that name or title in a table of @analysis, or NULL. *@option: what the table
 * needs, or NULL.
 */
static const struct column_type *find_column(const struct analysis *analysis,
					     const char *key, const char **option)
{
	bool title = !islower((unsigned char)*key); /* as stat_keys_parse() leaves it */
	const struct table_type *const *table;
	const struct column_type *col;

	for (table = analysis->tables; *table; table++) {
		for (col = (*table)->columns; col->column.name; col++) {
			bool found = title ? column_title_is(col->column.title, key) ||
						     column_title_is(col->live_title, key)
					   : !strcmp(col->column.name, key);

			if (col->many || !found)
				continue;
			*option = (*table)->option;
			return col;
		}
	}
	return NULL;
}

/* Do the tables of @command have such a column? */
static bool is_column(const char *key, const char *command)
{
	const struct analysis *analysis;
	const char *option;

	for (size_t i = 0; (analysis = stat_analyses_next(command, &i));) {
		if (find_column(analysis, key, &option))
			return true;
	}
	return false;
}

static int unknown_key(const struct known_keys *known, const char *lists,
		       const char *name, const char *command)
{
	if (is_column(name, command))
		list_keys(lists, "rows cannot be sorted by", name, NULL, command);
	else
		list_keys(lists, "unknown sort key", name,
			  options_nearest(name, known->names, known->nr), command);
	return EXIT_USAGE;
}

int stat_keys_parse(struct sort_keys *keys, const char *text, const char *command)
{
	int err = sort_keys_parse(keys, text), ret = GO_ON;
	struct known_keys known = { .nr = 0 };
	struct strbuf __auto_free lists = { 0 };

	if (err == -ENOMEM)
		return message_fail(EXIT_FAILED, command, "%s", strerror(ENOMEM));
	know_keys(&known, &lists, command);
	if (err) {
		list_keys(strbuf_text(&lists),
			  err == -E2BIG ? "too many sort keys in" : "empty sort key in",
			  text, NULL, command);
		ret = EXIT_USAGE;
	}
	for (size_t i = 0; i < keys->nr && ret == GO_ON; i++) {
		const char *title = NULL;

		if (!has(&known, 0, keys->keys[i].name))
			title = title_of(keys->keys[i].name, command);
		if (title)
			keys->keys[i].name = title;
		if (title || has(&known, 0, keys->keys[i].name))
			continue;
		ret = unknown_key(&known, strbuf_text(&lists), keys->keys[i].name,
				  command);
	}
	return ret;
}

/* Appends the options that give a report with the column. */
static void add_options(struct strbuf *text, const char *name, const char *command)
{
	const struct analysis *analysis;
	const struct column_type *col;
	unsigned int kind = SUBJECT_NR;
	const char *option = NULL;
	char title[64];

	for (size_t i = 0; (analysis = stat_analyses_next(command, &i));) {
		col = find_column(analysis, name, &option);
		if (!col)
			continue;
		if (analysis->use == ANALYSIS_BESIDE)
			stat_analyses_title(analysis, title);
		else
			snprintf(title, sizeof(title), "%s%s",
				 analysis_use_stat(analysis->use) ? "--" : "kmemx ",
				 analysis->name);
		strbuf_printf(text, "%s%s%s%s", text->size ? ", or " : "", title,
			      option ? " " : "", option ? option : "");
		if (col->estimated)
			strbuf_puts(text, " of a sample");
		if (col->rows && !(col->rows & ROWS(CALLSITE))) {
			for (kind = SUBJECT_NONE; !(col->rows >> kind & 1);)
				kind++;
			strbuf_printf(text, kind ? " --by %s" : " --alloc",
				      subjects_word(kind));
		}
	}
}

int stat_keys_check(const struct sort_keys *keys, const struct report *r,
		    const char *command)
{
	struct strbuf __auto_free options = { 0 };
	const struct sort_key *key;

	key = FIND(one, keys->keys, keys->nr,
		   !ANY(i, r->nr_tables, table_key_column(r->tables[i], one->name) >= 0));
	if (!key)
		return GO_ON;
	add_options(&options, key->name, command);
	return message_fail(
		EXIT_USAGE, command,
		"-s %s: no table of this report has this column\n  It needs: %s",
		key->name, strbuf_text(&options));
}

void stat_keys_estimate(struct sort_keys *keys)
{
	for (size_t i = 0; i < keys->nr; i++) {
		if (!strcmp(keys->keys[i].name, "net"))
			keys->keys[i].name = "net_estimate";
	}
}

int stat_keys_sort(struct table *t, const struct sort_keys *keys)
{
	int err = table_sort(t, keys->keys, keys->nr);

	return err || t->sorted_by ? err : table_sort_usual(t);
}

/* Shows the net bytes seen in events, if the estimate differs from them in some row. */
static void show_seen(struct table *t)
{
	int seen = table_column(t, "net"), likely = table_column(t, "net_estimate");

	for (size_t row = 0; seen >= 0 && likely >= 0 && row < t->nr_rows; row++) {
		const struct cell *cells = &t->cells[row * t->nr_columns];

		if (cells[seen].u != cells[likely].u)
			table_show_column(t, "net");
	}
}

void stat_keys_show(struct table *t, const struct sort_keys *keys, bool live)
{
	bool net = live;

	for (size_t i = 0; i < keys->nr; i++) {
		int column = table_key_column(t, keys->keys[i].name);

		if (column < 0)
			continue;
		t->columns[column].hidden = false;
		table_show_range(t, t->columns[column].name);
		net |= !strcmp(keys->keys[i].name, "net_estimate");
	}
	if (live)
		table_show_range(t, NULL);
	if (net)
		show_seen(t);
}

/* A cell such as "callsite,stack": the rows of tables with the column; empty if all tables have it.
 */
static struct cell rows_cell(struct table *t, uint32_t rows)
{
	struct strbuf sb = { 0 };

	for (unsigned int kind = 0; kind < SUBJECT_NR; kind++) {
		if (rows >> kind & 1)
			strbuf_printf(&sb, "%s%s", sb.size ? "," : "",
				      kind ? subjects_word(kind) : "address");
	}
	return rows ? cell_strbuf(t, &sb) : (struct cell){ .type = CELL_NONE };
}

/* Adds the tables of @command to @tables, and their columns to @columns. */
static void add_help(struct table *tables, struct table *columns, const char *command)
{
	const struct table_type *const *type;
	const struct column_type *col;
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = stat_analyses_next(command, &i));) {
		for (type = analysis->tables; *type; type++) {
			TABLE_ROW(tables, cell_text(tables, (*type)->name),
				  cell_text(tables, (*type)->sort),
				  cell_text(tables, (*type)->help));
			for (col = (*type)->columns; col->column.name; col++) {
				const struct column *c = &col->column;

				TABLE_ROW(
					columns, cell_text(columns, (*type)->name),
					cell_text(columns, c->name),
					cell_text(columns, column_unit_name(c->unit)),
					rows_cell(columns, col->rows),
					cell_text(columns, c->title ? c->title : c->name),
					cell_text(columns, c->help));
			}
		}
	}
}

/* Adds both tables to @r. Without memory, @r has failed. */
static void add_help_tables(struct report *r, const char *command)
{
	struct strbuf __auto_free title = { 0 };
	struct table *tables, *columns;
	bool added;

	strbuf_printf(&title, "Tables of kmemx %s", command);
	tables = table_new("tables", strbuf_text(&title));
	columns = table_new("columns",
			    "Columns of these tables, which are also the sort keys");
	added = report_add_table(r, tables);
	if (report_add_table(r, columns) && added) {
		TABLE_COLUMNS(
			tables, { .name = "table", .title = "Table" },
			{ .name = "sort", .title = "Sorted by", .drop = 90 },
			{ .name = "help", .title = "Rows", .last = true, .words = true });
		TABLE_COLUMNS(columns, { .name = "table", .title = "Table" },
			      { .name = "column", .title = "Column" },
			      { .name = "unit", .title = "Unit", .drop = 80 },
			      { .name = "by", .title = "Only by", .drop = 90 },
			      { .name = "title", .title = "Title", .drop = 70 },
			      { .name = "help",
				.title = "Meaning",
				.last = true,
				.words = true });
		add_help(tables, columns, command);
	}
}

int stat_columns(const struct output_options *output, const char *command)
{
	struct report *r = report_new();
	int ret = EXIT_FAILED;

	if (r) {
		r->subject = "kmemx";
		report_add_text_fact(r, "version", KMEMX_VERSION);
		add_help_tables(r, command);
	}
	if (report_ok(r))
		ret = output_report(output, command, r, render_text);
	else
		message_error(command, "out of memory");
	report_free(r);
	return ret;
}
