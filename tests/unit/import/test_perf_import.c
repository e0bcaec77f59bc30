// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: import/perf_import.h, perf.data files in perf's format.
 * In: files made here, of both byte orders and word sizes. Out: recordings read back.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_perf_data.h"
#include "build_trace_dat.h"
#include "event/stream.h"
#include "import/perf_import.h"

Suite *test_perf_import_suite(void);

/* sample_id_all; enable_on_exec. */
#define FLAG_ALL     (1ULL << 18)
#define FLAG_ON_EXEC (1ULL << 12)
#define FLAG_CLOCKID (1ULL << 25)
#define FLAG_FREQ    (1ULL << 10)

#define MAX_EVENTS 4096

/* The content of a recording made from a file. */
struct found {
	struct recording *rec;
	struct event_formats *fmts;
	struct event_stream *stream;
	struct kmem_event events[MAX_EVENTS];
	size_t nr;
};

static char messages[1024];

static void keep(void *ctx, enum log_level level, const char *kind, const char *message)
{
	size_t at = strlen(messages);

	snprintf(messages + at, sizeof(messages) - at, "%s\n", message);
}

static const struct log keeping = { keep, NULL };

static int open_part(void *ctx, uint32_t cpu)
{
	return memfd_create("part", 0);
}

/* Further files of perf record --threads. */
static const struct strbuf *more;
static unsigned int nr_more;

static void setup(void)
{
	messages[0] = '\0';
	more = NULL;
	nr_more = 0;
}

static int open_more(void *ctx, unsigned int nr, struct source *out)
{
	if (nr >= nr_more)
		return 0;
	source_open_memory(out, more[nr].data, more[nr].size);
	return 1;
}

/* Imports the file; frees what a failed import made. */
static int import_bytes(const void *data, size_t size, struct perf_import *out)
{
	const struct recording_import_options opts = { .open_part = open_part,
						       .open_more =
							       more ? open_more : NULL };
	struct source src;
	int ret;

	source_open_memory(&src, data, size);
	ret = perf_import_run(out, &src, "perf.data", &opts, &keeping);
	source_close(&src);
	if (ret)
		imported_free(&out->made);
	return ret;
}

static int import(const struct perf_build *b, struct perf_import *out)
{
	struct strbuf file = perf_build_file(b);
	int ret = import_bytes(file.data, file.size, out);

	strbuf_free(&file);
	return ret;
}

/* Writes the recording and reads it back. */
static struct found *again(const struct perf_import *pi)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct found *f = calloc(1, sizeof(*f));
	int fd = memfd_create("recording", 0);
	const struct imported *made = &pi->made;
	struct source src;

	ck_assert_int_eq(writer_write(&(struct writer_out){ .fd = fd }, &made->facts,
				      made->parts, made->nr_parts),
			 0);
	ck_assert_int_eq(source_open_fd(&src, fd), 0);
	ck_assert_int_eq(recording_open(&f->rec, &src, "imported", NULL), 0);
	ck_assert_uint_eq(f->rec->nr_damaged, 0);
	ck_assert_int_eq(event_formats_new(&f->fmts, f->rec, NULL), 0);
	ck_assert_int_eq(event_stream_open(&f->stream, f->rec, f->fmts, &opts, NULL), 0);
	while (f->nr < MAX_EVENTS && event_stream_next(f->stream, &f->events[f->nr]) > 0)
		f->nr++;
	ck_assert_uint_eq(event_stream_stats(f->stream)->nr_bad_pages, 0);
	ck_assert_uint_eq(event_stream_stats(f->stream)->nr_undecodable, 0);
	ck_assert_uint_eq(event_stream_stats(f->stream)->nr_stacks_unclaimed, 0);
	ck_assert_uint_eq(event_stream_stats(f->stream)->nr_events, pi->nr_events);
	return f;
}

static void found_free(struct found *f)
{
	event_stream_close(f->stream);
	event_formats_free(f->fmts);
	recording_close(f->rec);
	free(f);
}

static struct found *import_again(struct perf_build *b, struct perf_import *pi)
{
	ck_assert_msg(import(b, pi) == 0, "%s", messages);
	return again(pi);
}

