// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the option table.
 * In: argument vectors. Out: values, operands, exit codes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/options/options_value.h"

struct values {
	bool page, slab, no_pager, json, csv;
	unsigned int verbose;
	const char *input, *sort, *tree;
	struct option_strings events;
	uint64_t lines, jobs, bytes, ns;
	int operands;
	int argc;
	char *argv[32];
	char text[256];
};

/* Parses @line, split at spaces, and hides the messages. */
static int parse(struct values *v, const char *line, bool stop_at_operand)
{
	const struct command command = { .name = "test",
					 .about = "Test.",
					 .usage = "kmemx test",
					 .stop_at_operand = stop_at_operand };
	struct option_entry numbers[] = {
		{ OPTION_UINT, 'l', "lines", "N", &v->lines, "lines" },
		{ OPTION_POSITIVE, 0, "jobs", "N", &v->jobs, "jobs" },
		{ OPTION_SIZE, 'b', "buffer", "SIZE", &v->bytes, "buffer" },
		{ OPTION_END },
	};
	const struct option_entry options[] = {
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "what" },
		{ OPTION_FLAG, 'p', "page", NULL, &v->page, "pages" },
		{ OPTION_FLAG, 0, "slab", NULL, &v->slab, "slabs" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &v->verbose, "more" },
		{ OPTION_STRING, 'i', "input", "FILE", &v->input, "input" },
		{ OPTION_STRING, 's', "sort", "KEYS", &v->sort, "sort" },
		{ OPTION_OPTIONAL, 0, "tree", "caller|callee", &v->tree, "tree" },
		{ OPTION_STRINGS, 'e', "event", "NAME", &v->events, "event" },
		{ OPTION_TABLE, .value = numbers },
		{ OPTION_DURATION, 0, "duration", "TIME", &v->ns, "time" },
		{ OPTION_FLAG, 0, "no-pager", NULL, &v->no_pager, "no pager" },
		{ OPTION_FLAG | OPTION_CHOICE, 0, "json", NULL, &v->json, "JSON" },
		{ OPTION_FLAG | OPTION_CHOICE, 0, "csv", NULL, &v->csv, "CSV" },
		{ OPTION_HELP, 'h', "help", NULL, NULL, "help" },
		{ OPTION_END },
	};
	int null = open("/dev/null", O_WRONLY), saved = dup(STDERR_FILENO), ret;

	memset(v, 0, sizeof(*v));
	snprintf(v->text, sizeof(v->text), "%s", line);
	v->argv[v->argc++] = "test";
	for (char *rest = v->text; rest && v->argc < 31;)
		v->argv[v->argc++] = strsep(&rest, " ");
	dup2(null, STDERR_FILENO);
	ret = options_parse(&command, options, v->argc, v->argv, &v->operands);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(null);
	return ret;
}

START_TEST(options_stand_anywhere)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "one -p two --lines 7 three -- --slab", false), GO_ON);
	ck_assert(v.page);
	ck_assert(!v.slab);
	ck_assert_uint_eq(v.lines, 7);
	ck_assert_int_eq(v.argc - v.operands, 4);
	ck_assert_str_eq(v.argv[v.operands], "one");
	ck_assert_str_eq(v.argv[v.operands + 1], "two");
	ck_assert_str_eq(v.argv[v.operands + 2], "three");
	ck_assert_str_eq(v.argv[v.operands + 3], "--slab");
}
END_TEST

START_TEST(a_command_ends_the_options)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "-p ls -v --slab", true), GO_ON);
	ck_assert(v.page);
	ck_assert_uint_eq(v.verbose, 0);
	ck_assert_str_eq(v.argv[v.operands], "ls");
	ck_assert_int_eq(parse(&v, "-p -- -v", true), GO_ON);
	ck_assert_str_eq(v.argv[v.operands], "-v");
	ck_assert_int_eq(v.argc - v.operands, 1);
	ck_assert_int_eq(parse(&v, "-p", true), GO_ON);
	ck_assert_int_eq(v.operands, v.argc);
}
END_TEST

