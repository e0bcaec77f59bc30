/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how the kernel was entered when it allocated.
 * In: a callchain, perhaps a system call. Out: "openat(2)", "page fault", "softirq: NET_RX", "kworker: FUNCTION".
 *
 * Documentation/entries.md has the rule, and the functions of each architecture.
 */
#ifndef KMEMX_ANALYSIS_ENTRY_H
#define KMEMX_ANALYSIS_ENTRY_H

#include "analysis/analysis.h"
#include "base/strbuf.h"
#include "report/table.h"

/* The entry of allocations without a callchain whose call is not known, either, and their program's
 * function.
 */
#define ENTRY_NO_STACK "[no callchain]"

/* Appends what @nr > 0 frames say, innermost first. */
void entry_of_frames(const struct analysis_env *env, const uint64_t *frames, uint32_t nr,
		     struct strbuf *out);
/* Appends the entry of callchain @stack of the stream; 0: none. */
void entry_name(const struct analysis_env *env, uint32_t stack, struct strbuf *out);
/* Appends that of a system call: call_is_one(). */
void entry_call_name(const struct analysis_env *env, uint32_t call, struct strbuf *out);
/**
 * entry_user() - append from where in a program the kernel was entered
 * @kind: SUBJECT_USER_FUNCTION: the function of the innermost frame of a program;
 *	SUBJECT_USER_LINE: its line; of a library without lines, that of its caller; or else that
 *	function
 * @nr: > 0 frames, innermost first
 *
 * Without such a frame it is "[no program]".
 */
void entry_user(const struct analysis_env *env, enum subject_kind kind,
		const uint64_t *frames, uint32_t nr, struct strbuf *out);
/* If rows of @kind are by such functions or lines, and no program was recorded: adds a note. */
void entry_note_user(const struct analysis_env *env, enum subject_kind kind,
		     struct table *t);

#endif