static void done(struct perf_build *b, struct perf_import *pi, struct found *f)
{
	found_free(f);
	imported_free(&pi->made);
	strbuf_free(&b->records);
}

static struct perf_build new_build(void)
{
	return (struct perf_build){ .long_size = 8,
				    .sample_type = PERF_BUILD_TYPE,
				    .attr_flags = FLAG_ALL,
				    .period = 1 };
}

static void add(struct perf_build *b, uint64_t time, uint32_t cpu, uint64_t ptr)
{
	perf_build_sample(b, &(struct perf_build_sample){
				     .time = time, .cpu = cpu, .ptr = ptr, .tid = 77 });
}

static const char *text_of(const struct found *f, const char *name)
{
	const struct recording_text *t = recording_meta(f->rec, name);

	return t ? t->text : "";
}

/* Byte orders, sizes of long, with and without a pipe, compressed or not. */
START_TEST(files_of_all_kinds)
{
	static const char *const machines[] = { "armv7l", "ppc", "x86_64", "s390x" };
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	const uint64_t *frames;
	struct found *f;
	uint32_t nr = 0;

	b.big_endian = _i & 1;
	b.long_size = _i & 2 ? 8 : 4;
	b.pipe = _i & 4;
	b.compressed = _i & 8 || _i & 16;
	b.compressed2 = _i & 16;
	b.piece = 37; /* not the end of any record */
	perf_build_comm(&b, 77, "cat");
	perf_build_sample(&b, &(struct perf_build_sample){ 1000, 0xd000, 0, 77, 3 });
	add(&b, 3000, 0, 0xd010);
	perf_build_round(&b);
	add(&b, 2000, 10, 0xd020);
	f = import_again(&b, &pi);
	ck_assert_uint_eq(f->nr, 3);
	for (uint64_t i = 0; i < 3; i++) {
		ck_assert_int_eq(f->events[i].type, KMEM_KFREE);
		ck_assert_uint_eq(f->events[i].ts, 1000 + 1000 * i);
		ck_assert_int_eq(f->events[i].pid, 77);
		ck_assert_uint_eq(f->events[i].cpu, i == 1 ? 10 : 0);
		ck_assert_uint_eq(f->events[i].slab_free.callsite, PERF_BUILD_SITE);
	}
	ck_assert_uint_eq(f->events[1].slab_free.ptr, 0xd020);
	frames = event_stream_stack(f->stream, f->events[0].stack, &nr);
	ck_assert_uint_eq(nr, 3);
	ck_assert_uint_eq(frames[0], PERF_BUILD_SITE);
	ck_assert_uint_eq(frames[2], PERF_BUILD_SITE + 0x200);
	ck_assert_uint_eq(f->events[1].stack, 0);
	ck_assert_int_eq(f->rec->big_endian, b.big_endian);
	ck_assert_uint_eq(f->rec->layout.long_size, b.long_size);
	ck_assert_uint_eq(f->rec->nr_cpus, 11);
	ck_assert_str_eq(recording_clock(f->rec, 0), "perf");
	ck_assert_str_eq(recording_release(f->rec).text, "6.1.0-test");
	ck_assert_str_eq(recording_machine(f->rec).text, machines[_i & 3]);
	ck_assert_str_eq(f->rec->cmdlines, "5 before\n77 cat\n");
	ck_assert_str_eq(text_of(f, RECORDING_META_EVENTS), "kmem:kfree");
	ck_assert(!recording_is_part(f->rec));
	ck_assert_str_eq(messages, "");
	done(&b, &pi, f);
}
END_TEST

