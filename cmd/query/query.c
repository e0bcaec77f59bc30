// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx query.
 * In: recordings or files of exported rows; SQL. Out: its result, as a table.
 */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/safe_text.h"
#include "cmd/input/input.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/query/query_load.h"
#include "query/ask.h"
#include "query/schema.h"

static const char command_name[] = "query";

#define SQL_MAX (1U << 20)

/**
 * struct query_run - the options, and what is open
 * @sql: the statement; in @text if it was read from a file
 * @deadline_ns: when --timeout ends; 0: never
 */
struct query_run {
	struct option_strings set;
	const char *sql_file, *show;
	bool list, schema;
	uint64_t timeout, lines;
	struct output_options output;
	struct query_load load;
	struct query_files files;
	struct query_setting *settings;
	struct strbuf text;
	const char *sql;
	const struct query_named *named;
	struct report *report;
	uint64_t deadline_ns;
};

static int parse(struct query_run *run, int argc, char **argv, int *operands)
{
	const struct option_entry options[] = {
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "db", "FILE", &run->load.db,
		  "keep the rows in FILE; read only new and changed files" },
		{ OPTION_POSITIVE_DURATION, 0, "keep", "TIME", &run->load.keep,
		  "with --db: remove recordings that are older: 90d" },
		NO_INLINE_OPTION(run->load.no_inline),
		JOBS_OPTION(&run->load.jobs),
		{ OPTION_SIZE, 0, "max-memory", "SIZE", &run->load.memory,
		  "for rows and results (default: half of the machine's)" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to ask" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "list", NULL, &run->list,
		  "list the built-in queries" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "show", "NAME", &run->show,
		  "print the SQL of a built-in query" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "schema", NULL, &run->schema,
		  "list the tables' columns, with units and meaning" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "sql-file", "FILE", &run->sql_file,
		  "read the SQL from FILE; all operands are files to load" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 0, "set", "NAME=VALUE", &run->set,
		  "set the value of :NAME in the SQL; may be repeated" },
		{ OPTION_DURATION, 0, "timeout", "TIME", &run->timeout,
		  "stop a query that takes longer: 30s, 10m" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "How to show it" },
		LINES_OPTION(run->lines),
		{ OPTION_COUNT, 'v', "verbose", NULL, &run->load.verbose,
		  "more messages about recordings" },
		FORMAT_OPTIONS(run->output),
		OUTPUT_OPTIONS(run->output),
		OPTIONS_END,
	};
	int ret = options_parse(&command_query, options, argc, argv, operands);

	run->output.verbose = run->load.verbose != 0;
	if (ret == GO_ON && run->load.keep && !run->load.db)
		return message_fail(
			EXIT_USAGE, command_name,
			"--keep needs --db: only a database keeps recordings");
	return ret ?: output_check(&run->output, command_name);
}

static int list_queries(void)
{
	const struct query_named *q;

	for (size_t i = 0; (q = query_named_at(i)); i++)
		printf("%-14s  %s%s%s%s\n", q->name, q->title, q->needs ? ": --set " : "",
		       q->needs ? q->needs : "", q->needs ? "=..." : "");
	return EXIT_OK;
}

static int show_query(const char *name)
{
	const struct query_named *q = query_named_find(name);

	if (!q)
		return query_unknown(name);
	fputs(q->sql, stdout);
	return EXIT_OK;
}

static int show_report(struct query_run *run)
{
	if (!report_ok(run->report))
		return message_no_memory(command_name);
	return output_report(&run->output, command_name, run->report, render_text);
}

static int show_schema(struct query_run *run)
{
	run->report = report_new();
	if (!run->report)
		return message_no_memory(command_name);
	report_add_table(run->report, query_schema_table());
	run->report->subject = "query";
	return show_report(run);
}

#ifdef HAVE_SQLITE

/* Divides "name=value" of each --set. */
static int read_settings(struct query_run *run)
{
	run->settings = calloc(run->set.count + 1, sizeof(*run->settings));
	if (!run->settings)
		return message_no_memory(command_name);
	for (size_t i = 0; i < run->set.count; i++) {
		const char *item = run->set.items[i];
		char *equals = strchr(item, '=');

		if (!equals || equals == item)
			return message_fail(
				EXIT_USAGE, command_name,
				"--set takes NAME=VALUE, not '%s'\n  For example: --set kernel=6.1",
				item);
		*equals = '\0';
		run->settings[i] = (struct query_setting){ item, equals + 1 };
	}
	return GO_ON;
}

