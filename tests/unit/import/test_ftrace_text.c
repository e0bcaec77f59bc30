// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: import/ftrace_text.h, lines of many kernels and trace options.
 */
#include <check.h>
#include <string.h>

#include "import/ftrace_text.h"

Suite *test_ftrace_text_suite(void);

struct event_case {
	const char *line, *comm;
	int32_t pid;
	uint32_t cpu;
	uint8_t flags, preempt, time;
	uint64_t ts;
	const char *name, *body;
};

static const struct event_case events[] = {
	{ "    kworker/u2:0-9       [000] .....     2.525007: kfree: call_site=a ptr=0",
	  "kworker/u2:0", 9, 0, 0, 0, FTRACE_TIME_SECONDS, 2525007000, "kfree",
	  "call_site=a ptr=0" },
	/* four columns, before 5.17; a comm with dashes, blanks and brackets */
	{ "  my-task [x] -1-1234  [012] dNh2 12345.000001: kmalloc: x", "my-task [x] -1",
	  1234, 12, 0x01 | 0x04 | 0x20 | 0x08, 2, FTRACE_TIME_SECONDS, 12345000001000ULL,
	  "kmalloc", "x" },
	/* no irq-info column; no text after the name */
	{ "  <idle>-0     [001]  9.000000: kfree:", "<idle>", 0, 1, 0, 0,
	  FTRACE_TIME_SECONDS, 9000000000ULL, "kfree", "" },
	/* record-tgid */
	{ "           cat-77     (   42) [003] DnZ31   1.500000: kfree: y", "cat", 77, 3,
	  0x01 | 0x80 | 0x04 | 0x40 | 0x08, 0x13, FTRACE_TIME_SECONDS, 1500000000,
	  "kfree", "y" },
	{ "           cat-77     (-------) [003] b.s..   1.500000: kfree: y", "cat", 77,
	  3, 0x80 | 0x10, 0, FTRACE_TIME_SECONDS, 1500000000, "kfree", "y" },
	/* a clock that does not count time */
	{ "           cat-77    [003] .....  987654321: kfree: y", "cat", 77, 3, 0, 0,
	  FTRACE_TIME_COUNTER, 987654321, "kfree", "y" },
	/* an unknown task; a stack */
	{ "           <...>-77    [003] ..H..  1.000001: <stack trace>", "<...>", 77, 3,
	  0x18, 0, FTRACE_TIME_SECONDS, 1000001000, "<stack trace>", "" },
	/* trace-cmd report, with -t */
	{ "  cat-77  [003]  1.000001234: kernel_stack:         <stack trace >", "cat", 77,
	  3, 0, 0, FTRACE_TIME_SECONDS, 1000001234, "<stack trace>", "" },
	/* latency-format */
	{ "    bash-1234    0d..1.    5us+: kmalloc: z", "bash", 1234, 0, 1, 1,
	  FTRACE_TIME_LATENCY, 5000, "kmalloc", "z" },
	{ "    bash-1234   12.N.. 1234567us : kmalloc: z", "bash", 1234, 12, 0x24, 0,
	  FTRACE_TIME_LATENCY, 1234567000, "kmalloc", "z" },
	{ "    bash-1234   12.... 77 : kmalloc: z", "bash", 1234, 12, 0, 0,
	  FTRACE_TIME_COUNTER, 77, "kmalloc", "z" },
};

START_TEST(event_lines)
{
	const struct event_case *c = &events[_i];
	struct ftrace_line l;

	ftrace_line_parse(&l, c->line);
	ck_assert_int_eq(l.type, FTRACE_LINE_EVENT);
	ck_assert_uint_eq(l.comm_len, strlen(c->comm));
	ck_assert_int_eq(memcmp(l.comm, c->comm, l.comm_len), 0);
	ck_assert_int_eq(l.pid, c->pid);
	ck_assert_uint_eq(l.cpu, c->cpu);
	ck_assert_uint_eq(l.flags, c->flags);
	ck_assert_uint_eq(l.preempt, c->preempt);
	ck_assert_int_eq(l.time, c->time);
	ck_assert_uint_eq(l.ts, c->ts);
	ck_assert_uint_eq(l.name_len, strlen(c->name));
	ck_assert_int_eq(memcmp(l.name, c->name, l.name_len), 0);
	ck_assert_str_eq(l.body, c->body);
}
END_TEST

