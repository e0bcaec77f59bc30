// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: compares all events of every fixture with trace-cmd's list.
 * In: tests/data/NAME.dat and NAME.raw.txt.gz (trace-cmd report -R -t). Out: any difference.
 */
#include <check.h>
#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/bytes.h"
#include "event/stream.h"
#include "often.h"
#include "recording/recording.h"
#include "source_file.h"

#ifdef HAVE_ZLIB
static glob_t fixtures;

#define MAX_CPUS 64

struct compare {
	const char *path;
	struct recording *rec;
	struct event_formats *fmts;
	struct event_stream *st;
	unsigned long line_nr;
	/* Losses before the CPU's next event; 0: none. */
	uint64_t lost_here[MAX_CPUS], lost_there[MAX_CPUS];
	struct u64_map callsites; /* address -> number of the text that matched it */
	struct intern texts;
	unsigned long nr_events, nr_losses;
};

/* One line of trace-cmd's text; parsing splits it in place. */
struct raw_line {
	uint64_t ts;
	uint32_t cpu;
	int32_t pid;
	char *name;
	char *fields;
};

/* "   comm-PID [CPU] TIME: NAME:  FIELDS", where comm may hold anything. */
static bool parse_raw(char *text, struct raw_line *line)
{
	char *p, *end, *dash;

	for (p = strchr(text, '['); p; p = strchr(p + 1, '[')) {
		line->cpu = (uint32_t)strtoul(p + 1, &end, 10);
		if (end == p + 4 && *end == ']')
			break;
	}
	if (!p)
		return false;
	*p = '\0';
	dash = strrchr(text, '-');
	if (!dash)
		return false;
	line->pid = (int32_t)strtol(dash + 1, NULL, 10);
	line->ts = strtoull(end + 1, &end, 10);
	if (*end == '.')
		line->ts = line->ts * 1000000000 + strtoull(end + 1, &end, 10);
	if (end[0] != ':' || end[1] != ' ')
		return false;
	line->name = end + 1 + strspn(end + 1, " ");
	end = strchr(line->name, ':');
	if (!end)
		return false;
	*end = '\0';
	line->fields = end + 1 + strspn(end + 1, " ");
	line->fields[strcspn(line->fields, "\n")] = '\0';
	return true;
}

/* The text after " KEY=" or NULL. */
static const char *raw_field(const char *fields, const char *key)
{
	size_t len = strlen(key);
	const char *p = fields;

	while (p && *p) {
		if (!strncmp(p, key, len) && p[len] == '=')
			return p + len + 1;
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return NULL;
}

/* Is @callsite "name+0xoff" for any symbol of that name in the recording? */
static bool callsite_is(struct compare *c, uint64_t callsite, const char *text,
			size_t len)
{
	char name[256];
	const char *plus = memrchr(text, '+', len), *p = c->rec->kallsyms;
	uint32_t id = intern_id(&c->texts, text, len);
	uint32_t *known = u64_map_find(&c->callsites, callsite);
	uint64_t offset = plus ? strtoull(plus + 1, NULL, 0) : 0;

	if (known && *known == id)
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)(plus ? plus - text : (long)len), text);
	while (p && (p = strstr(p, name))) {
		const char *start = p, *after = p + strlen(name);

		while (start > c->rec->kallsyms && start[-1] != '\n')
			start--;
		if (p[-1] == ' ' && strchr("\t\n", *after) &&
		    strtoull(start, NULL, 16) + offset == callsite) {
			known = u64_map_insert(&c->callsites, callsite, id);
			*known = id;
			return true;
		}
		p = after;
	}
	return false;
}

static void check_number(struct compare *c, const struct raw_line *line, const char *key,
			 uint64_t value)
{
	const char *text = raw_field(line->fields, key);

	ck_assert_msg(text, "%s:%lu: %s lacks %s in: %s", c->path, c->line_nr, line->name,
		      key, line->fields);
	if (!strcmp(key, "call_site") && !isdigit((unsigned char)*text)) {
		ck_assert_msg(callsite_is(c, value, text, strcspn(text, " ")),
			      "%s:%lu: call_site 0x%" PRIx64 " is not %s", c->path,
			      c->line_nr, value, text);
		return;
	}
	ck_assert_msg(strtoull(text, NULL, 0) == value,
		      "%s:%lu: %s: %s is %" PRIu64 ", trace-cmd has %s", c->path,
		      c->line_nr, line->name, key, value, line->fields);
}

