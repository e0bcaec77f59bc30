// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how the kernel was entered when it allocated.
 * In: a callchain, perhaps a system call. Out: "openat(2)", "page fault", "softirq: NET_RX",
 * "kworker: FUNCTION".
 */
#include "analysis/row/entry.h"

#include "analysis/row/sites.h"
#include "symbol/symbols.h"

/* An entry is found in this many of the outermost frames, or not at all. */
#define OUTERMOST 16

/* What a function near the outer end of a callchain means. */
enum mark {
	MARK_NONE,
	MARK_SYSCALL, /* the next function inward is the system call's */
	MARK_FORK,    /* a new task begins */
	MARK_KTHREAD, /* the next one is the thread's function */
	MARK_KWORKER, /* the next one is the work's function */
	MARK_ENTRY,   /* says nothing by itself */
	MARK_FAULT,
	MARK_RETURN,
	MARK_BOOT,
	MARK_KTHREADD, /* it starts the kernel's threads */
	MARK_IDLE,
	MARK_NR,
};

/* The functions of each mark, from arch/ARCH/kernel/entry*.S, arch/x86/entry/, and those that they
 * call. A * at the end matches anything. If several lists match, the last one counts.
 */
static const char *const outer[MARK_NR][24] = {
	[MARK_SYSCALL] = { /* x86 */
			   "entry_*", "do_syscall_64", "x64_sys_call", "x32_sys_call",
			   "ia32_sys_call", "do_SYSENTER_32", "do_fast_syscall_32",
			   "__do_fast_syscall_32", "do_int80_syscall_32",
			   "do_int80_emulation", "restore_all_switch_stack",
			   /* arm64, arm */
			   "el0_svc*", "do_el0_svc*", "invoke_syscall",
			   "ret_fast_syscall", "__sys_trace_return*",
			   /* s390, powerpc */
			   "system_call", "__do_syscall", "system_call_*",
			   /* riscv, loongarch */
			   "do_trap_ecall_u", "ret_from_syscall", "handle_syscall",
			   "do_syscall" },
	[MARK_FORK] = { "ret_from_fork*", "ret_from_kernel_thread*",
			"ret_from_kernel_user_thread*", "kernel_thread_starter",
			"__ret_from_fork" },
	[MARK_KTHREAD] = { "kthread" },
	[MARK_KWORKER] = { "worker_thread", "rescuer_thread", "process_scheduled_works",
			   "process_one_work" },
	[MARK_ENTRY] = { /* x86 */
			 "handle_exception_return", "asm_exc_*", "error_entry",
			 /* arm64, arm */
			 "el0t_*", "el0_sync*",
			 /* s390 */
			 "pgm_check_handler", "__do_pgm_check",
			 /* riscv, loongarch */
			 "handle_exception", "ret_from_exception",
			 /* all */
			 "start_secondary*", "secondary_startup*", "__secondary_switched" },
	[MARK_FAULT] = { /* x86 */
			 "asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault",
			 "page_fault", "async_page_fault", "do_async_page_fault",
			 /* arm64, arm */
			 "el0_da", "el0_ia", "do_mem_abort", "__dabt_usr", "__pabt_usr",
			 "do_DataAbort", "do_PrefetchAbort",
			 /* s390 */
			 "do_dat_exception", "do_exception", "do_protection_exception",
			 /* powerpc */
			 "data_access_*", "instruction_access_*",
			 /* riscv, loongarch */
			 "do_page_fault", "handle_page_fault" },
	[MARK_RETURN] = { "exit_to_user_mode*", "syscall_exit_to_user_mode*",
			  "irqentry_exit_to_user_mode*", "prepare_exit_to_usermode",
			  "do_notify_resume", "do_work_pending", "slow_work_pending",
			  "syscall_exit_prepare*", "interrupt_exit_user_prepare*" },
	[MARK_BOOT] = { "kernel_init", "start_kernel", "arch_call_rest_init",
			"x86_64_start_*" },
	[MARK_KTHREADD] = { "kthreadd" },
	[MARK_IDLE] = { "cpu_startup_entry" },
};

