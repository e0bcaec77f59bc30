// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the parts of a flight recorder that need no permission to trace: its files, and the time
 * at which they begin.
 * In: files made here. Out: checks.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/events/ring_reader.h"
#include "capture/session/flight.h"
#include "recording/subbuf.h"
#include "remove_tree.h"

Suite *test_flight_suite(void);

static char place[64];

static void set_up(void)
{
	snprintf(place, sizeof(place), "/tmp/kmemx-flight.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(place));
}

static void clean_up(void)
{
	remove_tree(place);
}

/* --- files ------------------------------------------------------------------------------- */

START_TEST(names)
{
	ck_assert(flight_is_file("flight-20261122T215500.123Z-oom.dat"));
	ck_assert(flight_is_file("flight-20261122T215500.123Z-failure-or-order.dat"));
	ck_assert(!flight_is_file("flight-20261122T215500.123Z-.dat"));
	ck_assert(!flight_is_file("flight-20261122T215500.123Z-oom.dat.old"));
	ck_assert(!flight_is_file("flight-20261122T215500.123Z-oom"));
	ck_assert(!flight_is_file("flight-2026112T215500.123Z-oom.dat"));
	ck_assert(!flight_is_file("flight-20261122T215500Z-oom.dat"));
	ck_assert(!flight_is_file("flight.dat"));
	ck_assert(!flight_is_file("flight-"));
	ck_assert(!flight_is_file(""));
	ck_assert(!flight_is_file("flight-20261122T215500.123Z-../x.dat"));
	ck_assert(!flight_is_file("x-flight-20261122T215500.123Z-oom.dat"));
}
END_TEST

static void make_file(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", place, name);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static bool has_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", place, name);
	return access(path, F_OK) == 0;
}

START_TEST(oldest_go_first)
{
	const struct log log = { 0 };

	make_file("flight-20261122T215500.123Z-oom.dat");
	make_file("flight-20261122T215500.122Z-signal.dat");
	make_file("flight-20251231T235959.999Z-order.dat");
	make_file("flight-20270101T000000.000Z-exit.dat");
	make_file("flight.dat");
	make_file("0-of-the-user.dat");
	ck_assert_int_eq(flight_prune(place, 4, &log), 0);
	ck_assert(has_file("flight-20251231T235959.999Z-order.dat"));
	ck_assert_int_eq(flight_prune(place, 2, &log), 0);
	ck_assert(!has_file("flight-20251231T235959.999Z-order.dat"));
	ck_assert(!has_file("flight-20261122T215500.122Z-signal.dat"));
	ck_assert(has_file("flight-20261122T215500.123Z-oom.dat"));
	ck_assert(has_file("flight-20270101T000000.000Z-exit.dat"));
	/* Other files stay. */
	ck_assert(has_file("flight.dat"));
	ck_assert(has_file("0-of-the-user.dat"));
	ck_assert_int_eq(flight_prune("/no/such/place", 2, &log), -ENOENT);
}
END_TEST

/* --- start of the files ------------------------------------------------------------------ */

#define PAGE 4096

static void write_page(int fd, off_t at, uint64_t ts, uint64_t commit)
{
	uint64_t page[PAGE / 8] = { ts, commit, 0x1234 };

	ck_assert_int_eq(pwrite(fd, page, PAGE, at), PAGE);
}

static uint64_t word(int fd, off_t at)
{
	uint64_t value;

	ck_assert_int_eq(pread(fd, &value, sizeof(value), at), sizeof(value));
	return value;
}

/* CPU 0 was overrun, CPU 1 was overrun later, CPU 2 never; CPU 3 is empty. */
START_TEST(begins_where_all_is_there)
{
	struct ring_reader_cpu cpus[] = { { .cpu = 0, .size = 2 * PAGE },
					  { .cpu = 1, .size = PAGE, .offset = 2 * PAGE },
					  { .cpu = 2, .size = PAGE, .offset = 3 * PAGE },
					  { .cpu = 3 } };
	struct ring_reader r = { .cpus = cpus,
				 .nr_cpus = 4,
				 .subbuf_size = PAGE,
				 .data_offset = 16,
				 .long_size = 8 };
	char path[128];
	uint64_t ts;
	int fd;

	snprintf(path, sizeof(path), "%s/parts", place);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < 4; i++)
		cpus[i].part_fd = fd;
	/* The kernel's flags are a negative int, stored in a long. */
	write_page(fd, 0, 1000, UINT64_C(0xffffffff80000000) | 64);
	write_page(fd, PAGE, 1500, UINT64_C(0xffffffff80000000) | 32);
	write_page(fd, 2 * PAGE, 1200, UINT64_C(0xffffffffc0000000) | 8);
	write_page(fd, 3 * PAGE, 5000, 16);
	ck_assert_int_eq(ring_reader_begin_at(&r, &ts), 0);
	ck_assert_uint_eq(ts, 1200);
	ck_assert_uint_eq(word(fd, 8), 64);
	ck_assert_uint_eq(word(fd, 16), 0x1234);
	/* A gap in the middle remains marked. */
	ck_assert_uint_eq(word(fd, PAGE + 8), UINT64_C(0xffffffff80000000) | 32);
	ck_assert_uint_eq(word(fd, 2 * PAGE), 1200);
	ck_assert_uint_eq(word(fd, 2 * PAGE + 8), 8);
	ck_assert_uint_eq(word(fd, 3 * PAGE + 8), 16);
	ck_assert_int_eq(ring_reader_begin_at(&r, &ts), 0);
	ck_assert_uint_eq(ts, 0);
	close(fd);
}
END_TEST

