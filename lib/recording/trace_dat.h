/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): what the readers of trace.dat 6 and 7 share.
 * In: readers positioned on a part of the file. Out: fields of struct recording.
 *
 * Format: trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v6.5.txt and ...v7.5.txt, and files
 * written by trace-cmd 3.1 to 3.3.
 */
#ifndef KMEMX_RECORDING_TRACE_DAT_H
#define KMEMX_RECORDING_TRACE_DAT_H

#include "base/bytes.h"
#include "recording/reader.h"
#include "recording/recording.h"
#include "recording/wire.h"

/* No kernel supports more; a file that claims more is damaged. */
#define TRACE_DAT_MAX_CPUS    65536U
/* Event ids have 16 bits. */
#define TRACE_DAT_MAX_FORMATS 65536U
/* Instances of tracefs, and recovered buffers. */
#define TRACE_DAT_MAX_BUFFERS 1024U
/* A compressed metadata section may become this large (kallsyms is 5 to 20 MB). */
#define TRACE_DAT_MAX_SECTION (256U << 20)

/**
 * struct trace_dat - the state of opening a file
 * @pos: of the first byte after the common start
 * @cpustat_buffer: name of the buffer whose statistics come next ("" the top one)
 * @cpustat_names: for each of rec->cpustats, its buffer's name
 * @data_bytes: total bytes of the file that the CPUs so far claim
 * @page_size_lost: the start of the file has an impossible page size
 * @has_text: the file has a buffer of text ("latency"), which is not read
 */
struct trace_dat {
	struct recording *rec;
	uint64_t pos;
	char *cpustat_buffer;
	char **cpustat_names;
	uint64_t data_bytes;
	bool page_size_lost;
	bool has_text;
	const char *cut; /* why the end of the file is missing; NULL: it is not */
	bool all_cut;	 /* every CPU's data is cut short */
};

int trace_dat_open_v6(struct trace_dat *td) __must_check;
int trace_dat_open_v7(struct trace_dat *td) __must_check;
/* A stream (recording/wire.h); replaces rec->src by a source that contains only the pages. */
int trace_dat_open_wire(struct trace_dat *td) __must_check;

/* Logs and counts damage at file offset @offset. */
void trace_dat_damage(struct trace_dat *td, uint64_t offset, const char *fmt, ...)
	__printf_fmt(3, 4);
/* Replaces an impossible page size, because later code divides by it. */
void trace_dat_check_page_size(struct trace_dat *td);
/* Reads the geometry of sub-buffers from the text of header_page. 0; -EBADMSG: nothing was changed.
 */
int trace_dat_parse_header_page(const char *text, struct page_layout *layout,
				uint32_t *subbuf_size) __must_check;

/* The metadata parts, which are the same in both versions, in version 6's order, which is also that
 * of version 7's option ids. @read returns 0 or -errno.
 */
#define TRACE_DAT_NR_PARTS 6
struct trace_dat_part {
	const char *name; /* for messages */
	int (*read)(struct trace_dat *td, struct reader *r);
};
extern const struct trace_dat_part trace_dat_parts[TRACE_DAT_NR_PARTS];

/**
 * trace_dat_option() - read an option that is the same in both versions
 * @data: the option's content, @size bytes
 *
 * Unknown ids are skipped. Return: 0 or -ENOMEM; damage is logged and counted.
 */
int trace_dat_option(struct trace_dat *td, uint16_t id, const uint8_t *data,
		     size_t size) __must_check;
/* A copy of option text without trailing NULs and newlines; NULL if memory ran out. */
char *trace_dat_option_text(const uint8_t *data, size_t size);

/* The clock in brackets in the kernel's list, "" if unknown; NULL if memory ran out. */
char *trace_dat_chosen_clock(const char *list);
/* Adds an empty buffer with a valid page size; copies @name and @clock. 0; -ENOMEM, also if one of
 * them is NULL; -EBADMSG if there are too many buffers.
 */
int trace_dat_add_buffer(struct trace_dat *td, const char *name, const char *clock,
			 uint32_t page_size) __must_check;
/* Adds a CPU to the last buffer; @extra_bytes are stored at its offset, before the @cpu->size
 * bytes.
 */
int trace_dat_add_cpu(struct trace_dat *td, const struct recording_cpu *cpu,
		      uint64_t extra_bytes) __must_check;

#endif
