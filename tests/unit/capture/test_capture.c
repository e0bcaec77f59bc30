// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the parts of capture that need no permission to trace.
 * In: texts and directories made here. Out: checks.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/events/ring_reader.h"
#include "capture/facts/facts.h"
#include "capture/file/new_recording.h"
#include "capture/session/child.h"
#include "remove_tree.h"

Suite *test_capture_suite(void);

/* --- header_page, statistics, notes ------------------------------------------------------ */

START_TEST(test_layout)
{
	static const char page64[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	static const char page32[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:65524;\tsigned:0;\n";
	struct ring_reader r;

	ck_assert_int_eq(ring_reader_init(&r, page64), 0);
	ck_assert_uint_eq(r.subbuf_size, 4096);
	ck_assert_uint_eq(r.data_offset, 16);
	ck_assert_uint_eq(r.long_size, 8);
	ck_assert_int_eq(ring_reader_init(&r, page32), 0);
	ck_assert_uint_eq(r.subbuf_size, 65536);
	ck_assert_uint_eq(r.long_size, 4);
	ck_assert_int_eq(ring_reader_init(&r, ""), -EPROTO);
	ck_assert_int_eq(ring_reader_init(&r,
					  "local_t commit;\toffset:8;\tsize:16;\t"
					  "field: char data;\toffset:24;\tsize:4072;"),
			 -EPROTO);
	ck_assert_int_eq(
		ring_reader_init(&r, "local_t commit;\toffset:8;\tsize:8;\t"
				     "field: char data;\toffset:16;\tsize:4294967280;"),
		-EPROTO);
}
END_TEST

START_TEST(test_number)
{
	static const char stats[] =
		"CPU: 1\nentries: 12\noverrun: 34\ncommit overrun: 5\n"
		"dropped events: 6\nread events: 7\n";

	ck_assert_uint_eq(facts_number(stats, "CPU"), 1);
	ck_assert_uint_eq(facts_number(stats, "overrun"), 34);
	ck_assert_uint_eq(facts_number(stats, "commit overrun"), 5);
	ck_assert_uint_eq(facts_number(stats, "read events"), 7);
	ck_assert_uint_eq(facts_number(stats, "read"), 0);
	ck_assert_uint_eq(facts_number("", "overrun"), 0);
}
END_TEST

START_TEST(test_build_id)
{
	/* A note of another owner with a padded name, followed by the build ID. */
	uint32_t notes[] = { 6, 3, 3, 0x4c4c4c4c,	   htole32(0x4c4c),    0x00030201,
			     4, 4, 3, htole32(0x00554e47), htole32(0x78563412) };
	char hex[ELF_BUILD_ID_MAX];

	ck_assert(elf_notes_build_id(notes, sizeof(notes), HOST_BIG_ENDIAN, hex));
	ck_assert_str_eq(hex, "12345678");
	/* Truncated anywhere, or with an absurd length, they have no build ID. */
	for (size_t size = 0; size < sizeof(notes); size++)
		ck_assert(!elf_notes_build_id(notes, size, HOST_BIG_ENDIAN, hex));
	notes[0] = UINT32_MAX;
	notes[1] = UINT32_MAX;
	ck_assert(!elf_notes_build_id(notes, sizeof(notes), HOST_BIG_ENDIAN, hex));
}
END_TEST

/* Writes a file below @dir and makes its directories. */
static void put_note(const char *dir, const char *path, const void *data, size_t size)
{
	char whole[256], *p;
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", dir, path);
	for (p = whole + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(whole, 0700);
	}
	f = fopen(whole, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, size, f), size);
	fclose(f);
}

START_TEST(test_module_build_ids)
{
	const uint32_t note[] = { 4, 4, 3, 0x00554e47, 0x78563412 };
	char dir[] = "/tmp/kmemx-test-XXXXXX";
	struct strbuf ids = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(dir));
	put_note(dir, "xfs/notes/.note.gnu.build-id", note, sizeof(note));
	put_note(dir, "ext4/notes/.note.gnu.build-id", note, sizeof(note));
	put_note(dir, "cut/notes/.note.gnu.build-id", note, 9);
	put_note(dir, "none/notes/.note.Linux", note, sizeof(note));
	put_note(dir, "builtin/parameters/x", "1", 1);
	ck_assert_int_eq(build_ids_of_modules(dir, &ids), 0);
#if __BYTE_ORDER == __LITTLE_ENDIAN
	ck_assert_str_eq(strbuf_text(&ids), "ext4 12345678\nxfs 12345678\n");
#endif
	strbuf_free(&ids);
	remove_tree(dir);
	ck_assert_int_eq(build_ids_of_modules(dir, &ids), -ENOENT);
}
END_TEST