/* Each file has different CPUs and begins before the previous one ends; the second is truncated. */
START_TEST(files_of_threads)
{
	struct perf_build b = new_build(), first = new_build(), second = new_build();
	struct strbuf files[2] = { 0 };
	struct perf_import pi = { 0 };
	struct found *f;

	perf_build_id_index(&b, 1);
	perf_build_lost_samples(&b, 45, 0);
	perf_build_comm(&first, 77, "cat");
	for (unsigned int i = 0; i < 100; i++) {
		add(&first, 1000 + 10 * i, 0, 1);
		add(&second, 1005 + 10 * i, 1, 2);
	}
	perf_build_round(&first);
	perf_build_lost(&first, 40, 3000, 1);
	add(&first, 2000, 0, 1);
	files[0] = first.records;
	files[1] = second.records;
	files[1].size -= (size_t)_i;
	more = files;
	nr_more = 2;
	f = import_again(&b, &pi);
	ck_assert_uint_eq(pi.nr_samples, _i ? 200 : 201);
	ck_assert_uint_eq(pi.nr_late, 0);
	ck_assert_uint_eq(pi.nr_lost, 45);
	ck_assert_uint_eq(event_stream_stats(f->stream)->nr_backwards, 0);
	ck_assert(!strstr(strbuf_text(&pi.made.notes), "data.1 ends in the middle") ==
		  !_i);
	ck_assert_str_eq(f->rec->cmdlines, "5 before\n77 cat\n");
	strbuf_free(&first.records);
	strbuf_free(&second.records);
	done(&b, &pi, f);
}
END_TEST

/* The rings are read one after the other: events are sorted over two rounds, no further. */
START_TEST(order_of_time)
{
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;
	size_t late = 0;

	for (unsigned int round = 0; round < 20; round++) {
		for (unsigned int cpu = 0; cpu < 4; cpu++)
			for (unsigned int i = 0; i < 10; i++)
				/* A round begins before the previous one ends. */
				add(&b, 1000 + round * 100 + i * 15 + cpu, cpu % 2,
				    i + 1);
		perf_build_round(&b);
	}
	f = import_again(&b, &pi);
	ck_assert_uint_eq(f->nr, 800);
	for (size_t i = 1; i < f->nr; i++)
		late += f->events[i].ts < f->events[i - 1].ts;
	ck_assert_uint_eq(late, 0);
	ck_assert_uint_eq(pi.nr_late, 0);
	ck_assert_uint_eq(event_stream_stats(f->stream)->nr_backwards, 0);
	found_free(f);
	imported_free(&pi.made);
	/* Older than events that were delivered: counted, not lost. */
	add(&b, 1, 0, 1);
	f = import_again(&b, &pi);
	ck_assert_uint_eq(pi.nr_late, 1);
	ck_assert_ptr_nonnull(
		strstr(strbuf_text(&pi.made.notes), "1 event came too late"));
	ck_assert_uint_eq(event_stream_stats(f->stream)->nr_events, 801);
	done(&b, &pi, f);
}
END_TEST

/* A gap comes before the first sample after it, whose time precedes that of the LOST record. */
START_TEST(losses_are_where_they_were)
{
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;

	add(&b, 1000, 0, 1);
	add(&b, 1500, 1, 2);
	perf_build_lost(&b, 40, 2005, 0);
	add(&b, 2000, 0, 3);
	add(&b, 2500, 1, 4);
	f = import_again(&b, &pi);
	ck_assert_uint_eq(f->nr, 5);
	ck_assert_int_eq(f->events[2].type, KMEM_LOSS);
	ck_assert_uint_eq(f->events[2].loss.count, 40);
	ck_assert_uint_eq(f->events[2].loss.since_ts, 1000);
	ck_assert_uint_eq(f->events[2].cpu, 0);
	ck_assert_uint_eq(f->events[2].ts, 2000);
	ck_assert_uint_eq(f->events[3].ts, 2000);
	done(&b, &pi, f);
}
END_TEST

/* Both counts are of the same events; losses after the last event have no LOST record. */
START_TEST(losses_at_the_end)
{
	const uint32_t cpu = (uint32_t)_i;
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;

	perf_build_id_index(&b, cpu);
	add(&b, 1000, cpu, 1);
	perf_build_lost(&b, 40, 2005, cpu);
	add(&b, 2000, cpu, 3);
	perf_build_lost_samples(&b, 30, 0);
	perf_build_lost_samples(&b, 15, 0);
	perf_build_lost_samples(&b, 99, 1U << 15); /* dropped by a filter, not lost */
	f = import_again(&b, &pi);
	ck_assert_uint_eq(f->nr, 4);
	ck_assert_uint_eq(f->events[1].loss.count, 40);
	ck_assert_int_eq(f->events[3].type, KMEM_LOSS);
	ck_assert_uint_eq(f->events[3].loss.count, 5);
	ck_assert_uint_eq(f->events[3].cpu, cpu);
	ck_assert_uint_eq(pi.nr_lost, 45);
	done(&b, &pi, f);
}
END_TEST

