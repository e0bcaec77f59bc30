/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: one line of /sys/kernel/tracing/trace.
 * In: a line of text from any kernel since 2.6.38, with any format options.
 * Out: its type, and an event's common part; the event's own fields stay text.
 *
 * Format: print_trace_header(), trace_print_context(), trace_print_lat_context() and
 * trace_print_lat_fmt() of kernel/trace/trace.c and trace_output.c.
 */
#ifndef KMEMX_IMPORT_FTRACE_TEXT_H
#define KMEMX_IMPORT_FTRACE_TEXT_H

#include "base/compiler.h"

enum ftrace_line_type {
	FTRACE_LINE_UNREADABLE,
	FTRACE_LINE_NOTHING, /* blank, a comment, "##### CPU 2 buffer started ####" */
	FTRACE_LINE_EVENT,
	FTRACE_LINE_FRAME,  /* " => func", a frame of the stack announced before */
	FTRACE_LINE_LOST,   /* "CPU:1 [LOST 123 EVENTS]" */
	FTRACE_LINE_TOTALS, /* "# entries-in-buffer/entries-written: 5/7   #P:2" */
	FTRACE_LINE_KERNEL, /* "# nop latency trace v1.1.5 on 5.10.0" */
};

enum ftrace_time {
	FTRACE_TIME_SECONDS, /* "12.345678" */
	FTRACE_TIME_COUNTER, /* "345678": a clock that does not count time */
	FTRACE_TIME_LATENCY, /* "678us": since the start of the buffer */
};

/* An unknown number of lost events. */
#define FTRACE_LOST_UNKNOWN UINT64_MAX

/**
 * struct ftrace_line - a line; texts point into it and have no NUL unless noted
 * @comm: name of the task, as the kernel printed it; may be "<...>"
 * @flags, @preempt: common_flags and common_preempt_count; 0 if the text has no such column
 *	(@has_flags)
 * @ts: nanoseconds; ticks with FTRACE_TIME_COUNTER
 * @name: name of the event; "<stack trace>" announces frames
 * @body: what follows the name, or the frame; NUL terminated
 */
struct ftrace_line {
	uint8_t type; /* enum ftrace_line_type */
	uint8_t time; /* enum ftrace_time */
	uint8_t flags, preempt;
	bool has_flags;
	uint32_t cpu;
	int32_t pid;
	uint64_t ts;
	const char *comm, *name, *body;
	size_t comm_len, name_len;
	uint64_t lost;		     /* of LOST */
	uint64_t in_buffer, written; /* of TOTALS */
	uint32_t nr_cpus;	     /* of TOTALS; 0 if unknown */
	const char *release;	     /* of KERNEL */
	size_t release_len;
};

/* Lines with a higher CPU number are not the kernel's. */
#define FTRACE_MAX_CPU 4095U

/* Reads a NUL-terminated line; never fails, see @out->type. */
void ftrace_line_parse(struct ftrace_line *out, const char *line);

/**
 * struct ftrace_symbol - an address as printed by %pS, %ps or %lx
 * @name: NULL if the address was printed as a number, @addr
 * @size: of the function; 0 if unknown
 * @has_addr: the address was printed with the name (option sym-addr)
 */
struct ftrace_symbol {
	const char *name, *module;
	size_t name_len, module_len;
	uint64_t offset, size, addr;
	bool has_addr;
};

/* Parses "func+0x10/0x20 [mod]", "func", "ffffffff81234567", "func <ffffffff81234567>"; ignores
 * what follows. False if it is none of these.
 */
bool ftrace_symbol_parse(struct ftrace_symbol *out, const char *text);

/* The value after "KEY=" in an event's text, up to the end of the text; NULL if absent. */
const char *ftrace_value(const char *body, const char *key);

#endif
