// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: rows from files written by kmemx export --format parquet.
 * In: a Parquet file, which may be damaged or hostile. Out: rows.
 */
#include "query/ndjson.h"

#include <sys/stat.h>

#include "base/io.h"
#include "base/unpack.h"
#include "export/wire.h"
#include "query/thrift_read.h"

/* Limits: bytes of the description at the end; unpacked bytes of a group of rows. Only these parts
 * of a file are in memory.
 */
#define PARQUET_FOOTER_MAX (64U << 20)
#define PARQUET_GROUP_MAX  (192U << 20)

/* Maximum number of columns in a file; unknown ones are skipped. */
#define COLUMNS_MAX 256
/* Maximum number of rows in a group; maximum size of a page's head in bytes. */
#define ROWS_MAX    (1U << 24)
#define HEAD_MAX    512

static const char damaged[] = "it is damaged";
static const char foreign[] =
	"it is not a Parquet file as kmemx writes it (encodings, pages or types differ)";

/* Bits in the hybrid encoding of width one. @nr bits are left in the current run: all of them are
 * @bit, or they are packed and the next one is number @at.
 */
struct bits {
	struct byte_reader bytes;
	uint64_t nr, at;
	bool packed, bit;
};

/**
 * struct parquet_column - a column of the file, and its values in the current group
 * @field: in export_fields; EXPORT_FIELDS: unknown
 * @optional: values may be NULL
 * @page: unpacked; @values: the values that are left
 * @same: the only value, if there is a dictionary
 */
struct parquet_column {
	unsigned int field;
	bool optional, has_dictionary;
	uint8_t *dictionary, *page;
	struct bits known, indexes;
	struct byte_reader values;
	struct export_value same;
};

/* Where a column of a group is: ColumnChunk of parquet.thrift, and the ColumnMetaData in it. */
struct chunk {
	struct thrift_string file;
	int64_t type, codec, data, dictionary;
};

#define NUMBER(number, of, member)                       \
	{                                                \
		number, THRIFT_I64, offsetof(of, member) \
	}

static const struct thrift_member chunk_data[] = {
	NUMBER(1, struct chunk, type),
	NUMBER(4, struct chunk, codec),
	NUMBER(9, struct chunk, data),
	NUMBER(11, struct chunk, dictionary),
	{ 0 },
};
static const struct thrift_member chunk_members[] = {
	{ 1, THRIFT_BINARY, offsetof(struct chunk, file) },
	{ 3, THRIFT_STRUCT, 0, chunk_data },
	{ 0 },
};

/* DataPageHeader or DictionaryPageHeader; only the former has levels. */
struct page_values {
	int64_t nr, encoding, levels, other_levels;
};

/* PageHeader. */
struct page_head {
	int64_t type, plain, packed;
	struct page_values data, dictionary;
};

static const struct thrift_member page_values[] = {
	NUMBER(1, struct page_values, nr),
	NUMBER(2, struct page_values, encoding),
	NUMBER(3, struct page_values, levels),
	NUMBER(4, struct page_values, other_levels),
	{ 0 },
};
static const struct thrift_member page_members[] = {
	NUMBER(1, struct page_head, type),
	NUMBER(2, struct page_head, plain),
	NUMBER(3, struct page_head, packed),
	{ 5, THRIFT_STRUCT, offsetof(struct page_head, data), page_values },
	{ 7, THRIFT_STRUCT, offsetof(struct page_head, dictionary), page_values },
	{ 0 },
};

/**
 * struct parquet_file - a file being read
 * @end: where the columns end and the description begins
 * @room: bytes that the group may still take; @nr_rows: rows so far
 */
struct parquet_file {
	struct ndjson_file *file;
	uint64_t end, room, nr_rows;
	struct parquet_column columns[COLUMNS_MAX];
	size_t nr_columns;
};

static int wrong(struct parquet_file *p, const char *text)
{
	p->file->line.wrong = text;
	p->file->line.at = 0;
	return -EINVAL;
}

static int read_at(struct parquet_file *p, void *to, size_t size, uint64_t at)
{
	int ret = io_pread_all(p->file->fd, to, size, at);

	return ret == -ENODATA ? wrong(p, damaged) : ret;
}