START_TEST(values_in_every_form)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "-pvvl5 -s -bytes -ia --event=x -e y -", false),
			 GO_ON);
	ck_assert(v.page);
	ck_assert_uint_eq(v.verbose, 2);
	ck_assert_uint_eq(v.lines, 5);
	ck_assert_str_eq(v.sort, "-bytes");
	ck_assert_str_eq(v.input, "a");
	ck_assert_uint_eq(v.events.count, 2);
	ck_assert_str_eq(v.events.items[0], "x");
	ck_assert_str_eq(v.events.items[1], "y");
	ck_assert_str_eq(v.argv[v.operands], "-");
	free(v.events.items);
}
END_TEST

START_TEST(long_options_abbreviate_and_negate)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "--pa --no-page --sl --verb --no-verbose", false),
			 GO_ON);
	ck_assert(!v.page);
	ck_assert(v.slab);
	ck_assert_uint_eq(v.verbose, 0);
	ck_assert_int_eq(parse(&v, "--s hit", false), EXIT_USAGE); /* slab or sort? */
	ck_assert_int_eq(parse(&v, "--no-input", false), EXIT_USAGE);
}
END_TEST

START_TEST(a_value_may_be_optional)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "file", false), GO_ON);
	ck_assert_ptr_null(v.tree);
	ck_assert_int_eq(parse(&v, "--tree file", false), GO_ON);
	ck_assert_str_eq(v.tree, "");
	ck_assert_str_eq(v.argv[v.operands], "file");
	ck_assert_int_eq(parse(&v, "--tr=callee -p", false), GO_ON);
	ck_assert_str_eq(v.tree, "callee");
	ck_assert(v.page);
	ck_assert_int_eq(parse(&v, "--tree=anything --no-tree", false), GO_ON);
	ck_assert_ptr_null(v.tree);
	/* These look like values, but would be taken for files. */
	ck_assert_int_eq(parse(&v, "--tree callee", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--tree caller", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--tree ./callee", false), GO_ON);
	ck_assert_int_eq(parse(&v, "--tree call", false), GO_ON);
	ck_assert_int_eq(parse(&v, "--tree=caller callee", false), GO_ON);
	ck_assert_int_eq(parse(&v, "--tree", false), GO_ON);
	ck_assert_int_eq(parse(&v, "--no-tree=callee", false), EXIT_USAGE);
	/* The option as a setting. */
	ck_assert_int_eq(parse(&v, "--setting f:1 tree", false), GO_ON);
	ck_assert_str_eq(v.tree, "");
	ck_assert(options_have_setting(v.argc, v.argv, "tree"));
	ck_assert_int_eq(parse(&v, "--setting f:1 tree=callee --tree=caller", false),
			 GO_ON);
	ck_assert_str_eq(v.tree, "caller");
	ck_assert(options_have_setting(v.argc, v.argv, "tree"));
	ck_assert(!options_have_setting(v.argc, v.argv, "tre"));
	ck_assert(!options_have_setting(v.argc, v.argv, "trees"));
	ck_assert_int_eq(parse(&v, "--tree=caller", false), GO_ON);
	ck_assert(!options_have_setting(v.argc, v.argv, "tree"));
}
END_TEST

