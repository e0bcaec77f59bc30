// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: Parquet files, for a database.
 * In: rows by callchain, with labels. Out: the same in columns, compressed.
 *
 * The columns of each group of rows come first, then the description of everything (parquet.thrift)
 * and its size. Values are PLAIN; a column with the same value in all rows of a group has a
 * dictionary with that value.
 */
#include <endian.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "export/fields.h"
#include "export/wire.h"
#include "report/compressed.h"

/* A group ends with this many rows or bytes: page sizes have 32 bits, and memory is bounded. */
#define GROUP_ROWS  (1U << 20)
#define GROUP_BYTES (64U << 20)
#define ZSTD_LEVEL  3

/**
 * struct packed_column - a column of the current group
 * @values: the known values; @levels: one bit per row: its value is known
 */
struct packed_column {
	struct strbuf values, levels;
};

/* Location of a column of a group in the file. */
struct chunk {
	uint64_t dictionary, data; /* offsets; no dictionary: 0 */
	uint64_t plain, packed;	   /* sizes including page headers */
};

/**
 * struct parquet - a file being written
 * @at: bytes written
 * @nr: rows of the current group; @bytes: size of its values
 * @groups: descriptions of the @nr_groups groups so far, with @nr_rows rows in all
 * @page, @packed, @head: buffers of the current page
 */
struct parquet {
	struct export_values values;
	struct packed_column columns[EXPORT_FIELDS];
	uint64_t at;
	size_t nr, bytes;
	struct strbuf groups;
	size_t nr_groups;
	uint64_t nr_rows;
	struct strbuf page, packed, head;
};

static void put(struct export_job *job, const void *data, size_t size)
{
	struct parquet *p = job->state;

	outbuf_add(&job->out, data, size);
	p->at += size;
}

static void add_u32(struct strbuf *sb, uint32_t value)
{
	value = htole32(value);
	strbuf_add(sb, &value, sizeof(value));
}

static void add_value(struct strbuf *sb, const struct export_field *field,
		      const struct export_value *value)
{
	uint64_t number = htole64(value->number);

	if (field->number) {
		strbuf_add(sb, &number, sizeof(number));
		return;
	}
	add_u32(sb, (uint32_t)value->size);
	strbuf_add(sb, value->text, value->size);
}

/* Compresses p->page into p->packed. */
static int pack(struct parquet *p)
{
	strbuf_reset(&p->packed);
#if defined(HAVE_ZSTD)
	size_t room = ZSTD_compressBound(p->page.size), size;

	strbuf_fill(&p->packed, 0, room);
	if (p->packed.failed)
		return -ENOMEM;
	size = ZSTD_compress(p->packed.data, room, strbuf_text(&p->page), p->page.size,
			     ZSTD_LEVEL);
	if (ZSTD_isError(size))
		return -ENOMEM;
	p->packed.size = size;
	return 0;
#elif defined(HAVE_ZLIB)
	const struct render_out to = { render_append, &p->packed };
	struct compressed *gz;
	int ret = compressed_new(&gz, COMPRESSED_GZIP, &to);

	ret = ret ?: compressed_write(gz, strbuf_text(&p->page), p->page.size);
	ret = ret ?: compressed_finish(gz);
	compressed_free(gz);
	return ret;
#else
	strbuf_add(&p->packed, strbuf_text(&p->page), p->page.size);
	return p->packed.failed ? -ENOMEM : 0;
#endif
}

static int codec(void)
{
#if defined(HAVE_ZSTD)
	return CODEC_ZSTD;
#elif defined(HAVE_ZLIB)
	return CODEC_GZIP;
#else
	return CODEC_NONE;
#endif
}

/* Writes p->page as a page of @nr values. */
static void put_page(struct export_job *job, int type, size_t nr, int encoding,
		     struct chunk *chunk)
{
	struct parquet *p = job->state;
	struct thrift t = { .sb = &p->head };

	export_fail(job, p->page.failed ? -ENOMEM : pack(p));
	strbuf_reset(&p->head);
	thrift_open(&t, 0);
	thrift_i32(&t, 1, type);
	thrift_i32(&t, 2, (int32_t)p->page.size);
	thrift_i32(&t, 3, (int32_t)p->packed.size);
	thrift_open(&t, type == PAGE_DATA ? 5 : 7);
	thrift_i32(&t, 1, (int32_t)nr);
	thrift_i32(&t, 2, encoding);
	if (type == PAGE_DATA) {
		thrift_i32(&t, 3, ENCODING_RLE);
		thrift_i32(&t, 4, ENCODING_RLE);
	}
	thrift_close(&t);
	thrift_close(&t);
	export_fail(job, p->head.failed ? -ENOMEM : 0);
	put(job, strbuf_text(&p->head), p->head.size);
	put(job, strbuf_text(&p->packed), p->packed.size);
	chunk->plain += p->head.size + p->page.size;
	chunk->packed += p->head.size + p->packed.size;
}

