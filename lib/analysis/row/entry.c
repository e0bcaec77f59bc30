// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how the kernel was entered when it allocated.
 * In: a callchain, perhaps a system call. Out: "openat(2)", "page fault", "softirq: NET_RX", "kworker: FUNCTION".
 */
#include "analysis/row/entry.h"

#include "analysis/row/sites.h"
#include "symbol/fold.h"

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
};

/* By architecture: arch/ARCH/kernel/entry*.S and the functions that these call. A * at the end
 * stands for anything.
 */
static const struct {
	const char *pattern;
	enum mark mark;
} outer[] = {
	/* x86: arch/x86/entry/ */
	{ "entry_*", MARK_SYSCALL },
	{ "do_syscall_64", MARK_SYSCALL },
	{ "x64_sys_call", MARK_SYSCALL },
	{ "x32_sys_call", MARK_SYSCALL },
	{ "ia32_sys_call", MARK_SYSCALL },
	{ "do_SYSENTER_32", MARK_SYSCALL },
	{ "do_fast_syscall_32", MARK_SYSCALL },
	{ "__do_fast_syscall_32", MARK_SYSCALL },
	{ "do_int80_syscall_32", MARK_SYSCALL },
	{ "do_int80_emulation", MARK_SYSCALL },
	{ "restore_all_switch_stack", MARK_SYSCALL },
	{ "asm_exc_page_fault", MARK_FAULT },
	{ "exc_page_fault", MARK_FAULT },
	{ "do_user_addr_fault", MARK_FAULT },
	{ "page_fault", MARK_FAULT },
	{ "async_page_fault", MARK_FAULT },
	{ "do_async_page_fault", MARK_FAULT },
	{ "handle_exception_return", MARK_ENTRY },
	{ "asm_exc_*", MARK_ENTRY },
	{ "error_entry", MARK_ENTRY },
	/* arm64, arm */
	{ "el0t_*", MARK_ENTRY },
	{ "el0_sync*", MARK_ENTRY },
	{ "el0_svc*", MARK_SYSCALL },
	{ "do_el0_svc*", MARK_SYSCALL },
	{ "invoke_syscall", MARK_SYSCALL },
	{ "el0_da", MARK_FAULT },
	{ "el0_ia", MARK_FAULT },
	{ "do_mem_abort", MARK_FAULT },
	{ "ret_fast_syscall", MARK_SYSCALL },
	{ "__sys_trace_return*", MARK_SYSCALL },
	{ "__dabt_usr", MARK_FAULT },
	{ "__pabt_usr", MARK_FAULT },
	{ "do_DataAbort", MARK_FAULT },
	{ "do_PrefetchAbort", MARK_FAULT },
	/* s390 */
	{ "system_call", MARK_SYSCALL },
	{ "__do_syscall", MARK_SYSCALL },
	{ "pgm_check_handler", MARK_ENTRY },
	{ "__do_pgm_check", MARK_ENTRY },
	{ "do_dat_exception", MARK_FAULT },
	{ "do_exception", MARK_FAULT },
	{ "do_protection_exception", MARK_FAULT },
	/* powerpc */
	{ "system_call_*", MARK_SYSCALL },
	{ "data_access_*", MARK_FAULT },
	{ "instruction_access_*", MARK_FAULT },
	/* riscv, loongarch */
	{ "handle_exception", MARK_ENTRY },
	{ "ret_from_exception", MARK_ENTRY },
	{ "do_trap_ecall_u", MARK_SYSCALL },
	{ "ret_from_syscall", MARK_SYSCALL },
	{ "handle_syscall", MARK_SYSCALL },
	{ "do_syscall", MARK_SYSCALL },
	{ "do_page_fault", MARK_FAULT },
	{ "handle_page_fault", MARK_FAULT },
	/* all */
	{ "exit_to_user_mode*", MARK_RETURN },
	{ "syscall_exit_to_user_mode*", MARK_RETURN },
	{ "irqentry_exit_to_user_mode*", MARK_RETURN },
	{ "prepare_exit_to_usermode", MARK_RETURN },
	{ "do_notify_resume", MARK_RETURN },
	{ "do_work_pending", MARK_RETURN },
	{ "slow_work_pending", MARK_RETURN },
	{ "syscall_exit_prepare*", MARK_RETURN },
	{ "interrupt_exit_user_prepare*", MARK_RETURN },
	{ "ret_from_fork*", MARK_FORK },
	{ "ret_from_kernel_thread*", MARK_FORK },
	{ "ret_from_kernel_user_thread*", MARK_FORK },
	{ "kernel_thread_starter", MARK_FORK },
	{ "__ret_from_fork", MARK_FORK },
	{ "kthread", MARK_KTHREAD },
	{ "worker_thread", MARK_KWORKER },
	{ "rescuer_thread", MARK_KWORKER },
	{ "process_scheduled_works", MARK_KWORKER },
	{ "process_one_work", MARK_KWORKER },
	{ "kernel_init", MARK_BOOT },
	{ "start_kernel", MARK_BOOT },
	{ "arch_call_rest_init", MARK_BOOT },
	{ "kthreadd", MARK_KTHREADD },
	{ "x86_64_start_*", MARK_BOOT },
	{ "cpu_startup_entry", MARK_IDLE },
	{ "start_secondary*", MARK_ENTRY },
	{ "secondary_startup*", MARK_ENTRY },
	{ "__secondary_switched", MARK_ENTRY },
};

