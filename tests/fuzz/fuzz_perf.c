// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: imports a perf.data file, writes it and reads it back.
 * In: arbitrary bytes; text after PERF_SYMBOLS is the symbols. Out: findings are a crash and a
 * recording that cannot be read or has another number of events.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/stream.h"
#include "import/perf_import.h"

#define PERF_SYMBOLS "\nKALLSYMS\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int open_perf_part(void *ctx, uint32_t cpu)
{
	return memfd_create("part", 0);
}

/* All written records must be found when reading; formats may be damaged. */
static void read_perf(const struct perf_import *pi)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	const struct imported *made = &pi->made;
	struct event_stream *stream = NULL;
	struct event_formats *fmts = NULL;
	struct recording *rec = NULL;
	int fd = memfd_create("recording", 0);
	struct kmem_event ev;
	struct source src;

	if (fd < 0 ||
	    writer_write(&(struct writer_out){ .fd = fd }, &made->facts, made->parts,
			 made->nr_parts) ||
	    source_open_fd(&src, fd) || recording_open(&rec, &src, "perf", NULL))
		abort();
	if (event_formats_new(&fmts, rec, NULL)) {
		recording_close(rec);
		return;
	}
	if (event_stream_open(&stream, rec, fmts, &opts, NULL))
		abort();
	while (event_stream_next(stream, &ev) > 0)
		;
	if (event_stream_stats(stream)->nr_events != pi->nr_events)
		abort();
	event_stream_close(stream);
	event_formats_free(fmts);
	recording_close(rec);
}

/* Splits off the symbols; the caller frees them. NULL: none. */
static char *perf_symbols(const uint8_t *data, size_t *size)
{
	const size_t mark = sizeof(PERF_SYMBOLS) - 1;
	const uint8_t *at = memmem(data, *size, PERF_SYMBOLS, mark);
	const uint8_t *end = data + *size;

	if (!at)
		return NULL;
	*size = (size_t)(at - data);
	return strndup((const char *)at + mark, (size_t)(end - at) - mark);
}

/* Serves as the running kernel's kallsyms for files recorded on it. */
static int find_perf_symbols(void *ctx, const struct perf_system *kernel,
			     struct strbuf *out)
{
	if (ctx && *kernel->build_id && *kernel->text_symbol)
		strbuf_puts(out, ctx);
	return 0;
}

/* Opens this program for any path. */
static int open_self(void *ctx, const char *path, uint32_t pid)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *symbols = perf_symbols(data, &size);
	const struct recording_import_options opts = {
		.open_part = open_perf_part,
		.ctx = symbols,
		.find_symbols = find_perf_symbols,
		.symbols = size % 2 ? symbols : NULL,
		.open_program = open_self,
		.programs_chosen = true,
	};
	struct perf_import pi = { 0 };
	struct source src;

	source_open_memory(&src, data, size);
	if (!perf_import_run(&pi, &src, "perf.data", &opts, NULL))
		read_perf(&pi);
	imported_free(&pi.made);
	source_close(&src);
	free(symbols);
	return 0;
}
