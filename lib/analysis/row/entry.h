/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how the kernel was entered when it allocated.
 * In: a callchain, perhaps a system call. Out: "openat(2)", "page fault", "softirq: NET_RX",
 * "kworker: FUNCTION".
 *
 * Documentation/entries.md has the rule, and the functions of each architecture.
 */
#ifndef KMEMX_ANALYSIS_ENTRY_H
#define KMEMX_ANALYSIS_ENTRY_H

#include "analysis/analysis.h"
#include "base/strbuf.h"
#include "report/table.h"

/* The entry, and the program's function, of allocations without a callchain or a known system call.
 */
#define ENTRY_NO_STACK "[no callchain]"

/* Appends the entry that @nr > 0 frames show, innermost first. */
void entry_of_frames(const struct analysis_env *env, const uint64_t *frames, uint32_t nr,
		     struct strbuf *out);
/* Appends the entry of callchain @stack of the stream; 0: none. */
void entry_name(const struct analysis_env *env, uint32_t stack, struct strbuf *out);
/* Appends the entry of system call @call: call_is_one() is true for it. */
void entry_call_name(const struct analysis_env *env, uint32_t call, struct strbuf *out);
/**
 * entry_user() - append where in a program the kernel was entered from
 * @kind: SUBJECT_USER_FUNCTION: the function of the innermost frame of a program;
 *	SUBJECT_USER_LINE: its line; of a library without lines, that of its caller; or else that
 *	function
 * @nr: > 0 frames, innermost first
 *
 * Without such a frame it is "[no program]".
 */
void entry_user(const struct analysis_env *env, enum subject_kind kind,
		const uint64_t *frames, uint32_t nr, struct strbuf *out);
/* Adds a note if rows of @kind need a program's frames and none were recorded. */
void entry_note_user(const struct analysis_env *env, enum subject_kind kind,
		     struct table *t);
/* The options of kmemx record, each after a blank, for the callchains that rows of @kind need. */
const char *entry_record_options(enum subject_kind kind, enum memory memory);

#endif
