/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: writes trace.dat 7 (default) or 6, uncompressed.
 * In: metadata texts, then each CPU's raw ring-buffer pages. Out: a file that trace-cmd,
 * KernelShark and kmemx open.
 */
#ifndef KMEMX_RECORDING_WRITER_H
#define KMEMX_RECORDING_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "recording/recording.h"

/**
 * struct writer_facts - what goes into the file besides the pages
 *
 * Borrowed during the call that takes it. Texts may be NULL where the system has none.
 */
struct writer_facts {
	unsigned int file_version; /* 6 or 7 */
	uint32_t page_size;	   /* bytes of a sub-buffer */
	const char *header_page, *header_event;
	const struct recording_text *ftrace_formats; /* name unused */
	size_t nr_ftrace_formats;
	const struct recording_text *event_formats; /* grouped by name (the system) */
	size_t nr_event_formats;
	const char *kallsyms;
	size_t kallsyms_size;
	const char *printk_formats;
	const char *cmdlines;
	const char *uname; /* "Linux HOST RELEASE MACHINE" */
	const char *writer_version;
	const char *trace_clock;     /* the kernel's list with brackets */
	const char *clock;	     /* the chosen name */
	uint32_t nr_cpus;	     /* highest CPU + 1 */
	const char *const *cpustats; /* texts, one a CPU: "CPU: 0\nentries: ..." */
	size_t nr_cpustats;
	const struct recording_text *meta;
	size_t nr_meta;
};

/* One CPU's pages, in a file of their own (a part), @size a multiple of the page size. */
struct writer_part {
	uint32_t cpu;
	int fd;
	uint64_t size;
};

/**
 * writer_write() - write a whole recording
 * @fd: an empty, seekable file open for writing; stays the caller's
 * @parts: in CPU order; CPUs without data may be left out
 * @written_bytes: receives the file's size; may be NULL
 *
 * Page data is copied by copy_file_range() where the filesystem can share it.
 *
 * Return: 0; -ENOSPC, -EIO, ... of the writes (what is in the file is then incomplete).
 */
int writer_write(int fd, const struct writer_facts *facts,
		 const struct writer_part *parts, size_t nr_parts,
		 uint64_t *written_bytes, const struct log *log) __must_check;

#endif
