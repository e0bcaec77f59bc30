/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: a recording as a stream, for pipes, which cannot seek.
 * In: the writer's facts, and pages in the order they are read. Out: bytes, each written once.
 * recording_open() reads a saved stream, complete or cut short.
 *
 * A stream is: WIRE_MAGIC, then as in trace.dat the byte order, the size of a long and the size of
 * a sub-buffer; then records up to an end record. A record is u16 id, u16 flags (0), u32 CPU, u64
 * size, and its content:
 *
 *   0            options, as in an options section of version 7, without an end mark
 *   3            whole sub-buffers of one CPU; from RECORDING_FREES_CPU on, of the buffer of
 *                frees
 *   16..21       header_page and header_event, formats of ftrace, formats of events,
 *                kallsyms, printk formats, command lines: as the sections of version 7;
 *                of several command lines the last ones count
 *   0xffff       the end; size 0
 *
 * Records of other ids are skipped.
 */
#ifndef KMEMX_RECORDING_WIRE_H
#define KMEMX_RECORDING_WIRE_H

#include "recording/writer.h"

/* In version 7, a section and the option with its offset have the same id. */
enum trace_dat_option {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8,
	OPTION_VERSION = 9,
	OPTION_TRACEID = 11,
	OPTION_TSC2NSEC = 14,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_PRINTK = 20,
	OPTION_CMDLINES = 21,
	OPTION_BUFFER_TEXT = 22,
	OPTION_BTF_FILE = 23,
	OPTION_LAST_BOOT_INFO = 24,
	OPTION_MODULES_FILE = 25,
};

/* An options section has the id of the option that ends it, which may point to another one. */
#define SECTION_OPTIONS OPTION_DONE

/* u16 id, u16 flags, u32 string id, u64 size */
#define SECTION_HEADER_SIZE 16
#define SECTION_COMPRESSED  1U

/* How a trace.dat file begins. */
#define TRACE_DAT_MAGIC "\x17\x08\x44tracing"

#define WIRE_MAGIC	"\x17\x08\x44kmemx-stream-1" /* including its NUL */
#define WIRE_MAGIC_SIZE 18U
/* Stands for a stream, in place of a version of trace.dat. */
#define WIRE_VERSION	UINT32_MAX

enum wire_id {
	WIRE_OPTIONS = SECTION_OPTIONS,
	WIRE_PAGES = OPTION_BUFFER,
	WIRE_CMDLINES = OPTION_CMDLINES,
	WIRE_END = 0xffff,
};

/* u16 id, u16 flags, u32 CPU, u64 size */
#define WIRE_RECORD_SIZE 16U

/**
 * struct wire - a stream being written; zero-initialise it
 * @fd: destination; owned by the caller
 * @bytes: written so far
 * @nr_meta: number of the facts' metadata items sent
 * @symbols: the kernel's symbols have been sent
 */
struct wire {
	int fd;
	uint64_t bytes;
	size_t nr_meta;
	bool symbols;
};

/* All return 0, -ENOMEM, or -errno of the write: then the stream ends there. */

/* Sends the start and all facts known before the first event. */
int wire_start(struct wire *w, const struct writer_facts *facts) __must_check;
/* Sends @size bytes of whole sub-buffers of @cpu. */
int wire_pages(struct wire *w, uint32_t cpu, const void *pages, size_t size) __must_check;
/* Sends metadata items added since the last call, and the other options again. */
int wire_options(struct wire *w, const struct writer_facts *facts) __must_check;
/* Sends only the end. */
int wire_end(struct wire *w, const struct writer_facts *facts) __must_check;
/* Sends facts that became known since wire_start() (command lines, statistics, new metadata items,
 * the kernel's symbols if they were not sent yet) and the end.
 */
int wire_finish(struct wire *w, const struct writer_facts *facts) __must_check;

#endif