/* --- names of tasks ---------------------------------------------------------------------- */

/* Adds a record of event @id about @pid at @ts, in the format of struct comms below. */
static void see_name(struct comms *c, uint64_t ts, uint16_t id, uint32_t pid,
		     const char *name)
{
	uint8_t data[28] = { 0 };
	const struct raw_record rec = { .ts = ts, .data = data, .size = sizeof(data) };

	memcpy(data, &id, sizeof(id));
	memcpy(data + 8, &pid, sizeof(pid));
	memcpy(data + 12, name, strnlen(name, 16));
	ck_assert_int_eq(comms_see(c, &rec), 0);
}

START_TEST(test_comms)
{
	const struct comm_event ev = { .id = 300,
				       .pid = { .offset = 8, .size = 4 },
				       .name = { .offset = 12, .size = 16 } };
	const uint16_t short_record[10] = { 300 };
	struct strbuf sb = { 0 };
	struct comms c = { .starts = ev, .renames = ev };

	c.renames.id = 301;
	ck_assert_int_eq(comms_add_text(&c, "12 kworker/0:1 x\n13 <...>\nnonsense\n14 a\n"
					    "15 much-too-long-a-name\n"),
			 0);
	/* The list has an older name; the later event wins, whichever is read first. */
	see_name(&c, 7, 301, 16, "new\n99 forged");
	see_name(&c, 5, 300, 16, "old");
	see_name(&c, 6, 301, 16, "older");
	see_name(&c, 6, 302, 16, "not a name");
	see_name(&c, 8, 300, 17, "sixteen letters!");
	see_name(&c, 9, 300, 18, "begun");
	ck_assert_int_eq(comms_add_text(&c, "16 old\n18 by rename\n"), 0);
	/* The number is used again. */
	see_name(&c, 10, 300, 12, "sh");
	ck_assert_int_eq(
		comms_see(&c, &(struct raw_record){ .data = (const uint8_t *)short_record,
						    .size = sizeof(short_record) }),
		0);
	ck_assert_int_eq(
		comms_see(&c, &(struct raw_record){ .data = (const uint8_t *)short_record,
						    .size = 4 }),
		0);
	comms_format(&c, &sb);
	ck_assert_str_eq(strbuf_text(&sb),
			 "12 sh\n14 a\n15 much-too-long-a\n16 new\n17 sixteen letters\n"
			 "18 by rename\n");
	strbuf_free(&sb);
	comms_free(&c);
	ck_assert_uint_eq(c.renames.id, 301);
}
END_TEST

START_TEST(test_comms_proc)
{
	struct strbuf sb = { 0 };
	struct comms c = { 0 };
	char line[64];

	/* At least this process must be listed, under its name. */
	ck_assert_int_eq(comms_add_proc(&c, "/proc"), 0);
	comms_format(&c, &sb);
	snprintf(line, sizeof(line), "%d ", (int)getpid());
	ck_assert_ptr_nonnull(strstr(strbuf_text(&sb), line));
	ck_assert_int_eq(comms_add_proc(&c, "/no/such/place"), -ENOENT);
	strbuf_free(&sb);
	comms_free(&c);
}
END_TEST

/* --- the command ------------------------------------------------------------------------- */

