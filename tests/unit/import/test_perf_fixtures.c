// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: converts the recordings in tests/data to perf.data and imports them again.
 * In: tests/data/NAME.dat. Out: any difference of the events, their stacks and losses.
 */
#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "build_trace_dat.h"
#include "event/stream.h"
#include "import/perf_import.h"
#include "often.h"
#include "source_file.h"

Suite *test_perf_fixtures_suite(void);

static glob_t fixtures;

#define MAX_CPUS  64U
#define ATTR_SIZE 128U
/* IDENTIFIER, TID, TIME, CPU, CALLCHAIN and RAW. */
#define HAS	  (1U << 16 | 1U << 1 | 1U << 2 | 1U << 7 | 1U << 5 | 1U << 10)
#define ID	  7U

/* A recording, read from its beginning. */
struct opened {
	struct recording *rec;
	struct event_formats *fmts;
	struct event_stream *st;
};

static void open_stream(struct opened *o, struct source *src, const char *path)
{
	const struct event_stream_options opts = { .instance = "",
						   .stop_ts = UINT64_MAX };

	ck_assert_int_eq(recording_open(&o->rec, src, path, NULL), 0);
	ck_assert_int_eq(event_formats_new(&o->fmts, o->rec, NULL), 0);
	ck_assert_int_eq(event_stream_open(&o->st, o->rec, o->fmts, &opts, NULL), 0);
}

static void open_fixture(struct opened *o, const char *path)
{
	struct source src;

	ck_assert_int_eq(source_open_file(&src, path), 0);
	open_stream(o, &src, path);
}

static void close_stream(struct opened *o)
{
	event_stream_close(o->st);
	event_formats_free(o->fmts);
	recording_close(o->rec);
}

/* --- writing ----------------------------------------------------------------------------- */

static void put(const struct recording *rec, struct strbuf *sb, uint64_t v,
		unsigned int size)
{
	put_uint(sb, v, size, rec->big_endian);
}

static void put_record(const struct recording *rec, struct strbuf *sb, uint32_t type,
		       struct strbuf *body)
{
	put(rec, sb, type, 4);
	put(rec, sb, 1, 2);
	put(rec, sb, body->size + 8, 2);
	strbuf_add(sb, body->data, body->size);
	strbuf_reset(body);
}

static void put_text(const struct recording *rec, struct strbuf *sb, const char *text)
{
	put(rec, sb, text ? strlen(text) : 0, 8);
	strbuf_puts(sb, text ? text : "");
}

static void put_attr(const struct recording *rec, struct strbuf *sb)
{
	const uint8_t id_all = rec->big_endian ? 1 << 5 : 1 << 2; /* bit 18 */
	struct strbuf body = { 0 };

	put(rec, &body, 2, 4);
	put(rec, &body, ATTR_SIZE, 4);
	put(rec, &body, 0, 8);
	put(rec, &body, 1, 8);
	put(rec, &body, HAS, 8);
	put(rec, &body, 0, 8);
	strbuf_fill(&body, '\0', 2);
	strbuf_add(&body, &id_all, 1);
	strbuf_fill(&body, '\0', ATTR_SIZE - 43);
	put(rec, &body, ID, 8);
	put_record(rec, sb, 64, &body);
	strbuf_free(&body);
}

static void put_tracing(const struct recording *rec, struct strbuf *sb)
{
	struct strbuf data = { 0 }, body = { 0 };

	strbuf_add(&data, "\x17\x08\x44tracing0.6", 14);
	put(rec, &data, rec->big_endian, 1);
	put(rec, &data, rec->layout.long_size, 1);
	put(rec, &data, 4096, 4);
	strbuf_add(&data, "header_page", 12);
	put_text(rec, &data, rec->header_page);
	strbuf_add(&data, "header_event", 13);
	put_text(rec, &data, rec->header_event);
	put(rec, &data, rec->nr_ftrace_formats, 4);
	for (size_t i = 0; i < rec->nr_ftrace_formats; i++)
		put_text(rec, &data, rec->ftrace_formats[i].text);
	put(rec, &data, rec->nr_event_formats, 4);
	for (size_t i = 0; i < rec->nr_event_formats; i++) {
		const struct recording_text *t = &rec->event_formats[i];

		strbuf_add(&data, t->name, strlen(t->name) + 1);
		put(rec, &data, 1, 4);
		put_text(rec, &data, t->text);
	}
	put(rec, &data, 0, 4); /* kallsyms */
	put(rec, &data, 0, 4); /* printk formats */
	put_text(rec, &data, rec->cmdlines);
	put(rec, &body, data.size, 4);
	put_record(rec, sb, 66, &body);
	strbuf_add(sb, data.data, data.size);
	strbuf_fill(sb, '\0', -data.size & 7);
	strbuf_free(&data);
	strbuf_free(&body);
}

