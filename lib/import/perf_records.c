// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_records.h"

#include "base/bytes.h"
#include "base/unpack.h"

/**
 * struct perf_unpack - decompresses records, whose contents are pieces of one zstd stream
 * @unpacker: NULL before the first piece
 * @piece: what is left of the last piece
 * @given: decompressed bytes of this piece; @packed, @plain: compressed and decompressed bytes of
 *	all pieces
 */
struct perf_unpack {
	struct unpacker *unpacker;
	struct unpack_piece piece;
	uint64_t given, packed, plain;
	bool more;
};

/* The largest size of a decompressed piece; perf's have at most one ring's content. */
#define PERF_PLAIN_MAX	(64U << 20)
/* The largest ratio of decompressed to compressed bytes of all pieces, beyond the first
 * PERF_PLAIN_MAX. Samples grow by a factor of 10 to 30.
 */
#define PERF_GROWTH_MAX 200U

/* Fills @out as far as possible. 0; -EBADMSG if damaged, or beyond PERF_PLAIN_MAX for a piece or
 * PERF_GROWTH_MAX for all.
 */
static int perf_unpack_some(struct perf_unpack *u, uint8_t *out, size_t size, size_t *got)
{
	const size_t before = u->piece.in_left;
	bool stuck;
	int ret;

	u->piece.out = out;
	u->piece.out_left = size;
	ret = unpacker_step(u->unpacker, &u->piece);
	*got = size - u->piece.out_left;
	stuck = !*got && u->piece.in_left == before;
	u->given += *got;
	u->plain += *got;
	/* If the output buffer is full, the decompressor may hold more. */
	u->more = u->piece.in_left || !u->piece.out_left;
	if (ret < 0 || u->given > PERF_PLAIN_MAX ||
	    (u->plain > PERF_PLAIN_MAX && u->plain / PERF_GROWTH_MAX > u->packed) ||
	    (stuck && u->more)) {
		u->more = false;
		return -EBADMSG;
	}
	return 0;
}

#define WINDOW (256U << 10)

/* Pending bytes: [@at, @end) of @data, which has room for WINDOW bytes. */
struct window {
	uint8_t *data;
	size_t at, end;
};

struct perf_records {
	const struct source *src;
	uint64_t pos, end; /* range that is not in the window yet */
	bool big_endian;
	struct window file, plain;
	struct perf_unpack unpack;
	uint64_t packed_offset;
	bool last_packed;
};

int perf_records_open(struct perf_records **out, const struct source *src, uint64_t pos,
		      uint64_t end, bool big_endian)
{
	struct perf_records *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->src = src;
	r->end = SMALLER(end, src->size);
	r->pos = SMALLER(pos, r->end);
	r->big_endian = big_endian;
	r->file.data = malloc(WINDOW);
	r->plain.data = malloc(WINDOW);
	if (!r->file.data || !r->plain.data) {
		perf_records_close(r);
		return -ENOMEM;
	}
	*out = r;
	return 0;
}

static void make_room(struct window *w)
{
	memmove(w->data, w->data + w->at, w->end - w->at);
	w->end -= w->at;
	w->at = 0;
}

/* Reads at least @need bytes, if there are that many. */
static int fill_file(struct perf_records *r, size_t need)
{
	struct window *w = &r->file;
	uint64_t size = r->end - r->pos;
	int ret;

	if (w->end - w->at >= need || !size)
		return 0;
	make_room(w);
	size = SMALLER(size, WINDOW - w->end);
	ret = source_read(r->src, w->data + w->end, (size_t)size, r->pos);
	if (ret)
		return ret;
	r->pos += size;
	w->end += size;
	return 0;
}

/* The size of the record if the window has all of it; 0 if not; -EBADMSG. */
static int whole_record(const struct perf_records *r, const struct window *w)
{
	uint16_t size;

	if (w->end - w->at < PERF_RECORD_HEADER)
		return 0;
	size = get_u16(w->data + w->at + 6, r->big_endian);
	if (size < PERF_RECORD_HEADER)
		return -EBADMSG;
	return w->end - w->at >= size ? size : 0;
}

static void take_record(const struct perf_records *r, struct window *w, uint32_t size,
			struct perf_record *rec)
{
	const uint8_t *p = w->data + w->at;

