// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/advise/advise.h: which events lead to advice, and which do not.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advise/advise.h"
#include "opened.h"

enum { MOST_EVENTS = 40000, SITE = 0xca11, OTHER = 0x07e4 };

/* Events made by the test; the recording provides the event types, the test slabinfo. */
struct fixture {
	struct opened in;
	struct recording_text meta[2], *own_meta;
	size_t nr_own_meta;
	const struct table *t;
	struct kmem_event *evs;
	size_t nr;
	uint64_t pause;
};

static void set_up(struct fixture *f)
{
	*f = (struct fixture){ .evs = calloc(MOST_EVENTS, sizeof(*f->evs)) };
	opened_lends(&f->in, "data/bookworm-amd64-small-stack.v7.dat");
	f->own_meta = f->in.rec->meta;
	f->nr_own_meta = f->in.rec->nr_meta;
	f->in.env.raw_ip = true;
}

static void tear_down(struct fixture *f)
{
	f->in.rec->meta = f->own_meta;
	f->in.rec->nr_meta = f->nr_own_meta;
	opened_close(&f->in);
	free(f->evs);
}

static void set_caches(struct fixture *f, char *slabinfo, char *aliases)
{
	f->meta[0] = (struct recording_text){ (char *)"slabinfo.after", slabinfo,
					      strlen(slabinfo) };
	f->meta[1] = (struct recording_text){ (char *)"slab_aliases", aliases,
					      strlen(aliases) };
	f->in.rec->meta = f->meta;
	f->in.rec->nr_meta = 2;
}

static uint64_t pointer(unsigned int i)
{
	return 0xffff888000000000ULL + i * 65536ULL;
}

static void add(struct fixture *f, const struct kmem_event *ev)
{
	ck_assert_uint_lt(f->nr, MOST_EVENTS);
	f->evs[f->nr] = *ev;
	f->evs[f->nr].ts = f->nr + f->pause;
	f->nr++;
}

/* Allocates objects @first to @last - 1. */
static void allocate(struct fixture *f, uint8_t type, uint64_t site, unsigned int first,
		     unsigned int last, uint64_t req, uint64_t alloc)
{
	struct kmem_event ev = {
		.type = type,
		.slab_alloc = { .callsite = site, .bytes_req = req, .bytes_alloc = alloc }
	};

	for (; first < last; first++) {
		ev.slab_alloc.ptr = pointer(first);
		add(f, &ev);
	}
}

static void release(struct fixture *f, unsigned int first, unsigned int last)
{
	struct kmem_event ev = { .type = KMEM_KFREE };

	for (; first < last; first++) {
		ev.slab_free.ptr = pointer(first);
		add(f, &ev);
	}
}

/* Returns the number of rows of advice on the events of @f. */
static size_t advice(struct fixture *f)
{
	const struct analysis *chosen = analysis_find("advise");
	const struct analysis_options opts = { .by_caller = true };
	const struct analysis_set set = { .analyses = &chosen, .nr = 1, .opts = &opts };
	struct analyses *all;

	ck_assert(!analyses_new(&all, &f->in.env, &set));
	analyses_observe(all, f->evs, f->nr);
	ck_assert(!analyses_view(all, f->in.report));
	analyses_free(all);
	ck_assert_uint_eq(f->in.report->nr_tables, 1);
	f->t = f->in.report->tables[0];
	return f->t->nr_rows;
}

static const struct cell *cell(const struct fixture *f, size_t row, const char *name)
{
	int column = table_column(f->t, name);

	ck_assert_int_ge(column, 0);
	ck_assert_uint_lt(row, f->t->nr_rows);
	return &f->t->cells[row * f->t->nr_columns + (size_t)column];
}

static void ck_text(const struct fixture *f, const char *name, const char *wanted)
{
	const struct cell *c = cell(f, 0, name);

	ck_assert_int_eq(c->type, CELL_TEXT);
	ck_assert_msg(strstr(c->s, wanted), "%s: %s", name, c->s);
}