/* Appends @bit @nr times, as a run of the hybrid encoding (runs and packed bits). */
static void add_run(struct strbuf *sb, size_t nr, bool bit)
{
	const char c = bit;

	proto_varint(sb, (uint64_t)nr << 1);
	strbuf_add(sb, &c, 1);
}

/* Begins a page with the bits that tell which rows have a value. @bits NULL: all rows if @known,
 * else none.
 */
static void add_levels(struct parquet *p, const struct strbuf *bits, bool known)
{
	struct strbuf __auto_free levels = { 0 };

	if (bits) {
		proto_varint(&levels, (uint64_t)bits->size << 1 | 1);
		strbuf_add(&levels, strbuf_text(bits), bits->size);
	} else {
		add_run(&levels, p->nr, known);
	}
	add_u32(&p->page, (uint32_t)levels.size);
	strbuf_add(&p->page, strbuf_text(&levels), levels.size);
	p->page.failed |= levels.failed;
}

/* Writes a column of the group: one with the same value in all rows has a dictionary. */
static void put_column(struct export_job *job, unsigned int i, struct chunk *chunk)
{
	struct parquet *p = job->state;
	const struct export_value *value = &p->values.of[i];
	const bool same = i < EXPORT_FIELDS_SAME, by_number = same && value->known;
	struct packed_column *c = &p->columns[i];
	const char bits = 1;

	if (by_number) {
		chunk->dictionary = p->at;
		strbuf_reset(&p->page);
		add_value(&p->page, &export_fields[i], value);
		put_page(job, PAGE_DICTIONARY, 1, ENCODING_PLAIN, chunk);
	}
	chunk->data = p->at;
	strbuf_reset(&p->page);
	if (!export_fields[i].always)
		add_levels(p, same ? NULL : &c->levels, value->known);
	if (by_number) {
		strbuf_add(&p->page, &bits, 1);
		add_run(&p->page, p->nr, 0);
	}
	strbuf_add(&p->page, strbuf_text(&c->values), c->values.size);
	p->page.failed |= c->values.failed || c->levels.failed;
	put_page(job, PAGE_DATA, p->nr, by_number ? ENCODING_DICTIONARY : ENCODING_PLAIN,
		 chunk);
	strbuf_reset(&c->values);
	strbuf_reset(&c->levels);
}

/* Describes a column: ColumnChunk in parquet.thrift. */
static void describe(struct thrift *t, const struct parquet *p, unsigned int i,
		     const struct chunk *chunk)
{
	thrift_open(t, 0);
	thrift_i64(t, 2, (int64_t)(chunk->dictionary ? chunk->dictionary : chunk->data));
	thrift_open(t, 3);
	thrift_i32(t, 1, export_fields[i].number ? TYPE_INT64 : TYPE_BYTE_ARRAY);
	thrift_list(t, 2, THRIFT_I32, chunk->dictionary ? 3 : 2);
	thrift_element_i32(t, ENCODING_PLAIN);
	thrift_element_i32(t, ENCODING_RLE);
	if (chunk->dictionary)
		thrift_element_i32(t, ENCODING_DICTIONARY);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	thrift_element_text(t, export_fields[i].name);
	thrift_i32(t, 4, codec());
	thrift_i64(t, 5, (int64_t)p->nr);
	thrift_i64(t, 6, (int64_t)chunk->plain);
	thrift_i64(t, 7, (int64_t)chunk->packed);
	thrift_i64(t, 9, (int64_t)chunk->data);
	if (chunk->dictionary)
		thrift_i64(t, 11, (int64_t)chunk->dictionary);
	thrift_close(t);
	thrift_close(t);
}

static void put_group(struct export_job *job)
{
	struct parquet *p = job->state;
	struct thrift t = { .sb = &p->groups };
	struct chunk chunks[EXPORT_FIELDS] = { 0 };
	uint64_t size = 0;

	if (!p->nr)
		return;
	for (unsigned int i = 0; i < EXPORT_FIELDS && !job->out.err; i++) {
		put_column(job, i, &chunks[i]);
		size += chunks[i].plain;
	}
	thrift_open(&t, 0);
	thrift_list(&t, 1, THRIFT_STRUCT, EXPORT_FIELDS);
	for (unsigned int i = 0; i < EXPORT_FIELDS; i++)
		describe(&t, p, i, &chunks[i]);
	thrift_i64(&t, 2, (int64_t)size);
	thrift_i64(&t, 3, (int64_t)p->nr);
	thrift_close(&t);
	p->nr_groups++;
	p->nr_rows += p->nr;
	p->nr = 0;
	p->bytes = 0;
}

