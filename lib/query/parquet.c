// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/parquet.h"

#include <endian.h>
#include <sys/stat.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/io.h"
#include "query/thrift_read.h"

/* Columns of a file, of which unknown ones are left out. */
#define COLUMNS_MAX 256
/* The most rows of a group; the most bytes of a page's head. */
#define ROWS_MAX    (1U << 24)
#define HEAD_MAX    512

static const char damaged[] = "it is damaged";
static const char foreign[] =
	"it is not a Parquet file as kmemx writes it (encodings, pages or types differ)";

/* Bits in runs: the hybrid encoding with a width of one. @nr of them are left in the run, which are
 * all @bit, or packed, the next one being number @at.
 */
struct bits {
	struct thrift_bytes bytes;
	uint64_t nr, at;
	bool packed, bit;
};

/**
 * struct parquet_column - a column of the file, and its values in the current group
 * @field: in export_fields; EXPORT_FIELDS: unknown
 * @optional: values may be NULL
 * @page: unpacked; @values: those that are left
 * @same: the only value, if there is a dictionary
 */
struct parquet_column {
	unsigned int field;
	bool optional, has_dictionary;
	uint8_t *dictionary, *page;
	struct bits known, indexes;
	struct thrift_bytes values;
	struct query_value same;
};

/* Where a column of a group is: ColumnMetaData of parquet.thrift. */
struct chunk {
	int64_t type, codec, data, dictionary;
};

/* PageHeader of parquet.thrift. */
struct page_head {
	int64_t type, plain, packed, nr, encoding;
	size_t size;
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

#ifdef HAVE_ZLIB
static bool unpack_gzip(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
	z_stream z = { .next_in = (uint8_t *)from,
		       .avail_in = (uInt)size,
		       .next_out = to,
		       .avail_out = (uInt)room };
	int ret = inflateInit2(&z, 15 + 16);

	if (ret != Z_OK)
		return false;
	ret = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return ret == Z_STREAM_END && !z.avail_out && !z.avail_in;
}
#endif

/* Unpacks the page of @head from @from to @to. */
static int unpack(struct parquet_file *p, int64_t codec, const struct page_head *head,
		  const uint8_t *from, uint8_t *to)
{
	size_t size = (size_t)head->packed, room = (size_t)head->plain;
	bool ok = false;

	switch (codec) {
	case CODEC_NONE:
		ok = size == room;
		if (ok)
			memcpy(to, from, size);
		break;
#ifdef HAVE_ZLIB
	case CODEC_GZIP:
		ok = unpack_gzip(from, size, to, room);
		break;
#endif
#ifdef HAVE_ZSTD
	case CODEC_ZSTD:
		ok = ZSTD_decompress(to, room, from, size) == room;
		break;
#endif
	default:
		return wrong(p,
			     "this kmemx cannot unpack how its columns are compressed");
	}
	return ok ? 0 : wrong(p, damaged);
}

/* DataPageHeader or DictionaryPageHeader. */
static bool read_page_values(struct thrift_bytes *t, struct page_head *head)
{
	struct thrift_field f = { 0 };
	bool plain_levels = true;

	while (thrift_read_field(t, &f)) {
		if (f.type != THRIFT_I32) {
			thrift_skip(t, f.type);
			continue;
		}
		if (f.number == 1)
			head->nr = thrift_read_number(t);
		else if (f.number == 2)
			head->encoding = thrift_read_number(t);
		else if (head->type == PAGE_DATA && (f.number == 3 || f.number == 4))
			plain_levels &= thrift_read_number(t) == ENCODING_RLE;
		else
			thrift_skip(t, f.type);
	}
	return plain_levels;
}

/* Parses a page's head at the start of @t. */
static bool read_page_head(struct thrift_bytes *t, struct page_head *head)
{
	const uint8_t *start = t->p;
	struct thrift_field f = { 0 };
	bool ok = false;

	*head = (struct page_head){ .type = -1, .nr = -1, .encoding = -1 };
	while (thrift_read_field(t, &f)) {
		if (thrift_is(&f, 1, THRIFT_I32))
			head->type = thrift_read_number(t);
		else if (thrift_is(&f, 2, THRIFT_I32))
			head->plain = thrift_read_number(t);
		else if (thrift_is(&f, 3, THRIFT_I32))
			head->packed = thrift_read_number(t);
		else if (thrift_is(&f, head->type == PAGE_DATA ? 5 : 7, THRIFT_STRUCT))
			ok = read_page_values(t, head);
		else
			thrift_skip(t, f.type);
	}
	head->size = (size_t)(t->p - start);
	return ok && !t->bad;
}

/* Reads a column's page, or its dictionary, into *@page, which the caller frees. */
static int read_page(struct parquet_file *p, const struct chunk *c, bool dictionary,
		     struct page_head *head, uint8_t **page)
{
	int64_t at = dictionary ? c->dictionary : c->data;
	uint8_t start[HEAD_MAX], *packed;
	size_t size = sizeof(start);
	struct thrift_bytes t;
	int ret;

