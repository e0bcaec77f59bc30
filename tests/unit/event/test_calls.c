// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: which system call a task is in, event/calls.h, and in a stream.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "event/calls.h"
#include "stream_builder.h"

/* Steps of tasks: "7>257": task 7 begins call 257; "7<257": it returns; "7+8": it starts task 8;
 * "7x": it ends; "!": events are lost; "7?": asks for its call; "7i", "7s": the same in an
 * interrupt or a softirq. Then the results: calls that ended, with a "-" if they were recorded only
 * in part, and answers ("="); after the "|", the calls still open at the end.
 */
static const struct {
	const char *steps, *changes;
} cases[] = {
	{ "7>257 7? 7<257 7?", "=257 257 =none |" },
	/* One task after the other, and two at once. */
	{ "7>1 8>2 7? 8? 8<2 7? 7<1", "=1 =2 2 =1 1 |" },
	/* A task's first event is the end of a call. */
	{ "7? 7<0 7? 7>1 7<1", "=unknown 0- =none 1 |" },
	/* A new task returns from its parent's call. */
	{ "7>56 7+8 8? 8<56 7<56 8>3 8<3", "=none 56 3 |" },
	/* rt_sigreturn() returns with a different number. */
	{ "7>15 7<-1", "15 |" },
	/* The end of one call and the start of another are missing. */
	{ "7>1 7>2 7<3 7<4", "1- 2- 4- |" },
	/* After a gap, nothing is certain. */
	{ "7>1 ! 7? 7<1 7? 7>2 7? 7<2", "=unknown 1- =none =2 2 |" },
	/* exit_group() never returns. The other call is still running at the end. */
	{ "7>231 7x 7? 8>0", "=231 |231 0-" },
	{ "7>231 ! 7x", "|231-" },
	/* Another task reuses the number. */
	{ "7>231 7x 8+7 7? 7>1 7<1", "231 =none 1 |" },
	{ "7>1 7i 7s", "=interrupt =softirq |1-" },
};

static void put_call(struct strbuf *to, uint32_t call)
{
	if (call < CALL_NUMBERS)
		strbuf_printf(to, "%u", call);
	else
		strbuf_puts(to, call == CALL_NONE	 ? "none"
				: call == CALL_INTERRUPT ? "interrupt"
				: call == CALL_SOFTIRQ	 ? "softirq"
				: call == CALL_ODD	 ? "odd"
							 : "unknown");
}

static void put_change(struct strbuf *to, const struct call_change *change)
{
	if (change->over == CALL_NONE)
		return;
	put_call(to, change->over);
	strbuf_puts(to, change->whole ? " " : "- ");
}

static struct kmem_event step_of(const char *step, char *what)
{
	struct kmem_event made = { .type = KMEM_LOSS };
	char *rest;

	*what = *step;
	if (*step == '!')
		return made;
	made.pid = (int32_t)strtol(step, &rest, 10);
	*what = *rest;
	if (*what == '+') {
		made.type = KMEM_TASK_NEW;
		made.task.pid = (int32_t)strtol(rest + 1, NULL, 10);
	} else if (*what == 'x') {
		made.type = KMEM_TASK_EXIT;
	} else if (*what == '>' || *what == '<') {
		made.type = *what == '>' ? KMEM_CALL_ENTER : KMEM_CALL_EXIT;
		made.call =
			rest[1] == '-' ? CALL_ODD : (uint32_t)strtoul(rest + 1, NULL, 10);
	} else {
		made.type = KMEM_KMALLOC;
		made.flags = *what == 'i' ? 0x18 : *what == 's' ? 0x10 : 0;
	}
	return made;
}

START_TEST(steps)
{
	struct strbuf text = { 0 };
	struct calls calls = { 0 };
	struct call_change change;
	const char *at;

	for (at = cases[_i].steps; *at; at += strcspn(at, " "), at += *at == ' ') {
		char what;
		struct kmem_event step = step_of(at, &what);

		if (step.type == KMEM_KMALLOC) {
			strbuf_puts(&text, "=");
			put_call(&text, calls_find(&calls, &step));
			strbuf_puts(&text, " ");
			continue;
		}
		ck_assert_int_eq(calls_learn(&calls, &step, &change), 0);
		put_change(&text, &change);
	}
	strbuf_puts(&text, "|");
	for (uint32_t i = 0; i < calls.nr; i++) {
		change = calls_last(&calls, i);
		put_change(&text, &change);
	}
	while (text.size && text.data[text.size - 1] == ' ')
		text.data[--text.size] = '\0';
	ck_assert_str_eq(strbuf_text(&text), cases[_i].changes);
	strbuf_free(&text);
	calls_free(&calls);
}
END_TEST

