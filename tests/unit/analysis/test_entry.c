// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/row/entry.h: how the kernel was entered, according to a callchain.
 */
#include <check.h>
#include <string.h>

#include "analysis/row/entry.h"

/* Callchains from the innermost frame outward. "a|b": a call at the end of a, whose return address
 * is the beginning of b. "-": an address without a symbol.
 */
static const struct {
	const char *frames, *entry;
} cases[] = {
	{ "getname_flags __x64_sys_openat do_syscall_64 entry_SYSCALL_64_after_hwframe",
	  "openat(2)" },
	{ "vfs_read ksys_read do_syscall_64 entry_SYSCALL_64", "read(2)" },
	{ "alloc_file do_pipe2 do_syscall_64 entry_SYSCALL_64", "system call: do_pipe2" },
	{ "getname do_sys_openat2 el0_svc_common.constprop.0 do_el0_svc el0_svc "
	  "el0t_64_sync_handler el0t_64_sync",
	  "system call: do_sys_openat2" },
	{ "f __arm64_sys_brk invoke_syscall el0_svc_common do_el0_svc", "brk(2)" },
	{ "f __do_sys_newstat do_syscall_64 entry_SYSCALL_64", "stat(2)" },
	{ "f __se_compat_sys_ioctl ia32_sys_call do_int80_emulation", "ioctl(2)" },
	{ "f __s390x_sys_old_mmap __do_syscall system_call", "mmap(2)" },
	{ "f sys_mmap_pgoff ret_fast_syscall", "mmap(2)" },
	{ "do_exit __x64_sys_exit_group|child do_syscall_64 entry_SYSCALL_64",
	  "exit_group(2)" },
	{ "handle_mm_fault do_user_addr_fault exc_page_fault asm_exc_page_fault",
	  "page fault" },
	/* A fault in a system call counts for the system call. */
	{ "f exc_page_fault asm_exc_page_fault copy __x64_sys_read do_syscall_64",
	  "read(2)" },
	{ "f do_dat_exception __do_pgm_check pgm_check_handler", "page fault" },
	{ "f __fput task_work_run exit_to_user_mode_loop do_syscall_64",
	  "return to user space" },
	/* They interrupt a system call. */
	{ "skb net_rx_action handle_softirqs irq_exit sysvec_call f __x64_sys_read "
	  "do_syscall_64",
	  "softirq: NET_RX" },
	{ "f rcu_core_si __do_softirq run_ksoftirqd kthread ret_from_fork",
	  "softirq: RCU" },
	{ "f my_action __do_softirq common_interrupt", "softirq: my_action" },
	{ "f handler handle_irq_event_percpu handle_irq_event g do_syscall_64",
	  "interrupt" },
	{ "f blk_mq_run_work_fn process_one_work worker_thread kthread ret_from_fork_asm",
	  "kworker: blk_mq_run_work_fn" },
	{ "f kswapd kthread ret_from_fork", "kthread: kswapd" },
	{ "f kthreadd ret_from_fork", "kthread: kthreadd" },
	{ "f schedule_tail ret_from_fork", "new task: schedule_tail" },
	{ "f do_one_initcall kernel_init ret_from_fork", "boot" },
	{ "f g start_kernel secondary_startup_64", "boot" },
	{ "f g", "other: g" },
	{ "f -", "[unknown]" },
	{ "do_syscall_64 entry_SYSCALL_64", "[unknown]" },
};

static uint64_t add(struct strbuf *map, uint64_t *next, const char *name, size_t size)
{
	uint64_t at = *next;

	*next += 0x100;
	strbuf_printf(map, "%llx t %.*s\n", (unsigned long long)at, (int)size, name);
	return at;
}

START_TEST(by_functions)
{
	struct strbuf map = { 0 }, name = { 0 };
	struct analysis_env env = { 0 };
	uint64_t frames[16], next = 0x10000;
	struct symbols *syms;
	const char *at;
	uint32_t nr = 0;
	size_t size;

	for (at = cases[_i].frames; *at; at += size + (at[size] == ' ')) {
		size = strcspn(at, " |");
		frames[nr] = *at == '-' ? 0x10 : add(&map, &next, at, size) + 4;
		if (at[size] == '|') {
			at += size + 1;
			size = strcspn(at, " ");
			frames[nr] = add(&map, &next, at, size);
		}
		nr++;
	}
	ck_assert_int_eq(symbols_new(&syms, map.data, map.size, NULL), 0);
	env.syms = syms;
	entry_of_frames(&env, frames, nr, &name);
	ck_assert_str_eq(strbuf_text(&name), cases[_i].entry);
	strbuf_free(&name);
	strbuf_free(&map);
	symbols_free(syms);
}
END_TEST

