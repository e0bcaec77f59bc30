/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: an open trace.dat file as plain data.
 * In: a byte source holding trace.dat 6 or 7, or a saved stream. Out: the file's metadata, bounded
 * and NUL terminated, and where each CPU's ring-buffer pages lie.
 */
#ifndef KMEMX_RECORDING_RECORDING_H
#define KMEMX_RECORDING_RECORDING_H

#include "base/log.h"
#include "base/strbuf.h"
#include "recording/source.h"

/* kmemx's own options, skipped by other readers (trace-cmd's ids end far below).
 * Payload: a NUL-terminated name, then the content up to the option's end.
 */
#define RECORDING_OPTION_META	    0x4000
/* The ring buffer with the frees by all tasks, beside the top one with the allocations of some. In
 * a stream and in an unfinished file, its CPU n is called RECORDING_FREES_CPU + n.
 */
#define RECORDING_FREES		    "frees"
#define RECORDING_FREES_CPU	    0x8000U
/* In an imported recording: the source, and what the import lost, one note a line. */
#define RECORDING_META_IMPORT	    "import"
/* The user's labels: "key=value" lines. */
#define RECORDING_META_LABELS	    "labels"
/* Why recording ended early; how a killed recorder's recording was recovered. */
#define RECORDING_META_TRUNCATED    "truncated"
#define RECORDING_META_RECOVERED    "recovered"
/* "part": only allocations of some tasks, on some CPUs, or those that passed a filter; absent: all.
 */
#define RECORDING_META_SCOPE	    "scope"
#define RECORDING_META_CMDLINE	    "cmdline"
#define RECORDING_META_WALL_CLOCK   "wall_clock"
/* The process whose own allocations are left out (except in interrupt context). */
#define RECORDING_META_RECORDER_PID "recorder_pid"
/* "PID NS" for each task that existed at the end, except the recorder and kernel threads: how long
 * it ran while tracing was on. Absent: not known.
 */
#define RECORDING_META_TASKS_RAN    "tasks_ran"
/* Followed by ".before": who owns slab objects, by alloc_traces of debugfs: "CACHE OBJECTS FUNCTION
 * [MODULE]".
 */
#define RECORDING_META_ALLOC_TRACES "alloc_traces"
/* Followed by ".before" or ".after": percpu_stats of debugfs. */
#define RECORDING_META_PERCPU_STATS "percpu_stats"
/* "NAME 1" for a slab cache that the kernel counts as reclaimable (SLAB_RECLAIM_ACCOUNT), "NAME 0"
 * for any other. Absent: not known.
 */
#define RECORDING_META_SLAB_RECLAIM "slab_reclaim"
/* Followed by ".before" or ".after": who owns memory from vmalloc, "AREAS PAGES FUNCTION [MODULE]".
 */
#define RECORDING_META_VMALLOCINFO  "vmallocinfo"
/* Followed by ".after": who owns pages, by page_owner: "PAGES 0xGFP FUNCTION FUNCTION ...". */
#define RECORDING_META_PAGE_OWNER   "page_owner"
/* Followed by ".before": what page frames are used for, as lines: "=NAME" gives the next number,
 * from 1 on, to "0xGFP FUNCTION FUNCTION ..." of page_owner or to a line of the balance; other
 * lines are hexadecimal: frames to skip after the previous ones, frames, the number of their NAME.
 */
#define RECORDING_META_OPENING	    "opening"
/* Followed by ".before", ".begun" (started after that list was made) or ".after": the live threads,
 * "THREAD PROCESS", and for the first thread of a process, whose number is the process's, "THREAD
 * PROCESS PARENT NAME", a tab, and the control group that its memory is charged to as
 * "HIERARCHY:PATH". The recorder's parent is 0.
 */
#define RECORDING_META_PROCESSES    "processes"
/* "START STOP" of tracing, in the clock's units. */
#define RECORDING_META_SPAN	    "span"
/* "START,STOP", both included: the time that a split kept. */
#define RECORDING_META_PART	    "part"
/* In a recording of some allocations; "all": it has the frees by all tasks, on all CPUs. */
#define RECORDING_META_FREES	    "frees"
/* In a flight recording: the cause of saving it, "oom"; "interrupted": the recorder was killed
 * before.
 */
#define RECORDING_META_FLIGHT	    "flight"
/* More about the cause: "killed python3, pid 11935". Absent: not known. */
#define RECORDING_META_FLIGHT_WHAT  "flight_what"
/* The events that were switched on, as "kmem:kmalloc kmem:kfree ..."; absent: not known. */
#define RECORDING_META_EVENTS	    "events"
/* User-space symbols in callchains, as lines of kallsyms (SYMBOLS_USER in symbol/symbols.h). */
#define RECORDING_META_USER_SYMBOLS "user_symbols"
/* Source lines of those programs (symbol/user_symbols.h). */
#define RECORDING_META_USER_LINES   "user_lines"
/* Which files processes had mapped as code, for frames in user_stack events (user_maps.h). */
#define RECORDING_META_USER_MAPS    "user_maps"
/* /proc/modules of the recorded kernel, or of the boot after it (recording_last_boot()). */
#define RECORDING_META_MODULES	    "modules"

