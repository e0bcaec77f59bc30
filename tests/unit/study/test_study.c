// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: study/study.h: what it opens, and the error for each thing that is missing.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_trace_dat.h"
#include "study/study.h"
#include "study/study_facts.h"

#define FIXTURE "data/bookworm-amd64-small-stack.v7.dat"
/* Its clock does not count time. */
#define COUNTER "data/variants-amd64-clock-counter.v7.dat"

static const struct event_stream_options plainly;

static struct study_options everything(void)
{
	return (struct study_options){ .path = FIXTURE,
				       .want_symbols = true,
				       .want_rule = true,
				       .want_dirs = true,
				       .dirs = { .source = "data/toy-kernel" } };
}

/* Checks that opening @opts fails for @part with @err, and closes what was open. */
static void fails(const struct study_options *opts, enum study_part part, int err)
{
	struct study s;

	ck_assert_int_eq(study_open(&s, opts), err);
	ck_assert_int_eq(s.failure.part, part);
	ck_assert_int_eq(s.failure.err, err);
	study_close(&s);
}

static uint64_t read_all(const struct study *s)
{
	struct kmem_event ev;
	uint64_t nr = 0;
	int ret;

	while ((ret = event_stream_next(s->stream, &ev)) > 0)
		nr++;
	ck_assert_int_eq(ret, 0);
	return nr;
}

START_TEST(opens_everything)
{
	const struct study_options opts = everything();
	struct analysis_env env;
	struct study s;

	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_str_eq(s.path, FIXTURE);
	ck_assert_uint_gt(symbols_count(s.syms), 500);
	ck_assert_int_eq(s.origin.kind, SYMBOLS_RECORDED);
	ck_assert_ptr_nonnull(s.rule);
	ck_assert_ptr_nonnull(s.dirs);
	ck_assert_ptr_null(s.stream);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	env = study_env(&s);
	ck_assert_ptr_eq(env.rec, s.rec);
	ck_assert_ptr_eq(env.stream, s.stream);
	ck_assert_ptr_eq(env.dirs, s.dirs);
	ck_assert_ptr_eq(env.rule, s.rule);
	ck_assert_uint_eq(env.page_size, 4096);
	study_close(&s);
	study_close(&s); /* may be called twice */
}
END_TEST

START_TEST(opens_only_what_is_wanted)
{
	const struct study_options opts = { .path = FIXTURE };
	struct study s;

	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_ptr_nonnull(s.rec);
	ck_assert_ptr_nonnull(s.fmts);
	ck_assert_ptr_null(s.syms);
	ck_assert_ptr_null(s.rule);
	ck_assert_ptr_null(s.dirs);
	ck_assert_int_eq(study_open_symbols(&s, &opts.symbols), 0);
	ck_assert_uint_gt(symbols_count(s.syms), 500);
	study_close(&s);
}
END_TEST

START_TEST(reads_as_often_as_asked)
{
	const struct study_options opts = { .path = FIXTURE };
	uint64_t first, done, total, slab, page;
	struct study s;

	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	study_progress(&s, &done, &total);
	ck_assert_uint_lt(done, total);
	first = read_all(&s);
	study_progress(&s, &done, &total);
	ck_assert_uint_gt(total, 0);
	ck_assert_uint_eq(done, total);
	slab = study_count(&s, NEEDS_SLAB, NULL);
	page = study_count(&s, NEEDS_PAGE, NULL);
	ck_assert_uint_gt(slab, 0);
	ck_assert_uint_gt(page, 0);
	ck_assert_uint_le(slab + page, first);
	ck_assert_uint_gt(study_count(&s, 0, "kfree"), 0);
	ck_assert_uint_lt(study_count(&s, 0, "kfree"), slab);
	ck_assert_uint_eq(study_count(&s, 0, "no_such_event"), 0);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	ck_assert_uint_lt(study_count(&s, NEEDS_SLAB, NULL), slab);
	ck_assert_uint_eq(read_all(&s), first);
	ck_assert_uint_eq(study_count(&s, NEEDS_SLAB, NULL), slab);
	study_close(&s);
}
END_TEST

