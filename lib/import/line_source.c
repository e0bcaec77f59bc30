// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/line_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define INPUT_SIZE (64U << 10)
#define MAGIC_MAX  4

/**
 * struct line_source - a text being read
 * @unpacker: for a compressed text, else NULL; @input: buffer of compressed bytes; @piece: what is
 *	left of them; @inside: the end of the compressed data has not been reached; @holds: the
 *	unpacker may have more output
 * @buf: LINE_SOURCE_WINDOW bytes and a NUL
 * @bytes: of the file
 */
struct line_source {
	int fd;
	bool exact, may_have_holes;
	struct unpacker *unpacker;
	uint8_t *input;
	struct unpack_piece piece;
	bool inside, holds;
	char *buf;
	size_t start, end;
	bool at_end, skip, cut_short;
	uint64_t bytes;
};

/* Reads up to @size bytes of the file as they are; 0 at the end. */
static ssize_t read_raw(struct line_source *ls, void *to, size_t size)
{
	ssize_t n = io_read(ls->fd, to, size);

	ls->bytes += n > 0 ? (uint64_t)n : 0;
	return n;
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
		ls->bytes += (uint64_t)(data - at);
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

/* Like read_raw(), but uncompressed. Consecutive members are joined as by gzip -d. */
static ssize_t read_packed(struct line_source *ls, char *to, size_t size)
{
	struct unpack_piece *c = &ls->piece;
	int ret;

	c->out = (uint8_t *)to;
	c->out_left = size;
	while (c->out_left == size) {
		if (!c->in_left && !ls->holds) {
			ssize_t n = read_raw(ls, ls->input, INPUT_SIZE);

			if (n <= 0) {
				ls->cut_short = !n && ls->inside;
				return n;
			}
			c->in = ls->input;
			c->in_left = (size_t)n;
		}
		ret = unpacker_step(ls->unpacker, c);
		if (ret < 0)
			return ret;
		ls->inside = !ret;
		ls->holds = !ret && !c->out_left;
	}
	return (ssize_t)(size - c->out_left);
}

static int start_unpacker(struct line_source *ls, enum unpack_format packed)
{
	int ret = unpacker_new(&ls->unpacker, packed);

	if (ret)
		return ret;
	ls->input = malloc(INPUT_SIZE);
	if (!ls->input)
		return -ENOMEM;
	/* Decompress first what was already read for detection. */
	memcpy(ls->input, ls->buf, ls->end);
	ls->piece.in = ls->input;
	ls->piece.in_left = ls->end;
	ls->end = 0;
	return 0;
}

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
		ssize_t n = ls->unpacker ? read_packed(ls, to, room)
					 : read_text(ls, to, room);

		if (n < 0)
			return (int)n;
		ls->at_end = !n;
		ls->end += (size_t)n;
	}
	return 0;
}

/* Reads the first bytes, which show whether the text is compressed with @packed. */
static int begin(struct line_source *ls, enum unpack_format packed)
{
	ls->buf = malloc(LINE_SOURCE_WINDOW + 1);
	if (!ls->buf)
		return -ENOMEM;
	while (!ls->at_end && ls->end < MAGIC_MAX) {
		ssize_t n = read_raw(ls, ls->buf + ls->end, MAGIC_MAX - ls->end);

		if (n < 0)
			return (int)n;
		ls->at_end = !n;
		ls->end += (size_t)n;
	}
	if (unpack_format_of(ls->buf, ls->end) != packed)
		return 0;
	ls->at_end = false;
	return start_unpacker(ls, packed);
}

int line_source_open_fd(struct line_source **out, int fd, enum unpack_format packed,
			bool exact)
{
	struct line_source *ls = calloc(1, sizeof(*ls));
	struct stat st;
	int ret;

	if (!ls) {
		close(fd);
		return -ENOMEM;
	}
	ls->fd = fd;
	ls->exact = exact;
	ls->may_have_holes =
		!exact && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
	ret = begin(ls, packed);
	if (ret) {
		line_source_close(ls);
		return ret;
	}
	*out = ls;
	return 0;
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
		if (!nl && ls->cut_short && ls->exact)
			return -ENODATA;
		if (!nl && !have)
			return 0;
		*line = p;
		*size = nl ? (size_t)(nl - p) : have;
		p[*size] = '\0';
		ls->start += *size + (nl != NULL);
		/* Drop the rest of a line that does not fit the window. */
		ls->skip = !nl && !ls->at_end;
		if (was_skipped)
			continue;
		if (*size && p[*size - 1] == '\r')
			p[--*size] = '\0';
		/* A hole ends at a block boundary, and text may begin later in that block. */
		for (; *size && !**line && !ls->exact; ++*line)
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
	unpacker_free(ls->unpacker);
	free(ls->input);
	close(ls->fd);
	free(ls->buf);
	free(ls);
}
