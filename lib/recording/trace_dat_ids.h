/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): ids of trace.dat's options and sections.
 * In: nothing. Out: ids for reader, writer and streams.
 *
 * Format: trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v6.5.txt and ...v7.5.txt.
 */
#ifndef KMEMX_RECORDING_TRACE_DAT_IDS_H
#define KMEMX_RECORDING_TRACE_DAT_IDS_H

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

#endif