/* Writes a number of losses, or the record for an unknown number. */
static void put_loss(const struct recording *rec, struct strbuf *sb,
		     const struct kmem_event *ev)
{
	const bool known = ev->loss.count != KMEM_LOSS_UNKNOWN;
	struct strbuf body = { 0 };

	if (!known)
		put(rec, &body, ev->ts, 8);
	put(rec, &body, ID, 8);
	put(rec, &body, known ? ev->loss.count : 0, 8);
	put(rec, &body, 0, 8);
	put(rec, &body, ev->ts, 8);
	put(rec, &body, ev->cpu, 4);
	put(rec, &body, 0, 4);
	put(rec, &body, ID, 8);
	put_record(rec, sb, known ? 2 : 5, &body);
	strbuf_free(&body);
}

static void put_sample(const struct opened *o, struct strbuf *sb,
		       const struct kmem_event *ev)
{
	const struct recording *rec = o->rec;
	const uint32_t pad = -(ev->size + 4) & 7;
	struct strbuf body = { 0 };
	uint32_t nr = 0;
	const uint64_t *frames = event_stream_stack(o->st, ev->stack, &nr);

	put(rec, &body, ID, 8);
	put(rec, &body, (uint32_t)ev->pid, 4);
	put(rec, &body, (uint32_t)ev->pid, 4);
	put(rec, &body, ev->ts, 8);
	put(rec, &body, ev->cpu, 4);
	put(rec, &body, 0, 4);
	put(rec, &body, frames ? nr + 1ULL : 0, 8);
	if (frames)
		put(rec, &body, (uint64_t)-128, 8); /* marker of kernel frames */
	for (uint32_t i = 0; frames && i < nr; i++)
		put(rec, &body, frames[i], 8);
	put(rec, &body, ev->size + pad, 4);
	strbuf_add(&body, ev->data, ev->size);
	strbuf_fill(&body, '\0', pad);
	put_record(rec, sb, 9, &body);
	strbuf_free(&body);
}

/* As perf writes it to a pipe. */
static struct strbuf perf_data_of(const char *path)
{
	struct strbuf sb = { 0 };
	struct kmem_event ev;
	struct opened o;
	int ret;

	open_fixture(&o, path);
	strbuf_puts(&sb, o.rec->big_endian ? "2ELIFREP" : "PERFILE2");
	put(o.rec, &sb, 16, 8);
	put_attr(o.rec, &sb);
	put_tracing(o.rec, &sb);
	while ((ret = event_stream_next(o.st, &ev)) > 0) {
		if (ev.type == KMEM_LOSS)
			put_loss(o.rec, &sb, &ev);
		else if (ev.type != KMEM_KERNEL_STACK)
			put_sample(&o, &sb, &ev);
	}
	ck_assert_int_eq(ret, 0);
	close_stream(&o);
	ck_assert(!sb.failed);
	return sb;
}

/* --- reading ----------------------------------------------------------------------------- */

static int open_part(void *ctx, uint32_t cpu)
{
	return memfd_create("part", 0);
}