/* trace-cmd prints these fields as signed. */
static void check_text(const struct raw_line *line, const char *key, const char *value,
		       size_t size)
{
	const char *text = raw_field(line->fields, key);

	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(strcspn(text, " \n"), size);
	ck_assert_mem_eq(text, value, size);
}

static void check_signed(struct compare *c, const struct raw_line *line, const char *key,
			 int32_t value)
{
	check_number(c, line, key, (uint64_t)(int64_t)value);
}

static void check_name(struct compare *c, const struct raw_line *line, uint32_t cache)
{
	const char *text = raw_field(line->fields, "name");
	const char *name = event_stream_cache(c->st, cache);

	ck_assert_int_eq(!text, !name);
	if (text)
		ck_assert_msg(strlen(name) == strcspn(text, " ") &&
				      !strncmp(text, name, strlen(name)),
			      "%s:%lu: cache %s, trace-cmd has %s", c->path, c->line_nr,
			      name, text);
}

/* Reads one frame of trace-cmd's list of bytes and advances @p. */
static uint64_t raw_frame(const struct compare *c, const char **p)
{
	unsigned int word = c->rec->layout.long_size, j;
	uint64_t frame = 0;

	for (j = 0; j < word; j++) {
		char *end;
		uint64_t byte = strtoul(*p, &end, 16);

		frame |= byte << 8 * (c->rec->big_endian ? word - 1 - j : j);
		*p = end + strspn(end, ", ");
	}
	return frame;
}

/* trace-cmd prints the nominal array, in bytes: compares as many frames as both have. If the
 * unwinder meets a 0, the kernel counts it as a frame; kmemx does not.
 */
static void check_stack(struct compare *c, const struct raw_line *line,
			const struct kmem_event *ev)
{
	const char *p = raw_field(line->fields, "caller");
	const char *size = raw_field(line->fields, "size");
	const struct event_field *caller =
		&event_formats_find(c->fmts, ev->id)->fields[STACK_CALLER];
	uint32_t nr, i;
	const uint64_t *frames = event_stream_stack(c->st, ev->stack, &nr);
	uint32_t raw_nr = size ? (uint32_t)strtoul(size, NULL, 0) : 0;

	ck_assert(p && !strncmp(p, "ARRAY[", 6));
	p += 6;
	for (i = 0; i < nr && i < 8; i++)
		ck_assert_msg(raw_frame(c, &p) == frames[i], "%s:%lu: frame %u", c->path,
			      c->line_nr, i);
	if (nr < raw_nr)
		ck_assert_uint_eq(get_uint(ev->data + caller->offset + nr * caller->size,
					   caller->size, c->rec->big_endian),
				  0);
	else
		check_number(c, line, "size", nr);
}

static void check_slab_alloc(struct compare *c, const struct raw_line *line,
			     const struct kmem_event *ev)
{
	check_number(c, line, "call_site", ev->slab_alloc.callsite);
	check_number(c, line, "ptr", ev->slab_alloc.ptr);
	check_number(c, line, "bytes_req", ev->slab_alloc.bytes_req);
	check_number(c, line, "bytes_alloc", ev->slab_alloc.bytes_alloc);
	check_number(c, line, "gfp_flags", ev->slab_alloc.gfp_flags);
	if (raw_field(line->fields, "node"))
		check_signed(c, line, "node", ev->slab_alloc.node);
	else
		ck_assert_int_eq(ev->slab_alloc.node, -1);
	check_name(c, line, ev->slab_alloc.cache);
}

static void check_pfn(struct compare *c, const struct raw_line *line, uint64_t pfn)
{
	if (pfn == KMEM_NO_PFN && c->rec->layout.long_size == 4)
		pfn = UINT32_MAX;
	check_number(c, line, "pfn", pfn);
}

static void check_page(struct compare *c, const struct raw_line *line,
		       const struct kmem_event *ev)
{
	check_pfn(c, line, ev->page_alloc.pfn);
	check_number(c, line, "order", ev->page_alloc.order);
	check_signed(c, line, "migratetype", ev->page_alloc.migratetype);
}

/* Older kernels do not record a refill flag, as they have per-CPU lists only for order 0. */
static void check_refill(struct compare *c, const struct raw_line *line,
			 const struct kmem_event *ev)
{
	if (raw_field(line->fields, "percpu_refill"))
		check_number(c, line, "percpu_refill", ev->page_alloc.refill);
	else
		ck_assert_uint_eq(ev->page_alloc.refill, !ev->page_alloc.order);
}

