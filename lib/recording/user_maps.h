/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: which files processes had mapped as code, and when.
 * In: the kernel's records of mappings, forks and execs; lines in which a recording keeps them.
 * Out: frames that are the same in every process; those lines.
 *
 * A frame becomes an address that no kernel has: USER_FRAME, the number of the mapped file, and the
 * offset in it. So frames of two processes that run the same program are equal, and those of two
 * programs differ. Code that a process generated (JIT) counts as a file of that process: the one in
 * which it may name its functions for perf.
 */
#ifndef KMEMX_RECORDING_USER_MAPS_H
#define KMEMX_RECORDING_USER_MAPS_H

#include "base/keyed.h"
#include "base/strbuf.h"

/* The most mapped files, mappings and distinct frames; further ones are unknown. */
#define USER_MAPS_FILES	 16000U
#define USER_MAPS_MAPS	 (1U << 20)
#define USER_MAPS_FRAMES (1U << 20)

/* Bytes of a build ID in hex, including the NUL. */
#define USER_MAPS_ID 41

/* Frames in a user_stack event: the kernel's FTRACE_STACK_ENTRIES. */
#define USER_STACK_FRAMES 8U

/* User-space frames lie in [USER_FRAME, 2 * USER_FRAME). */
#define USER_FRAME	     (1ULL << 62)
#define USER_FRAME_FILE(f)   ((uint32_t)(((f) & ~USER_FRAME) >> 48))
#define USER_FRAME_OFFSET(f) ((f) & ((1ULL << 48) - 1))

/* The file in which a process names the functions that it generated. */
#define USER_MAPS_JIT "/tmp/perf-%" PRIu32 ".map"

/* Recently looked-up frames that are kept. */
#define USER_MAPS_RECENT 512U

/* What a frame is: the instruction after a call, or the one that ran. */
#define USER_FRAME_RETURN    1U
#define USER_FRAME_INNERMOST 2U

/* A mapped file. @id: its build ID in hex, "" if unknown; @inode: 0 if unknown */
struct mapped_file {
	char id[USER_MAPS_ID];
	uint64_t inode;
};

struct user_process;
struct user_recent {
	uint64_t address, from, frame;
	size_t nr_maps;
	uint32_t pid;
};

/**
 * struct user_maps - zero-initialise it
 * @files: paths, each followed by a NUL and what distinguishes it from other files of that path
 * @processes: by process number
 * @used: frames that were returned, with USER_FRAME_ values; @recent: some of them, and where they
 *	came from
 */
struct user_maps {
	KEYED(struct mapped_file) files;
	INDEXED(struct user_process) processes;
	size_t nr_maps;
	struct u64_map used;
	struct user_recent recent[USER_MAPS_RECENT];
};

/**
 * struct perf_record - a record as the kernel and perf write it
 * @misc: of its header
 * @data: @size bytes after the header
 * @offset: its offset in the file; for a compressed record, that of the enclosing record
 * @packed: the record was compressed; @big_endian: its numbers are
 */
struct perf_record {
	uint32_t type;
	uint16_t misc;
	const uint8_t *data;
	uint32_t size;
	uint64_t offset;
	bool packed, big_endian;
};

/* Takes a PERF_RECORD_MMAP, _MMAP2, _FORK or _COMM (of an exec) at @time; others are ignored. 0 or
 * -ENOMEM.
 */
int user_maps_record(struct user_maps *u, const struct perf_record *rec,
		     uint64_t time) __must_check;
/* Reads perf's record with a file's build ID. 0 or -ENOMEM. */
int user_maps_build_id(struct user_maps *u, const struct perf_record *rec) __must_check;
/* Adds the executable mappings of @pid, lines of /proc/PID/maps, as of time 0. 0 or -ENOMEM. */
int user_maps_add_proc(struct user_maps *u, uint32_t pid, const char *text) __must_check;
/* The frame for @address in process @pid at @time; USER_FRAME: unknown; 0: memory ran out. */
uint64_t user_maps_frame(struct user_maps *u, uint32_t pid, uint64_t time,
			 uint64_t address);
/* Notes that @frame was innermost in a callchain: it is the instruction that ran, not one after a
 * call.
 */
void user_maps_innermost(struct user_maps *u, uint64_t frame);
/* Sets @pids to processes that had @file mapped, the newest first. Returns how many, up to @max. */
size_t user_maps_users(const struct user_maps *u, uint32_t file, uint32_t *pids,
		       size_t max);
/* Is @path a file in which process @pid names the functions that it generated? */
bool user_maps_is_jit(const char *path, uint32_t *pid);
/* Appends lines from which user_maps_parse() gets the same frames, for the processes whose frames
 * were looked up.
 */
void user_maps_format(const struct user_maps *u, struct strbuf *out);
/* Reads them; what does not parse is skipped. 0 or -ENOMEM. */
int user_maps_parse(struct user_maps *u, const char *text) __must_check;
void user_maps_free(struct user_maps *u);

#endif