static int read_sql(struct query_run *run)
{
	bool standard = !strcmp(run->sql_file, "-");
	int fd = standard ? STDIN_FILENO : io_open_input(run->sql_file, IO_FILE_OR_PIPE);
	int err = fd < 0 ? fd : text_read(&run->text, fd, SQL_MAX);

	if (fd >= 0 && !standard)
		close(fd);
	if (err == -ENOMEM)
		return message_no_memory(command_name);
	if (err && err != -EFBIG)
		return message_fail(EXIT_UNREADABLE, command_name, "cannot read %s: %s",
				    run->sql_file, io_strerror(err));
	run->sql = strbuf_text(&run->text);
	if (!err && strlen(run->sql) == run->text.size)
		return GO_ON;
	return message_fail(EXIT_USAGE, command_name, "%s is not SQL: it %s",
			    run->sql_file,
			    err ? "is larger than 1 MiB" : "has a NUL byte");
}

static int no_query(const char *path)
{
	return message_fail(
		EXIT_USAGE, command_name,
		"the query is missing: after the files, give SQL or the name of a query\n  For example: kmemx query %s top-callsites    all names: kmemx query --list",
		SHELL_NAME(path));
}

/* Takes the last operand as a query: SQL has a blank, bracket or semicolon, unless a file has this
 * name.
 */
static int choose_query(struct query_run *run, const char *word)
{
	struct stat st;

	run->named = query_named_find(word);
	run->sql = run->named ? run->named->sql : word;
	if (run->named)
		return GO_ON;
	if (!strcmp(word, "-") || !stat(word, &st))
		return no_query(word);
	return word[strcspn(word, " \t\n(;")] ? GO_ON : query_unknown(word);
}

/* Sets the query, its parameters and its files. */
static int choose(struct query_run *run, int argc, char **argv, int operands)
{
	int ret = run->sql_file ? read_sql(run) : GO_ON;

	if (!run->sql_file && operands == argc)
		return no_query(INPUT_DEFAULT);
	if (!run->sql_file)
		ret = choose_query(run, argv[--argc]);
	ret = ret ?: read_settings(run);
	if (ret == GO_ON && operands == argc && !run->load.db)
		ret = query_files_add(&run->files, INPUT_DEFAULT);
	for (; operands < argc && ret == GO_ON; operands++)
		ret = query_files_add(&run->files, argv[operands]);
	return ret;
}

static bool is_late(void *ctx)
{
	const struct query_run *run = ctx;

	return run->deadline_ns && clock_ns(CLOCK_MONOTONIC) > run->deadline_ns;
}

/* Says how certain the result is. @whole: incomplete recordings are left out. */
static void put_certainty(struct report *r, const struct query_totals *t, bool whole)
{
	const char *names = "(kmemx query ... untrusted names them)";

	if (t->untrusted && whole)
		report_add_banner(
			r, true,
			"%" PRIu64
			" of these recordings lost events or %s cut short, and %s left out %s",
			t->untrusted, t->untrusted == 1 ? "was" : "were",
			t->untrusted == 1 ? "is" : "are", names);
	else if (t->untrusted)
		report_add_banner(
			r, true,
			"%" PRIu64
			" of these recordings lost events or %s cut short: totals are at least what is shown (kmemx query ... untrusted)",
			t->untrusted, t->untrusted == 1 ? "was" : "were");
	if (t->partial && whole)
		report_add_banner(
			r, true,
			"%" PRIu64
			" of these recordings %s a sample, whose figures are scaled up, or of some tasks or events, which are left out",
			t->partial, t->partial == 1 ? "is" : "are");
	else if (t->partial)
		report_add_banner(
			r, true,
			"%" PRIu64
			" of these recordings %s a sample, or of some tasks or events: rows are of what was recorded (columns sample, scope)",
			t->partial, t->partial == 1 ? "is" : "are");
}

/* Says how many recordings and rows were queried. */
static void put_banner(struct report *r, const struct query_totals *t,
		       const struct query_load *load, bool whole)
{
	struct strbuf __auto_free hosts = { 0 };

	/* Recordings of trace-cmd do not name their host. */
	if (t->hosts)
		strbuf_printf(&hosts, " of %" PRIu64 " host%s", t->hosts,
			      plural(t->hosts));
	report_add_banner(r, false, "%" PRIu64 " recording%s%s, %" PRIu64 " row%s",
			  t->recordings, plural(t->recordings), strbuf_text(&hosts),
			  t->rows, plural(t->rows));
	r->failed |= hosts.failed;
	report_banner_if(r, load->db, false,
			 "%s has %" PRIu64 " file%s, of which %zu %s read now", load->db,
			 t->files, plural(t->files), load->nr_loaded,
			 load->nr_loaded == 1 ? "was" : "were");
	report_banner_if(
		r, t->unreadable, true,
		"%" PRIu64
		" file%s cannot be read and %s no rows (columns file and problem of the table files)",
		t->unreadable, plural(t->unreadable),
		t->unreadable == 1 ? "has" : "have");
	put_certainty(r, t, whole);
	report_banner_if(r, t->repeated, true,
			 "%" PRIu64
			 " row%s left out: an earlier file has the same recording",
			 t->repeated, t->repeated == 1 ? " was" : "s were");
	report_banner_if(
		r, t->large, true,
		"%" PRIu64
		" number%s of 2^63 or more became floating point: totals with them are not exact",
		t->large, plural(t->large));
}