/* The objects of the kernel commit that introduced the method, in SLUB slabs with a tail. */
START_TEST(a_cache_of_its_own)
{
	char slabinfo[] = "slabinfo - version: 2.1\n"
			  "inode_mark 10 20 56 67 1 : tunables 0 0 0 : slabdata 1 1 0\n";
	char aliases[] = "inode_mark :0000056\n";
	struct fixture f;

	set_up(&f);
	set_caches(&f, slabinfo, aliases);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 979, 56, 64);
	/* The peak counts, not the objects live at the end; other callsites do not count. */
	release(&f, 0, 979);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 10, 56, 64);
	allocate(&f, KMEM_CACHE_ALLOC, OTHER, 1000, 1900, 56, 64);
	ck_assert_uint_eq(advice(&f), 1);
	ck_assert_str_eq(cell(&f, 0, "finding")->s, "own-cache");
	ck_assert_uint_eq(cell(&f, 0, "bytes")->u, 7832 - 1456 - 15 * 344);
	ck_assert_uint_eq(cell(&f, 0, "hit")->u, 989);
	ck_assert_uint_eq(cell(&f, 0, "live")->u, 979);
	ck_assert_uint_eq(cell(&f, 0, "bytes_req")->u, 56);
	ck_assert_uint_eq(cell(&f, 0, "object")->u, 64);
	ck_assert_uint_eq(cell(&f, 0, "better")->u, 56);
	ck_text(&f, "evidence",
		"979 objects of 56 bytes live at once, each in 64; 989 of 989 kmallocs there ask");
	ck_text(&f, "arithmetic",
		"979 x (64 - 56) - 26 unused x 56 - 15 slabs x 344 left over = 1216; 15 slabs of 4096 bytes with 67 objects, as those of inode_mark");
	ck_text(&f, "merge", "another name of inode_mark");
	ck_text(&f, "more", "kmemx stat --sizes --callsite 0xca11 -i data/bookworm");
	tear_down(&f);
}
END_TEST

START_TEST(few_objects_are_not_worth_a_slab)
{
	struct fixture f;

	set_up(&f);
	/* They would save 496 bytes, but their slab has room for 11 more objects of 56 bytes. */
	allocate(&f, KMEM_KMALLOC, SITE, 0, 62, 56, 64);
	ck_assert_uint_eq(advice(&f), 0);
	ck_assert_uint_eq(f.t->nr_notes, 1);
	tear_down(&f);
}
END_TEST

/* One of four sizes dominates if it has three quarters. */
START_TEST(dominant)
{
	unsigned int others = _i ? 333 : 334;
	struct fixture f;

	set_up(&f);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 1000, 40, 64);
	allocate(&f, KMEM_KMALLOC, SITE, 1000, 1000 + others, 24, 32);
	ck_assert_uint_eq(advice(&f), (size_t)_i);
	tear_down(&f);
}
END_TEST

/* Bytes requested and allocated, and the size of one other object; whether that leads to advice. */
static const struct {
	uint64_t req, alloc, other;
	bool found;
} sizes
	[] = {
		{ 520, 1024, 512, true },    { 576, 1024, 512, true },
		{ 577, 1024, 512, false },   { 512, 512, 512, false },
		{ 520, 1024, 0, false }, /* slabinfo may lack a class of 512 */
		{ 520, 512 * 3, 512, true }, { 2, 8, 8, false },
		{ 65, 96, 64, true },	     { 65, 64, 64, false }, /* impossible */
	};

START_TEST(just_over)
{
	struct fixture f;

	set_up(&f);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 2, sizes[_i].req, sizes[_i].alloc);
	if (sizes[_i].other)
		allocate(&f, KMEM_KMALLOC, OTHER, 2, 3, sizes[_i].other, sizes[_i].other);
	ck_assert_uint_eq(advice(&f), sizes[_i].found);
	if (sizes[_i].found) {
		ck_assert_str_eq(cell(&f, 0, "finding")->s, "shrink");
		ck_assert_uint_eq(cell(&f, 0, "bytes")->u,
				  2 * (sizes[_i].alloc - sizes[_i].other));
	}
	tear_down(&f);
}
END_TEST

/* The page allocator served these: no cache, and no smaller class. */
START_TEST(large)
{
	struct fixture f;

	set_up(&f);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 100, 16400, 32768);
	release(&f, 0, 100);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 10, 16400, 32768);
	allocate(&f, KMEM_KMALLOC, SITE, 200, 210, 100, 128);
	allocate(&f, KMEM_KMALLOC, OTHER, 300, 301, 16384, 16384);
	ck_assert_uint_eq(advice(&f), 1);
	ck_assert_str_eq(cell(&f, 0, "finding")->s, "whole-pages");
	ck_assert_uint_eq(cell(&f, 0, "bytes")->u, 100 * (32768 - 20480));
	ck_assert_uint_eq(cell(&f, 0, "hit")->u, 110);
	ck_assert_uint_eq(cell(&f, 0, "live")->u, 100);
	ck_assert_uint_eq(cell(&f, 0, "bytes_req")->u, 16400);
	ck_assert_uint_eq(cell(&f, 0, "object")->u, 32768);
	ck_assert_uint_eq(cell(&f, 0, "better")->u, 20480);
	ck_text(&f, "evidence",
		"100 objects of 16400 bytes live at once, each in 32768; ");
	ck_text(&f, "evidence", "110 of 120 kmallocs there ask for over 8192 bytes");
	ck_text(&f, "arithmetic", "100 x (32768 - 20480) = 1228800");
	tear_down(&f);
}
END_TEST