START_TEST(names)
{
	static const struct {
		const char *machine;
		uint32_t number;
		const char *name; /* NULL: unknown */
	} known[] = {
		{ "x86_64", 0, "read" },
		{ "x86_64", 257, "openat" },
		{ "x86_64", 43, "accept" },
		{ "x86_64", 334, "rseq" },
		{ "x86_64", 336, "uprobe" },
		{ "x86_64", 337, NULL },
		{ "x86_64", 0x40000101, "openat" },
		{ "aarch64", 56, "openat" },
		{ "aarch64", 220, "clone" },
		{ "aarch64", 245, NULL },
		{ "riscv64", 222, "mmap" },
		{ "i686", 5, "open" },
		{ "i686", 295, "openat" },
		{ "i686", 222, NULL },
		{ "s390x", 5, NULL },
		{ "s390x", 435, "clone3" },
		{ "ppc64le", 462, "mseal" },
		{ "x86_64", 470, "listns" },
		{ "x86_64", 471, NULL },
		{ "mips64", 5057, NULL },
		{ "", 3, NULL },
		{ "x86_64", UINT32_MAX, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct strbuf name = { 0 };

		ck_assert_int_eq(call_name(known[i].machine, known[i].number, &name),
				 known[i].name != NULL);
		ck_assert_str_eq(strbuf_text(&name), known[i].name ? known[i].name : "");
		strbuf_free(&name);
	}
}
END_TEST

enum { ID_ENTER = 5, ID_EXIT = 6 };

static void put_call_event(uint64_t ts, uint16_t id, uint64_t number)
{
	uint8_t *p =
		begin_record(ts, id, 7, 8 + word + (id == ID_ENTER ? 6 * word : word));

	put(p + 8, number, word);
}

/* The formats of the builder, and those of system calls. */
static void setup_calls(unsigned int word_size, bool big_endian)
{
	static struct recording_text all[5];
	static char text[2][512];

	setup_for(word_size, big_endian);
	memcpy(all, texts, sizeof(texts));
	for (int i = 0; i < 2; i++) {
		snprintf(text[i], sizeof(text[i]),
			 "name: %s\nID: %d\n" FORMAT_COMMON
			 "\tfield:long id;\toffset:8;\tsize:%u;\tsigned:1;\n" PRINT,
			 i ? "sys_exit" : "sys_enter", ID_ENTER + i, word_size);
		all[3 + i] = (struct recording_text){ (char *)"raw_syscalls", text[i],
						      strlen(text[i]) };
	}
	rec.event_formats = all;
	rec.nr_event_formats = 5;
}

/* Callchains also say which call it was; their frames do not change. */
static void check_stream(void)
{
	uint32_t in_call, outside;

	begin_cpu();
	begin_page(100);
	add_alloc(101, 7, 10);
	put_call_event(102, ID_ENTER, 257);
	add_alloc(103, 7, 11);
	add_stack(103, 7, 0x1000, 3, 3);
	add_alloc(104, 7, 12);
	flags = 0x10;
	add_alloc(105, 7, 13);
	flags = 0;
	put_call_event(106, ID_EXIT, UINT64_MAX);
	add_alloc(107, 7, 14);
	open_all();
	ck_assert_int_eq(event_stream_set_calls(st), 0);
	for (int pass = 0; pass < 2; pass++) {
		expect(KMEM_PAGE_ALLOC, 101, 0);
		ck_assert_uint_eq(ev.stack, 0);
		ck_assert_uint_eq(event_stream_call(st, 0), CALL_UNKNOWN);
		expect(KMEM_CALL_ENTER, 102, 0);
		ck_assert_uint_eq(ev.call, 257);
		expect(KMEM_PAGE_ALLOC, 103, 0);
		expect_stack(0x1000, 3);
		ck_assert_uint_eq(event_stream_call(st, ev.stack), 257);
		expect(KMEM_PAGE_ALLOC, 104, 0);
		ck_assert_uint_eq(event_stream_call(st, ev.stack), 257);
		expect_stack(0, 0);
		in_call = ev.stack;
		expect(KMEM_PAGE_ALLOC, 105, 0);
		ck_assert_uint_eq(event_stream_call(st, ev.stack), CALL_SOFTIRQ);
		expect(KMEM_CALL_EXIT, 106, 0);
		ck_assert_uint_eq(ev.call, CALL_ODD);
		expect(KMEM_PAGE_ALLOC, 107, 0);
		outside = ev.stack;
		ck_assert_uint_eq(event_stream_call(st, outside), CALL_NONE);
		ck_assert_uint_ne(in_call, outside);
		if (!pass)
			ck_assert_int_eq(event_stream_again(st), 0);
	}
	expect_end();
}

START_TEST(in_a_stream)
{
	setup_calls(8, false);
	check_stream();
	setup_calls(4, true);
	check_stream();
}
END_TEST

Suite *test_calls_suite(void);

Suite *test_calls_suite(void)
{
	Suite *s = suite_create("event/calls");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, steps, 0, ARRAY_SIZE(cases));
	tcase_add_test(tc, names);
	tcase_add_test(tc, in_a_stream);
	suite_add_tcase(s, tc);
	return s;
}