/* The dynamic probes of the recorder, a line for each that it knows: its name, the kernel's
 * function, and "set" or why it was not set: "rcu_free kvfree_call_rcu set".
 */
#define RECORDING_META_PROBES "probes"
/* The system of a recording's probes: this, followed by the recorder's process number. */
#define RECORDING_PROBES      "kmemx_"

enum recording_compression { COMPRESSION_NONE, COMPRESSION_ZSTD, COMPRESSION_ZLIB };

/**
 * struct page_layout - geometry of a ring-buffer page, from the file's header_page
 * @long_size: bytes of the commit word, which is the kernel's long: 4 or 8
 * @commit_offset: where the commit word is
 * @data_offset: where events begin
 */
struct page_layout {
	unsigned int long_size;
	unsigned int commit_offset;
	unsigned int data_offset;
};

/**
 * struct recording_cpu - the pages of one CPU in one buffer
 * @cpu: the CPU's number in the file
 * @offset: file offset of the first page (or of the chunk count, where compressed)
 * @size: bytes in the file, clipped to the file's end
 * @cut: events after the last one are missing
 */
struct recording_cpu {
	uint32_t cpu;
	uint64_t offset;
	uint64_t size;
	bool cut;
};

/**
 * struct recording_buffer - one ring buffer: the top one ("") or an instance
 * @page_size: bytes of a sub-buffer
 */
struct recording_buffer {
	char *name;
	char *clock; /* "" if the file does not say */
	uint32_t page_size;
	bool compressed;
	struct recording_cpu *cpus;
	uint32_t nr_cpus;
};

/* A named text: an event format (@name is its system) or a kmemx metadata item. */
struct recording_text {
	char *name;
	char *text; /* NUL terminated; @size does not count the NUL */
	size_t size;
};

/* An option as it is in the file, for writing it again. */
struct recording_option {
	uint16_t id;
	uint32_t size;
	uint8_t *data;
};

/* Per-CPU ring-buffer statistics as the kernel printed them (option CPUSTAT). */
struct recording_cpustat {
	uint32_t cpu;
	uint64_t entries, overrun, commit_overrun, bytes, dropped_events, read_events;
	uint32_t buffer; /* index into recording.buffers; UINT32_MAX if unknown */
};

/**
 * struct recording - everything in the file except the events
 *
 * Strings are NUL terminated and never NULL unless noted. All of it is owned by the
 * recording. Text sections that the file lacks are NULL with size 0.
 */
struct recording {
	struct source src;
	const struct log *log;
	char *path; /* for messages */
	uint64_t file_bytes;

	unsigned int file_version; /* 6 or 7; 0 if @stream */
	bool stream;		   /* a stream that was saved (recording/wire.h) */
	bool big_endian;
	unsigned int user_long_size;
	uint32_t page_size;
	enum recording_compression compression;

	char *header_page; /* format texts; may be NULL */
	char *header_event;
	struct page_layout layout;

	struct recording_text *ftrace_formats; /* name is "ftrace" */
	size_t nr_ftrace_formats;
	struct recording_text *event_formats;
	size_t nr_event_formats;

	char *kallsyms; /* may be NULL */
	size_t kallsyms_size;
	char *printk_formats; /* may be NULL */
	char *cmdlines;	      /* "pid comm\n" lines; may be NULL */

	/* Options; NULL where absent. */
	char *uname; /* "Linux HOST RELEASE MACHINE" as trace-cmd writes it */
	char *writer_version;
	char *trace_clock; /* the kernel's list with the chosen clock in brackets */
	char *trace_id;
	uint64_t tsc_mult, tsc_shift; /* TSC2NSEC; mult 0 if absent */
	struct recording_cpustat *cpustats;
	size_t nr_cpustats;
	struct recording_text *meta; /* kmemx's own items */
	size_t nr_meta;
	/* All other options whose content is complete in itself, in the file's order. */
	struct recording_option *options;
	size_t nr_options;

	struct recording_buffer *buffers;
	uint32_t nr_buffers;
	uint32_t nr_cpus; /* as the file's CPU count says, else the highest CPU + 1 */

	/* Why the recording is incomplete: a full disk, a killed recorder, a truncated file. NULL:
	 * it is complete.
	 */
	char *cut_short;
	/* Parts that could not be read; each was logged with its file offset. */
	uint32_t nr_damaged;
};

/**
 * recording_open() - read a trace.dat file's metadata
 * @out: receives the recording; free with recording_close()
 * @src: the bytes; owned by the recording from here on, closed even on failure
 * @path: name for messages; copied
 * @log: receives what is wrong with the file; must outlive the recording
 *
 * Every size, count, string and offset is bounded by the file's real size before use.
 * Damage that leaves something readable is logged as LOG_WARN and counted in nr_damaged.
 *
 * Return: 0; -EPROTO not a trace.dat file; -EBADMSG damaged beyond use; -ENOTSUP a version
 * or compression that this build cannot read; -ENOMEM, -EIO.
 */