/* Several sizes: the time of the largest total waste counts. */
START_TEST(large_of_several_sizes)
{
	struct fixture f;

	set_up(&f);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 2, 20000, 32768); /* wastes 12288 each */
	allocate(&f, KMEM_KMALLOC, SITE, 2, 3, 8193, 16384);  /* wastes 4096 */
	release(&f, 0, 2);
	allocate(&f, KMEM_KMALLOC, SITE, 10, 14, 8193, 16384);
	ck_assert_uint_eq(advice(&f), 1);
	ck_assert_uint_eq(cell(&f, 0, "bytes")->u, 2 * 12288 + 4096);
	ck_assert_uint_eq(cell(&f, 0, "hit")->u, 7);
	ck_assert_uint_eq(cell(&f, 0, "live")->u, 3);
	ck_assert_int_eq(cell(&f, 0, "bytes_req")->type, CELL_NONE);
	ck_assert_int_eq(cell(&f, 0, "object")->type, CELL_NONE);
	ck_assert_int_eq(cell(&f, 0, "better")->type, CELL_NONE);
	ck_text(&f, "evidence",
		"3 objects of several sizes live at once, in 81920 bytes; 7 of 7");
	ck_text(&f, "arithmetic", "81920 - 53248 = 28672, with");
	tear_down(&f);
}
END_TEST

/* The same request leads to allocations of two sizes. */
START_TEST(large_of_two_allocations)
{
	struct fixture f;

	set_up(&f);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 2, 20000, 32768);
	allocate(&f, KMEM_KMALLOC, SITE, 2, 4, 20000, 65536);
	ck_assert_uint_eq(advice(&f), 1);
	ck_assert_uint_eq(cell(&f, 0, "live")->u, 4);
	ck_assert_int_eq(cell(&f, 0, "bytes_req")->type, CELL_NONE);
	ck_assert_int_eq(cell(&f, 0, "object")->type, CELL_NONE);
	tear_down(&f);
}
END_TEST

/* A request of whole pages; one just above the size of a slab object; one above its allocation,
 * which is impossible.
 */
static const struct {
	uint64_t req, alloc, saves;
} pages[] = { { 16384, 16384, 0 },    { 12289, 16384, 0 },
	      { 12288, 16384, 4096 }, { 4097, 8192, 0 }, /* a slab object */
	      { 40000, 16384, 0 },    { 0, 16384, 16384 } };

START_TEST(whole_pages)
{
	struct fixture f;

	set_up(&f);
	allocate(&f, KMEM_KMALLOC, SITE, 0, 1, pages[_i].req, pages[_i].alloc);
	ck_assert_uint_eq(advice(&f), pages[_i].saves != 0);
	if (pages[_i].saves)
		ck_assert_uint_eq(cell(&f, 0, "bytes")->u, pages[_i].saves);
	tear_down(&f);
}
END_TEST

/* --- flags, in the formats of the recording ----------------------------------------------- */

enum {
	KERNEL = 0xcc0,
	ATOMIC = 0xa20,
	NORETRY = 0x10000,
	NOFAIL = 0x8000,
	IN_IRQ = 0x08,
	IRQS_OFF = 0x01,
};

/* A kernel lacks some of the flags: no allocation has them. */
START_TEST(flags_of_a_kernel)
{
	struct gfp_names names = { 0 };
	struct gfp_masks m;

	ck_assert_int_eq(gfp_names_add(&names, KERNEL, "GFP_KERNEL"), 0);
	ck_assert_int_eq(gfp_names_add(&names, ATOMIC, "GFP_ATOMIC"), 0);
	m = gfp_masks_of(&names);
	ck_assert_uint_eq(m.kernel, KERNEL);
	ck_assert_uint_eq(m.atomic, ATOMIC);
	ck_assert_uint_eq(m.waits, KERNEL & ~ATOMIC);
	ck_assert_uint_eq(m.noretry | m.nofail, 0);
	gfp_names_free(&names);
	m = gfp_masks_of(NULL);
	ck_assert_uint_eq(m.kernel | m.atomic | m.waits | m.noretry | m.nofail, 0);
}
END_TEST

