/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what every import has: CPUs with pages, and what it records about the kernel and itself.
 * In: what the copy and the user specify. Out: parts and texts of the recording.
 */
#ifndef KMEMX_IMPORT_IMPORT_META_H
#define KMEMX_IMPORT_IMPORT_META_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "recording/source.h"
#include "recording/subbuf_writer.h"
#include "recording/writer.h"

struct perf_system;

/**
 * struct recording_import_options - facts that the copy may lack
 * @release, @machine: of the kernel; NULL: as the copy says, or unknown
 * @page_size: of the kernel's pages, in bytes; 0: unknown
 * @symbols: text of kallsyms or System.map to use; NULL: the copy's
 * @open_part: returns a descriptor of an empty file for @cpu's pages, open for reading and writing,
 *	which the importer closes; or -errno
 * @find_symbols: if @symbols is NULL: adds the text of that kernel's kallsyms to @out, or nothing;
 *	0 or -ENOMEM. NULL: no symbols
 * @open_more: opens the file that continues the first one, the @nr-th from 0 on, which the importer
 *	closes: 1; 0: no more files; -errno. NULL: no more files. Only for perf.data
 * @open_program: opens a program or library of the recorded machine to read its symbols: a
 *	descriptor, which the importer closes; or -errno. NULL: no user-space symbols
 * @programs_chosen: the user named these files, so one is used if its build ID is unknown
 * @progress: called periodically with the bytes read, the total (0: unknown) and the events so far;
 *	NULL: not called
 */
struct recording_import_options {
	const char *release, *machine;
	uint32_t page_size;
	const char *symbols;
	size_t symbols_size;
	int (*open_part)(void *ctx, uint32_t cpu);
	int (*find_symbols)(void *ctx, const struct perf_system *kernel,
			    struct strbuf *out);
	int (*open_program)(void *ctx, const char *path, uint32_t pid);
	bool programs_chosen;
	int (*open_more)(void *ctx, unsigned int nr, struct source *out);
	void (*progress)(void *ctx, uint64_t done, uint64_t total, uint64_t events);
	void *ctx;
};

/**
 * import_kernel() - "Linux HOST RELEASE MACHINE", or nothing if release and machine are unknown
 * @host, @release, @machine: NULL or "": unknown
 */
void import_kernel(struct strbuf *uname, const char *host, const char *release,
		   const char *machine);

/* Higher CPU numbers are not the kernel's. */
#define IMPORT_MAX_CPU 4095U

/**
 * struct import_cpu - a CPU with events
 * @pages: its part, made by open_part()
 * @site, @site_function: for a text: those of the last event, see text_events.h
 * @seen_ts: for perf.data: time of the last sample in the file's order, @written_ts: of the last
 *	one written
 * @lost: lost events according to LOST records, @lost_samples: according to LOST_SAMPLES, which
 *	count the same events
 */
struct import_cpu {
	uint32_t cpu;
	struct subbuf_writer pages;
	uint64_t site, site_function;
	uint64_t seen_ts, written_ts;
	uint64_t lost, lost_samples;
};

/**
 * struct import_cpus - the CPUs, in the order of their first event; set the first four, zero the
 * rest
 * @layout, @big_endian, @page_size: of their pages
 * @by_cpu: index + 1
 */
struct import_cpus {
	const struct recording_import_options *opts;
	const struct page_layout *layout;
	bool big_endian;
	uint32_t page_size;
	struct import_cpu *items;
	size_t nr, capacity;
	uint32_t *by_cpu;
};

/* Finds @cpu, at most IMPORT_MAX_CPU, or adds it with a new part. Sets @index; 0, -ENOMEM, -errno
 * of open_part().
 */
int import_cpu(struct import_cpus *cpus, uint32_t cpu, uint32_t *index) __must_check;

/**
 * struct imported - the result of an import, the input of writer_write(); imported_free() it
 * @facts: borrow from @texts
 * @parts: by CPU; their descriptors are closed with it
 * @cpus: their parts are not in @parts before import_parts()
 * @clock: for the facts, if it is not a literal
 * @notes: what the copy lacks, one note per line; the first is shown at the top of every report
 */
struct imported {
	struct writer_facts facts;
	struct writer_part *parts;
	size_t nr_parts;
	struct import_cpus cpus;
	struct system_texts texts;
	char clock[32];
	struct strbuf notes;
};

/* Sorts the parts by CPU. */
void import_sort_parts(struct imported *made);
/* Makes the parts of all CPUs, whose pages are finished. 0 or -ENOMEM. */
int import_parts(struct imported *made) __must_check;

/**
 * struct import_note - a note, if @nr is not 0
 * @text: if it begins with a blank, the number is put before it; @one: the text for 1, if it
 *	differs
 */
struct import_note {
	uint64_t nr;
	const char *text, *one;
};

void import_add_notes(struct strbuf *out, const struct import_note *notes, size_t nr);

/**
 * import_meta() - add the notes as item RECORDING_META_IMPORT, and the size of the kernel's pages
 * @page_size: in bytes; 0: unknown
 *
 * Return: 0 or -ENOMEM, also if the notes ran out of memory.
 */
int import_meta(struct imported *made, uint32_t page_size) __must_check;
/* Adds a line "PID NAME" for each of @tasks, by number; their values are numbers in @names. */
void import_tasks(struct strbuf *cmdlines, const struct u64_map *tasks,
		  const struct intern *names);
void imported_free(struct imported *made);

#endif
