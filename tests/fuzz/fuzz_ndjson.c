// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: rows of a file, as kmemx query reads them.
 * In: arbitrary lines, or a Parquet file; "L" alone stands for a line that is too long.
 * Out: findings are a crash, a text that points outside of the line, an error without a message or
 * a position, and rows that differ between a single line, a file and a compressed file.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "export/wire.h"
#include "query/ndjson.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A checksum of all values. */
static uint64_t ndjson_sum_row(const struct query_row *row)
{
	uint64_t sum = EXPORT_HASH;
	unsigned int i;

	for (i = 0; i < EXPORT_FIELDS; i++) {
		const struct export_value *v = &row->of[i];

		sum = export_hash(sum, &v->known, sizeof(v->known));
		sum = export_hash(sum, &v->number, sizeof(v->number));
		if (v->known && !export_fields[i].number) {
			sum = export_hash(sum, v->text, v->size);
			if (memchr(v->text, '\0', v->size))
				abort();
		}
	}
	return sum;
}

static int ndjson_add_row(void *ctx, const struct query_row *row)
{
	*(uint64_t *)ctx += ndjson_sum_row(row);
	return 0;
}

/* The checksum of the rows up to the first error; *@ret: 0 or that error. */
static uint64_t ndjson_read_lines(const uint8_t *data, size_t size, int *ret)
{
	uint64_t sum = 0;

	for (*ret = 0; size && !*ret;) {
		/* A new one for each line: a file's line remembers how the line began. */
		struct ndjson_line line = { 0 };
		const uint8_t *eol = memchr(data, '\n', size);
		size_t length = eol ? (size_t)(eol - data) : size,
		       used = length + (eol ? 1 : 0);
		/* Exactly this size, for ASan. */
		char *copy = malloc(length ? length : 1);

		memcpy(copy, data, length);
		while (length && strchr(" \t\r", copy[length - 1]) && copy[length - 1])
			length--;
		*ret = length ? ndjson_line_read(&line, copy, length) : 0;
		if (*ret && (!line.wrong || line.at > length))
			abort();
		if (length && !*ret)
			sum += ndjson_sum_row(&line.row);
		ndjson_line_free(&line);
		free(copy);
		data += used;
		size -= used;
	}
	return sum;
}

static void ndjson_progress(void *ctx, uint64_t bytes)
{
}

static void ndjson_too_long(void)
{
	char *line = malloc(NDJSON_LINE_MAX + 1);
	struct ndjson_line unused = { 0 };
	struct ndjson_file file = { .fd = memfd_create("rows", 0) };

	memset(line, 'x', NDJSON_LINE_MAX + 1);
	if (write(file.fd, line, NDJSON_LINE_MAX + 1) != NDJSON_LINE_MAX + 1)
		abort();
	lseek(file.fd, 0, SEEK_SET);
	if (ndjson_file_read(&file) != -EINVAL || !file.line.wrong ||
	    ndjson_line_read(&unused, line, NDJSON_LINE_MAX) != -EINVAL)
		abort();
	ndjson_line_free(&unused);
	ndjson_line_free(&file.line);
	close(file.fd);
	free(line);
}

/* The checksum of a file's rows up to the first error. */
static uint64_t ndjson_read_file(const uint8_t *data, size_t size, int *ret)
{
	uint64_t sum = 0;
	struct ndjson_file file = { .fd = memfd_create("rows", 0),
				    .row = ndjson_add_row,
				    .progress = ndjson_progress,
				    .ctx = &sum };

	if (file.fd < 0 || write(file.fd, data, size) != (ssize_t)size)
		abort();
	lseek(file.fd, 0, SEEK_SET);
	*ret = ndjson_file_read(&file);
	if ((*ret == -EINVAL) != (file.line.wrong != NULL))
		abort();
	ndjson_line_free(&file.line);
	close(file.fd);
	return sum;
}

/* Checks that the same rows in two compressed parts give the same result, and that a file without
 * its last byte is rejected.
 */
static void ndjson_read_packed(const uint8_t *data, size_t size, uint64_t expected,
			       int error)
{
#ifdef HAVE_ZSTD
	size_t half = size / 2, room = 2 * ZSTD_compressBound(size), used;
	uint8_t *packed = malloc(room);
	int ret;

	used = ZSTD_compress(packed, room, data, half, 1);
	used += ZSTD_compress(packed + used, room - used, data + half, size - half, 1);
	if (ndjson_read_file(packed, used, &ret) != expected || ret != error)
		abort();
	ndjson_read_file(packed, used - 1, &ret);
	if (!ret)
		abort();
	free(packed);
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t of_lines;
	int ret, of_file;

	if (size == 1 && *data == 'L')
		ndjson_too_long();
	if (size > NDJSON_LINE_MAX)
		return 0;
	if (size >= 4 && (!memcmp(data, "\x28\xb5\x2f\xfd", 4) ||
			  !memcmp(data, PARQUET_MAGIC, PARQUET_MAGIC_SIZE))) {
		ndjson_read_file(data, size, &ret);
		return 0;
	}
	of_lines = ndjson_read_lines(data, size, &ret);
	if (ndjson_read_file(data, size, &of_file) != of_lines || of_file != ret)
		abort();
	ndjson_read_packed(data, size, of_lines, ret);
	return 0;
}
