/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what a perf.data file says about the system: kernel, tasks, modules.
 * In: sections and records. Out: texts for a recording.
 */
#ifndef KMEMX_IMPORT_PERF_SYSTEM_H
#define KMEMX_IMPORT_PERF_SYSTEM_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "import/import_meta.h"
#include "import/perf_file.h"
#include "import/perf_records.h"
#include "recording/writer.h"

/* The most tasks with a name in the recording. */
#define PERF_MAX_TASKS	  (1U << 20)
/* The most modules; further ones are left out. */
#define PERF_MAX_MODULES  4096U
/* Longer words of a section are cut. */
#define PERF_MAX_WORD	  128U
#define PERF_MAX_CMDLINE  256U
/* Size of a build ID in hex. */
#define PERF_MAX_BUILD_ID 40U
/* The most symbols created at run time; further ones are left out. */
#define PERF_MAX_KSYMBOLS 65536U

/**
 * struct perf_system - zero-initialise it
 * @perf_version: version of the recording perf
 * @cmdline: its command line, shortened
 * @filtered: recorded with --filter, so only a part of the events
 * @build_id: build ID of the kernel, in hex; "": unknown
 * @text_symbol: a symbol of the kernel; @kernel_text: its address; @kernel_end: end of the kernel's
 *	code; "", 0: unknown
 * @ksymbols: symbols of BPF programs and the like, as lines of kallsyms
 * @some_tasks: perf recorded tasks, not the whole system
 */
struct perf_system {
	char host[PERF_MAX_WORD], release[PERF_MAX_WORD], machine[PERF_MAX_WORD];
	char perf_version[PERF_MAX_WORD], cmdline[PERF_MAX_CMDLINE];
	uint32_t nr_cpus;
	bool filtered, some_tasks;
	char build_id[PERF_MAX_BUILD_ID + 1], text_symbol[PERF_MAX_WORD];
	uint64_t kernel_text, kernel_end;
	struct intern comms;
	struct u64_map tasks; /* maps task number to number of comm */
	struct strbuf modules, ksymbols;
	size_t nr_modules, nr_ksymbols;
};

/* Reads a section's content. @feature is one of enum perf_feature; others are ignored. */
void perf_system_feature(struct perf_system *s, unsigned int feature, const uint8_t *data,
			 size_t size, bool big_endian);
/* Reads PERF_COMM, PERF_FORK, PERF_MMAP, PERF_MMAP2, PERF_KSYMBOL, PERF_HEADER_BUILD_ID,
 * PERF_ID_INDEX; others are ignored. 0 or -ENOMEM.
 */
int perf_system_record(struct perf_system *s, const struct perf_record *rec) __must_check;
/**
 * perf_system_texts() - fill in the texts
 * @texts: its command lines come from the tracing data and are used for tasks that the records do
 *	not name
 *
 * Return: 0 or -ENOMEM.
 */
int perf_system_texts(struct perf_system *s, struct system_texts *texts) __must_check;
void perf_system_free(struct perf_system *s);

/* The symbols for a perf.data file, which has none of its own. */

/**
 * perf_symbols_add() - add the symbols @text to @out, as addresses of the file's kernel
 * @moved: set to how far they were moved, modulo 2^64; 0: not moved
 *
 * A kernel may start at another address at each boot (KASLR). If the file has the address and @text
 * has another, the symbols are moved. Modules are then left out: they do not move with the kernel.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_symbols_add(struct strbuf *out, const char *text, const struct perf_system *s,
		     uint64_t *moved) __must_check;
/* Is @text, a kallsyms, from the same boot of @kernel? Does not compare build IDs. If @kernel lacks
 * one, the code must also end at the same address: another build of the same release rarely does.
 */
bool perf_symbols_fit(const char *text, const struct perf_system *kernel);
/* The address of symbol @name in the text of a kallsyms or System.map; 0: missing or hidden. */
uint64_t perf_symbols_find(const char *text, const char *name);

#endif