static void check_extfrag(struct compare *c, const struct raw_line *line,
			  const struct kmem_event *ev)
{
	check_pfn(c, line, ev->extfrag.pfn);
	check_signed(c, line, "alloc_order", ev->extfrag.alloc_order);
	check_signed(c, line, "fallback_order", ev->extfrag.fallback_order);
	check_signed(c, line, "alloc_migratetype", ev->extfrag.alloc_migratetype);
	check_signed(c, line, "fallback_migratetype", ev->extfrag.fallback_migratetype);
	check_signed(c, line, "change_ownership", ev->extfrag.change_ownership);
}

/* "p=ARRAY[00, ad, de, ...", the bytes of an array of pointers; @ret: where calls may fail. */
static void check_objects(struct compare *c, const struct raw_line *line,
			  const struct kmem_event *ev, const char *ret)
{
	const char *text = strstr(line->fields, "p=ARRAY[");
	uint32_t i;

	if (ret && strtol(raw_field(line->fields, ret), NULL, 0) <= 0)
		ck_assert_uint_eq(ev->objects.nr + ev->objects.unseen, 0);
	else
		check_number(c, line, "nr", ev->objects.nr + ev->objects.unseen);
	ck_assert_ptr_nonnull(text);
	text += strlen("p=ARRAY[");
	for (i = 0; i < ev->objects.nr * ev->objects.size; i++, text += strlen("00, "))
		ck_assert_uint_eq(ev->objects.at[i], strtoul(text, NULL, 16));
}

static void check_area(struct compare *c, const struct raw_line *line,
		       const struct kmem_event *ev)
{
	if (ev->type == KMEM_VMALLOC_ALLOC)
		check_number(c, line, "size", ev->slab_alloc.bytes_alloc + 4096);
	else
		check_number(c, line, ev->type == KMEM_VMALLOC_FREE ? "va_start" : "ptr",
			     ev->slab_free.ptr);
}

static void check_rest(struct compare *c, const struct raw_line *line,
		       const struct kmem_event *ev)
{
	if (kmem_is_call(ev->type)) {
		check_number(c, line, "id", ev->call);
		return;
	}
	if (!kmem_is_task(ev->type)) { /* its fields are not decoded */
		ck_assert(ev->type == KMEM_OTHER || ev->type == KMEM_TASK_EXIT);
		return;
	}
	if (ev->type == KMEM_GROUP_REMOVE) {
		check_text(line, "path", ev->group.path, ev->group.path_size);
		return;
	}
	if (ev->type == KMEM_GROUP_MOVE) {
		check_number(c, line, "pid", (uint64_t)ev->group.pid);
		check_number(c, line, "dst_root", (uint64_t)ev->group.hierarchy);
		check_text(line, "dst_path", ev->group.path, ev->group.path_size);
		return;
	}
	check_number(c, line, "pid", (uint64_t)ev->task.pid);
	check_text(line, ev->type == KMEM_TASK_NEW ? "comm" : "newcomm", ev->task.name,
		   ev->task.name_size);
}

static void check_fields(struct compare *c, const struct raw_line *line,
			 const struct kmem_event *ev)
{
	switch (ev->type) {
	case KMEM_KMALLOC:
	case KMEM_KMALLOC_NODE:
	case KMEM_CACHE_ALLOC:
	case KMEM_CACHE_ALLOC_NODE:
		check_slab_alloc(c, line, ev);
		break;
	case KMEM_KFREE:
	case KMEM_CACHE_FREE:
		check_number(c, line, "call_site", ev->slab_free.callsite);
		check_number(c, line, "ptr", ev->slab_free.ptr);
		check_name(c, line, ev->slab_free.cache);
		break;
	case KMEM_PAGE_ALLOC:
		check_number(c, line, "gfp_flags", ev->page_alloc.gfp_flags);
		check_page(c, line, ev);
		break;
	case KMEM_PAGE_ALLOC_ZONE_LOCKED:
		check_refill(c, line, ev);
		/* fallthrough */
	case KMEM_PAGE_PCPU_DRAIN:
		check_page(c, line, ev);
		break;
	case KMEM_PAGE_FREE:
		check_number(c, line, "order", ev->page_free.order);
		/* fallthrough */
	case KMEM_PAGE_FREE_BATCHED:
		check_pfn(c, line, ev->page_free.pfn);
		break;
	case KMEM_PAGE_ALLOC_EXTFRAG:
		check_extfrag(c, line, ev);
		break;
	case KMEM_KERNEL_STACK:
		check_stack(c, line, ev);
		break;
	case KMEM_FREE_RCU:
		check_number(c, line, "ptr", ev->objects.ptr);
		break;
	case KMEM_FREE_BULK:
		check_objects(c, line, ev, NULL);
		break;
	case KMEM_ALLOC_BULK:
		check_objects(c, line, ev, "ret");
		break;
	case KMEM_PERCPU_ALLOC:
	case KMEM_PERCPU_FREE:
	case KMEM_VMALLOC_ALLOC:
	case KMEM_VMALLOC_FREE:
		check_area(c, line, ev);
		break;
	default:
		check_rest(c, line, ev);
	}
}