/* Unpacks the page of @head from @from to @to. */
static int unpack(struct parquet_file *p, int64_t codec, const struct page_head *head,
		  const uint8_t *from, uint8_t *to)
{
	struct unpack_piece piece = { from, (size_t)head->packed, to,
				      (size_t)head->plain };
	struct unpacker *u;
	int ret;

	if (codec == CODEC_NONE) {
		if (piece.in_left != piece.out_left)
			return wrong(p, damaged);
		memcpy(to, from, piece.in_left);
		return 0;
	}
	ret = unpacker_new(&u, codec == CODEC_GZIP   ? UNPACK_ZLIB
			       : codec == CODEC_ZSTD ? UNPACK_ZSTD
						     : UNPACK_NONE);
	if (ret == -EOPNOTSUPP)
		return wrong(p,
			     "this kmemx cannot unpack how its columns are compressed");
	if (ret)
		return ret;
	ret = unpacker_all(u, &piece, false);
	unpacker_free(u);
	return ret || piece.in_left || piece.out_left ? wrong(p, damaged) : 0;
}

/* Parses a page's head at the start of @r. */
static bool read_page_head(struct byte_reader *r, bool dictionary, struct page_head *head)
{
	const struct page_values none = { -1, -1, ENCODING_RLE, ENCODING_RLE };

	*head = (struct page_head){ .type = -1, .data = none, .dictionary = none };
	(void)thrift_read(r, page_members, head);
	return !r->failed && head->type == (dictionary ? PAGE_DICTIONARY : PAGE_DATA) &&
	       head->data.levels == ENCODING_RLE &&
	       head->data.other_levels == ENCODING_RLE;
}

/* Reads a column's page, or its dictionary, into *@page, which the caller frees. */
static int read_page(struct parquet_file *p, const struct chunk *c, bool dictionary,
		     struct page_head *head, uint8_t **page)
{
	uint64_t at = (uint64_t)(dictionary ? c->dictionary : c->data);
	uint8_t start[HEAD_MAX], *packed __auto_mem = NULL;
	size_t size = sizeof(start);
	struct byte_reader r;
	int ret;

	if (at < PARQUET_MAGIC_SIZE || at >= p->end)
		return wrong(p, damaged);
	size = (size_t)SMALLER(size, p->end - at);
	ret = read_at(p, start, size, at);
	if (ret)
		return ret;
	r = byte_reader(start, size, false);
	if (!read_page_head(&r, dictionary, head))
		return wrong(p, foreign);
	at += (uint64_t)(r.p - start);
	if (head->plain < 0 || head->packed < 0 || (uint64_t)head->packed > p->end - at)
		return wrong(p, damaged);
	if ((uint64_t)head->plain > p->room || (uint64_t)head->packed > PARQUET_GROUP_MAX)
		return wrong(p, "a group of its rows is larger than 192 MiB");
	p->room -= (uint64_t)head->plain;
	packed = malloc((size_t)head->packed + 1);
	*page = malloc((size_t)head->plain + 1);
	ret = packed && *page ? read_at(p, packed, (size_t)head->packed, at) : -ENOMEM;
	return ret ?: unpack(p, c->codec, head, packed, *page);
}

/* The next bit. At the end: sets @failed and returns false. */
static bool next_bit(struct bits *b)
{
	uint64_t head;

	while (!b->nr && !b->bytes.failed) {
		head = thrift_read_varint(&b->bytes);
		b->packed = head & 1;
		b->nr = b->packed ? head >> 1 << 3 : head >> 1;
		b->at = 0;
		if (b->packed && (head >> 1) > (size_t)(b->bytes.end - b->bytes.p))
			b->bytes.failed = true;
		if (b->packed || b->bytes.failed)
			continue;
		if (b->bytes.p == b->bytes.end || *b->bytes.p > 1)
			b->bytes.failed = true;
		else
			b->bit = *b->bytes.p++;
	}
	if (b->bytes.failed)
		return false;
	b->nr--;
	if (!b->packed)
		return b->bit;
	b->bit = *b->bytes.p >> (b->at & 7) & 1;
	if (!(++b->at & 7))
		b->bytes.p++;
	return b->bit;
}

/* Reads a plain value. Texts are not copied. */
static struct export_value take_value(struct byte_reader *r, unsigned int field)
{
	struct export_value v = { .known = true };

	if (field < EXPORT_FIELDS && export_fields[field].number) {
		v.number = byte_reader_u64(r);
		return v;
	}
	v.size = byte_reader_u32(r);
	v.text = (const char *)byte_reader_skip(r, v.size);
	if (!v.text || v.size > NDJSON_LINE_MAX || memchr(v.text, '\0', v.size))
		r->failed = true;
	return v;
}

