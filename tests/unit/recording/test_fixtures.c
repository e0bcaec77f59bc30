// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: compares the counts of every recording in tests/data with EXPECTED.tsv (from trace-cmd).
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "often.h"
#include "recording/cpu_cursor.h"
#include "recording/read_ahead.h"
#include "source_file.h"

enum column {
	PATH,
	MACHINE,
	KERNEL,
	ENDIAN_NAME,
	LONG,
	PAGE,
	VERSION,
	COMPRESSION,
	CPUS,
	TOTAL,
	LOST,
	UNKNOWN_GAPS,
	GAPS,
	BY_CPU,
	EVENTS,
	NR_COLUMNS,
};

#define NR_IDS 65536

struct counts {
	uint64_t total, lost;
	uint32_t unknown_gaps, gaps, bad;
	struct strbuf by_cpu; /* as EXPECTED.tsv writes it */
	uint32_t by_id[NR_IDS];
};

static void walk_cpu(const struct recording *rec, uint32_t b, uint32_t c,
		     struct read_ahead *ahead, struct counts *n)
{
	const struct recording_buffer *buf = &rec->buffers[b];
	struct cpu_cursor *cur;
	struct raw_record raw;
	struct subbuf_iter it;
	struct subbuf sb;
	uint64_t events = 0, last = 0;
	int ret;

	ck_assert_int_eq(cpu_cursor_open(&cur, rec, b, c, ahead), 0);
	while ((ret = cpu_cursor_next(cur, &sb)) == 1) {
		ck_assert(!sb.truncated);
		n->gaps += sb.missed != 0;
		if (sb.missed == SUBBUF_MISSED_UNKNOWN)
			n->unknown_gaps++;
		else
			n->lost += sb.missed;
		it = subbuf_iter(&sb, rec->big_endian);
		while ((ret = subbuf_iter_next(&it, &raw)) == 1) {
			ck_assert_uint_ge(raw.size, 8);
			ck_assert_uint_ge(raw.ts, last);
			last = raw.ts;
			n->by_id[get_u16(raw.data, rec->big_endian)]++;
			events++;
		}
		n->bad += ret < 0;
	}
	n->bad += ret < 0;
	cpu_cursor_close(cur);
	n->total += events;
	if (events)
		strbuf_printf(&n->by_cpu, "%s%s%s%u=%llu", n->by_cpu.size ? " " : "",
			      buf->name, *buf->name ? ":" : "", buf->cpus[c].cpu,
			      (unsigned long long)events);
}

static void check_formats(const struct recording_text *texts, size_t nr, struct counts *n,
			  char *expected)
{
	char name[64], want[96], padded[4096], *at;
	unsigned int id;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (sscanf(texts[i].text, "name: %63s ID: %u", name, &id) != 2 ||
		    id >= NR_IDS || !n->by_id[id])
			continue;
		snprintf(want, sizeof(want), " %s=%u ", name, n->by_id[id]);
		snprintf(padded, sizeof(padded), " %s ", expected);
		at = strstr(padded, want);
		ck_assert_msg(at, "%s not in '%s'", want, expected);
		n->by_id[id] = 0;
	}
}

static void check_counts(const struct recording *rec, struct read_ahead *ahead,
			 char **column)
{
	struct counts *n = calloc(1, sizeof(*n));
	uint32_t b, c;
	size_t i;

	ck_assert_ptr_nonnull(n);
	for (b = 0; b < rec->nr_buffers; b++)
		for (c = 0; c < rec->buffers[b].nr_cpus; c++)
			walk_cpu(rec, b, c, ahead, n);
	ck_assert_uint_eq(n->total, strtoull(column[TOTAL], NULL, 10));
	ck_assert_uint_eq(n->lost, strtoull(column[LOST], NULL, 10));
	ck_assert_uint_eq(n->gaps, strtoul(column[GAPS], NULL, 10));
	ck_assert_uint_eq(n->unknown_gaps, strtoul(column[UNKNOWN_GAPS], NULL, 10));
	ck_assert_uint_eq(n->bad, 0);
	ck_assert_str_eq(strbuf_text(&n->by_cpu), column[BY_CPU]);
	check_formats(rec->event_formats, rec->nr_event_formats, n, column[EVENTS]);
	check_formats(rec->ftrace_formats, rec->nr_ftrace_formats, n, column[EVENTS]);
	for (i = 0; i < NR_IDS; i++)
		ck_assert_msg(!n->by_id[i], "%u events of unknown id %zu", n->by_id[i],
			      i);
	strbuf_free(&n->by_cpu);
	free(n);
}