START_TEST(usage_errors)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "--sotr hit", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "-x", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "-px", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--lines", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "-l", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "-l many", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "-l -1", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--jobs 0", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--jobs 0x0", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--jobs 1", false), GO_ON);
	ck_assert_int_eq(parse(&v, "-l 0", false), GO_ON);
	ck_assert_int_eq(parse(&v, "--page=yes", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "-b 1X", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--duration 1y", false), EXIT_USAGE);
}
END_TEST

START_TEST(settings_come_first)
{
	static const char all[] =
		"--setting f:1 lines=7 --setting f:2 page --setting f:3 event=a "
		"--setting f:4 event=b --setting f:5 pager=false --setting f:6 json=yes ";
	char line[256];
	struct values v;

	snprintf(line, sizeof(line), "%sfile", all);
	ck_assert_int_eq(parse(&v, line, true), GO_ON);
	ck_assert_uint_eq(v.lines, 7);
	ck_assert(v.page && v.no_pager && v.json);
	ck_assert_uint_eq(v.events.count, 2);
	ck_assert_str_eq(v.argv[v.operands], "file");
	ck_assert_int_eq(v.argc - v.operands, 1);
	free(v.events.items);

	/* The command line overrides each setting. */
	snprintf(line, sizeof(line), "%s--no-page -l 2 -e c --pager --csv", all);
	ck_assert_int_eq(parse(&v, line, false), GO_ON);
	ck_assert_uint_eq(v.lines, 2);
	ck_assert(!v.page && !v.no_pager && !v.json && v.csv);
	ck_assert_uint_eq(v.events.count, 1);
	ck_assert_str_eq(v.events.items[0], "c");
	free(v.events.items);
}
END_TEST

START_TEST(a_value_tells_whose_it_is)
{
	struct values v;

	ck_assert_int_eq(
		parse(&v, "--setting f:1 sort=a --setting f:2 input=b -i c d", false),
		GO_ON);
	ck_assert_str_eq(v.sort, "a");
	ck_assert(options_is_setting(v.argc, v.argv, v.sort));
	ck_assert_str_eq(v.input, "c");
	ck_assert(!options_is_setting(v.argc, v.argv, v.input));
	ck_assert(!options_is_setting(v.argc, v.argv, NULL));
}
END_TEST

START_TEST(settings_are_checked)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "--setting f:1 lines=many", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--setting f:1 lines", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--setting f:1 page=maybe", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--setting f:1 verbose=3", false), EXIT_USAGE);
	/* Unknown settings only lead to a message: an older kmemx can use a newer file. */
	ck_assert_int_eq(parse(&v, "--setting f:1 unheard=3 -p", false), GO_ON);
	ck_assert(v.page);
	/* Settings are not abbreviated, and a setting "help" does not print help. */
	ck_assert_int_eq(parse(&v, "--setting f:1 lin=3 --setting f:2 help", false),
			 GO_ON);
	ck_assert_uint_eq(v.lines, 0);
	/* Settings are accepted only before the arguments. */
	ck_assert_int_eq(parse(&v, "-p --setting f:1 lines=3", false), EXIT_USAGE);
	ck_assert_int_eq(parse(&v, "--setting f:1 lines=3 --check-settings", false),
			 EXIT_DONE);
	ck_assert_int_eq(parse(&v, "--setting f:1 verbose --check-settings -v", false),
			 EXIT_USAGE);
}
END_TEST

START_TEST(a_setting_of_a_count)
{
	struct values v;

	ck_assert_int_eq(parse(&v, "--setting f:1 verbose", false), GO_ON);
	ck_assert_uint_eq(v.verbose, 1);
	ck_assert_int_eq(parse(&v, "--setting f:1 verbose -v", false), GO_ON);
	ck_assert_uint_eq(v.verbose, 1);
	ck_assert_int_eq(parse(&v, "--setting f:1 verbose -vv", false), GO_ON);
	ck_assert_uint_eq(v.verbose, 2);
}
END_TEST

static int64_t size_of(const char *text)
{
	uint64_t bytes = 0;
	int err = option_value_size(text, &bytes);

	return err ? err : (int64_t)bytes;
}

START_TEST(sizes)
{
	ck_assert_int_eq(size_of("0"), 0);
	ck_assert_int_eq(size_of("4096"), 4096);
	ck_assert_int_eq(size_of("4096b"), 4096);
	ck_assert_int_eq(size_of("512K"), 512 << 10);
	ck_assert_int_eq(size_of("8m"), 8 << 20);
	ck_assert_int_eq(size_of("8MiB"), 8 << 20);
	ck_assert_int_eq(size_of("1G"), 1 << 30);
	ck_assert_int_eq(size_of(""), -EINVAL);
	ck_assert_int_eq(size_of("K"), -EINVAL);
	ck_assert_int_eq(size_of("1KK"), -EINVAL);
	ck_assert_int_eq(size_of("1iB"), -EINVAL);
	ck_assert_int_eq(size_of(" 1"), -EINVAL);
	ck_assert_int_eq(size_of("18446744073709551616"), -ERANGE);
	ck_assert_int_eq(size_of("99999999999T"), -ERANGE);
}
END_TEST

