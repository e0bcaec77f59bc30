// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/formats.h and event/decode.h: areas of vmalloc, and per-CPU memory.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "event/decode.h"
#include "event/formats.h"
#include "format_text.h"
#include "recording/recording.h"

#define WORD(name, at) \
	"\tfield:unsigned long " name ";\toffset:" at ";\tsize:8;\tsigned:0;\n"
#define HEAD(name, id) "name: " name "\nID: " id "\n" FORMAT_COMMON
#define END	       "\nprint fmt: \"\"\n"

static const char kfree_format[] =
	HEAD("kfree", "1") WORD("call_site", "8") WORD("ptr", "16") END;
static const char area_alloc[] = HEAD("alloc_vmap_area", "2") WORD("addr", "8")
	WORD("size", "16") WORD("align", "24") WORD("vstart", "32") WORD(
		"vend", "40") "\tfield:int failed;\toffset:48;\tsize:4;\tsigned:1;\n" END;
static const char area_free[] = HEAD("free_vmap_area_noflush", "2") WORD("va_start", "8")
	WORD("nr_lazy", "16") END;
/* Formats from 5.19 on, and from before. */
static const char percpu_alloc[] = HEAD("percpu_alloc_percpu", "2") WORD("call_site", "8")
	WORD("size", "16") WORD("align", "24") WORD("ptr", "32") WORD("bytes_alloc", "40")
		WORD("gfp_flags", "48") END;
#define WORD32(name, at) \
	"\tfield:unsigned long " name ";\toffset:" at ";\tsize:4;\tsigned:0;\n"
static const char percpu_32bit[] =
	HEAD("percpu_alloc_percpu", "2") WORD32("call_site", "8") WORD32("size", "12")
		WORD32("align", "16") WORD32("ptr", "20") WORD32("bytes_alloc", "24") END;
static const char percpu_older[] = HEAD("percpu_alloc_percpu", "2") WORD("size", "16")
	WORD("align", "24") WORD("ptr", "32") END;
static const char percpu_free[] = HEAD("percpu_free_percpu", "2") WORD("ptr", "8") END;

static struct kmem_event ev;
static uint64_t record[10]; /* its words; fields begin with the second */

/* Decodes @record as an event of @system by @text, on a machine with four CPUs. */
static void decode(const char *system, const char *text)
{
	struct recording_text texts[] = {
		{ (char *)"kmem", (char *)kfree_format, strlen(kfree_format) },
		{ (char *)system, (char *)text, strlen(text) },
	};
	struct recording rec = { .layout = { 8, 8, 16 },
				 .event_formats = texts,
				 .nr_event_formats = 2,
				 .big_endian = HOST_BIG_ENDIAN };
	const struct event_format *by_id[3] = { NULL };
	struct decoder *dec = calloc(1, sizeof(*dec));
	struct event_formats *fmts;
	const uint16_t id = 2;
	uint64_t bad = 0;

	ck_assert_int_eq(event_formats_new(&fmts, &rec, NULL), 0);
	by_id[2] = event_formats_find(fmts, id);
	dec->formats = by_id;
	dec->common = fmts->common;
	dec->big_endian = HOST_BIG_ENDIAN;
	dec->page_size = 4096;
	dec->nr_cpus = 4;
	memcpy(record, &id, sizeof(id));
	ev = (struct kmem_event){ .data = (uint8_t *)record, .size = sizeof(record) };
	ck_assert_int_eq(decode_events(dec, &ev, 1, &bad), 0);
	ck_assert_uint_eq(bad, 0);
	free(dec);
	event_formats_free(fmts);
}

static void ck_alloc(uint64_t ptr, uint64_t req, uint64_t alloc)
{
	ck_assert_uint_eq(ev.slab_alloc.ptr, ptr);
	ck_assert_uint_eq(ev.slab_alloc.bytes_req, req);
	ck_assert_uint_eq(ev.slab_alloc.bytes_alloc, alloc);
	ck_assert_uint_eq(ev.slab_alloc.cache, 0);
	ck_assert_int_eq(ev.slab_alloc.node, -1);
}