START_TEST(reads_a_window)
{
	struct study_options opts = { .path = FIXTURE };
	struct study_facts all, part;
	struct study s;

	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	read_all(&s);
	study_facts_init(&all, &s, s.window.buffer);
	study_close(&s);
	opts.window.time = "25%,50%";
	ck_assert_int_eq(time_window_parse(&opts.window.parsed, opts.window.time), 0);
	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_int_eq(study_place_window(&s), 0);
	ck_assert_uint_gt(s.window.start_ts, s.window.first_ts);
	ck_assert_uint_lt(s.window.stop_ts, s.window.last_ts);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	read_all(&s);
	study_facts_init(&part, &s, s.window.buffer);
	ck_assert_str_eq(part.span, "window");
	ck_assert_uint_gt(part.nr_events, 0);
	ck_assert_uint_lt(part.nr_events, all.nr_events);
	ck_assert_uint_ge(part.first_ts, s.window.start_ts);
	ck_assert_uint_le(part.last_ts, s.window.stop_ts);
	study_close(&s);
}
END_TEST

/* A flight recording's span begins when events of all CPUs exist; a given window is used as it is.
 */
START_TEST(begins_a_flight_where_all_is_known)
{
	struct study_options opts = { .path = FIXTURE };
	char flight[] = RECORDING_META_FLIGHT, cause[] = "oom";
	char span[] = RECORDING_META_SPAN, times[64];
	struct recording_text meta[] = { { flight, cause, 3 }, { span, times, 0 } };
	struct recording_text *before;
	struct study_facts f;
	uint64_t all, start;
	size_t nr_before;
	struct study s;

	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	all = read_all(&s);
	start = s.window.first_ts + (s.window.last_ts - s.window.first_ts) / 2;
	snprintf(times, sizeof(times), "%" PRIu64 " %" PRIu64, start, s.window.last_ts);
	before = s.rec->meta;
	nr_before = s.rec->nr_meta;
	s.rec->meta = meta;
	s.rec->nr_meta = 2;
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	ck_assert_uint_eq(s.window.start_ts, start);
	ck_assert_uint_lt(read_all(&s), all);
	study_facts_init(&f, &s, s.window.buffer);
	ck_assert_str_eq(f.flight, "oom");
	ck_assert_str_eq(f.span, "recorded");
	ck_assert_uint_eq(f.duration_ns, s.window.last_ts - start);
	ck_assert_uint_ge(f.first_ts, start);
	s.window.time = "0%,";
	ck_assert_int_eq(time_window_parse(&s.window.parsed, s.window.time), 0);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	ck_assert_uint_eq(read_all(&s), all);
	s.rec->meta = before;
	s.rec->nr_meta = nr_before;
	study_close(&s);
}
END_TEST

/* The instance that is selected if "" is asked for, in a recording with these ring buffers. */
static const char *top_of(const char *second, const char *third, const char *frees)
{
	static const char *const formats[] = { "name: one\nID: 300\n" };
	const struct file_build file = {
		.version = 6,
		.long_size = 8,
		.page_size = 4096,
		.tag = "flyrecord",
		.nr_buffers = third ? 3 : 2,
		.buffers = { { "", 1, { NULL } },
			     { second, 1, { NULL } },
			     { third, 1, { NULL } } },
		.meta_name = RECORDING_META_FREES,
		.meta_text = frees,
		.formats = formats,
		.nr_formats = 1,
	};
	struct strbuf bytes = build_file(&file);
	int fd = memfd_create("buffers", 0);
	struct study_options opts = { .window.instance = "" };
	const char *selected;
	struct study s;
	char path[64];

	ck_assert_int_eq(write(fd, bytes.data, bytes.size), (ssize_t)bytes.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opts.path = path;
	ck_assert_int_eq(study_open(&s, &opts), 0);
	selected = s.window.instance;
	study_close(&s);
	strbuf_free(&bytes);
	close(fd);
	return selected;
}

/* The top buffer of a recording of some tasks includes the frees by all tasks. */
START_TEST(keeps_frees_with_the_top_buffer)
{
	ck_assert_ptr_null(top_of("frees", NULL, "all"));
	ck_assert_str_eq(top_of("frees", NULL, "part"), "");
	ck_assert_str_eq(top_of("slab", NULL, "all"), "");
	ck_assert_str_eq(top_of("frees", "slab", "all"), "");
}
END_TEST

START_TEST(reads_standard_input)
{
	struct study_options opts = { .path = "-", .tmpdir = "/tmp" };
	int fds[2], saved = dup(STDIN_FILENO), from = open(FIXTURE, O_RDONLY);
	struct study s;
	pid_t pid;

	ck_assert_int_ge(from, 0);
	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		char buf[4096];
		ssize_t got;

		while ((got = read(from, buf, sizeof(buf))) > 0)
			if (write(fds[1], buf, (size_t)got) != got)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	ck_assert_int_eq(study_open(&s, &opts), 0);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fds[0]);
	close(from);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	ck_assert_uint_gt(read_all(&s), 1000);
	study_close(&s);
}
END_TEST

