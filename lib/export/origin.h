/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: where a recording is from, among those of many machines.
 * In: a recording. Out: its identity, host, time and labels.
 */
#ifndef KMEMX_EXPORT_ORIGIN_H
#define KMEMX_EXPORT_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "recording/recording.h"

/**
 * struct export_origin - zero: nothing is known
 * @id: FNV-1a of what the recording says of itself, and of its size: the same for a file, wherever
 *	it is, and hardly ever for two files; 16 hex digits
 * @host: name of the machine; @build_id: of the kernel, in lower-case hex; "": not known
 * @start: when recording began, in seconds of Unix time; @day: the same in UTC as "2026-11-22";
 *	"": not known
 * @labels: what the user called it, as a JSON object; NULL: as nothing
 */
struct export_origin {
	char id[17];
	char host[128];
	char build_id[129];
	int64_t start;
	char day[40];
	char *labels;
};

/* 0 or -ENOMEM. export_origin_free() in any case. */
int export_origin_init(struct export_origin *o, const struct recording *rec) __must_check;
void export_origin_free(struct export_origin *o);

/* FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), for what is kept in files: it
 * never changes. @hash: EXPORT_HASH, or that of what is before @data.
 */
#define EXPORT_HASH 0xcbf29ce484222325ULL
uint64_t export_hash(uint64_t hash, const void *data, size_t size);

#endif
