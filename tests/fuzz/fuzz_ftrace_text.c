// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: imports a kernel's text log, writes it and reads it back.
 * In: arbitrary text; text up to a NUL, if there is one, is kallsyms. Out: findings are a crash and
 * a recording that cannot be read or has another number of events.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/stream.h"
#include "import/text_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int open_text_part(void *ctx, uint32_t cpu)
{
	return memfd_create("part", 0);
}

/* A file with that content. */
static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("text", 0);

	if (pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return fd;
}

/* All written records must be found when reading. */
static void read_imported(const struct text_import *ti)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	const struct imported *made = &ti->made;
	struct event_stream *stream = NULL;
	struct event_formats *fmts = NULL;
	struct recording *rec = NULL;
	int fd = memfd_create("recording", 0);
	struct kmem_event ev;
	struct source src;

	if (fd < 0 ||
	    writer_write(&(struct writer_out){ .fd = fd }, &made->facts, made->parts,
			 made->nr_parts) ||
	    source_open_fd(&src, fd) || recording_open(&rec, &src, "text", NULL) ||
	    rec->nr_damaged || event_formats_new(&fmts, rec, NULL) || fmts->nr_failed ||
	    event_stream_open(&stream, rec, fmts, &opts, NULL))
		abort();
	while (event_stream_next(stream, &ev) > 0)
		;
	if (event_stream_stats(stream)->nr_events != ti->nr_events ||
	    event_stream_stats(stream)->nr_undecodable)
		abort();
	event_stream_close(stream);
	event_formats_free(fmts);
	recording_close(rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t symbols = nul ? (size_t)(nul - data) : 0;
	const struct recording_import_options opts = {
		.symbols = nul ? (const char *)data : NULL,
		.symbols_size = symbols,
		.open_part = open_text_part,
	};
	struct line_source *ls = NULL;
	struct text_import ti = { 0 };
	size_t skip = nul ? symbols + 1 : 0;

	if (line_source_open_fd(&ls, file_of(data + skip, size - skip), UNPACK_ZLIB,
				false))
		return 0;
	if (!text_import_run(&ti, ls, &opts))
		read_imported(&ti);
	imported_free(&ti.made);
	line_source_close(ls);
	return 0;
}
