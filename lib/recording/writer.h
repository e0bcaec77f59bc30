/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: writes trace.dat 7 (default) or 6.
 * In: metadata texts, then each CPU's raw ring-buffer pages. Out: a file that trace-cmd,
 * KernelShark and kmemx open.
 */
#ifndef KMEMX_RECORDING_WRITER_H
#define KMEMX_RECORDING_WRITER_H

#include "base/log.h"
#include "base/strbuf.h"
#include "recording/recording.h"

struct writer_part;

/* A ring buffer other than the top buffer. */
struct writer_instance {
	const char *name, *clock;
	uint32_t page_size;
	const struct writer_part *parts;
	size_t nr_parts;
};

/**
 * struct writer_facts - the contents of the file except for the pages
 *
 * Borrowed during the call. Texts may be NULL if the system does not have them.
 */
struct writer_facts {
	unsigned int file_version; /* 6 or 7 */
	uint32_t page_size;	   /* bytes of a sub-buffer */
	unsigned int long_size;	   /* of the recorded machine; 0: this one's */
	bool foreign_endian;	   /* byte-swapped; not for writer_compress() */
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
	const char *trace_clock; /* the kernel's list, the chosen clock in brackets */
	const char *clock;	 /* the chosen name */
	uint32_t nr_cpus;	 /* highest CPU + 1 */
	/* One for each CPU, "CPU: 0\nentries: ...", names unused */
	const struct recording_text *cpustats;
	size_t nr_cpustats;
	const struct recording_text *meta;
	size_t nr_meta;
	/* For a part of another recording, only in writer_write(): */
	uint32_t file_page_size; /* in the file's start; 0: @page_size */
	/* In the file's byte order; replace those above except @meta. */
	const struct recording_option *options;
	size_t nr_options;
	const struct writer_instance *instances;
	size_t nr_instances;
};

/* Zero-initialise it. */
struct text_list {
	struct recording_text *items;
	size_t count;
};

/* Adds an item; copies @name, takes ownership of @text's content, also on failure. 0 or -ENOMEM. */
int text_list_take(struct text_list *list, const char *name,
		   struct strbuf *text) __must_check;

/* The same with a copy of @size bytes at @text. */
int text_list_add(struct text_list *list, const char *name, const char *text,
		  size_t size) __must_check;
/* The text of the first item with that name, or NULL. */
const char *text_list_get(const struct text_list *list, const char *name);

/**
 * struct system_texts - zero-initialise it; system_texts_free() at the end
 * @event_formats: grouped by name, the system's
 * @cpustats: a text for each CPU, "CPU: 0\nentries: ..."; names are not used
 * @meta: kmemx's own items
 */
struct system_texts {
	struct strbuf header_page, header_event;
	struct strbuf kallsyms, printk_formats, cmdlines, trace_clock, uname;
	struct text_list ftrace_formats, event_formats, cpustats, meta;
};

/**
 * system_texts_facts() - set the facts of a recording from the texts
 * @facts: its texts and this program's version are set, borrowed from @t until that changes;
 *	all else stays
 *
 * May be called again. Return: 0 or -ENOMEM, also if a text could not be held.
 */
int system_texts_facts(struct system_texts *t, struct writer_facts *facts) __must_check;
void system_texts_free(struct system_texts *t);

/**
 * struct writer_part - one CPU's pages, in a file of their own or in a region of a file
 * @fd: of the part, open for reading (and for writing, if @consume)
 * @size: bytes, a multiple of the page size
 * @consume: copy from the end and truncate the part step by step, so that writing needs room only
 *	for the metadata and WRITER_CHUNK_MIN; the part must have its own file
 * @offset: of the pages in @fd
 */
struct writer_part {
	uint32_t cpu;
	int fd;
	uint64_t size;
	bool consume;
	uint64_t offset;
};

/**
 * struct writer_out - the destination of a recording
 * @fd: a seekable file open for writing; owned by the caller
 * @log: may be NULL
 * @bytes: the file's final size
 * @progress: called with @ctx by writer_write() while pages are written: the bytes written after
 *	the metadata, and their total; may be NULL
 */
struct writer_out {
	int fd;
	const struct log *log;
	uint64_t bytes;
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

/* Limits of the bytes of a consumed part that are copied at a time: half of the free disk space,
 * within these bounds.
 */
#define WRITER_CHUNK	 (1U << 20)
#define WRITER_CHUNK_MIN (64U << 10)

/* Most bytes written between two calls of @progress. */
#define WRITER_PROGRESS (16U << 20)

/**
 * writer_facts_of() - the facts of a recording, for a new recording made from it
 *
 * Borrows from @rec. The version is 7; metadata items and statistics are not included.
 */
struct writer_facts writer_facts_of(const struct recording *rec);

/**
 * writer_take_frees() - turn the buffer of frees into an instance
 * @parts: with those of CPUs from RECORDING_FREES_CPU on last, which get their real CPU numbers
 * @frees: becomes the instance; the caller owns it and @facts
 *
 * Return: the number of the top buffer's parts.
 */
size_t writer_take_frees(struct writer_facts *facts, struct writer_part *parts, size_t nr,
			 struct writer_instance *frees);

/**
 * writer_write() - write a whole recording
 * @out: its file is empty
 * @parts: in CPU order; CPUs without data may be omitted
 *
 * Writes all metadata first, then the pages, with copy_file_range() if possible, so that
 * filesystems can share blocks.
 *
 * Return: 0; -EINVAL for facts that the format cannot hold; -ENOMEM; -ENOSPC, -EIO, ... of the
 * writes (the file is then incomplete; if not even the metadata could be written, no part has been
 * changed).
 */
int writer_write(struct writer_out *out, const struct writer_facts *facts,
		 const struct writer_part *parts, size_t nr_parts) __must_check;

/**
 * writer_join() - turn a file that already contains the pages into a recording
 * @out: its file has a region for each CPU's pages (recording/cpu_regions.h)
 * @parts: in CPU order, with ascending offsets; @fd of each is ignored
 * @block: the block size of the regions
 *
 * Writes the metadata before the pages, then removes the holes. Pages are not written again; only
 * the metadata needs room.
 *
 * Return: as writer_write(); -EFBIG if the metadata does not fit before the pages. If the metadata
 * could not be written, the pages are unchanged.
 */
int writer_join(struct writer_out *out, const struct writer_facts *facts,
		const struct writer_part *parts, size_t nr_parts,
		uint32_t block) __must_check;

/* Is zstd built in? */
bool writer_can_compress(void);

/**
 * writer_compress() - write a whole recording of version 7, compressed with zstd
 * @out, @parts: as for writer_write(), but @consume is ignored: the parts are unchanged
 *
 * Each metadata section is one block. Pages are in chunks of 128 KiB, or less if more than 32 CPUs
 * share 4 MiB, but at least four pages; trace-cmd's chunks have ten pages.
 *
 * Return: as writer_write(); -ENOTSUP without zstd.
 */
int writer_compress(struct writer_out *out, const struct writer_facts *facts,
		    const struct writer_part *parts, size_t nr_parts) __must_check;

#endif
