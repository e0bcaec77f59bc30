/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: identifies the origin of a recording among those of many machines.
 * In: a recording. Out: its identity, time, labels and balance.
 */
#ifndef KMEMX_EXPORT_ORIGIN_H
#define KMEMX_EXPORT_ORIGIN_H

#include "recording/recording.h"

/**
 * struct export_origin - where a recording is from; zeroed: unknown
 * @id: FNV-1a of the recording's metadata and its size, 16 hex digits; independent of the file's
 *	location, and practically unique
 * @build_id: of the kernel, in lower-case hex; "": unknown
 * @start: when recording began, in seconds of Unix time; @day: the same in UTC as "2026-11-22"; "":
 *	unknown
 * @labels: the user's labels as a JSON object; NULL: none
 * @balance: the lines of kmemx balance as a JSON object: "free":[before,after], in bytes; NULL: the
 *	recording does not have the kernel's counters
 */
struct export_origin {
	char id[17];
	char build_id[129];
	int64_t start;
	char day[40];
	char *labels, *balance;
};

/* 0 or -ENOMEM. Call export_origin_free() in any case. */
int export_origin_init(struct export_origin *o, const struct recording *rec) __must_check;
void export_origin_free(struct export_origin *o);

/* 64-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). It is stored in files, so it must
 * never change. @hash: EXPORT_HASH, or the hash of the data before @data.
 */
#define EXPORT_HASH 0xcbf29ce484222325ULL
uint64_t export_hash(uint64_t hash, const void *data, size_t size);

#endif