/* Reads the next event and notes losses before it. False at the end. */
static bool next_event(struct compare *c, struct kmem_event *ev)
{
	int ret;

	while ((ret = event_stream_next(c->st, ev)) > 0 && ev->type == KMEM_LOSS) {
		ck_assert_uint_lt(ev->cpu, MAX_CPUS);
		c->lost_here[ev->cpu] = ev->loss.count;
		c->nr_losses++;
	}
	ck_assert_int_ge(ret, 0);
	return ret > 0;
}

/* "CPU:0 [360 EVENTS DROPPED]" */
static bool raw_loss(struct compare *c, const char *text)
{
	unsigned int cpu;
	unsigned long long nr;

	if (sscanf(text, "CPU:%u [%llu EVENTS DROPPED]", &cpu, &nr) == 2)
		c->lost_there[cpu % MAX_CPUS] = nr;
	else if (sscanf(text, "CPU:%u [EVENTS DROPPED]", &cpu) == 1 &&
		 strstr(text, "DROPPED"))
		c->lost_there[cpu % MAX_CPUS] = KMEM_LOSS_UNKNOWN;
	else
		return false;
	return true;
}

static void compare_event(struct compare *c, const struct raw_line *line,
			  const struct kmem_event *ev)
{
	const struct event_format *fmt = event_formats_find(c->fmts, ev->id);

	ck_assert_msg(ev->ts == line->ts,
		      "%s:%lu: time %" PRIu64 ", trace-cmd has %" PRIu64, c->path,
		      c->line_nr, ev->ts, line->ts);
	ck_assert_msg(ev->cpu == line->cpu, "%s:%lu: CPU %u", c->path, c->line_nr,
		      ev->cpu);
	ck_assert_msg(ev->pid == line->pid, "%s:%lu: pid %d", c->path, c->line_nr,
		      ev->pid);
	ck_assert_msg(fmt && !strcmp(fmt->name, line->name), "%s:%lu: event %s", c->path,
		      c->line_nr, fmt ? fmt->name : "unknown");
	ck_assert_msg(c->lost_here[ev->cpu] == c->lost_there[ev->cpu],
		      "%s:%lu: %" PRIu64 " lost on CPU %u, trace-cmd has %" PRIu64,
		      c->path, c->line_nr, c->lost_here[ev->cpu], ev->cpu,
		      c->lost_there[ev->cpu]);
	c->lost_here[ev->cpu] = c->lost_there[ev->cpu] = 0;
	check_fields(c, line, ev);
	c->nr_events++;
}

static void compare_lists(struct compare *c, gzFile raw)
{
	struct kmem_event ev;
	struct raw_line line;
	char text[4096];

	while (gzgets(raw, text, sizeof(text))) {
		c->line_nr++;
		if (!strncmp(text, "cpus=", 5) || raw_loss(c, text))
			continue;
		ck_assert_msg(parse_raw(text, &line), "%s:%lu: %s", c->path, c->line_nr,
			      text);
		ck_assert_msg(next_event(c, &ev), "%s ends before line %lu", c->path,
			      c->line_nr);
		compare_event(c, &line, &ev);
	}
	ck_assert_msg(!next_event(c, &ev), "%s has more events than trace-cmd's list",
		      c->path);
}

static gzFile open_raw(const char *dat)
{
	char path[512];
	gzFile raw;

	snprintf(path, sizeof(path), "%.*s.raw.txt.gz", (int)(strlen(dat) - 4), dat);
	raw = gzopen(path, "r");
	ck_assert_ptr_nonnull(raw);
	return raw;
}