START_TEST(says_which_file_fails)
{
	struct study_options opts = { .path = "data/no-such.dat" };

	fails(&opts, STUDY_FILE, -ENOENT);
	opts.path = "/dev/null";
	fails(&opts, STUDY_FILE, -ENODEV);
	opts.path = "data/README.md";
	fails(&opts, STUDY_RECORDING, -EPROTO);
}
END_TEST

/* A recording without a format of kmem. */
START_TEST(says_that_there_are_no_formats)
{
	const struct file_build b = { .version = 6,
				      .tag = "flyrecord",
				      .long_size = 8,
				      .page_size = 4096,
				      .nr_buffers = 1,
				      .buffers = { { .name = "", .nr_cpus = 1 } } };
	struct strbuf bytes = build_file(&b);
	struct study_options opts = { 0 };
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[64];

	ck_assert_int_eq(write(fd, bytes.data, bytes.size), (ssize_t)bytes.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opts.path = path;
	fails(&opts, STUDY_FORMATS, -ENODATA);
	strbuf_free(&bytes);
	close(fd);
}
END_TEST

/* Data from a pipe needs a directory. */
START_TEST(says_that_there_is_no_place_for_a_pipe)
{
	struct study_options opts = { .path = "-", .tmpdir = "/no-such" };
	int fds[2], saved = dup(STDIN_FILENO);

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	close(fds[1]);
	fails(&opts, STUDY_FILE, -ENOENT);
	dup2(saved, STDIN_FILENO);
	close(saved);
}
END_TEST

START_TEST(says_which_expression_fails)
{
	static const char *const skip[] = { "^fine$", "(" };
	struct study_options opts = everything();
	struct study s;

	opts.skip = skip;
	opts.nr_skip = 2;
	ck_assert_int_eq(study_open(&s, &opts), -EINVAL);
	ck_assert_int_eq(s.failure.part, STUDY_RULE);
	ck_assert_ptr_nonnull(strchr(strbuf_text(&s.failure.text), '('));
	study_close(&s);
}
END_TEST

static void symbols_fail(const struct symbol_files *files, enum symbol_problem problem,
			 int err)
{
	struct study_options opts = everything();
	struct study s;

	opts.symbols = *files;
	ck_assert_int_eq(study_open(&s, &opts), err);
	ck_assert_int_eq(s.failure.part, STUDY_SYMBOL_FILE);
	ck_assert_int_eq(s.failure.symbols.problem, problem);
	ck_assert_int_eq(s.failure.symbols.err, err);
	study_close(&s);
}

START_TEST(says_why_symbols_do_not_fit)
{
	/* Three functions of the recording, each moved by another offset. */
	static const char map[] = "ffffffff81000000 T vm_area_dup\n"
				  "ffffffff82000000 T getname_flags\n"
				  "ffffffff81000010 T do_anonymous_page\n"
				  "ffffffff83000010 T alloc_empty_file\n";
	int fd = memfd_create("System.map", MFD_CLOEXEC);
	char path[64];

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, map, sizeof(map) - 1), sizeof(map) - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	symbols_fail(&(struct symbol_files){ .kallsyms = "data/no-such" },
		     SYMBOLS_UNREADABLE, -ENOENT);
	symbols_fail(&(struct symbol_files){ .vmlinux = "data/no-such" },
		     SYMBOLS_UNREADABLE, -ENOENT);
	symbols_fail(&(struct symbol_files){ .vmlinux = "data/README.md" },
		     SYMBOLS_NO_ELF, -ENOEXEC);
	symbols_fail(&(struct symbol_files){ .system_map = path }, SYMBOLS_OTHER_NAMES,
		     -EXDEV);
	close(fd);
}
END_TEST

static void dirs_fail(const struct dir_files *files, int which, int err)
{
	struct study_options opts = everything();
	struct study s;

	opts.dirs = *files;
	ck_assert_int_eq(study_open(&s, &opts), err);
	ck_assert_int_eq(s.failure.part, STUDY_DIR_FILE);
	ck_assert_int_eq((int)s.failure.dirs.which, which);
	study_close(&s);
}

