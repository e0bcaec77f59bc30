// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: opens ELF files that may be compressed, as modules often are.
 * In: a path. Out: a descriptor of the uncompressed content.
 */
#include "symbol/elf.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/unpack.h"

#define BUFFER (64U << 10)
#define RATIO  16
#define MORE   (32U << 20)

/* State of unpacking one file. */
struct unpacking {
	struct unpacker *unpacker;
	int from, to;
	uint64_t nr_in, nr_out;
	uint8_t *in, *out; /* BUFFER bytes each */
};

/* Decompresses @c and writes the result: 1 at the end, 0, negative errno. */
static int unpack_chunk(struct unpacking *u, struct unpack_piece *c)
{
	size_t before, made;
	int ret;

	do {
		before = c->in_left;
		c->out = u->out;
		c->out_left = BUFFER;
		ret = unpacker_step(u->unpacker, c);
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
	struct unpack_piece c;
	int ret = 0;

	while (!ret) {
		ssize_t n = io_read(u->from, u->in, BUFFER);

		if (n <= 0)
			return n ? (int)n : -EBADMSG;
		u->nr_in += (uint64_t)n;
		c = (struct unpack_piece){ .in = u->in, .in_left = (size_t)n };
		ret = unpack_chunk(u, &c);
	}
	return ret < 0 ? ret : 0;
}

/* Decompresses @fd into memory: a descriptor or a negative errno. */
static int unpack(int fd, enum unpack_format format)
{
	struct unpacking u = { .from = fd, .to = -1 };
	int ret = unpacker_new(&u.unpacker, format);

	if (ret)
		return ret;
	u.in = malloc(BUFFER);
	u.out = malloc(BUFFER);
	u.to = memfd_create("kmemx", MFD_CLOEXEC);
	ret = u.in && u.out && u.to >= 0 ? unpack_all(&u) : -ENOMEM;
	if (!ret && lseek(u.to, 0, SEEK_SET) < 0)
		ret = -errno;
	unpacker_free(u.unpacker);
	free(u.in);
	free(u.out);
	if (ret)
		io_close(&u.to);
	return ret ? ret : u.to;
}

int unpack_open(const char *path)
{
	int fd = io_open_input(path, IO_FILE), ret;
	enum unpack_format format;
	char magic[8];
	ssize_t n;

	if (fd < 0)
		return fd;
	n = io_read(fd, magic, sizeof(magic));
	ret = n < 0 ? (int)n : lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
	format = n < 0 ? UNPACK_NONE : unpack_format_of(magic, (size_t)n);
	if (!ret && format == UNPACK_NONE)
		return fd;
	ret = ret ?: unpack(fd, format);
	close(fd);
	return ret;
}