static int64_t ns_of(const char *text)
{
	uint64_t ns = 0;
	int err = option_value_duration(text, &ns);

	return err ? err : (int64_t)ns;
}

START_TEST(durations)
{
	ck_assert_int_eq(ns_of("2"), 2000000000);
	ck_assert_int_eq(ns_of("1.5s"), 1500000000);
	ck_assert_int_eq(ns_of("0.000000001"), 1);
	ck_assert_int_eq(ns_of("500ms"), 500000000);
	ck_assert_int_eq(ns_of("2.5us"), 2500);
	ck_assert_int_eq(ns_of("1.5m"), 90000000000);
	ck_assert_int_eq(ns_of("1h"), 3600000000000);
	ck_assert_int_eq(ns_of("1."), -EINVAL);
	ck_assert_int_eq(ns_of(".5"), -EINVAL);
	ck_assert_int_eq(ns_of("1.0000000001"), -EINVAL);
	ck_assert_int_eq(ns_of("1y"), -EINVAL);
	ck_assert_int_eq(ns_of("-1"), -EINVAL);
	ck_assert_int_eq(ns_of("9999999999999h"), -ERANGE);
}
END_TEST

static int64_t millionths_of(const char *text)
{
	uint64_t millionths = 0;
	int err = option_value_percent(text, &millionths);

	return err ? err : (int64_t)millionths;
}

START_TEST(percentages)
{
	ck_assert_int_eq(millionths_of("0"), 0);
	ck_assert_int_eq(millionths_of("1"), 10000);
	ck_assert_int_eq(millionths_of("0.5%"), 5000);
	ck_assert_int_eq(millionths_of("0.0001"), 1);
	ck_assert_int_eq(millionths_of("99.9999"), 999999);
	ck_assert_int_eq(millionths_of("100%"), 1000000);
	ck_assert_int_eq(millionths_of("100.1"), -ERANGE);
	ck_assert_int_eq(millionths_of("18446744073709551615"), -ERANGE);
	ck_assert_int_eq(millionths_of("18446744073709551616"), -ERANGE);
	ck_assert_int_eq(millionths_of(""), -EINVAL);
	ck_assert_int_eq(millionths_of("%"), -EINVAL);
	ck_assert_int_eq(millionths_of("1.%"), -EINVAL);
	ck_assert_int_eq(millionths_of("1%%"), -EINVAL);
	ck_assert_int_eq(millionths_of("-1"), -EINVAL);
}
END_TEST

START_TEST(numbers)
{
	uint64_t v = 3;

	ck_assert_int_eq(option_value_uint("0x1F", &v), 0);
	ck_assert_uint_eq(v, 31);
	ck_assert_int_eq(option_value_uint("18446744073709551615", &v), 0);
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert_int_eq(option_value_uint("18446744073709551616", &v), -ERANGE);
	ck_assert_int_eq(option_value_uint("0x", &v), -EINVAL);
	ck_assert_int_eq(option_value_uint("1f", &v), -EINVAL);
	ck_assert_uint_eq(v, UINT64_MAX);
}
END_TEST

START_TEST(rows)
{
	uint64_t value = 5;
	const struct option_entry opt = { OPTION_ROWS, .value = &value };

	ck_assert_int_eq(option_value_store(&opt, "0"), -EDOM);
	ck_assert_int_eq(option_value_store(&opt, "every"), -EINVAL);
	ck_assert_uint_eq(value, 5);
	ck_assert_int_eq(option_value_store(&opt, "1"), 0);
	ck_assert_uint_eq(value, 1);
	ck_assert_int_eq(option_value_store(&opt, "all"), 0);
	ck_assert_uint_eq(value, OPTION_ROWS_ALL);
}
END_TEST