static void parquet_begin(struct export_job *job)
{
	struct parquet *p = job->state;

	put(job, PARQUET_MAGIC, PARQUET_MAGIC_SIZE);
	export_values_init(&p->values, job);
}

/* Appends the next bit to @levels, which has @nr bits so far. */
static void add_level(struct strbuf *levels, size_t nr, bool known)
{
	if (nr % 8 == 0)
		strbuf_fill(levels, 0, 1);
	if (known && !levels->failed)
		levels->data[nr / 8] = (char)(levels->data[nr / 8] | 1 << nr % 8);
}

static void parquet_row(struct export_job *job, const struct export_row *row)
{
	struct parquet *p = job->state;

	export_values_row(&p->values, job, row);
	for (unsigned int i = EXPORT_FIELDS_SAME; i < EXPORT_FIELDS; i++) {
		const struct export_value *value = &p->values.of[i];
		struct packed_column *c = &p->columns[i];
		size_t before = c->values.size;

		if (!export_fields[i].always)
			add_level(&c->levels, p->nr, value->known);
		if (value->known)
			add_value(&c->values, &export_fields[i], value);
		p->bytes += c->values.size - before;
		export_fail(job, c->values.failed || c->levels.failed ? -ENOMEM : 0);
	}
	p->nr++;
	if (p->nr >= GROUP_ROWS || p->bytes >= GROUP_BYTES)
		put_group(job);
}

static void put_schema(struct thrift *t)
{
	thrift_list(t, 2, THRIFT_STRUCT, EXPORT_FIELDS + 1);
	thrift_open(t, 0);
	thrift_text(t, 4, "schema");
	thrift_i32(t, 5, EXPORT_FIELDS);
	thrift_close(t);
	for_each(field, export_fields, EXPORT_FIELDS) {
		thrift_open(t, 0);
		thrift_i32(t, 1, field->number ? TYPE_INT64 : TYPE_BYTE_ARRAY);
		thrift_i32(t, 3, !field->always);
		thrift_text(t, 4, field->name);
		if (!field->number)
			thrift_i32(t, 6, 0); /* UTF8 */
		thrift_close(t);
	}
}

/* Writes what the user must know about the recording, as a key-value pair. */
static void put_notes(struct export_job *job, struct thrift *t)
{
	struct strbuf __auto_free banner = { 0 };

	export_banner(job, "", &banner);
	thrift_list(t, 5, THRIFT_STRUCT, 1);
	thrift_open(t, 0);
	thrift_text(t, 1, "kmemx");
	thrift_text(t, 2, strbuf_text(&banner));
	thrift_close(t);
	t->sb->failed |= banner.failed;
}

static void parquet_end(struct export_job *job)
{
	struct parquet *p = job->state;
	struct thrift t = { .sb = &p->head };

	put_group(job);
	strbuf_reset(&p->head);
	thrift_open(&t, 0);
	thrift_i32(&t, 1, 1);
	put_schema(&t);
	thrift_i64(&t, 3, (int64_t)p->nr_rows);
	thrift_list(&t, 4, THRIFT_STRUCT, p->nr_groups);
	strbuf_add(&p->head, strbuf_text(&p->groups), p->groups.size);
	put_notes(job, &t);
	thrift_text(&t, 6, "kmemx version " KMEMX_VERSION " (build 0)");
	thrift_close(&t);
	add_u32(&p->head, (uint32_t)p->head.size);
	strbuf_puts(&p->head, PARQUET_MAGIC);
	export_fail(job, p->head.failed || p->groups.failed ? -ENOMEM : 0);
	put(job, strbuf_text(&p->head), p->head.size);
}

static void parquet_free(void *state)
{
	struct parquet *p = state;

	export_values_free(&p->values);
	for (unsigned int i = 0; i < EXPORT_FIELDS; i++) {
		strbuf_free(&p->columns[i].values);
		strbuf_free(&p->columns[i].levels);
	}
	strbuf_free(&p->groups);
	strbuf_free(&p->page);
	strbuf_free(&p->packed);
	strbuf_free(&p->head);
}

const struct exporter exporter_parquet = {
	.name = "parquet",
	.help = "the same rows as ndjson, by columns and compressed",
	.opened_by = "DuckDB, ClickHouse, Spark, Trino, pandas",
	.suffix = "parquet",
	.by = EXPORT_BY_ALL,
	.binary = true,
	.state_size = sizeof(struct parquet),
	.begin = parquet_begin,
	.row = parquet_row,
	.end = parquet_end,
	.free = parquet_free,
};
