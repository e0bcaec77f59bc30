// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: import/text_import.h: imports texts of old and new kernels and reads the recordings.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/stream.h"
#include "import/text_gfp.h"
#include "import/text_import.h"
#include "symbol/name_addr.h"
#include "symbol/symbols.h"

Suite *test_text_import_suite(void);

#define MAX_EVENTS 32

/* A text after it was imported, written and read back. */
struct again {
	struct recording *rec;
	struct event_formats *fmts;
	struct event_stream *stream;
	struct symbols *syms;
	struct kmem_event events[MAX_EVENTS];
	size_t nr;
};

static int open_part(void *ctx, uint32_t cpu)
{
	return memfd_create("part", 0);
}

/* A file with that content. */
static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("text", 0);

	ck_assert_int_eq(pwrite(fd, data, size, 0), (ssize_t)size);
	return fd;
}

static int import(const char *text, const char *symbols, struct text_import *out)
{
	const struct recording_import_options opts = {
		.symbols = symbols,
		.symbols_size = symbols ? strlen(symbols) : 0,
		.open_part = open_part,
	};
	struct line_source *ls = NULL;
	int ret;

	ck_assert_int_eq(
		line_source_open_fd(&ls, file_of(text, strlen(text)), UNPACK_ZLIB, false),
		0);
	ret = text_import_run(out, ls, &opts);
	line_source_close(ls);
	return ret;
}

static void read_again(struct again *a, const struct text_import *ti)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	const struct imported *made = &ti->made;
	int fd = memfd_create("recording", 0);
	struct source src;

	*a = (struct again){ 0 };
	ck_assert_int_eq(writer_write(&(struct writer_out){ .fd = fd }, &made->facts,
				      made->parts, made->nr_parts),
			 0);
	ck_assert_int_eq(source_open_fd(&src, fd), 0);
	ck_assert_int_eq(recording_open(&a->rec, &src, "imported", NULL), 0);
	ck_assert_uint_eq(a->rec->nr_damaged, 0);
	ck_assert_int_eq(event_formats_new(&a->fmts, a->rec, NULL), 0);
	ck_assert_uint_eq(a->fmts->nr_failed, 0);
	ck_assert_int_eq(
		symbols_new(&a->syms, a->rec->kallsyms, a->rec->kallsyms_size, NULL), 0);
	ck_assert_int_eq(event_stream_open(&a->stream, a->rec, a->fmts, &opts, NULL), 0);
	while (a->nr < MAX_EVENTS && event_stream_next(a->stream, &a->events[a->nr]) > 0)
		a->nr++;
	ck_assert_uint_eq(event_stream_stats(a->stream)->nr_undecodable, 0);
}

static void close_again(struct again *a)
{
	event_stream_close(a->stream);
	symbols_free(a->syms);
	event_formats_free(a->fmts);
	recording_close(a->rec);
}

static void expect_symbol(const struct again *a, uint64_t addr, const char *want)
{
	struct strbuf sb = { 0 };

	symbols_format(a->syms, addr, &sb);
	ck_assert_str_eq(strbuf_text(&sb), want);
	strbuf_free(&sb);
}

static void expect_flags(const struct again *a, uint64_t flags, const char *want)
{
	struct strbuf sb = { 0 };

	gfp_format_long(&a->fmts->gfp, flags, &sb);
	ck_assert_str_eq(strbuf_text(&sb), want);
	strbuf_free(&sb);
}

static const char linux_6_18[] =
	"# tracer: nop\n"
	"#\n"
	"# entries-in-buffer/entries-written: 7/7   #P:2\n"
	"#\n"
	"  cat-10  [000] d..1.  1.000001: kmem_cache_alloc: call_site=alloc_inode+0x59/0xc0 ptr=ffff888100000000 name=ext4 inode bytes_req=632 bytes_alloc=640 gfp_flags=GFP_KERNEL|__GFP_ZERO node=-1 accounted=true\n"
	"  cat-10  [000] d..1.  1.000001: <stack trace>\n"
	" => kmem_cache_alloc_noprof\n"
	" => alloc_inode\n"
	" => do_open [fuse]\n"
	"  dog-11  [001] .....  1.000001: kfree: call_site=free_it+0x5/0x10 [fuse] ptr=0000000000000000\n"
	"  cat-10  [000] .....  1.000002: mm_page_alloc: page=0000000000000000 pfn=0x0 order=9 migratetype=1 gfp_flags=GFP_TRANSHUGE\n"
	"CPU:1 [LOST 5 EVENTS]\n"
	"  dog-11  [001] .....  1.000003: mm_page_free: page=ffffea0000000040 pfn=0x1f order=2\n"
	"  dog-11  [001] .....  1.000004: sched_switch: prev_comm=a ==> next\n"
	"  dog-11  [001] .....  1.000005: kmem_cache_free: call_site=free_it+0x5/0x10 [fuse] ptr=ffff888100000000 name=ext4 inode\n";

