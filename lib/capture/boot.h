/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the kernel parameters that record from boot.
 * In: what to record, on which kernel and machine. Out: a line for the boot loader.
 */
#ifndef KMEMX_CAPTURE_BOOT_H
#define KMEMX_CAPTURE_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events.h"

/**
 * struct boot_options - what the line is for
 * @major, @minor: the kernel, 6 and 12 for Linux 6.12
 * @memory_bytes, @nr_cpus: the machine; from them comes the size of the buffers
 * @events: as for a recording; a filter is not used
 * @min_order: callchains on page allocations from this order only
 * @instance: name of a tracing instance; NULL: the top-level instance
 * @persistent: the instance lies in memory that a warm reboot leaves alone
 * @keep_last: when the buffer is full, the oldest events go; else new ones are not recorded
 * @buffer_bytes: of each CPU; 0: chosen by memory
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
 * @line: appended to, without a newline; words with a space are quoted as the kernel wants
 * @notes: appended to: lines that begin with "# ", what each parameter does and what to do
 *
 * What the kernel supports only partly is logged as LOG_WARN.
 *
 * Return: 0; after an LOG_ERROR message -EOPNOTSUPP if that kernel cannot, -EINVAL if a name
 * cannot stand in a kernel parameter; -ENOMEM.
 */
int boot_cmdline(const struct boot_options *opts, struct strbuf *line,
		 struct strbuf *notes) __must_check;

/* A CPU's buffer for this machine: a multiple of 1 MiB. */
uint64_t boot_buffer_bytes(uint64_t memory_bytes, unsigned int nr_cpus);

#endif