/* The column's value in the next row. */
static struct export_value next_value(struct parquet_column *c)
{
	if (c->optional && !next_bit(&c->known))
		return (struct export_value){ 0 };
	if (!c->has_dictionary)
		return take_value(&c->values, c->field);
	/* The dictionary has one value. */
	if (next_bit(&c->indexes))
		c->indexes.bytes.failed = true;
	return c->same;
}

static int read_dictionary(struct parquet_file *p, struct parquet_column *c,
			   const struct chunk *chunk)
{
	struct byte_reader r;
	struct page_head head;
	int ret = read_page(p, chunk, true, &head, &c->dictionary);

	if (ret)
		return ret;
	if (head.dictionary.nr != 1 || head.dictionary.encoding != ENCODING_PLAIN)
		return wrong(p, foreign);
	r = byte_reader(c->dictionary, (size_t)head.plain, false);
	c->same = take_value(&r, c->field);
	return r.failed ? wrong(p, damaged) : 0;
}

/* Reads the column's pages for a group of @nr rows. */
static int read_chunk(struct parquet_file *p, struct parquet_column *c,
		      const struct chunk *chunk, int64_t nr)
{
	bool number = export_fields[c->field].number;
	struct page_head head;
	struct byte_reader r;
	int ret = 0;

	c->has_dictionary = chunk->dictionary != 0;
	if (chunk->type != (number ? TYPE_INT64 : TYPE_BYTE_ARRAY))
		return wrong(p, foreign);
	if (c->has_dictionary)
		ret = read_dictionary(p, c, chunk);
	ret = ret ?: read_page(p, chunk, false, &head, &c->page);
	if (ret)
		return ret;
	if (head.data.nr != nr ||
	    head.data.encoding !=
		    (c->has_dictionary ? ENCODING_DICTIONARY : ENCODING_PLAIN))
		return wrong(p, foreign);
	r = byte_reader(c->page, (size_t)head.plain, false);
	c->known = c->indexes = (struct bits){ 0 };
	if (c->optional) {
		c->known.bytes.p = byte_reader_skip(&r, byte_reader_u32(&r));
		c->known.bytes.end = r.p;
	}
	c->values = r;
	if (c->has_dictionary && !r.failed) {
		if (byte_reader_uint(&r, 1) != 1)
			return wrong(p, foreign);
		c->indexes.bytes = r;
	}
	return r.failed ? wrong(p, damaged) : 0;
}

static void free_pages(struct parquet_file *p)
{
	for (size_t i = 0; i < p->nr_columns; i++) {
		free(p->columns[i].dictionary);
		free(p->columns[i].page);
		p->columns[i].dictionary = p->columns[i].page = NULL;
	}
}

/* Passes on the rows of a group whose pages were read. */
static int take_rows(struct parquet_file *p, uint64_t nr)
{
	struct query_row row = { 0 };
	int ret = 0;

	for (; nr && !ret; nr--) {
		const char *lacks;
		bool bad = false;

		p->nr_rows++;
		for_each(c, p->columns, p->nr_columns) {
			if (c->field == EXPORT_FIELDS)
				continue;
			row.of[c->field] = next_value(c);
			bad |= c->known.bytes.failed || c->indexes.bytes.failed ||
			       c->values.failed;
		}
		lacks = bad ? damaged : ndjson_row_lacks(&row);
		if (lacks) {
			p->file->number = p->nr_rows;
			return wrong(p, lacks);
		}
		ret = p->file->row(p->file->ctx, &row);
	}
	return ret;
}

/* A RowGroup of @p. */
struct group {
	struct parquet_file *p;
	struct chunk chunks[COLUMNS_MAX];
	size_t nr_chunks;
	int64_t nr;
};

/* Parses the next ColumnChunk of a group. */
static int take_chunk(void *to, struct byte_reader *r, size_t i, size_t nr)
{
	struct group *g = to;

	if (nr != g->p->nr_columns)
		return wrong(g->p, damaged);
	g->chunks[i] = (struct chunk){ .type = -1, .codec = -1 };
	(void)thrift_read(r, chunk_members, &g->chunks[i]);
	g->nr_chunks = i + 1;
	return g->chunks[i].file.text ? wrong(g->p, foreign) : 0;
}

/* Reads the columns of a group, and passes on its rows. */
static int read_group(struct parquet_file *p, const struct group *g)
{
	int ret = 0;

	if (g->nr < 0 || g->nr_chunks != p->nr_columns)
		return wrong(p, damaged);
	if (g->nr > ROWS_MAX)
		return wrong(p, foreign);
	p->room = PARQUET_GROUP_MAX;
	for (size_t i = 0; i < p->nr_columns && !ret; i++) {
		if (p->columns[i].field < EXPORT_FIELDS)
			ret = read_chunk(p, &p->columns[i], &g->chunks[i], g->nr);
	}
	ret = ret ?: take_rows(p, (uint64_t)g->nr);
	free_pages(p);
	return ret;
}