/* These interrupt whatever runs, so the search for them begins at the innermost frame. */
static const char *const softirqs[] = { "handle_softirqs", "__do_softirq",
					"__softirqentry_text_start",
					"softirq_handle_begin" };
static const char *const interrupts[] = { /* all */
					  "handle_irq_event*", "generic_handle_irq*",
					  "generic_handle_domain_irq*",
					  "handle_domain_irq",
					  /* x86 */
					  "common_interrupt", "__common_interrupt",
					  "sysvec_*", "__sysvec_*", "do_IRQ",
					  /* arm64, arm */
					  "gic_handle_irq", "el0_interrupt",
					  "el1_interrupt", "__irq_svc", "__irq_usr",
					  /* s390, riscv, powerpc */
					  "do_io_irq", "do_ext_irq", "do_irq",
					  "handle_riscv_irq",
					  "hardware_interrupt_common*", "timer_interrupt"
};

/* The kernel's names of softirqs (kernel/softirq.c), by their actions. */
static const struct {
	const char *action, *name;
} softirq_names[] = {
	{ "net_rx_action", "NET_RX" },
	{ "net_tx_action", "NET_TX" },
	{ "run_timer_softirq", "TIMER" },
	{ "run_timer_base", "TIMER" },
	{ "rcu_core*", "RCU" },
	{ "rcu_process_callbacks", "RCU" },
	{ "blk_done_softirq", "BLOCK" },
	{ "tasklet_hi_action*", "HI" },
	{ "tasklet_action*", "TASKLET" },
	{ "workqueue_softirq*", "TASKLET" },
	{ "sched_balance_softirq", "SCHED" },
	{ "run_rebalance_domains", "SCHED" },
	{ "hrtimer_run_softirq", "HRTIMER" },
	{ "irq_poll_softirq", "IRQ_POLL" },
};

/* A frame's function, without the compiler's suffixes. */
struct place {
	struct symbol sym;
	char name[128];
};

static bool is_one(const char *name, const char *const *patterns, size_t nr)
{
	return ANY(i, nr, symbol_matches(name, patterns[i]));
}

static enum mark mark_of(const char *name)
{
	unsigned int mark = MARK_NR;

	while (--mark > MARK_NONE)
		for (const char *const *p = outer[mark]; *p; p++)
			if (symbol_matches(name, *p))
				return (enum mark)mark;
	return MARK_NONE;
}

/* Looks up the function of frame @i. A caller's frame is a return address: after a call that does
 * not return, such as do_exit(), it is the first byte of the next function, unless entry code
 * really returns there, or the recording has no offsets at all.
 */
static bool look(const struct analysis_env *env, const uint64_t *frames, uint32_t i,
		 struct place *p)
{
	uint64_t addr = frames[i];

	if (!symbols_find(env->syms, addr, &p->sym))
		return false;
	if (i && !env->bare_frames && p->sym.addr == addr &&
	    mark_of(p->sym.name) == MARK_NONE &&
	    !symbols_find(env->syms, addr - 1, &p->sym))
		return false;
	(void)symbol_plain(p->sym.name, p->name, sizeof(p->name));
	return true;
}

/* @action: the frame of the softirq's action. */
static void put_softirq(const struct analysis_env *env, const uint64_t *frames,
			uint32_t action, struct strbuf *out)
{
	struct place p;

	strbuf_puts(out, "softirq");
	if (!look(env, frames, action, &p))
		return;
	strbuf_puts(out, ": ");
	for (size_t i = 0; i < ARRAY_SIZE(softirq_names); i++) {
		if (symbol_matches(p.name, softirq_names[i].action)) {
			strbuf_puts(out, softirq_names[i].name);
			return;
		}
	}
	sites_shown(env, &p.sym, out);
}

