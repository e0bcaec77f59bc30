/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: writes trace.dat 7 (default) or 6.
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

struct writer_part;

/* A ring buffer other than the top one. */
struct writer_instance {
	const char *name, *clock;
	uint32_t page_size;
	const struct writer_part *parts;
	size_t nr_parts;
};

/**
 * struct writer_facts - the contents of the file other than pages
 *
 * Borrowed during the call that takes it. Texts may be NULL where the system has none.
 */
struct writer_facts {
	unsigned int file_version; /* 6 or 7 */
	uint32_t page_size;	   /* bytes of a sub-buffer */
	unsigned int long_size;	   /* of the recorded machine; 0: this one's */
	bool foreign_endian;	   /* the other byte order than this machine's; not for
				    * writer_compress()
				    */
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
	/* For a part of another recording, in writer_write() only: */
	uint32_t file_page_size; /* in the file's start; 0: @page_size */
	/* As they are, in the file's byte order; instead of those above, but for @meta. */
	const struct recording_option *options;
	size_t nr_options;
	const struct writer_instance *instances;
	size_t nr_instances;
};

/**
 * struct writer_part - one CPU's pages, in a file of their own or in a region of one
 * @fd: of the part, open for reading (and for writing, if @consume)
 * @size: bytes, a multiple of the page size
 * @consume: copy from the end and truncate the part as its data arrives in the recording,
 *	so that joining needs room for the metadata and WRITER_CHUNK_MIN only; the part has a
 *	file of its own
 * @offset: where the pages begin in @fd
 */
struct writer_part {
	uint32_t cpu;
	int fd;
	uint64_t size;
	bool consume;
	uint64_t offset;
};

/**
 * struct writer_out - where a recording is written to
 * @fd: a seekable file open for writing; stays the caller's
 * @log: may be NULL
 * @bytes: the file's size, once all is written
 * @progress: of writer_write(): called with @ctx while pages are written: bytes behind the metadata
 *	that are there, and all of them; NULL: not
 */
struct writer_out {
	int fd;
	const struct log *log;
	uint64_t bytes;
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

/* Bytes of a part that are copied at a time when the part is consumed: half of what the disk has
 * left, within these bounds.
 */
#define WRITER_CHUNK	 (1U << 20)
#define WRITER_CHUNK_MIN (64U << 10)

/* Bytes that are written between two calls of @progress, at most. */
#define WRITER_PROGRESS (16U << 20)

/**
 * writer_facts_of() - what a recording's own metadata texts say, for one made of it
 *
 * Borrows from @rec. The version is 7, and neither meta items nor statistics are taken.
 */
struct writer_facts writer_facts_of(const struct recording *rec);

/**
 * writer_take_frees() - make an instance of the parts of the buffer of frees
 * @parts: of CPUs from RECORDING_FREES_CPU on behind all others; theirs get true numbers
 * @frees: becomes the instance; @facts and it stay the caller's
 *
 * Return: how many parts the top buffer has.
 */
size_t writer_take_frees(struct writer_facts *facts, struct writer_part *parts, size_t nr,
			 struct writer_instance *frees);

/**
 * writer_write() - write a whole recording
 * @out: the file is empty
 * @parts: in CPU order; CPUs without data may be left out
 *
 * The metadata is written first, as a whole; then the pages, by copy_file_range() where
 * the kernel has it, so that a filesystem that can share blocks does so.
 *
 * Return: 0; -EINVAL for facts that the format cannot hold; -ENOMEM; -ENOSPC, -EIO, ... of
 * the writes (what is in the file is then incomplete; if not even the metadata fitted, no
 * part has been touched).
 */
int writer_write(struct writer_out *out, const struct writer_facts *facts,
		 const struct writer_part *parts, size_t nr_parts) __must_check;

/**
 * writer_join() - make a recording of a file that holds the pages already
 * @out: each CPU's pages lie in a region of the file (recording/cpu_regions.h)
 * @parts: in CPU order, their offsets ascend; @fd of each is ignored
 * @block: of the regions
 *
 * The metadata is written in front of the pages; then the holes are taken out. No page is
 * written again, and no room is needed but for the metadata.
 *
 * Return: as writer_write(); -EFBIG if the metadata does not fit in front of the pages. If
 * the metadata could not be written the pages are where they were.
 */
int writer_join(struct writer_out *out, const struct writer_facts *facts,
		const struct writer_part *parts, size_t nr_parts,
		uint32_t block) __must_check;

/* Is zstd built in? */
bool writer_can_compress(void);

/**
 * writer_compress() - write a whole recording of version 7, compressed by zstd
 * @out, @parts: as for writer_write(); @consume of the parts is ignored, they stay what they
 *	are
 *
 * Metadata is one block a section. Pages are chunks of 128 KiB, or less where more than 32 CPUs
 * share 4 MiB, but of four pages at least; trace-cmd's have ten pages.
 *
 * Return: as writer_write(); -ENOTSUP without zstd.
 */
int writer_compress(struct writer_out *out, const struct writer_facts *facts,
		    const struct writer_part *parts, size_t nr_parts) __must_check;

#endif