static void put_facts(struct report *r, const struct query_totals *t, bool is_db)
{
	r->subject = "query";
	report_add_fact(r, "files", cell_uint(t->files));
	if (is_db)
		report_add_fact(r, "unreadable", cell_uint(t->unreadable));
	report_add_fact(r, "recordings", cell_uint(t->recordings));
	report_add_fact(r, "hosts", cell_uint(t->hosts));
	report_add_fact(r, "rows", cell_uint(t->rows));
	report_add_fact(r, "untrusted", cell_uint(t->untrusted));
	report_add_fact(r, "partial", cell_uint(t->partial));
	report_add_fact(r, "repeated", cell_uint(t->repeated));
	report_add_fact(r, "large", cell_uint(t->large));
}

static int ask(struct query_run *run)
{
	const struct query_ask ask = {
		.sql = run->sql,
		.title = run->named ? run->named->title : "Result",
		.settings = run->settings,
		.nr_settings = run->set.count,
		.memory = run->load.memory,
		.stop = is_late,
		.ctx = run,
	};
	struct query_failure why = { 0 };
	struct table *t;
	int ret;

	if (run->timeout)
		run->deadline_ns = clock_ns(CLOCK_MONOTONIC) + run->timeout;
	t = query_ask(run->load.store, &ask, &why);
	ret = t ? GO_ON : query_failed(&ask, &why);
	strbuf_free(&why.text);
	if (ret != GO_ON)
		return ret;
	row_limit_apply(run->lines, t);
	run->report = report_new();
	if (!run->report) {
		table_free(t);
		return message_no_memory(command_name);
	}
	put_banner(run->report, query_store_totals(run->load.store), &run->load,
		   run->named && run->named->whole);
	put_facts(run->report, query_store_totals(run->load.store), run->load.db);
	report_add_table(run->report, t);
	return show_report(run);
}

/* Default limit: half of the machine's memory. */
static uint64_t usual_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : 1U << 30;
}

static int load_and_ask(struct query_run *run)
{
	const struct query_totals *t;
	int ret;

	if (!run->load.memory)
		run->load.memory = usual_memory();
	ret = query_store_open(&run->load.store, run->load.db, run->load.memory);
	if (ret)
		return query_load_failed(&run->load, ret);
	ret = query_load(&run->load, &run->files);
	t = query_store_totals(run->load.store);
	/* If a database could read no file, its table "files" says why. */
	if (ret == GO_ON && !t->rows && !t->unreadable)
		return message_fail(EXIT_FAILED, command_name, "the files have no rows");
	return ret ?: ask(run);
}

/* Loads SQLite, the rows and the query, and runs it. */
static int query(struct query_run *run, int argc, char **argv, int operands)
{
	int ret;

	if (query_store_load())
		return message_fail(
			EXIT_FAILED, command_name,
			"SQLite is not installed\n"
			"  Install libsqlite3-0 (Fedora: sqlite-libs; Arch: sqlite)");
	ret = choose(run, argc, argv, operands);
	ret = ret ?: load_and_ask(run);
	query_store_free(run->load.store);
	return ret;
}

#else

static int query(struct query_run *run, int argc, char **argv, int operands)
{
	return message_fail(
		EXIT_FAILED, command_name,
		"this kmemx was built without SQLite\n  Install %s and build it again",
		version_packages("sqlite"));
}

#endif

static int act(struct query_run *run, int argc, char **argv, int operands)
{
	if (run->list)
		return list_queries();
	if (run->show)
		return show_query(run->show);
	return run->schema ? show_schema(run) : query(run, argc, argv, operands);
}

static int run_query(int argc, char **argv)
{
	struct query_run run = { 0 };
	int operands, ret = parse(&run, argc, argv, &operands);

	ret = ret ?: act(&run, argc, argv, operands);
	report_free(run.report);
	query_files_free(&run.files);
	free(run.settings);
	free(run.set.items);
	strbuf_free(&run.text);
	return ret;
}

const struct command command_query = {
	command_name,
	"query the recordings of many machines in SQL",
	COMMAND_LOOK,
	run_query,
	.seldom = true,
	.about = "Query recordings, or the rows of many machines, in SQL.",
	.usage = "kmemx query [options] FILE... SQL|NAME",
	.examples =
		"  kmemx query kmemx.dat top-callsites\n"
		"  kmemx query rows/ 'SELECT host, sum(bytes) FROM allocations GROUP BY host'\n",
	.unfiltered = { "rows are chosen in SQL",
			"For example: ... WHERE comm = 'make'    names of columns: kmemx query --schema" },
};