START_TEST(says_which_source_of_directories_fails)
{
	dirs_fail(&(struct dir_files){ .source = "data/no-such" }, DIR_FILE_SOURCE,
		  -ENOENT);
	dirs_fail(&(struct dir_files){ .modules = "data/no-such",
				       .source = "data/toy-kernel" },
		  DIR_FILE_MODULES, -ENOENT);
	dirs_fail(&(struct dir_files){ .modules = "data/toy-kernel/mm" },
		  DIR_FILE_MODULES, -ENODATA);
#ifdef HAVE_LIBDW
	dirs_fail(&(struct dir_files){ .vmlinux = "data/no-such" }, DIR_FILE_VMLINUX,
		  -ENOENT);
#else
	dirs_fail(&(struct dir_files){ .vmlinux = "data/no-such" }, DIR_FILE_VMLINUX,
		  -EOPNOTSUPP);
#endif
}
END_TEST

/* Sources that are already open belong to the caller, and two studies can use them. */
START_TEST(shares_sources)
{
	const struct dir_files files = { .source = "data/toy-kernel" };
	struct study_options opts = { .path = FIXTURE, .want_symbols = true };
	struct directory_sources sources;
	struct dir_failure failure;
	struct study s;
	int i;

	ck_assert_int_eq(dir_files_open(&sources, &files, &failure), 0);
	opts.sources = &sources;
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(study_open(&s, &opts), 0);
		ck_assert_ptr_nonnull(s.dirs);
		study_close(&s);
	}
	directory_sources_free(&sources);
}
END_TEST

START_TEST(says_that_the_window_cannot_be_placed)
{
	struct study_options opts = { .path = FIXTURE, .window = { .time = "50%,40%" } };
	struct study s;

	ck_assert_int_eq(time_window_parse(&opts.window.parsed, opts.window.time), 0);
	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_int_eq(study_read(&s, &plainly), -ERANGE);
	ck_assert_int_eq(s.failure.part, STUDY_WINDOW);
	ck_assert_ptr_null(s.stream);
	study_close(&s);
	opts.path = COUNTER;
	opts.window.time = "+1s,+2s";
	ck_assert_int_eq(time_window_parse(&opts.window.parsed, opts.window.time), 0);
	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_int_eq(study_place_window(&s), -EOPNOTSUPP);
	ck_assert_int_eq(s.failure.part, STUDY_WINDOW);
	study_close(&s);
}
END_TEST

/* The stream that was open is closed, too. */
START_TEST(says_that_there_is_no_such_instance)
{
	const struct study_options opts = { .path = FIXTURE };
	struct study s;

	ck_assert_int_eq(study_open(&s, &opts), 0);
	ck_assert_int_eq(study_read(&s, &plainly), 0);
	s.window.instance = "no such";
	ck_assert_int_eq(study_read(&s, &plainly), -ENOENT);
	ck_assert_int_eq(s.failure.part, STUDY_INSTANCE);
	ck_assert_ptr_null(s.stream);
	study_close(&s);
}
END_TEST

Suite *test_study_suite(void)
{
	Suite *s = suite_create("study/study");
	TCase *tc = tcase_create("opening");

	tcase_add_test(tc, opens_everything);
	tcase_add_test(tc, opens_only_what_is_wanted);
	tcase_add_test(tc, reads_as_often_as_asked);
	tcase_add_test(tc, reads_a_window);
	tcase_add_test(tc, begins_a_flight_where_all_is_known);
	tcase_add_test(tc, keeps_frees_with_the_top_buffer);
	tcase_add_test(tc, reads_standard_input);
	tcase_add_test(tc, shares_sources);
	suite_add_tcase(s, tc);
	tc = tcase_create("failing");
	tcase_add_test(tc, says_which_file_fails);
	tcase_add_test(tc, says_that_there_are_no_formats);
	tcase_add_test(tc, says_that_there_is_no_place_for_a_pipe);
	tcase_add_test(tc, says_which_expression_fails);
	tcase_add_test(tc, says_why_symbols_do_not_fit);
	tcase_add_test(tc, says_which_source_of_directories_fails);
	tcase_add_test(tc, says_that_the_window_cannot_be_placed);
	tcase_add_test(tc, says_that_there_is_no_such_instance);
	suite_add_tcase(s, tc);
	return s;
}