static int run_child(char *const *argv, struct child *c)
{
	sigset_t none;
	const struct child_options opts = { .sigmask = &none, .marker_fd = -1 };

	sigemptyset(&none);
	ck_assert_int_eq(child_fork(c, argv, &opts), 0);
	ck_assert(!child_check(c, false)); /* it waits */
	ck_assert_int_eq(child_go(c), 0);
	child_exec_result(c);
	ck_assert(child_check(c, true));
	child_close(c);
	return c->status;
}

START_TEST(test_child)
{
	char *const fine[] = { "sh", "-c", "exit 5", NULL };
	char *const missing[] = { "no-such-command-here", NULL };
	char *const plain[] = { "/proc/self/status", NULL };
	struct child c;

	ck_assert_int_eq(WEXITSTATUS(run_child(fine, &c)), 5);
	ck_assert_int_eq(c.exec_errno, 0);
	ck_assert_int_eq(WEXITSTATUS(run_child(missing, &c)), 127);
	ck_assert_int_eq(c.exec_errno, ENOENT);
	ck_assert_int_eq(WEXITSTATUS(run_child(plain, &c)), 126);
	ck_assert_int_eq(c.exec_errno, EACCES);
}
END_TEST

/* The command must not inherit signals that kmemx ignores for itself. */
START_TEST(test_child_signals)
{
	char *const argv[] = { "sh", "-c", "kill -s XFSZ $$; exit 5", NULL };
	struct child c;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert(WIFSIGNALED(run_child(argv, &c)));
	ck_assert_int_eq(WTERMSIG(c.status), SIGXFSZ);
}
END_TEST

/* If the recording fails, the command must not run. */
START_TEST(test_child_never_runs)
{
	char *const argv[] = { "sh", "-c", "exit 5", NULL };
	struct child c;
	sigset_t none;
	const struct child_options opts = { .sigmask = &none, .marker_fd = -1 };

	sigemptyset(&none);
	ck_assert_int_eq(child_fork(&c, argv, &opts), 0);
	child_close(&c);
	ck_assert(c.ended);
	ck_assert_int_eq(WEXITSTATUS(c.status), 0);
}
END_TEST

/* --- the new recording --------------------------------------------------------------------- */

static char dir[] = "/tmp/kmemx-test-XXXXXX";
static int dir_before;

static void enter_dir(void)
{
	snprintf(dir, sizeof(dir), "/tmp/kmemx-test-XXXXXX");
	dir_before = open(".", O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir_before, 0);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

/* Returns to the first directory: with CK_FORK=no, later tests of this process use paths relative
 * to it.
 */
static void leave_dir(void)
{
	ck_assert_int_eq(fchdir(dir_before), 0);
	close(dir_before);
	ck_assert_int_eq(rmdir(dir), 0);
}

static void put_file(const char *name, const char *content)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	fputs(content, f);
	fclose(f);
}

static void check_file(const char *name, const char *content)
{
	char buf[64] = "";
	FILE *f = fopen(name, "r");

	ck_assert_msg(f != NULL, "no file %s", name);
	ck_assert_ptr_eq(fgets(buf, sizeof(buf), f), buf);
	ck_assert_str_eq(buf, content);
	fclose(f);
	unlink(name);
}

START_TEST(test_new_recording)
{
	struct new_recording o;

	enter_dir();
	put_file("r.dat", "first");
	ck_assert_int_eq(new_recording_open(&o, "r.dat", NULL), 0);
	ck_assert_int_eq(write(o.file.fd, "second", 6), 6);
	ck_assert_int_eq(new_recording_commit(&o, true, NULL), 0);
	new_recording_close(&o);
	check_file("r.dat", "second");
	check_file("r.dat.old", "first");

	/* The recording is abandoned: the existing file stays. */
	put_file("r.dat", "first");
	ck_assert_int_eq(new_recording_open(&o, "r.dat", NULL), 0);
	new_recording_close(&o);
	check_file("r.dat", "first");

	ck_assert_int_eq(new_recording_open(&o, "no/such.dat", NULL), -ENOENT);
	new_recording_close(&o);
	ck_assert_int_eq(new_recording_open(&o, "/dev/null", NULL), -EINVAL);
	new_recording_close(&o);
	ck_assert_int_eq(new_recording_open(&o, dir, NULL), -EISDIR);
	new_recording_close(&o);
	/* No file may be left. */
	leave_dir();
}
END_TEST