/* Appends the softirq or interrupt that a frame belongs to. False if no frame belongs to one. */
static bool put_interrupt(const struct analysis_env *env, const uint64_t *frames,
			  uint32_t nr, struct strbuf *out)
{
	struct place p;

	for (uint32_t i = 0; i < nr; i++) {
		if (!look(env, frames, i, &p))
			continue;
		if (is_one(p.name, softirqs, ARRAY_SIZE(softirqs))) {
			put_softirq(env, frames, i ? i - 1 : 0, out);
			return true;
		}
		if (is_one(p.name, interrupts, ARRAY_SIZE(interrupts))) {
			strbuf_puts(out, "interrupt");
			return true;
		}
	}
	return false;
}

/* "openat" of "__x64_sys_openat", "ksys_read", "sys_brk", "__do_compat_sys_ioctl"; else NULL. */
static const char *syscall_of(const char *name)
{
	static const char *const before[] = { "",	 "ksys_",  "do_",    "se_",
					      "x64_",	 "x32_",   "ia32_",  "arm64_",
					      "s390_",	 "s390x_", "riscv_", "loongarch_",
					      "powerpc_" };
	const char *at = name + strspn(name, "_");

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		size_t size = strlen(before[i]);

		if (strncmp(at, before[i], size) != 0)
			continue;
		/* __do_sys_openat() is one, do_sys_openat2() is not. */
		if (at == name && !strcmp(before[i], "do_"))
			continue;
		if (!strcmp(before[i], "ksys_"))
			return at + size;
		if (!strncmp(at + size, "compat_", 7))
			size += 7;
		if (!strncmp(at + size, "sys_", 4))
			return at + size + 4;
	}
	return NULL;
}

/* Drops the version in the kernel's name of the system call: sys_mmap_pgoff, sys_newstat. */
static void put_syscall(const char *name, struct strbuf *out)
{
	static const char *const versions[] = { "newstat", "newlstat", "newfstat",
						"newuname" };
	size_t size = strlen(name);

	if (text_ends(name, "_pgoff"))
		size -= 6;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		if (!strcmp(name, versions[i])) {
			name += 3;
			size -= 3;
			break;
		}
	}
	if (!strncmp(name, "old_", 4)) {
		name += 4;
		size -= 4;
	}
	strbuf_printf(out, "%.*s(2)", (int)size, name);
}

/* Appends the entry. @p: the outermost function without a mark; @before: the mark of its caller. */
static void put_outer(const struct analysis_env *env, enum mark before,
		      const struct place *p, struct strbuf *out)
{
	static const char *const words[] = {
		[MARK_NONE] = "other: ",      [MARK_SYSCALL] = "system call: ",
		[MARK_FORK] = "new task: ",   [MARK_KTHREAD] = "kthread: ",
		[MARK_KWORKER] = "kworker: ", [MARK_ENTRY] = "other: ",
	};
	const char *call = before == MARK_SYSCALL || before == MARK_NONE
				   ? syscall_of(p->name)
				   : NULL;

	if (call) {
		put_syscall(call, out);
		return;
	}
	strbuf_puts(out, words[before]);
	sites_shown(env, &p->sym, out);
}

void entry_of_frames(const struct analysis_env *env, const uint64_t *frames, uint32_t nr,
		     struct strbuf *out)
{
	static const char *const ends[] = { [MARK_FAULT] = "page fault",
					    [MARK_RETURN] = "return to user space",
					    [MARK_BOOT] = "boot",
					    [MARK_KTHREADD] = "kthread: kthreadd",
					    [MARK_IDLE] = "idle" };
	enum mark before = MARK_NONE;
	struct place p;

	while (nr > 1 && symbols_is_user(frames[nr - 1]))
		nr--;
	if (put_interrupt(env, frames, nr, out))
		return;
	for (uint32_t i = nr; i && i + OUTERMOST > nr; i--) {
		enum mark mark;

		if (!look(env, frames, i - 1, &p))
			break;
		mark = mark_of(p.name);
		if (mark >= MARK_FAULT) {
			strbuf_puts(out, ends[mark]);
			return;
		}
		if (mark == MARK_NONE) {
			put_outer(env, before, &p, out);
			return;
		}
		before = mark;
	}
	strbuf_puts(out, "[unknown]");
}

