/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the kernel parameters that record from boot.
 * In: what to record, on which kernel and machine. Out: a line for the boot loader.
 */
#ifndef KMEMX_CAPTURE_BOOT_H
#define KMEMX_CAPTURE_BOOT_H

#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events/events.h"

/**
 * struct boot_options - what the line must do
 * @major, @minor: the kernel version, 6 and 12 for Linux 6.12
 * @memory_bytes, @nr_cpus: the machine, which determines the size of the buffers
 * @events: as for a recording, but without a filter
 * @min_order: callchains only on page allocations of this order or more
 * @instance: name of a tracing instance; NULL: the top-level instance
 * @persistent: the instance is in memory that a warm reboot preserves
 * @keep_last: a full buffer drops the oldest events; else new ones are not recorded
 * @buffer_bytes: per CPU; 0: chosen from memory
 */
struct boot_options {
	unsigned int major, minor;
	uint64_t memory_bytes;
	unsigned int nr_cpus;
	struct event_choice events;
	uint64_t min_order;
	const char *instance;
	bool persistent, keep_last;
	uint64_t buffer_bytes;
	const struct log *log;
};

/**
 * boot_cmdline() - compose the line
 * @line: the line is appended without a newline; words with a space are quoted for the kernel
 * @notes: comment lines ("# ") are appended: what each parameter does and what to do
 *
 * What the kernel supports only partly is logged as LOG_WARN.
 *
 * Return: 0; after a LOG_ERROR message -EOPNOTSUPP if that kernel cannot do it, -EINVAL if a name
 * is not possible in a kernel parameter; -ENOMEM.
 */
int boot_cmdline(const struct boot_options *opts, struct strbuf *line,
		 struct strbuf *notes) __must_check;

/* The size of a CPU's buffer on this machine, a multiple of 1 MiB. */
uint64_t boot_buffer_bytes(uint64_t memory_bytes, unsigned int nr_cpus);

#endif
