// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/formats.h and event/decode.h: the recorder's probes.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "event/decode.h"
#include "event/formats.h"
#include "format_text.h"
#include "recording/recording.h"

#define U64(name, at) "\tfield:u64 " name ";\toffset:" at ";\tsize:8;\tsigned:0;\n"
#define IP	      "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
#define RET_IP                                                                 \
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
#define ARRAY(type, at, size) \
	"\tfield:" type " p[];\toffset:" at ";\tsize:" size ";\tsigned:0;\n"
#define HEAD(name, id) "name: " name "\nID: " id "\n" FORMAT_COMMON
#define END	       "\nprint fmt: \"\"\n"

static const char kfree_format[] = HEAD(
	"kfree", "1") "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
		      "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n" END;
static const char rcu_ptr[] =
	HEAD("rcu_free", "2") IP U64("head", "16") U64("ptr", "24") END;
static const char rcu_func[] =
	HEAD("rcu_free", "2") IP U64("head", "16") U64("func", "24") END;
static const char free_bulk[] = HEAD("free_bulk", "2") IP U64("s", "16") U64("nr", "24")
	ARRAY("u64", "32", "32") END;
static const char alloc_bulk[] = HEAD("alloc_bulk", "2") RET_IP U64("nr", "24")
	ARRAY("u64", "32", "32") "\tfield:s64 ret;\toffset:64;\tsize:8;\tsigned:1;\n" END;

static struct recording_text texts[2];
static struct event_formats *fmts;
static const struct event_format *fmt;
static struct kmem_event ev;
static uint64_t record[10]; /* its words; fields begin with the second */

/* Reads @text as a format of @system. */
static void make(const char *system, const char *text)
{
	struct recording rec = { .layout = { 8, 8, 16 },
				 .event_formats = texts,
				 .nr_event_formats = 2,
				 .big_endian = HOST_BIG_ENDIAN };

	texts[0] = (struct recording_text){ (char *)"kmem", (char *)kfree_format,
					    strlen(kfree_format) };
	texts[1] = (struct recording_text){ (char *)system, (char *)text, strlen(text) };
	ck_assert_int_eq(event_formats_new(&fmts, &rec, NULL), 0);
	fmt = event_formats_find(fmts, 2);
	ck_assert_ptr_nonnull(fmt);
}

/* Decodes @record by the format. */
static void decode(const char *text)
{
	const struct event_format *by_id[3] = { NULL };
	struct decoder *dec = calloc(1, sizeof(*dec));
	const uint16_t id = 2;
	uint64_t bad = 0;

	make("kmemx_77", text);
	by_id[2] = fmt;
	dec->formats = by_id;
	dec->common = fmts->common;
	memcpy(record, &id, sizeof(id));
	dec->big_endian = HOST_BIG_ENDIAN;
	ev = (struct kmem_event){ .data = (uint8_t *)record, .size = sizeof(record) };
	ck_assert_int_eq(decode_events(dec, &ev, 1, &bad), 0);
	ck_assert_uint_eq(bad, 0);
	intern_free(&dec->names);
	free(dec);
	event_formats_free(fmts);
}

START_TEST(systems_of_the_recorder)
{
	static const struct {
		const char *system;
		int type;
	} cases[] = {
		{ "kmemx", KMEM_FREE_RCU },	  { "kmemx_1", KMEM_FREE_RCU },
		{ "kmemx_12345", KMEM_FREE_RCU }, { "kmemx_", KMEM_OTHER },
		{ "kmemx_a", KMEM_OTHER },	  { "kmemx_1 ", KMEM_OTHER },
		{ "kmemx1", KMEM_OTHER },	  { "kmem", KMEM_OTHER },
		{ "kprobes", KMEM_OTHER },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		make(cases[i].system, rcu_ptr);
		ck_assert_msg(fmt->type == cases[i].type, "%s", cases[i].system);
		event_formats_free(fmts);
	}
}
END_TEST