	if (at < PARQUET_MAGIC_SIZE || (uint64_t)at >= p->end)
		return wrong(p, damaged);
	if (size > p->end - (uint64_t)at)
		size = (size_t)(p->end - (uint64_t)at);
	ret = read_at(p, start, size, (uint64_t)at);
	if (ret)
		return ret;
	t = (struct thrift_bytes){ start, start + size, false };
	if (!read_page_head(&t, head) ||
	    head->type != (dictionary ? PAGE_DICTIONARY : PAGE_DATA))
		return wrong(p, foreign);
	if (head->plain < 0 || head->packed < 0 ||
	    (uint64_t)head->packed > p->end - (uint64_t)at - head->size)
		return wrong(p, damaged);
	if ((uint64_t)head->plain > p->room || (uint64_t)head->packed > PARQUET_GROUP_MAX)
		return wrong(p, "a group of its rows is larger than 192 MiB");
	p->room -= (uint64_t)head->plain;
	packed = malloc((size_t)head->packed + 1);
	*page = malloc((size_t)head->plain + 1);
	ret = packed && *page ? read_at(p, packed, (size_t)head->packed,
					(uint64_t)at + head->size)
			      : -ENOMEM;
	if (!ret)
		ret = unpack(p, c->codec, head, packed, *page);
	free(packed);
	return ret;
}

/* The next bit. At the end: sets @bad and returns false. */
static bool next_bit(struct bits *b)
{
	uint64_t head;

	while (!b->nr && !b->bytes.bad) {
		head = thrift_read_varint(&b->bytes);
		b->packed = head & 1;
		b->nr = b->packed ? head >> 1 << 3 : head >> 1;
		b->at = 0;
		if (b->packed && (head >> 1) > (size_t)(b->bytes.end - b->bytes.p))
			b->bytes.bad = true;
		if (b->packed || b->bytes.bad)
			continue;
		if (b->bytes.p == b->bytes.end || *b->bytes.p > 1)
			b->bytes.bad = true;
		else
			b->bit = *b->bytes.p++;
	}
	if (b->bytes.bad)
		return false;
	b->nr--;
	if (!b->packed)
		return b->bit;
	b->bit = *b->bytes.p >> (b->at & 7) & 1;
	if (!(++b->at & 7))
		b->bytes.p++;
	return b->bit;
}

/* Takes @size bytes. NULL: there are fewer. */
static const uint8_t *take(struct thrift_bytes *t, uint64_t size)
{
	const uint8_t *start = t->p;

	if (size > (size_t)(t->end - t->p)) {
		t->bad = true;
		return NULL;
	}
	t->p += size;
	return start;
}

static uint32_t take_u32(struct thrift_bytes *t)
{
	const uint8_t *bytes = take(t, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

/* A plain value. Texts stay where they are. */
static struct query_value take_value(struct thrift_bytes *t, unsigned int field)
{
	struct query_value v = { .known = true };
	const uint8_t *bytes;

	if (field < EXPORT_FIELDS && export_fields[field].number) {
		bytes = take(t, sizeof(v.number));
		if (bytes)
			memcpy(&v.number, bytes, sizeof(v.number));
		v.number = le64toh(v.number);
		return v;
	}
	v.size = take_u32(t);
	v.text = (const char *)take(t, v.size);
	if (!v.text || v.size > NDJSON_LINE_MAX || memchr(v.text, '\0', v.size))
		t->bad = true;
	return v;
}

/* The column's value in the next row. */
static struct query_value next_value(struct parquet_column *c)
{
	if (c->optional && !next_bit(&c->known))
		return (struct query_value){ 0 };
	if (!c->has_dictionary)
		return take_value(&c->values, c->field);
	/* The dictionary has one value. */
	if (next_bit(&c->indexes))
		c->indexes.bytes.bad = true;
	return c->same;
}

static int read_dictionary(struct parquet_file *p, struct parquet_column *c,
			   const struct chunk *chunk)
{
	struct thrift_bytes t;
	struct page_head head;
	int ret = read_page(p, chunk, true, &head, &c->dictionary);

	if (ret)
		return ret;
	if (head.nr != 1 || head.encoding != ENCODING_PLAIN)
		return wrong(p, foreign);
	t = (struct thrift_bytes){ c->dictionary, c->dictionary + head.plain, false };
	c->same = take_value(&t, c->field);
	return t.bad ? wrong(p, damaged) : 0;
}

/* Reads the column's pages for a group of @nr rows. */
static int read_chunk(struct parquet_file *p, struct parquet_column *c,
		      const struct chunk *chunk, uint64_t nr)
{
	bool number = export_fields[c->field].number;
	struct page_head head;
	struct thrift_bytes t;
	int ret = 0;

	c->has_dictionary = chunk->dictionary != 0;
	if (chunk->type != (number ? TYPE_INT64 : TYPE_BYTE_ARRAY))
		return wrong(p, foreign);
	if (c->has_dictionary)
		ret = read_dictionary(p, c, chunk);
	if (!ret)
		ret = read_page(p, chunk, false, &head, &c->page);
	if (ret)
		return ret;
	if (head.nr < 0 || (uint64_t)head.nr != nr ||
	    head.encoding != (c->has_dictionary ? ENCODING_DICTIONARY : ENCODING_PLAIN))
		return wrong(p, foreign);
	t = (struct thrift_bytes){ c->page, c->page + head.plain, false };
	c->known = c->indexes = (struct bits){ 0 };
	if (c->optional) {
		c->known.bytes.p = take(&t, take_u32(&t));
		c->known.bytes.end = t.p;
	}
	c->values = t;
	if (c->has_dictionary && !t.bad) {
		const uint8_t *width = take(&t, 1);

		if (!width || *width != 1)
			return wrong(p, foreign);
		c->indexes.bytes = t;
	}
	return t.bad ? wrong(p, damaged) : 0;
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
		for (size_t i = 0; i < p->nr_columns; i++) {
			struct parquet_column *c = &p->columns[i];

			if (c->field == EXPORT_FIELDS)
				continue;
			row.of[c->field] = next_value(c);
			bad |= c->known.bytes.bad || c->indexes.bytes.bad ||
			       c->values.bad;
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

/* Parses a ColumnMetaData. */
static void parse_chunk_data(struct thrift_bytes *t, struct chunk *c)
{
	int64_t *const to[] = {
		[1] = &c->type, [4] = &c->codec, [9] = &c->data, [11] = &c->dictionary
	};
	struct thrift_field f = { 0 };

	while (thrift_read_field(t, &f)) {
		if ((f.type == THRIFT_I32 || f.type == THRIFT_I64) && f.number > 0 &&
		    f.number < (int64_t)ARRAY_SIZE(to) && to[f.number])
			*to[f.number] = thrift_read_number(t);
		else
			thrift_skip(t, f.type);
	}
}

/* Parses a ColumnChunk. False: the column is in another file. */
static bool parse_chunk(struct thrift_bytes *t, struct chunk *c)
{
	struct thrift_field f = { 0 };
	bool here = true;

	*c = (struct chunk){ .type = -1, .codec = -1 };
	while (thrift_read_field(t, &f)) {
		here &= f.number != 1;
		if (thrift_is(&f, 3, THRIFT_STRUCT))
			parse_chunk_data(t, c);
		else
			thrift_skip(t, f.type);
	}
	return here;
}

/* Parses a RowGroup and passes on its rows. */
static int read_group(struct parquet_file *p, struct thrift_bytes *t)
{
	struct chunk chunks[COLUMNS_MAX];
	struct thrift_field f = { 0 };
	int64_t nr = -1;
	size_t nr_chunks = 0;
	int ret = 0;

	while (thrift_read_field(t, &f)) {
		if (thrift_is(&f, 1, THRIFT_LIST) && !nr_chunks) {
			nr_chunks = thrift_read_list(t, THRIFT_STRUCT);
			if (nr_chunks != p->nr_columns)
				return wrong(p, damaged);
			for (size_t i = 0; i < nr_chunks && !t->bad; i++) {
				if (!parse_chunk(t, &chunks[i]))
					return wrong(p, foreign);
			}
		} else if (thrift_is(&f, 3, THRIFT_I64)) {
			nr = thrift_read_number(t);
		} else {
			thrift_skip(t, f.type);
		}
	}
	if (t->bad || nr < 0 || nr_chunks != p->nr_columns)
		return wrong(p, damaged);
	if (nr > ROWS_MAX)
		return wrong(p, foreign);
	p->room = PARQUET_GROUP_MAX;
	for (size_t i = 0; i < nr_chunks && !ret; i++) {
		if (p->columns[i].field < EXPORT_FIELDS)
			ret = read_chunk(p, &p->columns[i], &chunks[i], (uint64_t)nr);
	}
	if (!ret)
		ret = take_rows(p, (uint64_t)nr);
	free_pages(p);
	return ret;
}

/* Parses a SchemaElement. False: it is not a column as kmemx writes it. */
static bool parse_column(struct parquet_file *p, struct thrift_bytes *t, bool root)
{
	struct parquet_column c = { .field = EXPORT_FIELDS };
	int64_t children = 0, repetition = 0;
	struct thrift_field f = { 0 };
	const char *name = "";
	size_t size = 0;

	while (thrift_read_field(t, &f)) {
		if (thrift_is(&f, 3, THRIFT_I32))
			repetition = thrift_read_number(t);
		else if (thrift_is(&f, 4, THRIFT_BINARY))
			name = thrift_read_text(t, &size);
		else if (thrift_is(&f, 5, THRIFT_I32))
			children = thrift_read_number(t);
		else
			thrift_skip(t, f.type);
	}
	if (root)
		return true;
	if (children || repetition < 0 || repetition > 1 || p->nr_columns == COLUMNS_MAX)
		return false;
	c.field = export_field_find(name, size, (unsigned int)p->nr_columns);
	c.optional = repetition == 1;
	p->columns[p->nr_columns++] = c;
	return true;
}

/* Parses FileMetaData; the rows of a group are passed on when it was parsed. */
static int read_all(struct parquet_file *p, struct thrift_bytes *t)
{
	struct thrift_field f = { 0 };
	int ret = 0;

	while (!ret && thrift_read_field(t, &f)) {
		bool schema = thrift_is(&f, 2, THRIFT_LIST);
		size_t nr;

		if (!schema && !thrift_is(&f, 4, THRIFT_LIST)) {
			thrift_skip(t, f.type);
			continue;
		}
		if (schema == (p->nr_columns != 0))
			return wrong(p, damaged);
		nr = thrift_read_list(t, THRIFT_STRUCT);
		for (size_t i = 0; i < nr && !t->bad && !ret; i++) {
			if (!schema)
				ret = read_group(p, t);
			else if (!parse_column(p, t, !i))
				ret = wrong(p, foreign);
			if (!schema && !ret && p->file->progress)
				p->file->progress(p->file->ctx, p->end / nr * (i + 1));
		}
	}
	return !ret && (t->bad || !p->nr_columns) ? wrong(p, damaged) : ret;
}

/* Reads the description at the end of the file, whose size is @size, and then all rows. */
static int read_file(struct parquet_file *p, uint64_t size)
{
	uint8_t tail[sizeof(uint32_t) + PARQUET_MAGIC_SIZE], *footer;
	struct thrift_bytes t = { tail, tail + sizeof(tail), false };
	uint32_t bytes;
	int ret;

	if (size < PARQUET_MAGIC_SIZE + sizeof(tail))
		return wrong(p, "the file ends too early");
	ret = read_at(p, tail, sizeof(tail), size - sizeof(tail));
	if (ret)
		return ret;
	bytes = take_u32(&t);
	if (memcmp(t.p, PARQUET_MAGIC, PARQUET_MAGIC_SIZE) != 0)
		return wrong(p, "the file ends too early");
	if (bytes > PARQUET_FOOTER_MAX ||
	    bytes > size - PARQUET_MAGIC_SIZE - sizeof(tail))
		return wrong(p, damaged);
	p->end = size - sizeof(tail) - bytes;
	footer = malloc((size_t)bytes + 1);
	ret = footer ? read_at(p, footer, bytes, p->end) : -ENOMEM;
	t = (struct thrift_bytes){ footer, footer + bytes, false };
	if (!ret)
		ret = read_all(p, &t);
	free(footer);
	return ret;
}

int parquet_file_read(struct ndjson_file *file)
{
	struct parquet_file *p = calloc(1, sizeof(*p));
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
	free(p);
	return ret;
}
