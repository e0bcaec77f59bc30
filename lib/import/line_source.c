// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/line_source.h"

#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

struct line_source {
	int fd; /* -1: memory */
#ifdef HAVE_ZLIB
	z_stream z;
	unsigned char *input; /* buffer for gzip'd text */
	bool in_member;	      /* between the start and the end of a gzip member */
#endif
	bool compressed;
	bool may_have_holes;
	const char *memory;
	size_t memory_left;
	char *buf; /* LINE_SOURCE_WINDOW bytes and a NUL */
	size_t start, end;
	bool at_end, skip, cut_short;
	uint64_t bytes;
};

#define INPUT_SIZE (64U << 10)

/* Reads up to @size bytes of the file as they are; 0 at the end. */
static ssize_t read_raw(struct line_source *ls, void *to, size_t size)
{
	ssize_t n;

	if (ls->fd < 0) {
		if (size > ls->memory_left)
			size = ls->memory_left;
		if (size)
			memcpy(to, ls->memory, size);
		ls->memory += size;
		ls->memory_left -= size;
		return (ssize_t)size;
	}
	do {
		n = read(ls->fd, to, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Bytes up to the next hole of a sparse file, at most @size; 0: a hole, which is skipped. */
static size_t skip_hole(struct line_source *ls, size_t size)
{
	off_t at = lseek(ls->fd, 0, SEEK_CUR), data, end;

	if (at < 0)
		return size;
	data = lseek(ls->fd, at, SEEK_DATA);
	/* After the last data, the rest of the file is a hole. */
	if (data < 0 && errno == ENXIO)
		data = lseek(ls->fd, 0, SEEK_END);
	if (data > at) {
		ls->bytes += (uint64_t)(data - at) - 1;
		return 0;
	}
	/* At the end, or the filesystem does not support holes. */
	end = data == at ? lseek(ls->fd, at, SEEK_HOLE) : -1;
	if (lseek(ls->fd, at, SEEK_SET) < 0 || end <= at)
		return size;
	return (uint64_t)(end - at) < size ? (size_t)(end - at) : size;
}

/* Like read_raw(), but a hole of a sparse file ends a line. */
static ssize_t read_text(struct line_source *ls, char *to, size_t size)
{
	if (ls->may_have_holes)
		size = skip_hole(ls, size);
	if (size)
		return read_raw(ls, to, size);
	*to = '\n';
	return 1;
}

#ifdef HAVE_ZLIB
/* Like read_raw(), but uncompressed. Consecutive members are joined as by gzip -d. */
static ssize_t read_gzip(struct line_source *ls, void *to, size_t size)
{
	z_stream *z = &ls->z;
	int ret;

	z->next_out = to;
	z->avail_out = (unsigned int)size;
	while (z->avail_out == size) {
		if (!z->avail_in) {
			ssize_t n = read_raw(ls, ls->input, INPUT_SIZE);

			if (n < 0)
				return n;
			if (!n) {
				ls->cut_short = ls->in_member;
				return 0;
			}
			z->next_in = ls->input;
			z->avail_in = (unsigned int)n;
		}
		ls->in_member = true;
		ret = inflate(z, Z_NO_FLUSH);
		if (ret == Z_STREAM_END) {
			ls->in_member = false;
			ret = inflateReset(z);
		}
		if (ret == Z_MEM_ERROR)
			return -ENOMEM;
		if (ret != Z_OK && ret != Z_BUF_ERROR)
			return -EBADMSG;
	}
	return (ssize_t)(size - z->avail_out);
}

static int start_gzip(struct line_source *ls)
{
	ls->input = malloc(INPUT_SIZE);
	if (!ls->input || inflateInit2(&ls->z, 15 + 16) != Z_OK) {
		free(ls->input);
		ls->input = NULL;
		return -ENOMEM;
	}
	/* Decompress first what was already read for detection. */
	memcpy(ls->input, ls->buf, ls->end);
	ls->z.next_in = ls->input;
	ls->z.avail_in = (unsigned int)ls->end;
	ls->end = 0;
	return 0;
}
#else
static ssize_t read_gzip(struct line_source *ls, void *to, size_t size)
{
	return -ENOTSUP;
}

static int start_gzip(struct line_source *ls)
{
	return -ENOTSUP;
}
#endif

/* Fills the window as far as possible. 0 or -errno. */
static int fill(struct line_source *ls)
{
	if (ls->start) {
		memmove(ls->buf, ls->buf + ls->start, ls->end - ls->start);
		ls->end -= ls->start;
		ls->start = 0;
	}
	while (!ls->at_end && ls->end < LINE_SOURCE_WINDOW) {
		char *to = ls->buf + ls->end;
		size_t room = LINE_SOURCE_WINDOW - ls->end;
		ssize_t n = ls->compressed ? read_gzip(ls, to, room)
					   : read_text(ls, to, room);

		if (n < 0)
			return (int)n;
		ls->at_end = !n;
		ls->end += (size_t)n;
	}
	return 0;
}

static int open_source(struct line_source **out, struct line_source *ls)
{
	int ret = 0;

	ls->buf = malloc(LINE_SOURCE_WINDOW + 1);
	if (!ls->buf)
		ret = -ENOMEM;
	while (!ret && !ls->at_end && ls->end < 2) {
		ssize_t n = read_raw(ls, ls->buf + ls->end, 2 - ls->end);

		ls->at_end = !n;
		if (n < 0)
			ret = (int)n;
		else
			ls->end += (size_t)n;
	}
	if (!ret && ls->end == 2 && !memcmp(ls->buf, "\x1f\x8b", 2)) {
		ret = start_gzip(ls);
		ls->compressed = !ret;
	}
	if (ret) {
		line_source_close(ls);
		return ret;
	}
	*out = ls;
	return 0;
}

int line_source_open_fd(struct line_source **out, int fd)
{
	struct line_source *ls = calloc(1, sizeof(*ls));
	struct stat st;

	if (!ls) {
		close(fd);
		return -ENOMEM;
	}
	ls->fd = fd;
	ls->may_have_holes = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
	return open_source(out, ls);
}

int line_source_open_memory(struct line_source **out, const void *data, size_t size)
{
	struct line_source *ls = calloc(1, sizeof(*ls));

	if (!ls)
		return -ENOMEM;
	ls->fd = -1;
	ls->memory = data;
	ls->memory_left = size;
	return open_source(out, ls);
}

int line_source_peek(struct line_source *ls, const char **data, size_t *size)
{
	int ret = fill(ls);

	*data = ls->buf + ls->start;
	*size = ls->end - ls->start;
	return ret;
}

int line_source_next(struct line_source *ls, char **line, size_t *size)
{
	for (;;) {
		char *p = ls->buf + ls->start;
		size_t have = ls->end - ls->start;
		char *nl = have ? memchr(p, '\n', have) : NULL;
		bool was_skipped = ls->skip;

		if (!nl && !ls->at_end && have < LINE_SOURCE_WINDOW) {
			int ret = fill(ls);

			if (ret)
				return ret;
			continue;
		}
		if (!nl && !have)
			return 0;
		*line = p;
		*size = nl ? (size_t)(nl - p) : have;
		p[*size] = '\0';
		ls->start += *size + (nl != NULL);
		ls->bytes += *size + (nl != NULL);
		/* Drop the rest of a line that does not fit the window. */
		ls->skip = !nl && !ls->at_end;
		if (was_skipped)
			continue;
		if (*size && p[*size - 1] == '\r')
			p[--*size] = '\0';
		/* A hole ends at a block boundary, and text may begin later in that block. */
		for (; *size && !**line; ++*line)
			--*size;
		return 1;
	}
}

bool line_source_cut_short(const struct line_source *ls)
{
	return ls->cut_short;
}

uint64_t line_source_bytes(const struct line_source *ls)
{
	return ls->bytes;
}

void line_source_close(struct line_source *ls)
{
	if (!ls)
		return;
#ifdef HAVE_ZLIB
	if (ls->input)
		inflateEnd(&ls->z);
	free(ls->input);
#endif
	if (ls->fd >= 0)
		close(ls->fd);
	free(ls->buf);
	free(ls);
}