START_TEST(a_new_kernel)
{
	struct text_import ti = { 0 };
	const struct kmem_event *ev;
	const uint64_t *frames;
	struct again a;
	uint32_t nr;

	ck_assert_int_eq(import(linux_6_18, NULL, &ti), 0);
	ck_assert_uint_eq(ti.nr_unreadable, 0);
	ck_assert_uint_eq(ti.nr_events, 7);
	read_again(&a, &ti);
	ck_assert_uint_eq(a.nr, 7); /* six and a gap; the stack belongs to the first */

	ev = &a.events[0];
	ck_assert_int_eq(ev->type, KMEM_CACHE_ALLOC);
	ck_assert_uint_eq(ev->ts, 1000001000);
	ck_assert_int_eq(ev->pid, 10);
	ck_assert_uint_eq(ev->flags, 1);
	ck_assert_uint_eq(ev->slab_alloc.ptr, 0xffff888100000000);
	ck_assert_uint_eq(ev->slab_alloc.bytes_req, 632);
	ck_assert_uint_eq(ev->slab_alloc.bytes_alloc, 640);
	ck_assert_uint_eq(ev->slab_alloc.gfp_flags, 0xdc0);
	ck_assert_int_eq(ev->slab_alloc.node, -1);
	ck_assert_str_eq(event_stream_cache(a.stream, ev->slab_alloc.cache),
			 "ext4 inode");
	expect_symbol(&a, ev->slab_alloc.callsite, "alloc_inode+0x59");
	frames = event_stream_stack(a.stream, ev->stack, &nr);
	ck_assert_uint_eq(nr, 3);
	expect_symbol(&a, frames[0], "kmem_cache_alloc_noprof+0x0");
	ck_assert_uint_eq(frames[1], ev->slab_alloc.callsite);
	expect_symbol(&a, frames[2], "do_open+0x0 [fuse]");

	ev = &a.events[1];
	ck_assert_int_eq(ev->type, KMEM_KFREE);
	ck_assert_uint_eq(ev->ts, 1000001002); /* the third line of this microsecond */
	ck_assert_uint_eq(ev->cpu, 1);
	expect_symbol(&a, ev->slab_free.callsite, "free_it+0x5 [fuse]");

	ev = &a.events[2];
	ck_assert_int_eq(ev->type, KMEM_PAGE_ALLOC);
	ck_assert_uint_eq(ev->page_alloc.pfn, KMEM_NO_PFN);
	ck_assert_uint_eq(ev->page_alloc.order, 9);
	expect_flags(&a, ev->page_alloc.gfp_flags, "GFP_TRANSHUGE");

	ck_assert_int_eq(a.events[3].type, KMEM_LOSS);
	ck_assert_uint_eq(a.events[3].cpu, 1);
	ck_assert_uint_eq(a.events[3].loss.count, 5);
	ck_assert_uint_eq(a.events[4].page_free.pfn, 0x1f);
	ck_assert_int_eq(a.events[5].type, KMEM_OTHER);
	ck_assert_uint_eq(a.events[6].slab_free.cache, a.events[0].slab_alloc.cache);
	ck_assert_ptr_nonnull(strstr(a.rec->cmdlines, "10 cat\n"));
	ck_assert_ptr_nonnull(strstr(a.rec->cmdlines, "11 dog\n"));
	ck_assert_ptr_nonnull(recording_meta(a.rec, RECORDING_META_IMPORT));
	close_again(&a);
	imported_free(&ti.made);
}
END_TEST

static const char linux_3_x[] =
	"# entries-in-buffer/entries-written: 5/105   #P:1\n"
	"  cat-10  [000] d..1  1.000001: kmalloc: call_site=ffffffff811a0010 ptr=ffff880000000000 bytes_req=32 bytes_alloc=32 gfp_flags=GFP_KERNEL|GFP_ZERO\n"
	"  cat-10  [000] d..1  1.000002: kmalloc_node: call_site=ffffffff811a0010 ptr=(null) bytes_req=32 bytes_alloc=32 gfp_flags=GFP_NOWAIT node=0\n"
	"  cat-10  [000] d..1  1.000003: mm_page_alloc: page=ffffea0000001000 pfn=64 order=0 migratetype=2 gfp_flags=GFP_HIGHUSER_MOVABLE|GFP_COLD|0x80000000\n"
	"  cat-10  [000] d..1  1.000004: mm_page_alloc: page=          (null) pfn=0 order=3 migratetype=0 gfp_flags=GFP_ATOMIC\n"
	"  cat-10  [000] d..1  1.000005: kfree: call_site=ffffffff811a0020 ptr=          (null)\n";