int recording_open(struct recording **out, struct source *src, const char *path,
		   const struct log *log) __must_check;
void recording_close(struct recording *rec);
/* Adds a text to an array of @nr: copies @name, takes over @text, also on failure. 0; -ENOMEM, also
 * if @text is NULL.
 */
int recording_text_add(struct recording_text **texts, size_t *nr, const char *name,
		       char *text, size_t size) __must_check;
void recording_texts_free(struct recording_text *texts, size_t nr);
/* For a recording without pages: gives every buffer all of its CPUs, for pages from elsewhere. 0 or
 * -ENOMEM.
 */
int recording_add_cpus(struct recording *rec) __must_check;
/* The kallsyms text, which the caller must free from now on; it ends with a NUL that @size does not
 * count. NULL if the recording has none.
 */
char *recording_take_kallsyms(struct recording *rec, size_t *size);
/* Frees the kallsyms text, which takes megabytes, after it has been indexed. */
void recording_forget_kallsyms(struct recording *rec);

/* Did its recorder end early? Then cpustats[].entries counts events left in the ring buffers: at
 * least this many are missing.
 */
bool recording_truncated(const struct recording *rec);
/* The named kmemx metadata item, e.g. "pagetypeinfo.before"; NULL if absent. */
const struct recording_text *recording_meta(const struct recording *rec,
					    const char *name);
/* Its text; "" if absent. */
const char *recording_meta_text(const struct recording *rec, const char *name);
/* Is @note one of the lines of RECORDING_META_IMPORT? */
bool recording_import_noted(const struct recording *rec, const char *note);
/* Frames are the first bytes of functions, not return addresses. */
#define RECORDING_BARE_FRAMES "stack frames are functions without an offset"
/* Events do not say whether they occurred in an interrupt. */
#define RECORDING_NO_IRQ_INFO \
	"no interrupt context: the text has no such column (option irq-info)"
/* last_boot_info as trace-cmd kept it: the buffer survived a reboot, and the symbols and modules
 * are those of the next boot. Not NUL-terminated; NULL: absent.
 */
const struct recording_option *recording_last_boot(const struct recording *rec);
/* The chosen clock's name of buffer @index ("local", "mono", ...); "" if unknown. */
const char *recording_clock(const struct recording *rec, uint32_t index);
/* Are @clock's units nanoseconds? (Not with counter, x86-tsc, ppc-tb and uptime.) */
bool recording_clock_is_ns(const char *clock);
/* Are the units of all buffers' clocks nanoseconds? */
bool recording_clocks_are_ns(const struct recording *rec);
/* Converts ticks of buffer @index's clock to ns: 0, or -EOPNOTSUPP if it does not count time. */
int recording_ticks_to_ns(const struct recording *rec, uint32_t index, uint64_t ticks,
			  uint64_t *ns) __must_check;

/* A word about a recording's kernel; "" if unknown. */
struct recording_word {
	char text[160];
};

/* Kernel release and machine type, from uname; the host name, also "" if there is none; the
 * kernel's build ID, in hex.
 */
struct recording_word recording_release(const struct recording *rec);
struct recording_word recording_machine(const struct recording *rec);
struct recording_word recording_host(const struct recording *rec);
struct recording_word recording_build_id(const struct recording *rec);
/* Are only allocations of some tasks recorded, on some CPUs, or those that passed a filter? */
bool recording_is_part(const struct recording *rec);
/* What a flight recording was saved for, "oom"; NULL: it is not one. Events that its buffers
 * overwrote are ignored: recording_span() begins where everything is known.
 */
const char *recording_flight(const struct recording *rec);
/* Are frees by other tasks or on other CPUs left out, too? Then it is unknown what is live. */
bool recording_lacks_frees(const struct recording *rec);
/* For a part of a recording: the times it was cut at, in the clock's units. */
bool recording_part(const struct recording *rec, uint64_t *first, uint64_t *last);
/* When tracing began and ended, as far as the file covers it, in the clock's units. 0; -ENOENT if
 * the file does not say.
 */
int recording_span(const struct recording *rec, uint64_t *start,
		   uint64_t *stop) __must_check;
/* Bytes of a page on the recorded machine: from kmemx's own item if the file has it, else the fixed
 * size of the architecture, else the file's page size (which may be a sub-buffer's).
 */
uint32_t recording_kernel_page_size(const struct recording *rec);

/* A probe of RECORDING_META_PROBES. @why: why it is not set. */
struct probe_line {
	char name[32], function[64], why[160];
	bool set;
};

/* Appends a probe. @why NULL: it is set. */
void probe_list_add(struct strbuf *out, const char *name, const char *function,
		    const char *why);
/* Reads the next probe of the item's text and moves *@text on. Names that are too long are cut.
 * False: there are no more; damaged lines are left out.
 */
bool probe_list_next(const char **text, struct probe_line *line);

#endif