static void allocate_with(struct fixture *f, uint64_t gfp, uint8_t flags, unsigned int nr)
{
	struct kmem_event ev = { .type = KMEM_CACHE_ALLOC,
				 .flags = flags,
				 .slab_alloc = { .callsite = SITE,
						 .bytes_req = 64,
						 .bytes_alloc = 64,
						 .gfp_flags = gfp } };

	for (; nr; nr--) {
		ev.slab_alloc.ptr = pointer((unsigned int)f->nr);
		add(f, &ev);
	}
}

START_TEST(atomic)
{
	struct fixture f;

	set_up(&f);
	allocate_with(&f, ATOMIC, 0, 3);
	allocate_with(&f, ATOMIC | NORETRY, 0, 4);
	allocate_with(&f, ATOMIC, IN_IRQ, 5);
	allocate_with(&f, ATOMIC, IRQS_OFF, 6);
	allocate_with(&f, KERNEL, 0, 1);
	allocate_with(&f, ATOMIC | KERNEL, 0, 1); /* may sleep */
	ck_assert_uint_eq(advice(&f), 1);
	ck_assert_str_eq(cell(&f, 0, "finding")->s, "atomic");
	ck_assert_int_eq(cell(&f, 0, "bytes")->type, CELL_NONE);
	ck_assert_uint_eq(cell(&f, 0, "hit")->u, 7);
	ck_text(&f, "evidence", "7 of 18 GFP_ATOMIC allocations of slab objects");
	ck_text(&f, "evidence", "GFP_KERNEL allocations there: 2");
	ck_text(&f, "more", "kmemx stat --gfp GFP_ATOMIC --callsite 0xca11 -i ");
	tear_down(&f);
}
END_TEST

/* Allocates only in interrupts; never with GFP_KERNEL. */
START_TEST(rightly_atomic)
{
	struct fixture f;

	set_up(&f);
	allocate_with(&f, ATOMIC, _i ? 0 : IN_IRQ, 3);
	allocate_with(&f, _i ? 0x800 : KERNEL, 0, 1);
	ck_assert_uint_eq(advice(&f), 0);
	tear_down(&f);
}
END_TEST

static void allocate_pages(struct fixture *f, uint64_t gfp, uint32_t order, bool failed)
{
	const struct kmem_event ev = { .type = KMEM_PAGE_ALLOC,
				       .stack = 1,
				       .page_alloc = { .pfn = failed ? KMEM_NO_PFN
								     : f->nr * 1024ULL,
						       .gfp_flags = gfp,
						       .order = order } };

	add(f, &ev);
}

START_TEST(high_order)
{
	struct fixture f;

	set_up(&f);
	allocate_pages(&f, KERNEL, 3, false);
	allocate_pages(&f, KERNEL | NORETRY, 9, false);
	allocate_pages(&f, KERNEL | NOFAIL, 9, false);
	allocate_pages(&f, ATOMIC, 9, false);
	if (_i) {
		allocate_pages(&f, KERNEL, 5, false);
		allocate_pages(&f, KERNEL, 4, false);
		allocate_pages(&f, KERNEL, 6, true);
	}
	ck_assert_uint_eq(advice(&f), _i ? 2 : 1); /* the second row is "atomic" */
	ck_assert_str_eq(cell(&f, 0, "finding")->s, "atomic");
	if (_i) {
		ck_assert_str_eq(cell(&f, 1, "finding")->s, "high-order");
		ck_assert_uint_eq(cell(&f, 1, "hit")->u, 3);
		ck_assert_msg(strstr(cell(&f, 1, "evidence")->s,
				     "3 allocations of order 4 to 6 may wait"),
			      "%s", cell(&f, 1, "evidence")->s);
		ck_assert_ptr_nonnull(strstr(cell(&f, 1, "evidence")->s, "; 1 failed"));
	}
	tear_down(&f);
}
END_TEST

/* --- CPUs ------------------------------------------------------------------------------- */