	rec->big_endian = r->big_endian;
	rec->type = get_u32(p, r->big_endian);
	rec->misc = get_u16(p + 4, r->big_endian);
	rec->data = p + PERF_RECORD_HEADER;
	rec->size = size - PERF_RECORD_HEADER;
	w->at += size;
}

/* 1; 0: at the end; -errno. */
static int next_in_file(struct perf_records *r, struct perf_record *rec)
{
	int ret = fill_file(r, PERF_RECORD_MAX);

	if (ret)
		return ret;
	if (r->file.at == r->file.end)
		return 0;
	rec->offset = perf_records_done(r);
	rec->packed = false;
	ret = whole_record(r, &r->file);
	if (ret <= 0)
		return ret ? ret : -ENODATA;
	take_record(r, &r->file, (uint32_t)ret, rec);
	return 1;
}

/* 1; 0: no whole record remains in the data decompressed so far; -errno. */
static int next_in_plain(struct perf_records *r, struct perf_record *rec)
{
	struct window *w = &r->plain;
	int ret = whole_record(r, w);

	while (!ret && r->unpack.more) {
		size_t got = 0;

		make_room(w);
		ret = perf_unpack_some(&r->unpack, w->data + w->end, WINDOW - w->end,
				       &got);
		w->end += got;
		ret = ret ?: whole_record(r, w);
	}
	if (ret <= 0)
		return ret;
	take_record(r, w, (uint32_t)ret, rec);
	rec->offset = r->packed_offset;
	rec->packed = true;
	return 1;
}

/* The compressed content stays in the window until the next record of the file is read. */
static int unpack(struct perf_records *r, const struct perf_record *rec)
{
	const uint8_t *data = rec->data;
	uint64_t size = rec->size;
	int ret;

	if (rec->type == PERF_COMPRESSED2) {
		if (size < 8)
			return -EBADMSG;
		size = get_u64(data, r->big_endian);
		data += 8;
		if (size > rec->size - 8)
			return -EBADMSG;
	}
	ret = r->unpack.unpacker ? 0 : unpacker_new(&r->unpack.unpacker, UNPACK_ZSTD);
	if (ret)
		return ret;
	r->packed_offset = rec->offset;
	r->unpack.piece = (struct unpack_piece){ .in = data, .in_left = (size_t)size };
	r->unpack.given = 0;
	r->unpack.packed += size;
	r->unpack.more = size != 0;
	return 0;
}

int perf_records_next(struct perf_records *r, struct perf_record *rec)
{
	for (;;) {
		int ret = next_in_plain(r, rec);

		r->last_packed = ret > 0;
		ret = ret ?: next_in_file(r, rec);
		/* The data end within a compressed record. */
		if (!ret && r->plain.at != r->plain.end)
			return -ENODATA;
		if (ret <= 0 || rec->packed ||
		    (rec->type != PERF_COMPRESSED && rec->type != PERF_COMPRESSED2))
			return ret;
		ret = unpack(r, rec);
		if (ret)
			return ret;
	}
}

int perf_records_payload(struct perf_records *r, uint64_t size, uint64_t *offset)
{
	struct window *w = &r->file;
	uint64_t in_window = w->end - w->at;

	if (r->last_packed)
		return -EBADMSG;
	if (size > in_window + (r->end - r->pos))
		return -ENODATA;
	*offset = perf_records_done(r);
	if (size < in_window) {
		w->at += (size_t)size;
		return 0;
	}
	r->pos += size - in_window;
	w->at = w->end = 0;
	return 0;
}

uint64_t perf_records_done(const struct perf_records *r)
{
	return r->pos - (r->file.end - r->file.at);
}

void perf_records_close(struct perf_records *r)
{
	if (!r)
		return;
	free(r->file.data);
	free(r->plain.data);
	unpacker_free(r->unpack.unpacker);
	free(r);
}

int perf_records_of_build_ids(const uint8_t *data, size_t size, bool big_endian,
			      int (*take)(void *ctx, const struct perf_record *rec),
			      void *ctx)
{
	struct window w = { (uint8_t *)(uintptr_t)data, 0, size };
	const struct perf_records r = { .big_endian = big_endian };
	struct perf_record rec = { 0 };
	int ret;

	while ((ret = whole_record(&r, &w)) > 0) {
		take_record(&r, &w, (uint32_t)ret, &rec);
		rec.type = PERF_HEADER_BUILD_ID;
		ret = take(ctx, &rec);
		if (ret)
			return ret;
	}
	return 0;
}