START_TEST(events_equal_trace_cmd)
{
	struct compare c = { .path = fixtures.gl_pathv[_i] };
	struct event_stream_options opts = { .stop_ts = UINT64_MAX, .keep_stacks = true };
	const struct event_stream_stats *stats;
	struct source src;
	gzFile raw = open_raw(c.path);

	ck_assert_int_eq(source_open_file(&src, c.path), 0);
	ck_assert_int_eq(recording_open(&c.rec, &src, c.path, NULL), 0);
	ck_assert_int_eq(event_formats_new(&c.fmts, c.rec, NULL), 0);
	ck_assert_uint_eq(c.fmts->nr_failed, 0);
	ck_assert_int_eq(event_stream_open(&c.st, c.rec, c.fmts, &opts, NULL), 0);
	compare_lists(&c, raw);
	ck_assert_int_eq(gzclose(raw), Z_OK);
	stats = event_stream_stats(c.st);
	ck_assert_uint_gt(c.nr_events, 0);
	ck_assert_uint_eq(stats->nr_events, c.nr_events);
	ck_assert_uint_eq(stats->nr_undecodable, 0);
	ck_assert_uint_eq(stats->nr_bad_pages, 0);
	event_stream_close(c.st);
	event_formats_free(c.fmts);
	recording_close(c.rec);
	u64_map_free(&c.callsites);
	intern_free(&c.texts);
}
END_TEST

/* In brief mode, events lack only the two fields that it may omit. */
START_TEST(brief_events_say_all_else)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct event_stream *whole, *brief;
	struct event_formats *fmts;
	struct recording *rec;
	struct kmem_event a, b;
	struct source src;
	size_t size;
	int ret;

	ck_assert_int_eq(source_open_file(&src, fixtures.gl_pathv[_i]), 0);
	ck_assert_int_eq(recording_open(&rec, &src, fixtures.gl_pathv[_i], NULL), 0);
	ck_assert_int_eq(event_formats_new(&fmts, rec, NULL), 0);
	ck_assert_int_eq(event_stream_open(&whole, rec, fmts, &opts, NULL), 0);
	ck_assert_int_eq(event_stream_open(&brief, rec, fmts, &opts, NULL), 0);
	event_stream_set_brief(brief, true);
	do {
		memset(&a, 0, sizeof(a));
		memset(&b, 0, sizeof(b));
		ret = event_stream_next(whole, &a);
		ck_assert_int_eq(event_stream_next(brief, &b), ret);
		b.data = a.data;
		if (kmem_is_probe(a.type))
			b.objects.at = a.objects.at;
		if (kmem_is_task(a.type)) /* also the path of a group */
			b.task.name = a.task.name;
		if (kmem_is_slab_alloc(a.type)) {
			b.slab_alloc.gfp_flags = a.slab_alloc.gfp_flags;
			b.slab_alloc.node = a.slab_alloc.node;
			b.accounted = a.accounted;
		}
		/* A loss defines only its own part of the union. */
		size = a.type == KMEM_LOSS
			       ? offsetof(struct kmem_event, loss) + sizeof(a.loss)
			       : sizeof(a);
		ck_assert_mem_eq(&a, &b, size);
	} while (ret == 1);
	ck_assert_int_eq(ret, 0);
	event_stream_close(whole);
	event_stream_close(brief);
	event_formats_free(fmts);
	recording_close(rec);
}
END_TEST

/* Skips fixtures without a list of trace-cmd, or with an empty one (trace-cmd cannot read these):
 * other tests use them.
 */
static void find_fixtures(void)
{
	size_t i, kept = 0;
	char path[512];

	if (glob("data/*.dat", 0, NULL, &fixtures))
		return;
	for (i = 0; i < fixtures.gl_pathc; i++) {
		char *dat = fixtures.gl_pathv[i];
		gzFile raw;
		bool any;

		snprintf(path, sizeof(path), "%.*s.raw.txt.gz", (int)(strlen(dat) - 4),
			 dat);
		raw = gzopen(path, "r");
		any = raw && gzgetc(raw) >= 0;
		if (raw)
			gzclose(raw);
		/* Moves it to the front; globfree() still frees the others. */
		if (any && tested_often(dat)) {
			fixtures.gl_pathv[i] = fixtures.gl_pathv[kept];
			fixtures.gl_pathv[kept++] = dat;
		}
	}
	fixtures.gl_pathc = kept;
}

START_TEST(there_are_fixtures)
{
	ck_assert_uint_gt(fixtures.gl_pathc, 0);
}
END_TEST

Suite *test_fixture_events_suite(void)
{
	Suite *s = suite_create("event/fixtures");
	TCase *tc = tcase_create("all");

	find_fixtures();
	tcase_add_test(tc, there_are_fixtures);
	tcase_add_loop_test(tc, events_equal_trace_cmd, 0, (int)fixtures.gl_pathc);
	tcase_add_loop_test(tc, brief_events_say_all_else, 0, (int)fixtures.gl_pathc);
	suite_add_tcase(s, tc);
	return s;
}
#else
Suite *test_fixture_events_suite(void)
{
	return suite_create("event/fixtures: SKIPPED, built without zlib");
}
#endif
