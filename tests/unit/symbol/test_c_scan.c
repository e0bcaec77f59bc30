// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: functions that C source defines, symbol/c_scan.c.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "symbol/source_tree.h"

static int add(void *ctx, const char *prefix, const char *name, size_t size)
{
	struct strbuf *sb = ctx;

	strbuf_printf(sb, "%s%.*s ", prefix, (int)size, name);
	return 0;
}

struct expectation {
	const char *text;
	const char *names; /* each followed by a space */
};

static const struct expectation functions[] = {
	{ "", "" },
	{ "int f(void)\n{\n}\n", "f " },
	{ "int f(void) { return g(1); }\nint h(int a)\n{\n}\n", "f h " },
	{ "int f(void);\nextern int g(void);\n", "" },
	{ "static inline struct a *f(struct b *c, int (*d)(int))\n{\n}\n", "f " },
	{ "static __printf(1, 2) void f(const char *a, ...)\n{\n}\n", "f " },
	{ "void f(void) __releases(a) __acquires(b)\n{\n}\n", "f " },
	{ "static __attribute__((noinline)) void f(void)\n{\n}\n", "f " },
	{ "static void f(void) __maybe_unused __attribute__((cold))\n{\n}\n", "f " },
	{ "LIST_HEAD(a);\nDEVICE_ATTR_RO(b)\nstatic int f(void)\n{\n}\n", "f " },
	{ "struct a {\n\tint (*b)(void);\n};\nenum c { D = 1 };\nvoid f(void) { }\n",
	  "f " },
	{ "static const struct a b = {\n\t.c = d(1),\n};\nint e[] = { F(1) };\n", "" },
	{ "static struct a b __section(\"c\") = { 0 };\nvoid f(void) { }\n", "f " },
	{ "/* int f(void) { */ int g(void) { } // int h(void) {\n", "g " },
	{ "#define M(a) \\\n\tint m(a) { \\\n\t}\nint f(void)\n{\n}\n", "f " },
	{ "#ifdef A\nint f(int a)\n{\n#else\nint f(void)\n{\n#endif\n}\nint g(void)\n{\n}\n",
	  "f f g " },
	{ "int f(void)\n{\n#ifdef A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t}\n}\nint g(void)\n{\n}\n",
	  "f g " },
	{ "char a[] = \"{ f(void) {\"; char b = '{'; char c = '\\'';\nint g(void) { }\n",
	  "g " },
	{ "int f(void) { return '\"'; }\nint g(void) { return \"\\\"{\"[0]; }\n",
	  "f g " },
	{ "SYSCALL_DEFINE3(open, const char *, a, int, b, int, c)\n{\n}\n", "sys_open " },
	{ "COMPAT_SYSCALL_DEFINE1(time, int, a)\n{\n}\n", "compat_sys_time " },
	{ "BPF_CALL_2(bpf_f, int, a, int, b)\n{\n}\n", "bpf_f " },
	{ "MACRO()\n{\n}\n", "" },
	{ "do_this(a)\nstatic int f(void)\n{\n\tint b = (c) { 1 };\n}\n", "f " },
	{ "typedef int (*f)(int);\nint (*g)(void) = h;\n", "" },
	/* truncated, or not C at all */
	{ "int f(void)\n{\n\tg(", "f " },
	{ "int f(void) /* {", "" },
	{ "\"", "" },
	{ "'\\", "" },
	{ "#\\", "" },
	{ "#", "" },
	{ "(((((", "" },
	{ ")))) }}}} int f(void)\n{\n}\n", "f " },
	{ "int f(", "" },
	{ "/", "" },
};

START_TEST(finds_definitions)
{
	const struct expectation *e = &functions[_i];
	size_t size = strlen(e->text);
	char *exact = malloc(size ? size : 1); /* a sanitizer sees reads beyond the end */
	struct strbuf got = { 0 };

	memcpy(exact, e->text, size);
	ck_assert_int_eq(c_scan_functions(exact, size, add, &got), 0);
	ck_assert_msg(!strcmp(strbuf_text(&got), e->names), "'%s' gave '%s', not '%s'",
		      e->text, strbuf_text(&got), e->names);
	free(exact);
	strbuf_free(&got);
}
END_TEST

static const struct expectation makefiles[] = {
	{ "obj-$(CONFIG_EXT4_FS) += ext4.o\next4-y := super.o inode.o\n", "ext4 " },
	{ "obj-m := a.o b.o # c.o\n", "a b " },
	{ "obj-y += a/ b.o \\\n\tc-d.o \\\n\tsub/e.o\nobj-y\t+= f.o", "b c-d f " },
	{ "# obj-m += a.o\nlib-y += b.o\n\tobj-m += c.o\n", "" },
	{ "obj-", "" },
	{ "obj-m +=", "" },
	{ "obj-m += .o\n", "" },
	{ "obj-m += a.o \\", "a " },
};

START_TEST(finds_modules)
{
	const struct expectation *e = &makefiles[_i];
	struct strbuf got = { 0 };

	ck_assert_int_eq(c_scan_objects(e->text, strlen(e->text), add, &got), 0);
	ck_assert_msg(!strcmp(strbuf_text(&got), e->names), "'%s' gave '%s', not '%s'",
		      e->text, strbuf_text(&got), e->names);
	strbuf_free(&got);
}
END_TEST

static int stop(void *ctx, const char *prefix, const char *name, size_t size)
{
	return ++*(int *)ctx == 2 ? -5 : 0;
}

START_TEST(stops_when_told)
{
	static const char text[] = "int f(void) { }\nint g(void) { }\nint h(void) { }\n";
	int nr = 0;

	ck_assert_int_eq(c_scan_functions(text, sizeof(text) - 1, stop, &nr), -5);
	ck_assert_int_eq(nr, 2);
}
END_TEST

Suite *test_c_scan_suite(void);
Suite *test_c_scan_suite(void)
{
	Suite *s = suite_create("symbol/c_scan");
	TCase *tc = tcase_create("c_scan");

	tcase_add_loop_test(tc, finds_definitions, 0, ARRAY_SIZE(functions));
	tcase_add_loop_test(tc, finds_modules, 0, ARRAY_SIZE(makefiles));
	tcase_add_test(tc, stops_when_told);
	suite_add_tcase(s, tc);
	return s;
}