/* Parses the next RowGroup, and passes on its rows. */
static int take_group(void *to, struct byte_reader *r, size_t i, size_t nr)
{
	static const struct thrift_member members[] = {
		{ 1, THRIFT_LIST, 0, .each = take_chunk },
		NUMBER(3, struct group, nr),
		{ 0 },
	};
	struct parquet_file *p = to;
	struct group g = { .p = p, .nr = -1 };
	int ret = p->nr_columns ? thrift_read(r, members, &g) : wrong(p, damaged);

	if (!ret)
		ret = r->failed ? wrong(p, damaged) : read_group(p, &g);
	if (!ret && p->file->progress)
		p->file->progress(p->file->ctx, p->end / nr * (i + 1));
	return ret;
}

/* Parses the next SchemaElement, a column after the first one, the root. */
static int take_column(void *to, struct byte_reader *r, size_t i, size_t nr)
{
	struct element {
		int64_t repetition, children;
		struct thrift_string name;
	} e = { .name.text = "" };
	static const struct thrift_member members[] = {
		NUMBER(3, struct element, repetition),
		{ 4, THRIFT_BINARY, offsetof(struct element, name) },
		NUMBER(5, struct element, children),
		{ 0 },
	};
	struct parquet_file *p = to;

	if (!i && p->nr_columns)
		return wrong(p, damaged);
	(void)thrift_read(r, members, &e);
	if (!i || r->failed)
		return 0;
	if (e.children || e.repetition < 0 || e.repetition > 1 ||
	    p->nr_columns == COLUMNS_MAX)
		return wrong(p, foreign);
	p->columns[p->nr_columns] = (struct parquet_column){
		.field = export_field_find(e.name.text, e.name.size,
					   (unsigned int)p->nr_columns),
		.optional = e.repetition == 1,
	};
	p->nr_columns++;
	return 0;
}

/* Parses FileMetaData; passes on the rows of each group once it is parsed. */
static int read_all(struct parquet_file *p, struct byte_reader *r)
{
	static const struct thrift_member members[] = {
		{ 2, THRIFT_LIST, 0, .each = take_column },
		{ 4, THRIFT_LIST, 0, .each = take_group },
		{ 0 },
	};
	int ret = thrift_read(r, members, p);

	return !ret && (r->failed || !p->nr_columns) ? wrong(p, damaged) : ret;
}

/* Reads the description at the end of the file, whose size is @size, and then all rows. */
static int read_file(struct parquet_file *p, uint64_t size)
{
	uint8_t tail[sizeof(uint32_t) + PARQUET_MAGIC_SIZE], *footer __auto_mem = NULL;
	struct byte_reader r;
	uint32_t bytes;
	int ret;

	if (size < PARQUET_MAGIC_SIZE + sizeof(tail))
		return wrong(p, "the file ends too early");
	ret = read_at(p, tail, sizeof(tail), size - sizeof(tail));
	if (ret)
		return ret;
	bytes = get_u32(tail, false);
	if (memcmp(tail + sizeof(bytes), PARQUET_MAGIC, PARQUET_MAGIC_SIZE) != 0)
		return wrong(p, "the file ends too early");
	if (bytes > PARQUET_FOOTER_MAX ||
	    bytes > size - PARQUET_MAGIC_SIZE - sizeof(tail))
		return wrong(p, damaged);
	p->end = size - sizeof(tail) - bytes;
	footer = malloc((size_t)bytes + 1);
	ret = footer ? read_at(p, footer, bytes, p->end) : -ENOMEM;
	r = byte_reader(footer, bytes, false);
	return ret ?: read_all(p, &r);
}

int parquet_file_read(struct ndjson_file *file)
{
	struct parquet_file *p __auto_mem = calloc(1, sizeof(*p));
	struct stat st;
	int ret;

	if (!p)
		return -ENOMEM;
	p->file = file;
	file->is_parquet = true;
	file->number = 0;
	if (fstat(file->fd, &st) < 0)
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = wrong(
			p,
			"it is a Parquet file: give its name, it cannot be read from a pipe");
	else
		ret = read_file(p, (uint64_t)st.st_size);
	free_pages(p);
	return ret;
}