/* Without an index, the CPU of these losses is unknown. It is known only whether there are more
 * than the LOST records say.
 */
START_TEST(losses_at_the_end_of_any_cpu)
{
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;

	add(&b, 1000, 1, 1);
	perf_build_lost(&b, 40, 2005, 1);
	add(&b, 2000, 1, 3);
	perf_build_lost_samples(&b, _i ? 41 : 40, 0);
	f = import_again(&b, &pi);
	ck_assert_uint_eq(f->nr, _i ? 4 : 3);
	ck_assert_uint_eq(f->events[1].loss.count, 40);
	if (_i) {
		ck_assert_int_eq(f->events[3].type, KMEM_LOSS);
		ck_assert_uint_eq(f->events[3].loss.count, KMEM_LOSS_UNKNOWN);
	}
	done(&b, &pi, f);
}
END_TEST

/* Without sample_id_all the CPU of a loss is unknown. */
START_TEST(losses_of_unknown_cpus)
{
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;
	size_t losses = 0;

	b.attr_flags = 0;
	add(&b, 1000, 0, 1);
	add(&b, 1500, 1, 2);
	perf_build_lost(&b, 40, 2005, 0);
	add(&b, 2000, 0, 3);
	add(&b, 2500, 1, 4);
	f = import_again(&b, &pi);
	for (size_t i = 0; i < f->nr; i++)
		losses += f->events[i].type == KMEM_LOSS &&
			  f->events[i].loss.count == KMEM_LOSS_UNKNOWN;
	ck_assert_uint_eq(losses, 2);
	ck_assert_ptr_nonnull(
		strstr(strbuf_text(&pi.made.notes), "do not name their CPU"));
	done(&b, &pi, f);
}
END_TEST

START_TEST(clocks_by_number)
{
	static const struct {
		int id;
		const char *name;
	} names[] = { { 0, "realtime" }, { 1, "mono" }, { 4, "mono_raw" },
		      { 7, "boot" },	 { 11, "tai" }, { 99, "perf" } };
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;

	b.attr_flags |= FLAG_CLOCKID;
	b.clockid = names[_i].id;
	b.big_endian = _i & 1;
	add(&b, 1000, 0, 1);
	f = import_again(&b, &pi);
	ck_assert_str_eq(recording_clock(f->rec, 0), names[_i].name);
	done(&b, &pi, f);
}
END_TEST

/* The recording says which events perf did not record. */
START_TEST(parts_of_the_events)
{
	static const char *const notes[] = { "sampled at a frequency", "one event in 100",
					     "events of some tasks only",
					     "perf had a filter", "perf only counted 1" };
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;

	b.big_endian = true;
	if (_i == 0)
		b.attr_flags |= FLAG_FREQ;
	if (_i == 1)
		b.period = 100;
	if (_i == 2)
		b.attr_flags |= FLAG_ON_EXEC;
	if (_i == 3)
		b.cmdline = "--filter=bytes_req > 100";
	if (_i == 4)
		b.period = 0;
	add(&b, 1000, 0, 1);
	f = import_again(&b, &pi);
	ck_assert(recording_is_part(f->rec));
	for (int i = 0; i < 5; i++)
		ck_assert(!strstr(strbuf_text(&pi.made.notes), notes[i]) == (i != _i));
	done(&b, &pi, f);
}
END_TEST

START_TEST(what_is_no_sample)
{
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct found *f;
	struct strbuf raw = { 0 };

	add(&b, 1000, 0, 1);
	perf_build_record(&b, 9, "12345678", 8);   /* of an unknown event */
	perf_build_record(&b, 200, "12345678", 8); /* of a future type */
	perf_build_record(&b, 2, "1234", 4);
	perf_build_record(&b, 3, "1234", 4);
	perf_build_record(&b, 13, "1234", 4);
	/* Another program's data in place of frames. */
	put_uint(&raw, 77, 8, false);
	put_uint(&raw, 0, 8, false);
	put_uint(&raw, 5, 8, false);
	put_uint(&raw, 0, 8, false);
	put_uint(&raw, UINT64_MAX / 8, 8, false);
	perf_build_record(&b, 9, raw.data, raw.size);
	add(&b, 2000, 0, 2);
	f = import_again(&b, &pi);
	ck_assert_uint_eq(f->nr, 2);
	ck_assert_uint_eq(pi.nr_unreadable, 2);
	strbuf_free(&raw);
	done(&b, &pi, f);
}
END_TEST