START_TEST(hostile_formats)
{
	static const struct {
		const char *text;
		int type;
		unsigned int nr;
	} cases[] = {
		{ free_bulk, KMEM_FREE_BULK, 4 },
		{ HEAD("free_bulk", "2") IP U64("nr", "24") ARRAY("u64", "32", "0") END,
		  KMEM_FREE_BULK, 0 },
		{ HEAD("free_bulk", "2") IP U64("nr", "24") ARRAY("u32", "32", "16") END,
		  KMEM_FREE_BULK, 4 },
		/* More than the kernel's limit. */
		{ HEAD("free_bulk", "2") IP U64("nr", "24") ARRAY("u64", "32", "8000")
			  END,
		  KMEM_FREE_BULK, 64 },
		{ HEAD("free_bulk", "2") IP U64("nr", "24") ARRAY("u8", "32", "64") END,
		  KMEM_OTHER, 0 },
		{ HEAD("free_bulk", "2") IP U64("nr", "24") ARRAY("u64", "65530", "64")
			  END,
		  KMEM_OTHER, 0 },
		{ HEAD("free_bulk", "2") IP U64("nr", "24") END, KMEM_OTHER, 0 },
		{ HEAD("free_bulk", "2") IP ARRAY("u64", "32", "64") END, KMEM_OTHER, 0 },
		{ HEAD("alloc_bulk", "2") IP U64("nr", "24") ARRAY("u64", "32", "64") END,
		  KMEM_OTHER, 0 },
		{ HEAD("rcu_free", "2") IP U64("head", "16") END, KMEM_OTHER, 0 },
		{ HEAD("rcu_free", "2") IP U64("ptr", "16") END, KMEM_OTHER, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		make("kmemx", cases[i].text);
		ck_assert_msg(fmt->type == cases[i].type, "case %zu", i);
		if (fmt->type != KMEM_OTHER)
			ck_assert_uint_eq(fmt->nr_objects, cases[i].nr);
		event_formats_free(fmts);
	}
}
END_TEST

START_TEST(objects_of_rcu)
{
	record[1] = 0xabc;
	record[2] = 0x1008;
	record[3] = 0x1000;
	decode(rcu_ptr);
	ck_assert_uint_eq(ev.type, KMEM_FREE_RCU);
	ck_assert_uint_eq(ev.objects.callsite, 0xabc);
	ck_assert_uint_eq(ev.objects.nr, 1);
	ck_assert_uint_eq(kmem_object(&ev, 0), 0x1000);
	ck_assert_uint_eq(ev.objects.unseen, 0);

	record[3] = 8;
	decode(rcu_func);
	ck_assert_uint_eq(kmem_object(&ev, 0), 0x1000);
	record[2] = 0;
	record[3] = 0x2000;
	decode(rcu_func);
	ck_assert_uint_eq(kmem_object(&ev, 0), 0x2000);
	/* The distance is not inside the object. */
	record[2] = 0x1008;
	record[3] = 4096;
	decode(rcu_func);
	ck_assert_uint_eq(ev.objects.nr, 0);
	ck_assert_uint_eq(ev.objects.unseen, 1);
}
END_TEST

START_TEST(objects_in_bulk)
{
	static const struct {
		uint64_t nr, ret;
		uint32_t freed, allocated; /* objects that are named */
		uint64_t free_unseen, alloc_unseen;
	} cases[] = {
		{ 3, 3, 3, 3, 0, 0 },
		{ 3, 2, 3, 2, 0, 0 },
		{ 0, 0, 0, 0, 0, 0 },
		{ 10, 10, 4, 4, 6, 6 },
		{ 10, (uint64_t)-1, 4, 0, 6, 0 },
		{ 10, 12, 4, 4, 6, 6 }, /* more than wanted */
		{ 3, 1, 3, 3, 0, 0 },	/* true */
		{ UINT64_MAX, 3, 0, 3, 1, 0 },
		{ 1ULL << 40, 1ULL << 31, 0, 0, 1, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t words[10] = { 0,      0xabc,  0xdef,  cases[i].nr, 0x1000,
				       0x2000, 0x3000, 0x4000, cases[i].ret };

		memcpy(record, words, sizeof(record));
		decode(free_bulk);
		ck_assert_uint_eq(ev.objects.nr, cases[i].freed);
		ck_assert_uint_eq(ev.objects.unseen, cases[i].free_unseen);
		ck_assert_uint_eq(ev.objects.callsite, 0xabc);
		memcpy(record, words, sizeof(record));
		decode(alloc_bulk);
		ck_assert_uint_eq(ev.objects.nr, cases[i].allocated);
		ck_assert_uint_eq(ev.objects.unseen, cases[i].alloc_unseen);
		ck_assert_uint_eq(ev.objects.callsite, 0xdef);
		if (ev.objects.nr)
			ck_assert_uint_eq(kmem_object(&ev, ev.objects.nr - 1),
					  0x1000 * ev.objects.nr);
	}
}
END_TEST

Suite *test_probe_events_suite(void)
{
	Suite *s = suite_create("event/probe_events");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, systems_of_the_recorder);
	tcase_add_test(tc, hostile_formats);
	tcase_add_test(tc, objects_of_rcu);
	tcase_add_test(tc, objects_in_bulk);
	suite_add_tcase(s, tc);
	return s;
}