/* Kernel frames, then user frames. */
START_TEST(user_functions)
{
	static const char kernel[] = "10000 t alloc\n20000 t asm_exc_page_fault\n";
	static const char programs[] = "4000000000000000 T [unknown]\n"
				       "4001000000001000 T callers`inner\n"
				       "4001000000001100 T callers`outer\n"
				       "4002000000000123 T [stripped+0x123]\n";
	static const struct {
		uint64_t frames[4];
		const char *name;
	} chains[] = {
		{ { 0x10004, 0x20004, 0x4001000000001020, 0x4001000000001120 },
		  "callers`inner" },
		{ { 0x10004, 0x4001000000001120 }, "callers`outer" },
		{ { 0x10004, 0x4002000000000123, 0x4001000000001120 },
		  "[stripped+0x123]" },
		{ { 0x10004, SYMBOLS_USER, 0x4001000000001020 }, "[unknown]" },
		{ { 0x4001000000001020 }, "callers`inner" },
		{ { 0x10004, 0x20004 }, "[no program]" },
	};
	struct analysis_env env = { 0 };
	struct symbols *syms;

	ck_assert_int_eq(symbols_new(&syms, kernel, sizeof(kernel) - 1, NULL), 0);
	ck_assert_int_eq(symbols_add_user(syms, programs, sizeof(programs) - 1, NULL), 0);
	env.syms = syms;
	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		struct strbuf name = { 0 };
		uint32_t nr = 0;

		while (nr < 4 && chains[i].frames[nr])
			nr++;
		entry_user(&env, SUBJECT_USER_FUNCTION, chains[i].frames, nr, &name);
		ck_assert_str_eq(strbuf_text(&name), chains[i].name);
		strbuf_free(&name);
	}
	symbols_free(syms);
}
END_TEST

/* The innermost line that is known, or else the innermost function. */
START_TEST(user_lines)
{
	static const char programs[] = "4000000000000000 T [unknown]\n"
				       "4001000000001000 T callers`inner\n"
				       "4002000000000123 T libc.so.6`write\n";
	static const char text[] = "4001000000001020 3 callers`inlined a file.h\n"
				   "4001000000001020 12 - callers.c\n"
				   "4001000000001040 0 - -\n";
	static const struct {
		uint64_t frames[4];
		const char *name;
	} chains[] = {
		{ { 0x10004, 0x4001000000001020 }, "a file.h:3" },
		{ { 0x10004, 0x4002000000000123, 0x4001000000001020 }, "a file.h:3" },
		{ { 0x10004, 0x4001000000001040, 0x4001000000001020 }, "callers`inner" },
		{ { 0x10004, 0x4001000000001040 }, "callers`inner" },
		{ { 0x10004, 0x4002000000000123 }, "libc.so.6`write" },
		{ { 0x10004 }, "[no program]" },
	};
	const struct directory_sources none = { 0 };
	struct analysis_env env = { 0 };
	struct symbols *syms;

	ck_assert_int_eq(symbols_new(&syms, NULL, 0, NULL), 0);
	ck_assert_int_eq(symbols_add_user(syms, programs, sizeof(programs) - 1, NULL), 0);
	ck_assert_int_eq(source_lines_new(&env.lines, &none, syms, 0), 0);
	ck_assert_int_eq(source_lines_add_user(env.lines, text), 0);
	env.syms = syms;
	for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
		struct strbuf name = { 0 };
		uint32_t nr = 0;

		while (nr < 4 && chains[i].frames[nr])
			nr++;
		entry_user(&env, SUBJECT_USER_LINE, chains[i].frames, nr, &name);
		ck_assert_str_eq(strbuf_text(&name), chains[i].name);
		strbuf_free(&name);
	}
	source_lines_free(env.lines);
	symbols_free(syms);
}
END_TEST

Suite *test_entry_suite(void);

Suite *test_entry_suite(void)
{
	Suite *s = suite_create("analysis/entry");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, by_functions, 0, ARRAY_SIZE(cases));
	tcase_add_test(tc, user_functions);
	tcase_add_test(tc, user_lines);
	suite_add_tcase(s, tc);
	return s;
}