START_TEST(other_lines)
{
	static const struct {
		const char *line;
		int type;
	} cases[] = {
		{ "", FTRACE_LINE_NOTHING },
		{ "   ", FTRACE_LINE_NOTHING },
		{ "cpus=2", FTRACE_LINE_NOTHING },
		{ "CPU:1 [12 EVENTS DROPPED]", FTRACE_LINE_LOST },
		{ "CPU:1 [EVENTS DROPPED]", FTRACE_LINE_LOST },
		{ "CPU:1 [12 EVENTS KEPT]", FTRACE_LINE_UNREADABLE },
		{ "# tracer: nop", FTRACE_LINE_NOTHING },
		{ "##### CPU 2 buffer started ####", FTRACE_LINE_NOTHING },
		{ " => func+0x10/0x20", FTRACE_LINE_FRAME },
		{ "=> func", FTRACE_LINE_FRAME },
		{ "CPU:1 [LOST 12 EVENTS]", FTRACE_LINE_LOST },
		{ "CPU:1 [LOST EVENTS]", FTRACE_LINE_LOST },
		{ "CPU:70000 [LOST 1 EVENTS]", FTRACE_LINE_UNREADABLE },
		{ "CPU: what", FTRACE_LINE_UNREADABLE },
		{ "some prose - with dashes", FTRACE_LINE_UNREADABLE },
		{ "  cat-77 [003] .....  1.000001 kfree: y", FTRACE_LINE_UNREADABLE },
		{ "  cat-77 [003] .....  1.000001: no name here",
		  FTRACE_LINE_UNREADABLE },
		{ "  cat-77 [4096] .....  1.000001: kfree: y", FTRACE_LINE_UNREADABLE },
		{ "  cat-99999999999 [0] .....  1.000001: kfree: y",
		  FTRACE_LINE_UNREADABLE },
		{ "  cat-7 [0] .....  99999999999.000001: kfree: y",
		  FTRACE_LINE_UNREADABLE },
	};
	struct ftrace_line l;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ftrace_line_parse(&l, cases[i].line);
		ck_assert_msg(l.type == cases[i].type, "%s: %d", cases[i].line, l.type);
	}
}
END_TEST

START_TEST(what_the_headers_say)
{
	struct ftrace_line l;

	ftrace_line_parse(&l, "# entries-in-buffer/entries-written: 44467/110527   #P:4");
	ck_assert_int_eq(l.type, FTRACE_LINE_TOTALS);
	ck_assert_uint_eq(l.in_buffer, 44467);
	ck_assert_uint_eq(l.written, 110527);
	ck_assert_uint_eq(l.nr_cpus, 4);
	ftrace_line_parse(&l, "# latency: 0 us, #4/9, CPU#0 | (M:preempt VP:0 #P:2)");
	ck_assert_int_eq(l.type, FTRACE_LINE_TOTALS);
	ck_assert_uint_eq(l.in_buffer, 4);
	ck_assert_uint_eq(l.written, 9);
	ck_assert_uint_eq(l.nr_cpus, 2);
	ftrace_line_parse(&l, "# nop latency trace v1.1.5 on 3.18.0-rc1+");
	ck_assert_int_eq(l.type, FTRACE_LINE_KERNEL);
	ck_assert_uint_eq(l.release_len, strlen("3.18.0-rc1+"));
	ck_assert_int_eq(memcmp(l.release, "3.18.0-rc1+", l.release_len), 0);
	ftrace_line_parse(&l, "CPU:3 [LOST 12 EVENTS]");
	ck_assert_uint_eq(l.cpu, 3);
	ck_assert_uint_eq(l.lost, 12);
	ftrace_line_parse(&l, "CPU:3 [12 EVENTS DROPPED]");
	ck_assert_uint_eq(l.lost, 12);
	ftrace_line_parse(&l, "CPU:3 [LOST EVENTS]");
	ck_assert_uint_eq(l.lost, FTRACE_LOST_UNKNOWN);
}
END_TEST