/* Imports the file as a recording. */
static void import(struct opened *o, const struct strbuf *file)
{
	const struct recording_import_options opts = { .open_part = open_part };
	const struct imported *made;
	struct perf_import pi = { 0 };
	int fd = memfd_create("recording", 0);
	struct source src;

	source_open_memory(&src, file->data, file->size);
	ck_assert_int_eq(perf_import_run(&pi, &src, "perf.data", &opts, NULL), 0);
	source_close(&src);
	ck_assert_uint_eq(pi.nr_unreadable, 0);
	ck_assert_uint_eq(pi.nr_too_long, 0);
	ck_assert_uint_eq(pi.cut_at, 0);
	made = &pi.made;
	ck_assert_int_eq(writer_write(&(struct writer_out){ .fd = fd }, &made->facts,
				      made->parts, made->nr_parts),
			 0);
	imported_free(&pi.made);
	ck_assert_int_eq(source_open_fd(&src, fd), 0);
	open_stream(o, &src, "imported");
}

/* Reads the next event; adds losses before it on its CPU to @lost. */
static bool next_event(struct opened *o, struct kmem_event *ev, uint64_t *lost)
{
	int ret;

	while ((ret = event_stream_next(o->st, ev)) > 0 &&
	       (ev->type == KMEM_LOSS || ev->type == KMEM_KERNEL_STACK)) {
		ck_assert_uint_lt(ev->cpu, MAX_CPUS);
		if (ev->type == KMEM_LOSS)
			lost[ev->cpu] = ev->loss.count;
	}
	ck_assert_int_ge(ret, 0);
	return ret > 0;
}

static void compare_event(const struct opened *a, const struct kmem_event *x,
			  const struct opened *b, const struct kmem_event *y)
{
	uint32_t nr_x = 0, nr_y = 0;
	const uint64_t *frames_x = event_stream_stack(a->st, x->stack, &nr_x);
	const uint64_t *frames_y = event_stream_stack(b->st, y->stack, &nr_y);

	ck_assert_uint_eq(x->ts, y->ts);
	ck_assert_uint_eq(x->cpu, y->cpu);
	ck_assert_uint_eq(x->type, y->type);
	ck_assert_uint_eq(x->id, y->id);
	ck_assert_int_eq(x->pid, y->pid);
	ck_assert_uint_eq(x->flags, y->flags);
	ck_assert_uint_le(x->size, y->size);
	ck_assert(!memcmp(x->data, y->data, x->size));
	ck_assert_uint_eq(nr_x, nr_y);
	ck_assert(!nr_x || !memcmp(frames_x, frames_y, nr_x * sizeof(*frames_x)));
}

static bool is_in_order(const char *path)
{
	struct kmem_event ev;
	struct opened o;
	bool in_order;

	open_fixture(&o, path);
	while (event_stream_next(o.st, &ev) > 0)
		;
	in_order = !event_stream_stats(o.st)->nr_backwards &&
		   !event_stream_stats(o.st)->nr_bad_pages;
	close_stream(&o);
	return in_order;
}

START_TEST(a_fixture_and_back)
{
	const char *path = fixtures.gl_pathv[_i];
	uint64_t lost_a[MAX_CPUS] = { 0 }, lost_b[MAX_CPUS] = { 0 }, nr = 0;
	struct kmem_event x, y;
	struct opened a, b;
	struct strbuf file;
	bool more;

	if (!tested_often(path) || !is_in_order(path))
		return; /* perf sorts its events */
	file = perf_data_of(path);
	open_fixture(&a, path);
	import(&b, &file);
	while ((more = next_event(&a, &x, lost_a))) {
		ck_assert(next_event(&b, &y, lost_b));
		compare_event(&a, &x, &b, &y);
		ck_assert_uint_eq(lost_a[x.cpu], lost_b[x.cpu]);
		lost_a[x.cpu] = lost_b[x.cpu] = 0;
		nr++;
	}
	ck_assert(!next_event(&b, &y, lost_b));
	ck_assert(!memcmp(lost_a, lost_b, sizeof(lost_a)));
	ck_assert_uint_gt(nr, 100);
	close_stream(&a);
	close_stream(&b);
	strbuf_free(&file);
}
END_TEST

Suite *test_perf_fixtures_suite(void)
{
	Suite *s = suite_create("perf_fixtures");
	TCase *tc = tcase_create("core");

	tcase_set_timeout(tc, 60);
	if (!glob("data/*.dat", 0, NULL, &fixtures))
		tcase_add_loop_test(tc, a_fixture_and_back, 0, (int)fixtures.gl_pathc);
	suite_add_tcase(s, tc);
	return s;
}
