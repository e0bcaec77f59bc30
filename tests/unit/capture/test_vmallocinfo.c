// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: capture/facts/lists.c: areas by caller, from files like /proc/vmallocinfo. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/facts/lists.h"

static char path[64];

static void put(const char *text)
{
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "/tmp/kmemx-vmallocinfo.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	f = fdopen(fd, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* Checks the sums of a file with @text. */
static void check(const char *text, const char *sums)
{
	struct strbuf out = { 0 };

	put(text);
	ck_assert_int_eq(list_make(vmallocinfo_sum, path, 1000000000, 10000, &out), 0);
	ck_assert_str_eq(strbuf_text(&out), sums);
	strbuf_free(&out);
	unlink(path);
}

START_TEST(callers)
{
	/* Lines as Linux 5.10, 6.1 and 6.18 print them. */
	check("0xffffb4a340000000-0xffffb4a340005000   20480 kernel_clone+0x94/0x3e0 pages=4 vmalloc N0=4\n"
	      "0xffffb4a340005000-0xffffb4a34000a000   20480 kernel_clone+0x94/0x3e0 pages=4 vmalloc N0=3 N1=1\n"
	      "0x00000000dfbdfa49-0x0000000004473130   12288 acpi_os_map_iomem+0x1bc/0x1e0 phys=0x9f000 ioremap\n"
	      "0xffffb4a34000a000-0xffffb4a34000c000    8192 n_tty_open+0x14/0xa0 pages=1 vmalloc N0=1\n"
	      "0xffffb4a34000c000-0xffffb4a34000e000    8192 xt_alloc_table_info+0x3d/0x60 [x_tables] pages=1 vmalloc N0=1\n"
	      "0xffffb4a34000e000-0xffffb4a340012000   16384 htab_map_alloc+0xf6/0x5a0 pages=513 vmalloc vpages N0=513\n"
	      "0xffffb4a340012000-0xffffb4a340014000    8192 irq_init_percpu_irqstack+0xca/0x100 vmap\n"
	      "0xffffb4a340014000-0xffffb4a340016000    8192 unpurged vm_area\n"
	      "0xffffb4a340016000-0xffffb4a340018000    8192 vm_map_ram\n"
	      "0xffffb4a340018000-0xffffb4a34001a000    8192 pcpu_get_vm_areas+0x0/0x1050 vmalloc\n",
	      "2 8 kernel_clone\n"
	      "1 1 n_tty_open\n"
	      "1 1 xt_alloc_table_info [x_tables]\n"
	      "1 513 htab_map_alloc\n");
}
END_TEST

START_TEST(damage)
{
	check("", "");
	check("\n\n0x1-0x2\n0x1-0x2 8192\n0x1-0x2 8192 pages=1 vmalloc\n"
	      "0x1-0x2 8192 f pages= vmalloc\n0x1-0x2 8192 f pages=1 vmallocs\n",
	      "");
	check("0x1-0x2 8192 f pages=1 vmalloc", "1 1 f\n");
}
END_TEST

START_TEST(failures)
{
	struct strbuf out = { 0 };

	ck_assert_int_eq(
		list_make(vmallocinfo_sum, "/nonexistent", 1000000000, 10000, &out),
		-ENOENT);
	put("0x1-0x2 8192 f pages=1 vmalloc\n");
	ck_assert_int_eq(list_make(vmallocinfo_sum, path, 0, 10000, &out), -ETIME);
	unlink(path);
	ck_assert_uint_eq(out.size, 0);
}
END_TEST

Suite *test_vmallocinfo_suite(void)
{
	Suite *s = suite_create("capture/vmallocinfo");
	TCase *tc = tcase_create("vmallocinfo");

	tcase_add_test(tc, callers);
	tcase_add_test(tc, damage);
	tcase_add_test(tc, failures);
	suite_add_tcase(s, tc);
	return s;
}