START_TEST(test_new_recording_reserve)
{
	struct new_recording o;

	enter_dir();
	ck_assert_int_eq(
		new_recording_open_recorder(&o, "r.dat", "00000000000000ff", true, NULL),
		0);
	if (!new_recording_reserve(&o, 1 << 20)) {
		ck_assert_uint_ge(o.reserved, 1 << 20);
		/* The reserve can shrink only once. */
		ck_assert(new_recording_shrink_reserve(&o, 4096));
		ck_assert(!new_recording_shrink_reserve(&o, 4096));
		ck_assert_uint_eq(o.reserved, 4096);
	}
	ck_assert_int_lt(new_recording_reserve(&o, INT64_MAX / 2), 0);
	ck_assert_uint_eq(o.reserved, 0);
	ck_assert(!new_recording_shrink_reserve(&o, 0));
	new_recording_close(&o);
	/* No file may be left. */
	leave_dir();
}
END_TEST

/* Tokens of recorders. */
#define T1 "0000000000000001"
#define T2 "0000000000000002"
#define T3 "0000000000000003"

START_TEST(test_new_recording_leftovers)
{
	struct new_recording o;
	int live;

	enter_dir();
	put_file(".r.dat." T1 ".tmp", "");
	put_file(".r.dat." T1 ".cpu0", "");
	put_file(".r.dat." T1 ".cpu12", "");
	put_file(".r.dat." T3 ".tmp", "dead");
	put_file(".r.dat." T3 ".cpu7", "pages");
	put_file(".r.dat." T2 ".tmp", "live");
	put_file(".r.dat." T2 ".cpu0", "live");
	put_file(".other.dat." T1 ".tmp", "other");
	put_file(".r.dat.x.tmp", "foreign");
	live = open(".r.dat." T2 ".tmp", O_RDWR);
	ck_assert_int_eq(flock(live, LOCK_EX), 0);
	/* A running recorder uses this name; flight recorders share a name. */
	ck_assert_int_eq(
		new_recording_open_recorder(&o, "r.dat", "00000000000000fe", true, NULL),
		-EBUSY);
	new_recording_close(&o);
	ck_assert_int_ne(access(".r.dat.00000000000000fe.tmp", F_OK), 0);
	ck_assert_int_eq(
		new_recording_open_recorder(&o, "r.dat", "00000000000000ff", false, NULL),
		0);
	ck_assert_int_eq(access(".r.dat.00000000000000ff.tmp/recording.tmp", F_OK), 0);
	new_recording_close(&o);
	ck_assert_int_ne(access(".r.dat.00000000000000ff.tmp", F_OK), 0);
	close(live);
	ck_assert_int_ne(access(".r.dat." T1 ".tmp", F_OK), 0);
	ck_assert_int_ne(access(".r.dat." T1 ".cpu0", F_OK), 0);
	ck_assert_int_ne(access(".r.dat." T1 ".cpu12", F_OK), 0);
	/* Recorded data is kept. */
	check_file(".r.dat." T3 ".tmp", "dead");
	check_file(".r.dat." T3 ".cpu7", "pages");
	check_file(".r.dat." T2 ".tmp", "live");
	check_file(".r.dat." T2 ".cpu0", "live");
	check_file(".other.dat." T1 ".tmp", "other");
	check_file(".r.dat.x.tmp", "foreign");
	leave_dir();
}
END_TEST