START_TEST(an_old_kernel)
{
	static const char map[] = "ffffffff811a0000 T open_it\nffffffff811b0000 T end\n";
	struct text_import ti = { 0 };
	struct again a;

	ck_assert_int_eq(import(linux_3_x, map, &ti), 0);
	ck_assert_uint_eq(ti.nr_unreadable, 0);
	read_again(&a, &ti);
	ck_assert_uint_eq(a.nr, 6);
	ck_assert_int_eq(a.events[0].type, KMEM_LOSS);
	ck_assert_uint_eq(a.events[0].loss.count, 100);
	expect_symbol(&a, a.events[1].slab_alloc.callsite, "open_it+0x10");
	expect_flags(&a, a.events[1].slab_alloc.gfp_flags, "GFP_KERNEL|GFP_ZERO");
	ck_assert_uint_eq(a.events[1].slab_alloc.gfp_flags, 0x80d0);
	ck_assert_int_eq(a.events[1].slab_alloc.node, -1);
	ck_assert_int_eq(a.events[2].type, KMEM_KMALLOC_NODE);
	ck_assert_uint_eq(a.events[2].slab_alloc.ptr, 0);
	ck_assert_uint_eq(a.events[2].slab_alloc.gfp_flags, 0);
	ck_assert_int_eq(a.events[2].slab_alloc.node, 0);
	ck_assert_uint_eq(a.events[3].page_alloc.pfn, 64);
	expect_flags(&a, a.events[3].page_alloc.gfp_flags,
		     "GFP_HIGHUSER_MOVABLE|GFP_COLD|0x80000000");
	ck_assert_uint_eq(a.events[4].page_alloc.pfn, KMEM_NO_PFN);
	ck_assert_int_eq(a.events[5].type, KMEM_KFREE);
	ck_assert_uint_eq(a.events[5].slab_free.ptr, 0);
	ck_assert_str_eq(recording_release(a.rec).text, "4.3-or-older");
	close_again(&a);
	imported_free(&ti.made);
}
END_TEST

/* Frames with addresses (option sym-addr): the name counts unless there is a kallsyms, or the
 * callsite is printed as the same address.
 */
START_TEST(frames_with_addresses)
{
	static const char text[] =
		"a-1 [000] .... 1.000001: kfree: call_site=f+0x8/0x10 ptr=8\n"
		"a-1 [000] .... 1.000001: <stack trace>\n"
		" => kfree <ffffffff81000104>\n"
		" => f <ffffffff81000208>\n"
		" => 0\n"
		"a-1 [000] .... 1.000002: kfree: call_site=ffffffff81000208 ptr=8\n"
		"a-1 [000] .... 1.000002: <stack trace>\n"
		" => f <ffffffff81000208>\n";
	static const char map[] = "ffffffff81000100 T kfree\nffffffff81000200 T f\n"
				  "ffffffff81000300 T end\n";

	for (int given = 0; given < 2; given++) {
		struct text_import ti = { 0 };
		const uint64_t *frames;
		struct again a;
		uint32_t nr;

		ck_assert_int_eq(import(text, given ? map : NULL, &ti), 0);
		ck_assert_int_eq(strstr(strbuf_text(&ti.made.notes), "need --kallsyms") !=
					 NULL,
				 !given);
		read_again(&a, &ti);
		ck_assert_uint_eq(a.nr, 2);
		frames = event_stream_stack(a.stream, a.events[0].stack, &nr);
		ck_assert_uint_eq(nr, 2);
		expect_symbol(&a, frames[0], given ? "kfree+0x4" : "kfree+0x0");
		ck_assert_uint_eq(frames[1], a.events[0].slab_free.callsite);
		expect_symbol(&a, frames[1], "f+0x8");
		frames = event_stream_stack(a.stream, a.events[1].stack, &nr);
		ck_assert_uint_eq(nr, 1);
		ck_assert_uint_eq(frames[0], 0xffffffff81000208);
		expect_symbol(&a, frames[0], given ? "f+0x8" : "f+0x0");
		close_again(&a);
		imported_free(&ti.made);
	}
}
END_TEST