/* Three events: at the page's time, 10 and 30 after it. */
static void write_events(int fd, off_t at, uint64_t ts)
{
	uint32_t page[PAGE / 4] = { [4] = 1, [6] = 10 << 5 | 1, [8] = 20 << 5 | 1 };
	uint64_t head[] = { ts, 6 * sizeof(*page) };

	memcpy(page, head, sizeof(head));
	ck_assert_int_eq(pwrite(fd, page, PAGE, at), PAGE);
}

static void expect_before(struct ring_reader *r, uint64_t before, uint64_t nr)
{
	uint64_t count;

	ck_assert_int_eq(ring_reader_count(r, 0, before, &count), 0);
	ck_assert_uint_eq(count, nr);
}

START_TEST(counts_what_is_older)
{
	struct ring_reader_cpu cpus[] = { { .cpu = 0, .size = 2 * PAGE } };
	struct ring_reader r = { .cpus = cpus,
				 .nr_cpus = 1,
				 .subbuf_size = PAGE,
				 .data_offset = 16,
				 .long_size = 8 };
	char path[128];

	if (HOST_BIG_ENDIAN)
		return;
	snprintf(path, sizeof(path), "%s/parts", place);
	ck_assert_int_eq(ring_reader_alloc_staging(&r), 0);
	cpus[0].part_fd = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_ge(cpus[0].part_fd, 0);
	write_events(cpus[0].part_fd, 0, 1000);
	write_events(cpus[0].part_fd, PAGE, 2000);
	expect_before(&r, UINT64_MAX, 6);
	expect_before(&r, 1000, 0);
	expect_before(&r, 1001, 1);
	expect_before(&r, 1030, 2);
	expect_before(&r, 2010, 4);
	close(cpus[0].part_fd);
	free(r.staging);
}
END_TEST

/* CPU 1 is last; CPU 2 is empty; the frees of another instance go on for longer. */
START_TEST(ends_with_the_last_event)
{
	struct ring_reader_cpu cpus[] = {
		{ .cpu = 0, .size = 2 * PAGE },
		{ .cpu = 1, .size = PAGE, .offset = 2 * PAGE },
		{ .cpu = 2 },
		{ .cpu = RECORDING_FREES_CPU, .size = PAGE, .offset = 3 * PAGE }
	};
	struct ring_reader r = { .cpus = cpus,
				 .nr_cpus = 4,
				 .subbuf_size = PAGE,
				 .data_offset = 16,
				 .long_size = 8 };
	char path[128];
	uint64_t ts;
	int fd;

	if (HOST_BIG_ENDIAN)
		return;
	snprintf(path, sizeof(path), "%s/parts", place);
	ck_assert_int_eq(ring_reader_alloc_staging(&r), 0);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < 4; i++)
		cpus[i].part_fd = fd;
	write_events(fd, 0, 1000);
	write_events(fd, PAGE, 2000);
	write_events(fd, 2 * PAGE, 2500);
	write_events(fd, 3 * PAGE, 3000);
	ck_assert_int_eq(ring_reader_end_at(&r, &ts), 0);
	ck_assert_uint_eq(ts, 2530);
	r.nr_cpus = 0;
	ck_assert_int_eq(ring_reader_end_at(&r, &ts), 0);
	ck_assert_uint_eq(ts, 0);
	close(fd);
	free(r.staging);
}
END_TEST

Suite *test_flight_suite(void)
{
	Suite *suite = suite_create("capture/flight");
	TCase *tc = tcase_create("flight");

	tcase_add_checked_fixture(tc, set_up, clean_up);
	tcase_add_test(tc, names);
	tcase_add_test(tc, oldest_go_first);
	tcase_add_test(tc, begins_where_all_is_there);
	tcase_add_test(tc, counts_what_is_older);
	tcase_add_test(tc, ends_with_the_last_event);
	suite_add_tcase(suite, tc);
	return suite;
}
