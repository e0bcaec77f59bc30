// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_records.h"

#include "base/bytes.h"

/* Decompresses records, whose contents are pieces of one zstd stream. */
struct perf_unpack;

#ifdef HAVE_ZSTD
#include <zstd.h>

/* The largest size of a decompressed piece; perf's have at most one ring's content. */
#define PERF_PLAIN_MAX	(64U << 20)
/* The largest ratio of decompressed to compressed bytes of all pieces, beyond the first
 * PERF_PLAIN_MAX. Samples grow by a factor of 10 to 30.
 */
#define PERF_GROWTH_MAX 200U
/* The most memory that a stream may require; perf's levels need up to 8 MiB, the longest 128. */
#define WINDOW_LOG_MAX	27

struct perf_unpack {
	ZSTD_DCtx *dctx;
	ZSTD_inBuffer in;
	uint64_t given;		/* bytes output of this piece */
	uint64_t packed, plain; /* bytes of all pieces */
	bool more;
};

static void perf_unpack_free(struct perf_unpack *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->dctx);
	free(u);
}

static int perf_unpack_new(struct perf_unpack **out)
{
	struct perf_unpack *u = calloc(1, sizeof(*u));

	if (u)
		u->dctx = ZSTD_createDCtx();
	if (!u || !u->dctx ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(u->dctx, ZSTD_d_windowLogMax,
						WINDOW_LOG_MAX))) {
		perf_unpack_free(u);
		return -ENOMEM;
	}
	*out = u;
	return 0;
}

/* Sets the next piece, borrowed from the caller until nothing is pending. */
static void perf_unpack_feed(struct perf_unpack *u, const uint8_t *data, size_t size)
{
	u->in = (ZSTD_inBuffer){ data, size, 0 };
	u->given = 0;
	u->packed += size;
	u->more = size != 0;
}

static bool perf_unpack_pending(const struct perf_unpack *u)
{
	return u && u->more;
}

/* Fills @out as far as possible. 0; -EBADMSG if damaged, or beyond PERF_PLAIN_MAX for a piece or
 * PERF_GROWTH_MAX for all.
 */
static int perf_unpack_some(struct perf_unpack *u, uint8_t *out, size_t size, size_t *got)
{
	ZSTD_outBuffer to = { out, size, 0 };
	size_t before = u->in.pos;
	size_t ret = ZSTD_decompressStream(u->dctx, &to, &u->in);

	*got = to.pos;
	u->given += to.pos;
	u->plain += to.pos;
	/* If the output buffer is full, the decompressor may hold more. */
	u->more = u->in.pos < u->in.size || to.pos == to.size;
	if (ZSTD_isError(ret) || u->given > PERF_PLAIN_MAX ||
	    (u->plain > PERF_PLAIN_MAX && u->plain / PERF_GROWTH_MAX > u->packed) ||
	    (!to.pos && u->in.pos == before && u->more)) {
		u->more = false;
		return -EBADMSG;
	}
	return 0;
}

#else /* without zstd */

static int perf_unpack_new(struct perf_unpack **out)
{
	return -ENOTSUP;
}

static void perf_unpack_feed(struct perf_unpack *u, const uint8_t *data, size_t size)
{
}

static bool perf_unpack_pending(const struct perf_unpack *u)
{
	return false;
}

static int perf_unpack_some(struct perf_unpack *u, uint8_t *out, size_t size, size_t *got)
{
	*got = 0;
	return -ENOTSUP;
}

static void perf_unpack_free(struct perf_unpack *u)
{
}

#endif

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
	struct perf_unpack *unpack;
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
	r->end = end < src->size ? end : src->size;
	r->pos = pos < r->end ? pos : r->end;
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
	if (size > WINDOW - w->end)
		size = WINDOW - w->end;
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

static void take(const struct perf_records *r, struct window *w, uint32_t size,
		 struct perf_record *rec)
{
	const uint8_t *p = w->data + w->at;

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
	take(r, &r->file, (uint32_t)ret, rec);
	return 1;
}

/* 1; 0: no whole record remains in the data decompressed so far; -errno. */
static int next_in_plain(struct perf_records *r, struct perf_record *rec)
{
	struct window *w = &r->plain;
	int ret = whole_record(r, w);

	while (!ret && perf_unpack_pending(r->unpack)) {
		size_t got = 0;

		make_room(w);
		ret = perf_unpack_some(r->unpack, w->data + w->end, WINDOW - w->end,
				       &got);
		w->end += got;
		if (!ret)
			ret = whole_record(r, w);
	}
	if (ret <= 0)
		return ret;
	take(r, w, (uint32_t)ret, rec);
	rec->offset = r->packed_offset;
	rec->packed = true;
	return 1;
}

/* The compressed content stays in the window until the next record of the file is read. */
static int unpack(struct perf_records *r, const struct perf_record *rec)
{
	const uint8_t *data = rec->data;
	uint64_t size = rec->size;

	if (rec->type == PERF_COMPRESSED2) {
		if (size < 8)
			return -EBADMSG;
		size = get_u64(data, r->big_endian);
		data += 8;
		if (size > rec->size - 8)
			return -EBADMSG;
	}
	if (!r->unpack) {
		int ret = perf_unpack_new(&r->unpack);

		if (ret)
			return ret;
	}
	r->packed_offset = rec->offset;
	perf_unpack_feed(r->unpack, data, (size_t)size);
	return 0;
}

int perf_records_next(struct perf_records *r, struct perf_record *rec)
{
	for (;;) {
		int ret = next_in_plain(r, rec);

		r->last_packed = ret > 0;
		if (!ret)
			ret = next_in_file(r, rec);
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
	perf_unpack_free(r->unpack);
	free(r);
}