START_TEST(what_cannot_be_imported)
{
	static const char *const why[] = {
		"perf.data has no event formats: perf was killed",
		"perf.data has tracepoint events, but none of kmem\n",
		"perf.data has events without times\n",
		"perf.data has no kmem events\n",
	};
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };

	b.unfinished = _i == 0;
	b.no_kmem = _i == 1;
	if (_i == 2)
		b.sample_type &= ~(uint64_t)(1U << 2);
	if (_i == 3)
		perf_build_comm(&b, 77, "cat");
	else
		add(&b, 1000, 0, 1);
	ck_assert_int_eq(import(&b, &pi), -ENODATA);
	ck_assert_ptr_eq(strstr(messages, why[_i]), messages);
	strbuf_free(&b.records);
}
END_TEST

START_TEST(other_files)
{
	struct perf_import pi = { 0 };

	ck_assert_int_eq(import_bytes("", 0, &pi), -EPROTO);
	ck_assert_int_eq(import_bytes("# tracer: nop\n#\n#\n#\n", 20, &pi), -EPROTO);
	ck_assert_int_eq(import_bytes("PERFFILE\0\0\0\0\0\0\0\0", 16, &pi), -ENOTSUP);
	ck_assert_int_eq(import_bytes("PERFILE2\x68\0\0\0\0\0\0\0", 16, &pi), -EBADMSG);
}
END_TEST

/* Truncated anywhere, the file is reported as unreadable, or its events are right. */
START_TEST(a_file_that_is_cut)
{
	struct perf_build b = new_build();
	struct perf_import pi = { 0 };
	struct strbuf file;

	b.pipe = true;
	for (unsigned int i = 0; i < 5; i++)
		add(&b, 1000 + i, 0, i);
	file = perf_build_file(&b);
	for (size_t size = 0; size < file.size; size++) {
		int ret = import_bytes(file.data, size, &pi);
		struct found *f;

		if (ret)
			continue;
		f = again(&pi);
		ck_assert_uint_le(f->nr, 4);
		ck_assert((pi.cut_at != 0) ==
			  ((file.size - size) % (b.records.size / 5) != 0));
		found_free(f);
		imported_free(&pi.made);
	}
	ck_assert_int_eq(import_bytes(file.data, file.size, &pi), 0);
	imported_free(&pi.made);
	strbuf_free(&file);
	strbuf_free(&b.records);
}
END_TEST

/* Changes each byte in turn: the import fails or makes some recording. */
START_TEST(a_file_that_is_damaged)
{
	struct perf_build b = new_build();
	struct strbuf file;

	b.pipe = _i & 1;
	b.big_endian = _i & 2;
	perf_build_comm(&b, 77, "cat");
	perf_build_sample(&b, &(struct perf_build_sample){ 1000, 0xd000, 0, 77, 3 });
	perf_build_lost(&b, 7, 1005, 0);
	add(&b, 1006, 1, 5);
	perf_build_id_index(&b, 1);
	perf_build_lost_samples(&b, 30, 0);
	file = perf_build_file(&b);
	for (size_t at = 0; at < file.size; at++) {
		struct perf_import pi = { 0 };
		char was = file.data[at];

		file.data[at] = (char)(_i & 4 ? 0xff : was ^ 0x40);
		if (!import_bytes(file.data, file.size, &pi))
			imported_free(&pi.made);
		file.data[at] = was;
	}
	strbuf_free(&file);
	strbuf_free(&b.records);
}
END_TEST

/* The last frame of event @i, or 0 if it is a kernel frame. */
static uint64_t user_frame(const struct found *f, size_t i)
{
	const uint64_t *frames;
	uint32_t nr;

	frames = event_stream_stack(f->stream, f->events[i].stack, &nr);
	ck_assert_uint_ge(nr, 2);
	ck_assert_uint_eq(frames[1], PERF_BUILD_SITE + 0x100);
	ck_assert_uint_le(nr, 3);
	return nr == 3 ? frames[2] : 0;
}

