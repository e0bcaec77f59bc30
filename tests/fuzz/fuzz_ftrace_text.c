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

/* All written records must be found when reading. */
static void read_imported(const struct text_import *ti)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	size_t nr_parts;
	const struct writer_part *parts = text_import_parts(ti, &nr_parts);
	struct event_stream *stream = NULL;
	struct event_formats *fmts = NULL;
	struct recording *rec = NULL;
	int fd = memfd_create("recording", 0);
	struct kmem_event ev;
	struct source src;

	if (fd < 0 ||
	    writer_write(&(struct writer_out){ .fd = fd }, text_import_facts(ti), parts,
			 nr_parts) ||
	    source_open_fd(&src, fd) || recording_open(&rec, &src, "text", NULL) ||
	    rec->nr_damaged || event_formats_new(&fmts, rec, NULL) ||
	    event_formats_failed(fmts) ||
	    event_stream_open(&stream, rec, fmts, &opts, NULL))
		abort();
	while (event_stream_next(stream, &ev) > 0)
		;
	if (event_stream_stats(stream)->nr_events != text_import_result(ti)->nr_events ||
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
	struct text_import *ti = NULL;
	size_t skip = nul ? symbols + 1 : 0;

	if (line_source_open_memory(&ls, data + skip, size - skip))
		return 0;
	if (!text_import_run(&ti, ls, &opts))
		read_imported(ti);
	text_import_free(ti);
	line_source_close(ls);
	return 0;
}