void entry_call_name(const struct analysis_env *env, uint32_t call, struct strbuf *out)
{
	bool known = call != CALL_ODD &&
		     call_name(recording_machine(env->rec).text, call, out);

	if (known)
		strbuf_puts(out, "(2)");
	else if (call == CALL_ODD)
		strbuf_puts(out, "system call ?");
	else
		strbuf_printf(out, "system call %" PRIu32, call);
}

void entry_name(const struct analysis_env *env, uint32_t stack, struct strbuf *out)
{
	uint32_t call = event_stream_call(env->stream, stack), nr = 0;
	const uint64_t *frames =
		stack ? event_stream_stack(env->stream, stack, &nr) : NULL;

	if (call_is_one(call))
		entry_call_name(env, call, out);
	else if (call == CALL_INTERRUPT || call == CALL_SOFTIRQ) {
		if (!put_interrupt(env, frames, nr, out))
			strbuf_puts(out, call == CALL_SOFTIRQ ? "softirq" : "interrupt");
	} else if (frames && nr)
		entry_of_frames(env, frames, nr, out);
	else
		strbuf_puts(out, call == CALL_NONE ? "[no system call]" : ENTRY_NO_STACK);
}

/* Is the program's frame @addr in a shared library? */
static bool in_library(const struct analysis_env *env, uint64_t addr)
{
	struct symbol sym;
	const char *so;

	if (!symbols_find(env->syms, addr, &sym))
		return false;
	so = strstr(sym.name, ".so");
	return so && so < sym.name + strcspn(sym.name, "`+");
}

/* Appends the first known source line from frame @i outward, up to the first frame of the program
 * itself, as libc called that. False: none is known.
 */
static bool put_user_line(const struct analysis_env *env, const uint64_t *frames,
			  uint32_t nr, uint32_t i, struct strbuf *out)
{
	const struct source_frame *at;

	for (; env->lines && i < nr; i++) {
		if (source_lines_find(env->lines, frames[i], &at) && at->line) {
			strbuf_printf(out, "%s:%" PRIu32, at->file, at->line);
			return true;
		}
		if (!in_library(env, frames[i]))
			break;
	}
	return false;
}

void entry_user(const struct analysis_env *env, enum subject_kind kind,
		const uint64_t *frames, uint32_t nr, struct strbuf *out)
{
	struct symbol sym;
	uint32_t i = 0;

	while (i < nr && !symbols_is_user(frames[i]))
		i++;
	if (kind == SUBJECT_USER_LINE && put_user_line(env, frames, nr, i, out))
		return;
	if (i == nr)
		strbuf_puts(out, "[no program]");
	else if (symbols_find(env->syms, frames[i], &sym))
		sites_shown(env, &sym, out);
	else
		strbuf_puts(out, "[unknown]");
}

void entry_note_user(const struct analysis_env *env, enum subject_kind kind,
		     struct table *t)
{
	if (subject_rows(kind) & (ROWS(USER_FUNCTION) | ROWS(USER_LINE)) &&
	    !recording_meta(env->rec, RECORDING_META_USER_SYMBOLS))
		table_add_note(
			t,
			"!No program's callchains were recorded. They come from kmemx record --user-stack (slab events: --user-stack=all), or from perf record -g: kmemx import --perf");
}

const char *entry_record_options(enum subject_kind kind, enum memory memory)
{
	const bool slab = memory == MEMORY_SLAB;

	if (subject_rows(kind) & (ROWS(USER_FUNCTION) | ROWS(USER_LINE)))
		return slab ? " --user-stack=all" : " --user-stack";
	return slab ? " --slab --stack all" : "";
}