static void sample_of(struct perf_build *b, uint32_t tid, uint64_t time)
{
	perf_build_sample(b, &(struct perf_build_sample){ time, 0xd000, 0, tid, 2 });
}

/* Mappings depend on the process and the time, wherever they are in the file. */
START_TEST(frames_of_programs)
{
	struct perf_build b = new_build();
	const uint64_t start = PERF_BUILD_USER - 0x234;
	struct perf_import pi = { 0 };
	struct found *f;
	uint64_t frame;

	b.big_endian = _i;
	sample_of(&b, 77, 1000);
	sample_of(&b, 78, 1500);
	sample_of(&b, 78, 3000);
	sample_of(&b, 78, 5000);
	sample_of(&b, 79, 5100);
	sample_of(&b, 77, 6000);
	sample_of(&b, 77, 7000);
	perf_build_fork(&b, 78, 77, 2000);
	perf_build_map(&b,
		       &(struct perf_build_map){ 77, 5500, start, 0x1000, "/x/other" });
	perf_build_map(&b, &(struct perf_build_map){ 77, 500, start, 0x235, "/x/prog" });
	perf_build_map(&b,
		       &(struct perf_build_map){ 77, 600, start, 0x234, "/x/before" });
	perf_build_map(&b, &(struct perf_build_map){ 78, 4000, 0, 0, NULL });
	perf_build_map(&b, &(struct perf_build_map){ 77, 6500, 0, UINT64_MAX, "//anon" });
	f = import_again(&b, &pi);
	ck_assert_uint_eq(f->nr, 7);
	frame = user_frame(f, 0);
	ck_assert_uint_eq(frame >> 62, 1);
	ck_assert_uint_eq(user_frame(f, 1), 0); /* not yet forked */
	ck_assert_uint_eq(user_frame(f, 2), frame);
	ck_assert_uint_eq(user_frame(f, 3), 0); /* another program */
	ck_assert_uint_eq(user_frame(f, 4), 0); /* unknown process */
	ck_assert_uint_ne(user_frame(f, 5), frame);
	ck_assert_str_ne(text_of(f, RECORDING_META_USER_SYMBOLS), "");
	ck_assert_ptr_nonnull(
		strstr(text_of(f, RECORDING_META_USER_SYMBOLS), " T [prog+0x1234]\n"));
	ck_assert_ptr_nonnull(
		strstr(text_of(f, RECORDING_META_USER_SYMBOLS), " T [other+0x1234]\n"));
	ck_assert_ptr_null(strstr(text_of(f, RECORDING_META_USER_SYMBOLS), "before"));
	done(&b, &pi, f);
}
END_TEST

Suite *test_perf_import_suite(void)
{
	Suite *s = suite_create("perf_import");
	TCase *tc = tcase_create("core");

	tcase_add_checked_fixture(tc, setup, NULL);
#ifdef HAVE_ZSTD
	tcase_add_loop_test(tc, files_of_all_kinds, 0, 24);
#else
	tcase_add_loop_test(tc, files_of_all_kinds, 0, 8);
#endif
	tcase_add_loop_test(tc, files_of_threads, 0, 2);
	tcase_add_test(tc, order_of_time);
	tcase_add_test(tc, losses_are_where_they_were);
	tcase_add_loop_test(tc, losses_at_the_end, 0, 2);
	tcase_add_loop_test(tc, losses_at_the_end_of_any_cpu, 0, 2);
	tcase_add_test(tc, losses_of_unknown_cpus);
	tcase_add_loop_test(tc, clocks_by_number, 0, 6);
	tcase_add_loop_test(tc, parts_of_the_events, 0, 5);
	tcase_add_test(tc, what_is_no_sample);
	tcase_add_loop_test(tc, frames_of_programs, 0, 2);
	tcase_add_loop_test(tc, what_cannot_be_imported, 0, 4);
	tcase_add_test(tc, other_files);
	tcase_add_test(tc, a_file_that_is_cut);
	tcase_add_loop_test(tc, a_file_that_is_damaged, 0, 8);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	return s;
}
