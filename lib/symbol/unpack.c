// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: opens compressed ELF files, as modules often are.
 * In: a path. Out: a descriptor of the uncompressed content.
 */
#include "symbol/elf.h"

#include <sys/mman.h>
#include <unistd.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/io.h"

#define BUFFER	      (64U << 10)
#define RATIO	      16
#define MORE	      (32U << 20)
/* Limit on a decoder's window. */
#define WINDOW_MEMORY (128U << 20)

/* A decoder's remaining input and output space. */
struct chunk {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
};

/**
 * struct decoder - one compression format
 * @magic: the first @magic_size bytes of such a file
 * @begin: allocates the context, NULL if memory ran out; the pointer is NULL if not built in
 * @step: returns 1 at the end; 0; negative errno
 */
struct decoder {
	const char *magic;
	size_t magic_size;
	void *(*begin)(void);
	int (*step)(void *ctx, struct chunk *c);
	void (*end)(void *ctx);
};

#ifdef HAVE_ZLIB
static void *gzip_begin(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && inflateInit2(z, 15 + 16) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static int gzip_step(void *ctx, struct chunk *c)
{
	z_stream *z = ctx;
	int ret;

	z->next_in = (unsigned char *)(uintptr_t)c->in;
	z->avail_in = (unsigned int)c->in_left;
	z->next_out = c->out;
	z->avail_out = (unsigned int)c->out_left;
	ret = inflate(z, Z_NO_FLUSH);
	c->in = z->next_in;
	c->in_left = z->avail_in;
	c->out = z->next_out;
	c->out_left = z->avail_out;
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	if (ret == Z_STREAM_END)
		return 1;
	return ret == Z_OK || ret == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static void gzip_end(void *ctx)
{
	inflateEnd(ctx);
	free(ctx);
}
#else
#define gzip_begin NULL
#define gzip_step  NULL
#define gzip_end   NULL
#endif

#ifdef HAVE_LZMA
static void *xz_begin(void)
{
	lzma_stream *l = calloc(1, sizeof(*l));

	if (l && lzma_stream_decoder(l, WINDOW_MEMORY, 0) != LZMA_OK) {
		free(l);
		return NULL;
	}
	return l;
}

static int xz_step(void *ctx, struct chunk *c)
{
	lzma_stream *l = ctx;
	lzma_ret ret;

	l->next_in = c->in;
	l->avail_in = c->in_left;
	l->next_out = c->out;
	l->avail_out = c->out_left;
	ret = lzma_code(l, LZMA_RUN);
	c->in = l->next_in;
	c->in_left = l->avail_in;
	c->out = l->next_out;
	c->out_left = l->avail_out;
	switch (ret) {
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return 0;
	case LZMA_STREAM_END:
		return 1;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return -EFBIG;
	default:
		return -EBADMSG;
	}
}

static void xz_end(void *ctx)
{
	lzma_end(ctx);
	free(ctx);
}
#else
#define xz_begin NULL
#define xz_step	 NULL
#define xz_end	 NULL
#endif

#ifdef HAVE_ZSTD
/* The window's limit is WINDOW_MEMORY here, too. */
static void *zstd_begin(void)
{
	return ZSTD_createDStream();
}

static int zstd_step(void *ctx, struct chunk *c)
{
	ZSTD_inBuffer in = { c->in, c->in_left, 0 };
	ZSTD_outBuffer out = { c->out, c->out_left, 0 };
	size_t ret = ZSTD_decompressStream(ctx, &out, &in);

	c->in += in.pos;
	c->in_left -= in.pos;
	c->out += out.pos;
	c->out_left -= out.pos;
	if (ZSTD_isError(ret))
		return -EBADMSG;
	return ret == 0;
}

static void zstd_end(void *ctx)
{
	ZSTD_freeDStream(ctx);
}
#else
#define zstd_begin NULL
#define zstd_step  NULL
#define zstd_end   NULL
#endif

static const struct decoder decoders[] = {
	{ "\x1f\x8b", 2, gzip_begin, gzip_step, gzip_end },
	{ "\xfd"
	  "7zXZ\0",
	  6, xz_begin, xz_step, xz_end },
	{ "\x28\xb5\x2f\xfd", 4, zstd_begin, zstd_step, zstd_end },
};

static ssize_t read_some(int fd, void *to, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, to, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* State of unpacking one file. */
struct unpacking {
	const struct decoder *how;
	void *ctx;
	int from, to;
	uint64_t nr_in, nr_out;
	uint8_t *in, *out; /* BUFFER bytes each */
};

/* Decompresses @c and writes the result: 1 at the end, 0, negative errno. */
static int unpack_chunk(struct unpacking *u, struct chunk *c)
{
	size_t before, made;
	int ret;

	do {
		before = c->in_left;
		c->out = u->out;
		c->out_left = BUFFER;
		ret = u->how->step(u->ctx, c);
		if (ret < 0)
			return ret;
		made = BUFFER - c->out_left;
		/* No library guarantees progress. */
		if (!ret && !made && before && before == c->in_left)
			return -EBADMSG;
		if (io_pwrite_all(u->to, u->out, made, u->nr_out))
			return -ENOMEM;
		u->nr_out += made;
		if (u->nr_out > MORE && (u->nr_out - MORE) / RATIO > u->nr_in)
			return -EFBIG;
	} while (!ret && (c->in_left || !c->out_left));
	return ret;
}

static int unpack_all(struct unpacking *u)
{
	struct chunk c;
	int ret = 0;

	while (!ret) {
		ssize_t n = read_some(u->from, u->in, BUFFER);

		if (n <= 0)
			return n ? (int)n : -EBADMSG;
		u->nr_in += (uint64_t)n;
		c = (struct chunk){ .in = u->in, .in_left = (size_t)n };
		ret = unpack_chunk(u, &c);
	}
	return ret < 0 ? ret : 0;
}

/* Decompresses @fd into memory: a descriptor or a negative errno. */
static int unpack(int fd, const struct decoder *how)
{
	struct unpacking u = { .how = how, .from = fd };
	int ret;

	if (!how->begin)
		return -EOPNOTSUPP;
	u.ctx = how->begin();
	u.in = malloc(BUFFER);
	u.out = malloc(BUFFER);
	u.to = memfd_create("kmemx", MFD_CLOEXEC);
	ret = u.ctx && u.in && u.out && u.to >= 0 ? unpack_all(&u) : -ENOMEM;
	if (!ret && lseek(u.to, 0, SEEK_SET) < 0)
		ret = -errno;
	if (u.ctx)
		how->end(u.ctx);
	free(u.in);
	free(u.out);
	if (ret)
		io_close(&u.to);
	return ret ? ret : u.to;
}

int unpack_open(const char *path)
{
	int fd = io_open_input(path, IO_FILE), ret;
	char magic[8];
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read_some(fd, magic, sizeof(magic));
	if (n < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		ret = n < 0 ? (int)n : -errno;
		close(fd);
		return ret;
	}
	for (size_t i = 0; i < ARRAY_SIZE(decoders); i++) {
		const struct decoder *d = &decoders[i];

		if ((size_t)n < d->magic_size || memcmp(magic, d->magic, d->magic_size))
			continue;
		ret = unpack(fd, d);
		close(fd);
		return ret;
	}
	return fd;
}