START_TEST(the_guard_page_is_no_part_of_an_area)
{
	record[1] = 0xffffc90000000000;
	record[2] = 0x5000;
	decode("vmalloc", area_alloc);
	ck_assert_int_eq(ev.type, KMEM_VMALLOC_ALLOC);
	ck_alloc(0xffffc90000000000, 0x4000, 0x4000);
	ck_assert_uint_eq(ev.slab_alloc.callsite, 0);
	/* An area of one page has no guard page. */
	record[2] = 0x1000;
	decode("vmalloc", area_alloc);
	ck_alloc(0xffffc90000000000, 0x1000, 0x1000);
}
END_TEST

START_TEST(an_area_that_failed_has_no_address)
{
	record[1] = 0xffffe8ffffffffff;
	record[2] = 0x5000;
	memset(&record[6], 1, 4);
	decode("vmalloc", area_alloc);
	ck_alloc(0, 0x4000, 0x4000);
}
END_TEST

START_TEST(frees_have_the_address)
{
	record[1] = 0xffffc90000000000;
	decode("vmalloc", area_free);
	ck_assert_int_eq(ev.type, KMEM_VMALLOC_FREE);
	ck_assert_uint_eq(ev.slab_free.ptr, 0xffffc90000000000);
	record[1] = 0x60795baff100;
	decode("percpu", percpu_free);
	ck_assert_int_eq(ev.type, KMEM_PERCPU_FREE);
	ck_assert_uint_eq(ev.slab_free.ptr, 0x60795baff100);
}
END_TEST

START_TEST(every_cpu_has_a_copy)
{
	record[1] = 0xffffffff81000000;
	record[2] = 10;
	record[4] = 0x60795baff100;
	/* Without memory cgroups; with them; CPUs that are not in the recording. */
	record[5] = 40;
	decode("percpu", percpu_alloc);
	ck_assert_int_eq(ev.type, KMEM_PERCPU_ALLOC);
	ck_alloc(0x60795baff100, 40, 48);
	ck_assert_uint_eq(ev.slab_alloc.callsite, 0xffffffff81000000);
	record[5] = 60;
	decode("percpu", percpu_alloc);
	ck_alloc(0x60795baff100, 40, 48);
	record[5] = 660;
	decode("percpu", percpu_alloc);
	ck_alloc(0x60795baff100, 640, 768);
	decode("percpu", percpu_older);
	ck_alloc(0x60795baff100, 40, 48);
	ck_assert_uint_eq(ev.slab_alloc.callsite, 0);
}
END_TEST

START_TEST(a_charged_pointer_has_the_size_of_the_recorded_machine)
{
	uint32_t words[] = { 0xc0100000, 8, 4, 0xfee0, 8 * 6 + 8 };

	memcpy(&record[1], words, sizeof(words));
	decode("percpu", percpu_32bit);
	ck_alloc(0xfee0, 48, 48);
}
END_TEST

START_TEST(impossible_sizes_stay_impossible)
{
	record[4] = 0x60795baff100;
	record[2] = UINT64_MAX;
	record[5] = UINT64_MAX;
	decode("percpu", percpu_alloc);
	ck_assert_uint_gt(ev.slab_alloc.bytes_alloc, UINT32_MAX);
	record[2] = 1;
	decode("percpu", percpu_alloc);
	ck_assert_uint_gt(ev.slab_alloc.bytes_alloc, UINT32_MAX);
	record[2] = 0;
	decode("percpu", percpu_alloc);
	ck_alloc(0x60795baff100, 0, 0);
}
END_TEST

static void clear(void)
{
	memset(record, 0, sizeof(record));
}

Suite *test_area_events_suite(void);

Suite *test_area_events_suite(void)
{
	Suite *s = suite_create("area_events");
	TCase *tc = tcase_create("decode");

	tcase_add_checked_fixture(tc, clear, NULL);
	tcase_add_test(tc, the_guard_page_is_no_part_of_an_area);
	tcase_add_test(tc, an_area_that_failed_has_no_address);
	tcase_add_test(tc, frees_have_the_address);
	tcase_add_test(tc, every_cpu_has_a_copy);
	tcase_add_test(tc, a_charged_pointer_has_the_size_of_the_recorded_machine);
	tcase_add_test(tc, impossible_sizes_stay_impossible);
	suite_add_tcase(s, tc);
	return s;
}
