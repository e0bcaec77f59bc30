/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: finds the parts of a perf.data file, and the record fields that depend on its events.
 * In: a byte source; records. Out: the recorded events, ranges of the file, fields as plain data.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of
 * the kernel. The numbers are part of the ABI.
 */
#ifndef KMEMX_IMPORT_PERF_FILE_H
#define KMEMX_IMPORT_PERF_FILE_H

#include "base/hash.h"
#include "recording/source.h"

/* Bounds of an attr's size: PERF_ATTR_SIZE_VER0 is the smallest, and no known attr has a tenth of
 * the maximum.
 */
#define PERF_ATTR_SIZE_MIN 64U
#define PERF_ATTR_SIZE_MAX 4096U
/* The most events of a file, and ids of these: one for each event, CPU and task. */
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
 * @period: one sample per this many events; with @freq, samples per second
 * @own_time: times are from @clockid, not the scheduler's clock
 * @on_exec: enabled by exec of the command that perf ran, so not system-wide
 */
struct perf_attr {
	uint32_t type;
	uint64_t period, sample_type, read_format;
	bool freq, sample_id_all, own_time, on_exec;
	int32_t clockid;
};

#define PERF_ATTR_TRACEPOINT 2U

/* Zero-initialise it. */
struct perf_attrs {
	struct perf_attr *items;
	size_t nr;
	struct u64_map by_id; /* index */
	bool big_endian;
};

/**
 * perf_attrs_add() - take over one attr
 * @data, @size: its struct; fields appended by later kernels are ignored
 *
 * Return: 0; -EBADMSG if it is too small, or there are too many; -ENOMEM.
 */
int perf_attrs_add(struct perf_attrs *attrs, const uint8_t *data,
		   size_t size) __must_check;
/* Adds another id for the last attr. 0; -EBADMSG if there are too many; -ENOMEM. */
int perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id) __must_check;

/**
 * struct perf_sample - the fields of a record that kmemx uses
 * @has: which fields are present, in bits of enum perf_sample_bit
 * @id: id of the event and its CPU, with PERF_HAS_ID; only in trailers
 * @chain: @nr_chain words in the file's byte order, unaligned
 * @raw: the event as in a ring buffer, with up to 7 bytes of padding
 *
 * Pointers point into the record.
 */
struct perf_sample {
	const struct perf_attr *attr;
	uint64_t has;
	uint64_t time, id;
	uint32_t pid, cpu;
	const uint8_t *chain;
	uint64_t nr_chain;
	const uint8_t *raw;
	uint32_t raw_size;
};

/**
 * perf_sample_parse() - parse the fields of a PERF_RECORD_SAMPLE
 * @data, @size: the record after its header
 *
 * Return: 0; -ENOENT if no attr has its id; -EBADMSG if a field exceeds the record.
 */
int perf_sample_parse(const struct perf_attrs *attrs, const uint8_t *data, size_t size,
		      struct perf_sample *out) __must_check;
/**
 * perf_sample_parse_trailer() - parse time, task, id and CPU at the end of any other record
 *
 * @out->has is 0 if the file does not have them, or if they do not fit.
 */
void perf_sample_parse_trailer(const struct perf_attrs *attrs, const uint8_t *data,
			       size_t size, struct perf_sample *out);

/* Sections after the data that are used here, by perf's numbers. */
enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_RELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_MACHINE = 6,
	PERF_FEATURE_NR_CPUS = 7,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_DIR_FORMAT = 24,
	PERF_FEATURES = 32, /* higher ones are ignored */
};

struct perf_range {
	uint64_t offset, size;
};

/**
 * struct perf_file - zero-initialise it
 * @pipe: perf wrote to a pipe: attrs and sections are records within the data
 * @unfinished: perf did not finish: there are no sections
 * @cut: the file ends before the sections
 * @data: range of the records in the file
 * @sections: size 0: absent
 */
struct perf_file {
	bool big_endian, pipe, unfinished, cut;
	struct perf_attrs attrs;
	struct perf_range data;
	struct perf_range sections[PERF_FEATURES];
};

/**
 * perf_file_read() - read the header, the attrs and the list of sections
 *
 * Return: 0; -EPROTO if it is not a perf.data file; -ENOTSUP for the first version, which perf
 * stopped writing in 2012; -EBADMSG if damaged; -ENOMEM, -errno of reading.
 */
int perf_file_read(struct perf_file *f, const struct source *src) __must_check;
void perf_file_free(struct perf_file *f);

#endif
