/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the user half of perf.data's callchains.
 * In: mappings, forks and execs; frames of processes. Out: frames that are the same in every
 * process, and their symbols.
 *
 * A frame becomes an address that no kernel has: SYMBOLS_USER, the number of the mapped file,
 * and the offset in it. So frames of two processes that run the same program are equal, and
 * those of two programs differ.
 */
#ifndef KMEMX_IMPORT_PERF_USER_H
#define KMEMX_IMPORT_PERF_USER_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "import/import_meta.h"
#include "import/perf_attr.h"
#include "import/perf_records.h"

/* The most mapped files, mappings and distinct frames; further ones are unknown. */
#define PERF_USER_FILES	 16000U
#define PERF_USER_MAPS	 (1U << 20)
#define PERF_USER_FRAMES (1U << 20)

struct user_process;

/**
 * struct perf_user - zero-initialise it
 * @files: paths; @ids: their build IDs in hex, "" if unknown, and @inodes, 0 if unknown
 * @used: frames that were given out
 */
struct perf_user {
	struct intern files;
	char (*ids)[41];
	uint64_t *inodes;
	size_t ids_capacity, inodes_capacity;
	struct u64_map by_pid; /* index */
	struct user_process *processes;
	size_t nr_processes, capacity, nr_maps;
	struct u64_map used;
};

/* Reads PERF_MMAP, PERF_MMAP2, PERF_FORK, PERF_COMM (for exec), PERF_HEADER_BUILD_ID; others are
 * ignored. 0 or -ENOMEM.
 */
int perf_user_record(struct perf_user *u, const struct perf_attrs *attrs,
		     const struct perf_record *rec) __must_check;
/* Reads the section with the build IDs. 0 or -ENOMEM. */
int perf_user_build_ids(struct perf_user *u, const uint8_t *data, size_t size,
			bool big_endian) __must_check;
/* The frame for @address in process @pid at @time; SYMBOLS_USER: unknown; 0: memory ran out. */
uint64_t perf_user_frame(struct perf_user *u, uint32_t pid, uint64_t time,
			 uint64_t address);
/**
 * perf_user_symbols() - add the symbols of all frames to @out, as lines of kallsyms
 * @opts: its open_program opens the files; only those that were mapped are used: the build ID must
 *	be the same, or, where it is unknown, the inode
 *
 * Return: 0 or -ENOMEM.
 */
int perf_user_symbols(const struct perf_user *u,
		      const struct recording_import_options *opts,
		      struct strbuf *out) __must_check;
void perf_user_free(struct perf_user *u);

#endif
