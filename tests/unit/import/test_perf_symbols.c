// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: import/perf_system.h and the symbols it finds for a kernel.
 * In: texts of kallsyms, records and sections. Out: symbols at the kernel's recorded address.
 */
#include <check.h>
#include <string.h>

#include "import/perf_system.h"

Suite *test_perf_symbols_suite(void);

static const char map[] = "0000000000001000 A per_cpu_offset\n"
			  "ffffffff81000000 T _stext\n"
			  "ffffffff81000000 T _text\n"
			  "not a line\n"
			  "ffffffff81000100 t some_function\n"
			  "ffffffffc0000000 t of_a_module\t[xfs]\n"
			  "ffffffff82000000 D data";

static void put(uint8_t *at, uint64_t v, unsigned int size, bool big)
{
	for (unsigned int i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/* Sets what perf's record of the kernel's address says. */
static void kernel_at(struct perf_system *s, uint64_t address, bool big)
{
	static const char name[] = "[kernel.kallsyms]_text";
	uint8_t data[32 + sizeof(name)] = { 0 };
	struct perf_record rec = { PERF_MMAP, 1, data, sizeof(data), 0, false, big };

	put(data + 8, address, 8, big);
	put(data + 16, 0x800123, 8, big);
	put(data + 24, address, 8, big);
	memcpy(data + 32, name, sizeof(name));
	ck_assert_int_eq(perf_system_record(s, &rec), 0);
}

START_TEST(a_symbol_by_name)
{
	ck_assert_uint_eq(perf_symbols_find(map, "_text"), 0xffffffff81000000);
	ck_assert_uint_eq(perf_symbols_find(map, "data"), 0xffffffff82000000);
	ck_assert_uint_eq(perf_symbols_find(map, "dat"), 0);
	ck_assert_uint_eq(perf_symbols_find(map, "of_a_module"), 0);
	ck_assert_uint_eq(perf_symbols_find(map, ""), 0);
	ck_assert_uint_eq(perf_symbols_find("", "_text"), 0);
	ck_assert_uint_eq(perf_symbols_find("1 T", "T"), 0);
}
END_TEST

/* perf record -z writes no build ID: then the end of the code must match, too. */
START_TEST(symbols_of_this_boot)
{
	static const char here[] =
		"ffffffff81000000 T _text\nffffffff81800123 T _etext\n";
	struct perf_system s = { 0 };
	struct perf_system k = { .build_id = "", .text_symbol = "_text" };

	ck_assert(!perf_symbols_fit(here, &k));
	kernel_at(&s, 0xffffffff81000000, _i);
	k.kernel_text = s.kernel_text;
	k.kernel_end = s.kernel_end;
	ck_assert_uint_eq(k.kernel_end, 0xffffffff81800123);
	ck_assert(perf_symbols_fit(here, &k));
	ck_assert(!perf_symbols_fit(map, &k)); /* lacks _etext */
	k.kernel_end++;
	ck_assert(!perf_symbols_fit(here, &k));
	snprintf(k.build_id, sizeof(k.build_id), "1234");
	ck_assert(perf_symbols_fit(here, &k));
	k.kernel_text++;
	ck_assert(!perf_symbols_fit(here, &k));
	ck_assert(!perf_symbols_fit("", &k));
	perf_system_free(&s);
}
END_TEST

START_TEST(symbols_stay)
{
	struct perf_system s = { 0 };
	struct strbuf out = { 0 };
	uint64_t moved;

	/* First without the kernel's address in the file, then with it. */
	for (int i = 0; i < 2; i++) {
		strbuf_reset(&out);
		ck_assert_int_eq(perf_symbols_add(&out, map, &s, &moved), 0);
		ck_assert_uint_eq(moved, 0);
		ck_assert_uint_eq(out.size, strlen(map) + 1);
		ck_assert(!memcmp(out.data, map, strlen(map)));
		kernel_at(&s, 0xffffffff81000000, i);
	}
	strbuf_free(&out);
	perf_system_free(&s);
}
END_TEST

/* KASLR moved the kernel up or down. */
START_TEST(symbols_move)
{
	const uint64_t by = _i ? (uint64_t)-0x200000 : 0x200000;
	struct perf_system s = { 0 };
	struct strbuf out = { 0 };
	uint64_t moved;

	kernel_at(&s, 0xffffffff81000000 + by, _i);
	ck_assert_int_eq(perf_symbols_add(&out, map, &s, &moved), 0);
	ck_assert_uint_eq(moved, by);
	ck_assert_uint_eq(perf_symbols_find(out.data, "_text"), 0xffffffff81000000 + by);
	ck_assert_uint_eq(perf_symbols_find(out.data, "some_function"),
			  0xffffffff81000100 + by);
	ck_assert_uint_eq(perf_symbols_find(out.data, "data"), 0xffffffff82000000 + by);
	ck_assert_uint_eq(perf_symbols_find(out.data, "per_cpu_offset"), 0x1000);
	ck_assert_ptr_null(strstr(out.data, "module"));
	strbuf_free(&out);
	perf_system_free(&s);
}
END_TEST

/* Programs that were loaded, without unloaded ones and without names that contain a line break. */
START_TEST(bpf_programs)
{
	static const struct {
		const char *name;
		uint16_t flags;
	} all[] = {
		{ "bpf_prog_1", 0 }, { "bpf_prog_2", 1 }, { "two\nlines", 0 }, { "", 0 }
	};
	struct perf_system s = { 0 };
	struct strbuf out = { 0 };
	uint64_t moved;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		uint8_t data[32] = { 0 };
		struct perf_record rec = { PERF_KSYMBOL, 0,   data, sizeof(data), 0,
					   false,	 true };

		put(data, 0xffffffffc1000000, 8, true);
		put(data + 14, all[i].flags, 2, true);
		memcpy(data + 16, all[i].name, strlen(all[i].name));
		ck_assert_int_eq(perf_system_record(&s, &rec), 0);
		rec.size = 16; /* no name */
		ck_assert_int_eq(perf_system_record(&s, &rec), 0);
	}
	ck_assert_int_eq(perf_symbols_add(&out, "1 T a\n", &s, &moved), 0);
	ck_assert_str_eq(out.data, "1 T a\nffffffffc1000000 t bpf_prog_1\t[bpf]\n");
	strbuf_free(&out);
	perf_system_free(&s);
}
END_TEST

/* An entry of the list: @size bytes with a build ID of @len bytes. */
static size_t add_build_id(uint8_t *at, uint16_t misc, unsigned int len, const char *name)
{
	const size_t size = 8 + 4 + 24 + strlen(name) + 1;

	memset(at, 0, size);
	put(at + 4, misc, 2, false);
	put(at + 6, size, 2, false);
	for (unsigned int i = 0; i < 20; i++)
		at[12 + i] = (uint8_t)(i < len ? 0xa0 + i : 0);
	at[12 + 20] = (uint8_t)len;
	memcpy(at + 36, name, strlen(name));
	return size;
}

static int take(void *ctx, const struct perf_record *rec)
{
	return perf_system_record(ctx, rec);
}

static void read_list(struct perf_system *s, const uint8_t *list, size_t size)
{
	ck_assert_int_eq(perf_records_of_build_ids(list, size, false, take, s), 0);
}

START_TEST(build_ids)
{
	struct perf_system s = { 0 };
	uint8_t list[1024];
	size_t size = add_build_id(list, 2, 20, "/bin/cat"); /* a user program */

	size += add_build_id(list + size, 1 | 1 << 15, 20, "/lib/modules/6.1/xfs.ko");
	size += add_build_id(list + size, 1 | 1 << 15, 20, "[xfs]");
	read_list(&s, list, size);
	ck_assert_str_eq(s.build_id, "");
	size += add_build_id(list + size, 1 | (_i ? 1 << 15 : 0), _i ? 4 : 20,
			     _i ? "[kernel.kallsyms]" : "/boot/vmlinux-6.1");
	for (size_t cut = 0; cut < size; cut++) {
		read_list(&s, list, cut);
		ck_assert_str_eq(s.build_id, "");
	}
	read_list(&s, list, size);
	ck_assert_str_eq(s.build_id,
			 _i ? "a0a1a2a3" : "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3");
	perf_system_free(&s);
}
END_TEST

Suite *test_perf_symbols_suite(void)
{
	Suite *s = suite_create("perf_symbols");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, a_symbol_by_name);
	tcase_add_loop_test(tc, symbols_of_this_boot, 0, 2);
	tcase_add_test(tc, symbols_stay);
	tcase_add_loop_test(tc, symbols_move, 0, 2);
	tcase_add_test(tc, bpf_programs);
	tcase_add_loop_test(tc, build_ids, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}