START_TEST(symbols)
{
	static const struct {
		const char *text, *name, *module;
		uint64_t offset, size, addr;
		bool has_addr;
	} cases[] = {
		{ "func+0x10 ptr=1", "func", NULL, 0x10, 0, 0, false },
		{ "func+0x10/0x20", "func", NULL, 0x10, 0x20, 0, false },
		{ "func+0x10/0x20 [ext4]", "func", "ext4", 0x10, 0x20, 0, false },
		{ "func+0x1/0x2 [ext4 0123456789abcdef]", "func", "ext4", 1, 2, 0,
		  false },
		{ "func", "func", NULL, 0, 0, 0, false },
		{ "foo.isra.0", "foo.isra.0", NULL, 0, 0, 0, false },
		{ "func <ffffffff81234567>", "func", NULL, 0, 0, 0xffffffff81234567,
		  true },
		{ "func+0x1/0x2 [m] <ffffffffc0000001>", "func", "m", 1, 2,
		  0xffffffffc0000001, true },
		{ "ffffffff81234567 ptr=1", NULL, NULL, 0, 0, 0xffffffff81234567, false },
		{ "c0123456", NULL, NULL, 0, 0, 0xc0123456, false },
		{ "0x0", NULL, NULL, 0, 0, 0, false },
		{ "0xffffffffc0a10000", NULL, NULL, 0, 0, 0xffffffffc0a10000, false },
		{ "add", "add", NULL, 0, 0, 0, false },
		{ "dead_beef", "dead_beef", NULL, 0, 0, 0, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ftrace_symbol s;

		ck_assert_msg(ftrace_symbol_parse(&s, cases[i].text), "%s",
			      cases[i].text);
		ck_assert_int_eq(s.name != NULL, cases[i].name != NULL);
		if (s.name) {
			ck_assert_uint_eq(s.name_len, strlen(cases[i].name));
			ck_assert_int_eq(memcmp(s.name, cases[i].name, s.name_len), 0);
		}
		ck_assert_int_eq(s.module_len != 0, cases[i].module != NULL);
		if (s.module_len) {
			ck_assert_uint_eq(s.module_len, strlen(cases[i].module));
			ck_assert_int_eq(memcmp(s.module, cases[i].module, s.module_len),
					 0);
		}
		ck_assert_uint_eq(s.offset, cases[i].offset);
		ck_assert_uint_eq(s.size, cases[i].size);
		ck_assert_uint_eq(s.addr, cases[i].addr);
		ck_assert_int_eq(s.has_addr, cases[i].has_addr);
	}
}
END_TEST

START_TEST(no_symbols)
{
	static const char *const cases[] = {
		"", " ", "+0x1/0x2", "f+0x", "f+0x1/9", "f+0x1/0x2 [", "f+0x1/0x2 []"
	};
	struct ftrace_symbol s;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(!ftrace_symbol_parse(&s, cases[i]), "%s", cases[i]);
}
END_TEST

START_TEST(values)
{
	static const char body[] = "call_site=f+0x1/0x2 ptr=12 bytes_req=3 xptr=4 name=";

	ck_assert_ptr_eq(ftrace_value(body, "ptr"), strstr(body, "12 "));
	ck_assert_ptr_eq(ftrace_value(body, "call_site"), body + 10);
	ck_assert_str_eq(ftrace_value(body, "name"), "");
	ck_assert_ptr_null(ftrace_value(body, "site"));
	ck_assert_ptr_null(ftrace_value("", "ptr"));
}
END_TEST

Suite *test_ftrace_text_suite(void)
{
	Suite *s = suite_create("import/ftrace_text");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, event_lines, 0, (int)ARRAY_SIZE(events));
	tcase_add_test(tc, other_lines);
	tcase_add_test(tc, what_the_headers_say);
	tcase_add_test(tc, symbols);
	tcase_add_test(tc, no_symbols);
	tcase_add_test(tc, values);
	suite_add_tcase(s, tc);
	return s;
}