START_TEST(losses_before_the_first_of_several_cpus)
{
	struct text_import ti = { 0 };
	struct again a;

	ck_assert_int_eq(
		import("# entries-in-buffer/entries-written: 2/10   #P:2\n"
		       "  a-1 [000] .... 1.000001: kfree: call_site=f+0x1/0x2 ptr=0\n"
		       "  a-1 [001] .... 1.000002: kfree: call_site=f+0x1/0x2 ptr=0\n",
		       NULL, &ti),
		0);
	read_again(&a, &ti);
	ck_assert_uint_eq(a.nr, 4);
	ck_assert_int_eq(a.events[0].type, KMEM_LOSS);
	ck_assert_uint_eq(a.events[0].loss.count, KMEM_LOSS_UNKNOWN);
	ck_assert_uint_eq(a.rec->nr_cpustats, 1);
	ck_assert_uint_eq(a.rec->cpustats[0].overrun, 8);
	close_again(&a);
	imported_free(&ti.made);
}
END_TEST

/* A record's field has 32 bits: a larger number must not turn into a different one. */
START_TEST(a_number_that_does_not_fit_is_unreadable)
{
	struct text_import ti = { 0 };

	ck_assert_int_eq(
		import("  a-1 [000] .... 1.000001: mm_page_free: page=0x1 pfn=0x1 order=4294967296\n"
		       "  a-1 [000] .... 1.000002: mm_page_free: page=0x1 pfn=0x1 order=3\n"
		       "  a-1 [000] .... 1.000003: mm_page_alloc: page=0x1 pfn=0x1 order=0 migratetype=4294967296 gfp_flags=GFP_KERNEL\n"
		       "  a-1 [000] .... 1.000004: mm_page_alloc: page=0x1 pfn=0x1 order=0 migratetype=-1 gfp_flags=GFP_KERNEL\n",
		       NULL, &ti),
		0);
	ck_assert_uint_eq(ti.nr_unreadable, 2);
	ck_assert_uint_eq(ti.first_unreadable, 1);
	imported_free(&ti.made);
}
END_TEST

START_TEST(what_is_no_log)
{
	struct text_import ti = { 0 };

	ck_assert_int_eq(import("", NULL, &ti), -ENODATA);
	imported_free(&ti.made);
	ck_assert_int_eq(import("hello\nworld\n", NULL, &ti), -ENODATA);
	ck_assert_uint_eq(ti.nr_unreadable, 2);
	ck_assert_uint_eq(ti.first_unreadable, 1);
	ck_assert_str_eq(ti.unreadable_text, "hello");
	imported_free(&ti.made);
	/* A log of other events. */
	ck_assert_int_eq(
		import("  a-1 [000] .... 1.000001: sched_switch: x\n", NULL, &ti),
		-ENODATA);
	ck_assert_uint_eq(ti.nr_unreadable, 0);
	imported_free(&ti.made);
}
END_TEST

