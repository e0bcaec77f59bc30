/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what perf recorded an event with, and the records' fields that depend on it.
 * In: a struct perf_event_attr and records, as the file has them. Out: plain data.
 *
 * Format: include/uapi/linux/perf_event.h of the kernel. The numbers are the ABI's.
 */
#ifndef KMEMX_IMPORT_PERF_ATTR_H
#define KMEMX_IMPORT_PERF_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"

/* PERF_ATTR_SIZE_VER0: no attr is smaller; and no known one is a tenth of the other. */
#define PERF_ATTR_SIZE_MIN 64U
#define PERF_ATTR_SIZE_MAX 4096U
/* Events of a file, and ids of these: one for each event, CPU and task. */
#define PERF_ATTRS_MAX	   4096U
#define PERF_IDS_MAX	   (4U << 20)

/* Bits of sample_type. */
enum perf_sample_bit {
	PERF_HAS_IP = 1U << 0,
	PERF_HAS_TID = 1U << 1,
	PERF_HAS_TIME = 1U << 2,
	PERF_HAS_ADDR = 1U << 3,
	PERF_HAS_READ = 1U << 4,
	PERF_HAS_CALLCHAIN = 1U << 5,
	PERF_HAS_ID = 1U << 6,
	PERF_HAS_CPU = 1U << 7,
	PERF_HAS_PERIOD = 1U << 8,
	PERF_HAS_STREAM_ID = 1U << 9,
	PERF_HAS_RAW = 1U << 10,
	PERF_HAS_IDENTIFIER = 1U << 16,
};

/**
 * struct perf_attr - one event of the recording
 * @config: of a tracepoint, the number of its format
 * @period: a sample every so many events; with @freq, samples a second
 * @own_time: times are those of @clockid, not the scheduler's clock
 * @on_exec: switched on by the command that perf ran, so not of the whole system
 */
struct perf_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format;
	bool freq, sample_id_all, own_time, on_exec;
	int32_t clockid;
};

#define PERF_ATTR_TRACEPOINT 2U

/* Zero-initialise it. */
struct perf_attrs {
	struct perf_attr *items;
	size_t nr, capacity;
	struct u64_map by_id; /* index */
	bool big_endian;
};

/**
 * perf_attrs_add() - take over one attr
 * @data, @size: of its struct; what a later kernel has appended is not looked at
 *
 * Return: 0; -EBADMSG if it is too small, or one too many; -ENOMEM.
 */
int perf_attrs_add(struct perf_attrs *attrs, const uint8_t *data,
		   size_t size) __must_check;
/* The last attr is also named by @id. 0; -EBADMSG one too many; -ENOMEM. */
int perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id) __must_check;
void perf_attrs_free(struct perf_attrs *attrs);

/**
 * struct perf_sample - the fields of a record that kmemx has a use for
 * @has: which of them there are, in bits of enum perf_sample_bit
 * @id: of the event and its CPU, with PERF_HAS_ID; only of trailers
 * @chain: @nr_chain words of the file's byte order, unaligned
 * @raw: the event as a ring buffer would have it, with up to 7 bytes behind it
 *
 * Pointers are into the record.
 */
struct perf_sample {
	const struct perf_attr *attr;
	uint64_t has;
	uint64_t time, id;
	uint32_t pid, tid, cpu;
	const uint8_t *chain;
	uint64_t nr_chain;
	const uint8_t *raw;
	uint32_t raw_size;
};

/**
 * perf_sample_parse() - the fields of a PERF_RECORD_SAMPLE
 * @data, @size: the record behind its header
 *
 * Return: 0; -ENOENT if its id is no attr's; -EBADMSG if a field leaves the record.
 */
int perf_sample_parse(const struct perf_attrs *attrs, const uint8_t *data, size_t size,
		      struct perf_sample *out) __must_check;
/**
 * perf_sample_parse_trailer() - time, task, id and CPU at the end of any other record
 *
 * Nothing is in @out->has if the file does not have them there, or if they do not fit.
 */
void perf_sample_parse_trailer(const struct perf_attrs *attrs, const uint8_t *data,
			       size_t size, struct perf_sample *out);

#endif
