/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: finds the parts of a perf.data file.
 * In: a byte source. Out: the recorded events, and ranges of the file.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of the kernel.
 */
#ifndef KMEMX_IMPORT_PERF_FILE_H
#define KMEMX_IMPORT_PERF_FILE_H

#include "base/log.h"
#include "import/perf_attr.h"
#include "recording/source.h"

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