START_TEST(suggestions)
{
	static const char *const keys[] = { "ptr", "callsite", "bytes",
					    "hit", "pingpong", "frag" };
	static const char *const commands[] = { "leaks", "peak", "peek" };
	const size_t n = sizeof(keys) / sizeof(keys[0]);

	ck_assert_str_eq(options_nearest("hits", keys, n), "hit");
	ck_assert_str_eq(options_nearest("calsite", keys, n), "callsite");
	ck_assert_str_eq(options_nearest("btyes", keys, n), "bytes");
	ck_assert_str_eq(options_nearest("ping", keys, n), "pingpong");
	ck_assert_str_eq(options_nearest("peaks", commands, 3), "peak");
	ck_assert_str_eq(options_nearest("beaks", commands, 3), "leaks");
	ck_assert_ptr_null(options_nearest("order", keys, n));
	ck_assert_ptr_null(options_nearest("", keys, n));
	ck_assert_ptr_null(options_nearest("zzz", keys, n));
}
END_TEST

static void check_line(char **argv, const char *without, const char *expected)
{
	struct strbuf line = { 0 };
	int argc = 0;

	while (argv[argc])
		argc++;
	options_command_line(&line, argc, argv, without);
	ck_assert_str_eq(strbuf_text(&line), expected);
	strbuf_free(&line);
}

#define LINE(expected, ...) check_line((char *[]){ __VA_ARGS__, NULL }, NULL, expected)
#define DIFF(expected, ...) \
	check_line((char *[]){ "diff", __VA_ARGS__, NULL }, "html", expected)

START_TEST(as_a_shell_takes_it)
{
	LINE("kmemx record -o a.dat", "record", "-o", "a.dat");
	LINE("kmemx record 'a b' ''\\''' ''", "record", "a b", "'", "");
}
END_TEST

START_TEST(settings_are_options)
{
	LINE("kmemx record --page --'event=a b' -v -- --setting a b", "record",
	     "--setting", "/home/u/config:1", "page", "--setting", "/home/u/config:2",
	     "event=a b", "-v", "--", "--setting", "a", "b");
	LINE("kmemx record --setting", "record", "--setting");
}
END_TEST

START_TEST(an_option_may_be_left_out)
{
	DIFF("kmemx diff a b -l 1", "--html", "p.html", "a", "b", "-l", "1");
	DIFF("kmemx diff a b", "a", "--html=p.html", "b");
	DIFF("kmemx diff a b", "a", "b", "--htm", "p.html");
	DIFF("kmemx diff --metrics=hit a", "--setting", "/home/u/config:1", "html=p.html",
	     "--setting", "/home/u/config:2", "metrics=hit", "a");
	DIFF("kmemx diff --htmlx a -- --html b", "--htmlx", "a", "--", "--html", "b");
	DIFF("kmemx diff", "--html");
}
END_TEST

Suite *test_options_suite(void);
Suite *test_options_suite(void)
{
	Suite *s = suite_create("cmd/options");
	TCase *tc = tcase_create("options");

	tcase_add_test(tc, options_stand_anywhere);
	tcase_add_test(tc, a_command_ends_the_options);
	tcase_add_test(tc, values_in_every_form);
	tcase_add_test(tc, long_options_abbreviate_and_negate);
	tcase_add_test(tc, a_value_may_be_optional);
	tcase_add_test(tc, usage_errors);
	tcase_add_test(tc, settings_come_first);
	tcase_add_test(tc, a_value_tells_whose_it_is);
	tcase_add_test(tc, settings_are_checked);
	tcase_add_test(tc, a_setting_of_a_count);
	tcase_add_test(tc, sizes);
	tcase_add_test(tc, durations);
	tcase_add_test(tc, percentages);
	tcase_add_test(tc, numbers);
	tcase_add_test(tc, rows);
	tcase_add_test(tc, suggestions);
	tcase_add_test(tc, as_a_shell_takes_it);
	tcase_add_test(tc, settings_are_options);
	tcase_add_test(tc, an_option_may_be_left_out);
	suite_add_tcase(s, tc);
	return s;
}