/* Allocates @nr objects; the first @near of them are freed on the CPU that allocated them. */
static void pass_on(struct fixture *f, unsigned int nr, unsigned int near)
{
	struct kmem_event ev = { .type = KMEM_CACHE_ALLOC, .cpu = 1 };
	unsigned int i;

	ev.slab_alloc.callsite = SITE;
	ev.slab_alloc.bytes_req = ev.slab_alloc.bytes_alloc = 64;
	for (i = 0; i < nr; i++) {
		ev.slab_alloc.ptr = pointer(i);
		add(f, &ev);
	}
	ev = (struct kmem_event){ .type = KMEM_CACHE_FREE };
	for (i = 0; i < nr; i++) {
		ev.cpu = i < near ? 1 : 0;
		ev.slab_free.ptr = pointer(i);
		ev.slab_free.callsite = i < 3 ? 0x0ea : 0xf4ee;
		add(f, &ev);
	}
}

static const struct {
	unsigned int nr, near;
	bool found;
} passes[] = { { 16, 0, true }, { 15, 0, false }, { 100, 6, false }, { 100, 5, true } };

START_TEST(ping_pong)
{
	struct fixture f;

	set_up(&f);
	pass_on(&f, passes[_i].nr, passes[_i].near);
	ck_assert_uint_eq(advice(&f), passes[_i].found);
	if (passes[_i].found) {
		ck_assert_str_eq(cell(&f, 0, "finding")->s, "ping-pong");
		ck_assert_uint_eq(cell(&f, 0, "hit")->u, passes[_i].nr - passes[_i].near);
		ck_assert_str_eq(cell(&f, 0, "callsite")->s, "0xca11");
		ck_assert_str_eq(cell(&f, 0, "freed_by")->s, "0xf4ee");
		ck_text(&f, "evidence", "by 0xf4ee, the others by 1 more");
	}
	tear_down(&f);
}
END_TEST

/* --- batches ---------------------------------------------------------------------------- */

/* Events of a CPU, each after its count. f: the task frees a page. b: a batched free of the oldest
 * page without one is announced; B: of the next page to be freed; e: of the page freed last. i: a
 * free in an interrupt; t: by another task; h: of two pages. a: an allocation by the task; A: by
 * another task. l: events are lost. p: time passes. c: everything from here on is on the other CPU.
 */
static const struct {
	const char *events;
	unsigned int single; /* the task's single frees; 0: no advice */
} frees[] = {
	{ "16f", 16 },
	{ "15f", 0 },
	{ "8f c 8f", 0 },
	{ "20f 20b", 0 },
	{ "20h", 0 },
	{ "1B 1f 1B 1f 16f", 16 },
	{ "8f 1i 8f 1t 8f", 24 },
	{ "16f 16f", 32 },
	{ "12f 1l 12f", 0 },
	{ "12f 1a 12f", 0 },
	{ "12f 1A 12f", 24 },
	{ "12f 1p 12f", 0 },
	{ "12f 1p 18f", 18 },
	{ "12f 1p 18f 30b", 0 }, /* the task had to wait in a batch */
	{ "12f 1i 18f 31b", 0 },
	{ "20f 20b 17f 5b", 0 },
	{ "20f 1e 20b", 0 },
	{ "20f 1t 20b", 0 },
	{ "20f 1t 1b 18f", 18 },
	{ "17000f", 17000 },
	{ "17000f 1p 17000b", 16384 }, /* that many are not a batch */
};

static void page_event(struct fixture *f, char what, uint64_t *next, uint64_t *announced)
{
	struct kmem_event ev = { .type = KMEM_PAGE_FREE, .pid = 7 };

	switch (what) {
	case 'b':
	case 'B':
	case 'e':
		ev.type = KMEM_PAGE_FREE_BATCHED;
		ev.page_free.pfn = what == 'b'	 ? (*announced)++
				   : what == 'e' ? *next - 1
						 : *next;
		break;
	case 'a':
	case 'A':
		ev.type = KMEM_PAGE_ALLOC;
		ev.pid += what == 'A';
		ev.page_alloc.pfn = *next;
		break;
	case 'l':
		ev = (struct kmem_event){ .type = KMEM_LOSS };
		break;
	case 'p':
		f->pause += 200000;
		return;
	default:
		ev.flags = what == 'i' ? 0x10 : 0;
		ev.pid += what == 't';
		ev.page_free.order = what == 'h';
		ev.page_free.pfn = (*next)++;
		break;
	}
	add(f, &ev);
}

