/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which process each live thread belongs to, and its control group.
 * In: /proc. Out: lines, the content of RECORDING_META_PROCESSES.
 */
#ifndef KMEMX_CAPTURE_PROCESSES_H
#define KMEMX_CAPTURE_PROCESSES_H

#include "base/compiler.h"
#include "base/strbuf.h"

/**
 * processes_list() - list the live threads
 * @proc: "/proc"
 * @most_ns: give up after this time; a thousand processes take some 20 milliseconds
 *
 * Threads that come or go meanwhile may be left out.
 *
 * Return: 0; -ETIME: there are too many; -ENOMEM; another -errno of reading.
 */
int processes_list(const char *proc, uint64_t most_ns, struct strbuf *out) __must_check;
/* Appends the control group of a process as in the list, "HIERARCHY:PATH"; nothing if it has ended. */
void processes_list_group(int32_t pid, struct strbuf *out);

#endif