START_TEST(notes_say_what_is_lost)
{
	static const struct {
		const char *text, *note;
	} cases[] = {
		{ "a-1 [000] .... 1.000001: kfree: call_site=f+0x1/0x2 ptr=0000000012345679\n",
		  "pointers are hashed" },
		{ "a-1 [000] .... 1.000001: kfree: call_site=f ptr=(____ptrval____)\n",
		  "cannot be told apart" },
		{ "a-1 [000] .... 1.000001: mm_page_alloc: page=1 pfn=1 order=0 migratetype=0 gfp_flags=\n",
		  "1 event has no GFP flags" },
		{ "a-1 [000] .... 1.000001: kmem_cache_free: call_site=f ptr=8 name=\n",
		  "no cache name" },
		{ "a-1 [000] .... 1.000001: kmem_cache_free: call_site=f ptr=8\n",
		  "no cache names" },
		{ "a-1 [000] .... 77: kfree: call_site=f ptr=8\n", "counts no time" },
		{ "a-1 [000] 1.000001: kfree: call_site=f ptr=8\n",
		  "no interrupt context" },
		{ "a-1 0.... 5us : kfree: call_site=f ptr=8\n", "latency-format" },
		{ "a-1 [000] .... 1.000001: kfree: call_site=f ptr=8\njunk\n",
		  "unreadable lines: 1, the first is line 2" },
		{ "a-1 [000] .... 1.000001: mm_page_alloc: page=1 pfn=1 order=0 migratetype=0 gfp_flags=GFP_BRAND_NEW\n",
		  "do not exist there" },
		{ "a-1 [000] .... 1.000001: mm_page_alloc: page=1 pfn=1 order=0 migratetype=0 gfp_flags=what?\n",
		  "could not be read: shown as none" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text_import ti = { 0 };

		ck_assert_int_eq(import(cases[i].text, NULL, &ti), 0);
		ck_assert_msg(strstr(strbuf_text(&ti.made.notes), cases[i].note) != NULL,
			      "%s\n%s", cases[i].text, strbuf_text(&ti.made.notes));
		imported_free(&ti.made);
	}
}
END_TEST

START_TEST(flags_print_as_they_were_read)
{
	static const struct {
		enum text_gfp_era era;
		const char *text;
		uint64_t flags;
	} cases[] = {
		{ TEXT_GFP_BEFORE_4_4, "GFP_TEMPORARY|GFP_NOWARN|GFP_NORETRY", 0x812d0 },
		{ TEXT_GFP_BEFORE_6_4, "GFP_NOWAIT|__GFP_NOWARN", 0x2800 },
		{ TEXT_GFP_BEFORE_6_4, "GFP_ATOMIC|__GFP_ZERO", 0xb20 },
		{ TEXT_GFP_BEFORE_6_18, "GFP_NOWAIT|__GFP_ACCOUNT", 0x402800 },
		{ TEXT_GFP_BEFORE_6_18, "__GFP_KSWAPD_RECLAIM", 0x800 },
		{ TEXT_GFP_SINCE_6_18, "GFP_ATOMIC|__GFP_NO_OBJ_EXT", 0x1000820 },
		{ TEXT_GFP_SINCE_6_18, "GFP_KERNEL|0x40000000", 0x40000cc0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = { 0 };
		struct text_gfp g;
		uint64_t flags;

		ck_assert_int_eq(text_gfp_init(&g, cases[i].era), 0);
		for (int twice = 0; twice < 2; twice++) {
			ck_assert_int_eq(text_gfp_value(&g, cases[i].text,
							strlen(cases[i].text), &flags),
					 0);
			ck_assert_uint_eq(flags, cases[i].flags);
		}
		gfp_format_long(&g.names, flags, &sb);
		ck_assert_str_eq(strbuf_text(&sb), cases[i].text);
		ck_assert_uint_eq(g.nr_other + g.nr_new + g.nr_unreadable, 0);
		strbuf_free(&sb);
		text_gfp_free(&g);
	}
}
END_TEST

static enum text_gfp_era guess(const char *release, const char *text)
{
	return text_gfp_guess(release, text, strlen(text));
}

START_TEST(the_kernel_is_guessed)
{
	ck_assert_int_eq(guess("3.18.0", ""), TEXT_GFP_BEFORE_4_4);
	ck_assert_int_eq(guess("4.4.1", ""), TEXT_GFP_BEFORE_6_4);
	ck_assert_int_eq(guess("6.12.0-1", ""), TEXT_GFP_BEFORE_6_18);
	ck_assert_int_eq(guess("7.2", ""), TEXT_GFP_SINCE_6_18);
	ck_assert_int_eq(guess(NULL, "gfp_flags=GFP_KERNEL|GFP_ZERO"),
			 TEXT_GFP_BEFORE_4_4);
	ck_assert_int_eq(guess(NULL, "gfp_flags=GFP_KERNEL|__GFP_ZERO"),
			 TEXT_GFP_BEFORE_6_4);
	ck_assert_int_eq(guess(NULL, "=GFP_NOWAIT|__GFP_NOWARN"), TEXT_GFP_BEFORE_6_4);
	ck_assert_int_eq(guess("what", "=__GFP_KSWAPD_RECLAIM"), TEXT_GFP_BEFORE_6_18);
	ck_assert_int_eq(guess(NULL, linux_6_18), TEXT_GFP_SINCE_6_18);
	ck_assert_int_eq(guess(NULL, " kmem_cache_alloc: ptr=1\n name=x\n"),
			 TEXT_GFP_BEFORE_6_4);
}
END_TEST

Suite *test_text_import_suite(void)
{
	Suite *s = suite_create("import/text_import");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_new_kernel);
	tcase_add_test(tc, an_old_kernel);
	tcase_add_test(tc, frames_with_addresses);
	tcase_add_test(tc, losses_before_the_first_of_several_cpus);
	tcase_add_test(tc, a_number_that_does_not_fit_is_unreadable);
	tcase_add_test(tc, what_is_no_log);
	tcase_add_test(tc, notes_say_what_is_lost);
	tcase_add_test(tc, flags_print_as_they_were_read);
	tcase_add_test(tc, the_kernel_is_guessed);
	suite_add_tcase(s, tc);
	return s;
}