/* Makes a directory like /sys/kernel/slab with a cache, its alias, and other files. */
static void make_caches(void)
{
	enter_dir();
	ck_assert_int_eq(mkdir("filp", 0700), 0);
	ck_assert_int_eq(mkdir(":0000192", 0700), 0);
	ck_assert_int_eq(symlink(":0000192", "eventpoll_epi"), 0);
	put_file("filp/shrink", "");
	put_file(":0000192/shrink", "");
	put_file("README", "");
}

struct told {
	unsigned int warnings, notes;
	char last[512];
};

static void tell_shrink(void *ctx, enum log_level level, const char *kind,
			const char *message)
{
	struct told *told = ctx;

	told->warnings += level == LOG_WARN;
	told->notes += level == LOG_INFO;
	snprintf(told->last, sizeof(told->last), "%s", message);
}

static void remove_caches(void)
{
	unlink("filp/shrink");
	unlink("filp/cpu_slabs");
	unlink(":0000192/cpu_slabs");
	rmdir("filp/shrink");
	unlink(":0000192/shrink");
	unlink("eventpoll_epi");
	unlink("README");
	rmdir("filp");
	rmdir(":0000192");
	leave_dir();
}

START_TEST(test_shrink)
{
	struct stat st;
	struct told told = { 0 };
	const struct log log = { .fn = tell_shrink, .ctx = &told };

	make_caches();
	ck_assert(shrink_caches(dir, LOG_WARN, &log));
	check_file("filp/shrink", "1");
	check_file(":0000192/shrink", "1");
	/* Again, but only caches of which CPUs hold, or may hold, slabs. */
	put_file("filp/shrink", "");
	put_file(":0000192/shrink", "");
	put_file("filp/cpu_slabs", "0\n");
	put_file(":0000192/cpu_slabs", "7 N0=7\n");
	shrink_again(dir, &log);
	ck_assert_int_eq(stat("filp/shrink", &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	check_file(":0000192/shrink", "1");
	ck_assert_uint_eq(told.warnings + told.notes, 0);
	remove_caches();
}
END_TEST

START_TEST(test_shrink_fails)
{
	struct told told = { 0 };
	const struct log log = { .fn = tell_shrink, .ctx = &told };

	make_caches();
	ck_assert_int_eq(unlink("filp/shrink"), 0);
	ck_assert_int_eq(mkdir("filp/shrink", 0700), 0);
	ck_assert(!shrink_caches(dir, LOG_WARN, &log));
	check_file(":0000192/shrink", "1");
	ck_assert_uint_eq(told.warnings, 1);
	ck_assert_uint_eq(told.notes, 1);
	ck_assert_ptr_nonnull(strstr(told.last, "cannot shrink 1 of 2 slab caches"));
	ck_assert_ptr_nonnull(strstr(told.last, "filp/shrink: "));
	ck_assert(!shrink_caches(dir, LOG_INFO, &log));
	ck_assert_uint_eq(told.warnings, 1);
	remove_caches();
	/* Without SLUB the directory does not exist. */
	ck_assert(!shrink_caches(dir, LOG_WARN, &log));
	ck_assert_uint_eq(told.warnings, 2);
	ck_assert_ptr_nonnull(strstr(told.last, dir));
	shrink_again(dir, &log);
}
END_TEST

Suite *test_capture_suite(void)
{
	Suite *s = suite_create("capture/capture");
	TCase *tc = tcase_create("capture");

	tcase_add_test(tc, test_layout);
	tcase_add_test(tc, test_number);
	tcase_add_test(tc, test_build_id);
	tcase_add_test(tc, test_module_build_ids);
	tcase_add_test(tc, test_comms);
	tcase_add_test(tc, test_comms_proc);
	tcase_add_test(tc, test_child);
	tcase_add_test(tc, test_child_signals);
	tcase_add_test(tc, test_child_never_runs);
	tcase_add_test(tc, test_new_recording);
	tcase_add_test(tc, test_new_recording_reserve);
	tcase_add_test(tc, test_new_recording_leftovers);
	tcase_add_test(tc, test_shrink);
	tcase_add_test(tc, test_shrink_fails);
	suite_add_tcase(s, tc);
	return s;
}