static void page_events(struct fixture *f, const char *what)
{
	uint64_t next = 1000, announced = 1000;
	uint32_t cpu = 0;

	while (*what) {
		unsigned long times = *what >= '0' && *what <= '9'
					      ? strtoul(what, (char **)&what, 10)
					      : 0;

		cpu += *what == 'c';
		for (; times; times--) {
			page_event(f, *what, &next, &announced);
			if (f->nr)
				f->evs[f->nr - 1].cpu = cpu;
		}
		what++;
	}
}

START_TEST(unbatched)
{
	char evidence[64];
	struct fixture f;

	set_up(&f);
	page_events(&f, frees[_i].events);
	ck_assert_uint_eq(advice(&f), frees[_i].single != 0);
	if (frees[_i].single) {
		snprintf(evidence, sizeof(evidence),
			 "%u pages were freed one by one, in one run", frees[_i].single);
		ck_assert_str_eq(cell(&f, 0, "finding")->s, "unbatched");
		ck_assert_uint_eq(cell(&f, 0, "hit")->u, frees[_i].single);
		ck_text(&f, "callsite", "task ");
		ck_text(&f, "callsite", "-7");
		ck_text(&f, "evidence", evidence);
		ck_text(&f, "doubt", "kmemx record --stack all");
		ck_text(&f, "more",
			"kmemx script --callchain -e 'mm_page_free*' --pid 7 -i ");
	}
	tear_down(&f);
}
END_TEST

static void set_part(struct fixture *f)
{
	f->meta[0] = (struct recording_text){ (char *)"scope", (char *)"part", 4 };
	f->in.rec->meta = f->meta;
	f->in.rec->nr_meta = 1;
}

/* A recording of some tasks has the frees by all; only those that allocated count. */
START_TEST(unbatched_by_others)
{
	struct fixture f;

	set_up(&f);
	set_part(&f);
	page_events(&f, "20f 20t 20i");
	ck_assert_uint_eq(advice(&f), 0);
	tear_down(&f);

	set_up(&f);
	set_part(&f);
	page_events(&f, "1a 20f 20t 20i");
	ck_assert_uint_eq(advice(&f), 1);
	ck_assert_uint_eq(cell(&f, 0, "hit")->u, 20);
	ck_text(&f, "callsite", "-7");
	tear_down(&f);
}
END_TEST

/* With callchains, a row is a callsite of any tasks, and its runs add up. */
START_TEST(unbatched_callsite)
{
	struct fixture f;
	size_t i;

	set_up(&f);
	page_events(&f, "20f 20t 40i 10f");
	for (i = 0; i < f.nr; i++)
		f.evs[i].stack = 1;
	ck_assert_uint_eq(advice(&f), 1);
	ck_assert_uint_eq(cell(&f, 0, "hit")->u, 90);
	ck_text(&f, "evidence",
		"90 pages were freed one by one, in 3 runs of 16 or more on one CPU, the longest of 40;");
	ck_assert_str_eq(cell(&f, 0, "callsite")->s, cell(&f, 0, "freed_by")->s);
	ck_text(&f, "more", "kmemx script --callchain -e 'mm_page_free*' -i ");
	tear_down(&f);
}
END_TEST

Suite *test_advise_suite(void);

Suite *test_advise_suite(void)
{
	Suite *s = suite_create("analysis/advise");
	TCase *tc = tcase_create("advise");

	tcase_add_test(tc, a_cache_of_its_own);
	tcase_add_test(tc, few_objects_are_not_worth_a_slab);
	tcase_add_loop_test(tc, dominant, 0, 2);
	tcase_add_loop_test(tc, just_over, 0, ARRAY_SIZE(sizes));
	tcase_add_test(tc, large);
	tcase_add_test(tc, large_of_several_sizes);
	tcase_add_test(tc, large_of_two_allocations);
	tcase_add_loop_test(tc, whole_pages, 0, ARRAY_SIZE(pages));
	tcase_add_test(tc, flags_of_a_kernel);
	tcase_add_test(tc, atomic);
	tcase_add_loop_test(tc, rightly_atomic, 0, 2);
	tcase_add_loop_test(tc, high_order, 0, 2);
	tcase_add_loop_test(tc, ping_pong, 0, ARRAY_SIZE(passes));
	tcase_add_loop_test(tc, unbatched, 0, ARRAY_SIZE(frees));
	tcase_add_test(tc, unbatched_by_others);
	tcase_add_test(tc, unbatched_callsite);
	suite_add_tcase(s, tc);
	return s;
}