static bool readable(const char *compression)
{
#ifndef HAVE_ZSTD
	if (!strncmp(compression, "zstd", 4))
		return false;
#endif
#ifndef HAVE_ZLIB
	if (!strncmp(compression, "zlib", 4))
		return false;
#endif
	return true;
}

static void say(void *ctx, enum log_level level, const char *kind, const char *message)
{
	ck_abort_msg("%s", message);
}

static void check_fixture(char **column)
{
	static const struct log log = { say, NULL };
	struct read_ahead *ahead;
	struct recording *rec;
	struct source src;
	char path[256];

	if (!readable(column[COMPRESSION])) {
		fprintf(stderr, "skipped: %s (%s is not built in)\n", column[PATH],
			column[COMPRESSION]);
		return;
	}
	snprintf(path, sizeof(path), "data/%s", column[PATH]);
	ck_assert_int_eq(source_open_file(&src, path), 0);
	ck_assert_int_eq(recording_open(&rec, &src, path, &log), 0);
	ck_assert_uint_eq(rec->nr_damaged, 0);
	ck_assert_uint_eq(rec->file_version, strtoul(column[VERSION], NULL, 10));
	ck_assert_uint_eq(rec->big_endian, !strcmp(column[ENDIAN_NAME], "big"));
	ck_assert_uint_eq(rec->layout.long_size, strtoul(column[LONG], NULL, 10));
	ck_assert_uint_eq(rec->buffers[0].page_size, strtoul(column[PAGE], NULL, 10));
	ck_assert_uint_eq(rec->nr_cpus, strtoul(column[CPUS], NULL, 10));
	ck_assert_str_eq(recording_machine(rec).text, column[MACHINE]);
	ck_assert_str_eq(recording_release(rec).text, column[KERNEL]);
	ck_assert_ptr_nonnull(rec->kallsyms);
	ck_assert_uint_eq(strlen(rec->kallsyms), rec->kallsyms_size);
	ck_assert_ptr_nonnull(rec->cmdlines);
	ck_assert_ptr_nonnull(rec->writer_version);
	check_counts(rec, NULL, column);
	ahead = read_ahead_start();
	check_counts(rec, ahead, column);
	read_ahead_stop(ahead);
	recording_close(rec);
}

START_TEST(every_event_of_every_fixture)
{
	FILE *f = fopen("data/EXPECTED.tsv", "r");
	char line[4096], *column[NR_COLUMNS], *rest;
	unsigned int nr = 0, i;

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		rest = line;
		for (i = 0; i < NR_COLUMNS; i++) {
			column[i] = strsep(&rest, "\t");
			ck_assert_ptr_nonnull(column[i]);
		}
		nr++;
		if (tested_often(column[0]))
			check_fixture(column);
	}
	fclose(f);
	ck_assert_uint_ge(nr, 25);
}
END_TEST

static void open_fixture(struct recording **rec, const char *path)
{
	struct source src;

	ck_assert_int_eq(source_open_file(&src, path), 0);
	ck_assert_int_eq(recording_open(rec, &src, path, NULL), 0);
}

START_TEST(facts_beside_the_events)
{
	struct recording *rec;

#ifndef HAVE_ZSTD
	return;
#endif
	open_fixture(&rec, "data/variants-amd64-instance.v7.dat");
	ck_assert_str_eq(recording_clock(rec, 0), "global");
	ck_assert_str_eq(recording_clock(rec, 1), "global");
	ck_assert_str_eq(rec->trace_id, "0x29B8D0B945093509");
	ck_assert_uint_eq(rec->nr_cpustats, 4);
	ck_assert_uint_eq(rec->cpustats[1].buffer, 0);
	ck_assert_uint_eq(rec->cpustats[1].read_events, 2275);
	ck_assert_uint_eq(rec->cpustats[2].buffer, 1);
	ck_assert_uint_eq(rec->cpustats[3].cpu, 1);
	ck_assert_uint_eq(rec->cpustats[3].read_events, 4375);
	recording_close(rec);

	open_fixture(&rec, "data/variants-amd64-clock-counter.v7.dat");
	ck_assert_str_eq(recording_clock(rec, 0), "counter");
	recording_close(rec);
}
END_TEST

Suite *test_fixtures_suite(void)
{
	Suite *s = suite_create("recording/fixtures");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, every_event_of_every_fixture);
	tcase_add_test(tc, facts_beside_the_events);
	suite_add_tcase(s, tc);
	return s;
}