/* They interrupt whatever runs, so they are looked for from the innermost frame. */
static const char *const softirqs[] = { "handle_softirqs", "__do_softirq",
					"__softirqentry_text_start",
					"softirq_handle_begin" };
static const char *const interrupts[] = {
	"common_interrupt",
	"__common_interrupt",
	"sysvec_*",
	"__sysvec_*",
	"do_IRQ",
	"handle_irq_event*",
	"generic_handle_irq*",
	"generic_handle_domain_irq*",
	"handle_domain_irq",
	"gic_handle_irq",
	"el0_interrupt",
	"el1_interrupt",
	"__irq_svc",
	"__irq_usr",
	"do_io_irq",
	"do_ext_irq",
	"do_irq",
	"handle_riscv_irq",
	"hardware_interrupt_common*",
	"timer_interrupt",
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
	for (size_t i = 0; i < nr; i++) {
		if (symbol_matches(name, patterns[i]))
			return true;
	}
	return false;
}

static enum mark mark_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(outer); i++) {
		if (symbol_matches(name, outer[i].pattern))
			return outer[i].mark;
	}
	return MARK_NONE;
}

/* Looks at frame @i. A caller has a return address: after a call that does not return, such as that
 * of do_exit(), it is the next function's first byte, unless entry code returns there.
 */
static bool look(const struct analysis_env *env, const uint64_t *frames, uint32_t i,
		 struct place *p)
{
	uint64_t addr = frames[i];

	if (!symbols_find(env->syms, addr, &p->sym))
		return false;
	if (i && p->sym.addr == addr && mark_of(p->sym.name) == MARK_NONE &&
	    !symbols_find(env->syms, addr - 1, &p->sym))
		return false;
	(void)symbol_plain(p->sym.name, p->name, sizeof(p->name));
	return true;
}

/* @action: the frame of what the softirq does. */
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

/* Is it in a softirq or an interrupt, and in which? */
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

/* The kernel's names say which version of the system call it is: sys_mmap_pgoff, sys_newstat. */
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

/* The innermost of the functions that say how the kernel was entered is @p, after @before. */
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
	char machine[64];
	bool known;

	recording_machine(env->rec, machine, sizeof(machine));
	known = call != CALL_ODD && call_name(machine, call, out);
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

/* The innermost source line from frame @i on, up to the first frame of the program itself; libc
 * called that. 1 and @out, or 0.
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
			"!No program's callchains were recorded. They come from perf record -g: kmemx import --perf");
}
