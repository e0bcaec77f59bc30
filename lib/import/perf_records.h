/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the records of a perf.data file, one after the other.
 * In: a range of a byte source, partly compressed. Out: whole records, and the data that follows
 * some of them.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of the kernel.
 */
#ifndef KMEMX_IMPORT_PERF_RECORDS_H
#define KMEMX_IMPORT_PERF_RECORDS_H

#include "recording/source.h"
#include "recording/user_maps.h"

/* The types of kernel and perf records that are used here. */
enum perf_record_type {
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_THROTTLE = 5,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_LOST_SAMPLES = 13,
	PERF_KSYMBOL = 17,
	PERF_HEADER_ATTR = 64,
	PERF_TRACING_DATA = 66,
	PERF_HEADER_BUILD_ID = 67,
	PERF_FINISHED_ROUND = 68,
	PERF_ID_INDEX = 69,
	PERF_AUXTRACE = 71,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
};

#define PERF_RECORD_HEADER 8U
#define PERF_RECORD_MAX	   UINT16_MAX

struct perf_records;

/**
 * perf_records_open() - open the range of @src from @pos to @end
 * @src: borrowed from the caller; the range is clipped to its size
 *
 * Return: 0 or -ENOMEM.
 */
int perf_records_open(struct perf_records **out, const struct source *src, uint64_t pos,
		      uint64_t end, bool big_endian) __must_check;
/**
 * perf_records_next() - the next record, valid until the next call
 *
 * Return: 1; 0 at the end; -ENODATA if the last record is truncated; -EBADMSG if sizes or
 * compressed data are invalid, and the rest is unreadable; -ENOTSUP if it is compressed and zstd is
 * not built in; -ENOMEM; -errno of reading.
 */
int perf_records_next(struct perf_records *r, struct perf_record *rec) __must_check;
/**
 * perf_records_payload() - find the data after the record that was just returned
 * @size: bytes, as given in the record
 * @offset: receives its offset in the source; reading continues after it
 *
 * Return: 0; -ENODATA beyond the end; -EBADMSG after a compressed record.
 */
int perf_records_payload(struct perf_records *r, uint64_t size,
			 uint64_t *offset) __must_check;
/* Bytes of the source that have been read. */
uint64_t perf_records_done(const struct perf_records *r);
void perf_records_close(struct perf_records *r);
/* Calls @take for each whole record of @data, a section with the build IDs of mapped files; such
 * records have no type. Return: 0, or what @take returned.
 */
int perf_records_of_build_ids(const uint8_t *data, size_t size, bool big_endian,
			      int (*take)(void *ctx, const struct perf_record *rec),
			      void *ctx) __must_check;

#endif
