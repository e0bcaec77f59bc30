// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/block_reader.h"

#include "base/bytes.h"

/* All readers of a buffer together read ahead this much, two or three times; each at least a
 * sub-buffer. Larger blocks would leave the L2 cache before they are decoded.
 */
#define READ_AHEAD	(4U << 20)
#define MAX_BLOCK	(256U << 10)
/* All readers of a buffer together hold this much of hostile chunks, three times at most. All known
 * writers make chunks of ten pages.
 */
#define CHUNK_MEMORY	(12U << 20)
#define CHUNK_MIN_PAGES 16

static void note_damage(struct block *block, uint64_t offset, const char *what)
{
	if (block->nr_trouble < BLOCK_MAX_TROUBLE)
		block->trouble[block->nr_trouble++] =
			(struct block_trouble){ offset, what };
}

static size_t clamp_size(size_t v, size_t min, size_t max)
{
	if (v < min)
		return min;
	return v > max ? max : v;
}

static void set_limits(struct block_reader *br)
{
	size_t page = br->buf->page_size, nr = br->buf->nr_cpus;
	uint64_t size = br->end - br->pos;

	br->block_size =
		clamp_size(READ_AHEAD / nr, page, MAX_BLOCK > page ? MAX_BLOCK : page);
	br->block_size -= br->block_size % page;
	if (br->block_size > size)
		br->block_size = (size_t)size;
	br->chunk_limit =
		clamp_size(CHUNK_MEMORY / nr, CHUNK_MIN_PAGES * page, BLOCK_MAX_CHUNK);
}

bool block_reader_init(struct block_reader *br, const struct recording *rec,
		       const struct recording_buffer *buf,
		       const struct recording_cpu *cpu)
{
	uint8_t count[4];

	*br = (struct block_reader){
		.rec = rec, .buf = buf, .pos = cpu->offset, .end = cpu->offset + cpu->size
	};
	set_limits(br);
	if (!buf->compressed)
		return true;
	if (cpu->size < 4 || source_read(&rec->src, count, 4, br->pos)) {
		br->pos = br->end;
		return false;
	}
	br->chunks = get_u32(count, rec->big_endian);
	br->pos += 4;
	/* trace-cmd 3.3.1 on big endian writes 0, whatever follows. */
	br->uncounted = !br->chunks;
	if (br->uncounted)
		br->chunks = UINT32_MAX;
	return true;
}

void block_reader_free(struct block_reader *br)
{
	free(br->input);
	decompressor_free(&br->d);
}

/* Sub-buffers in a hole are empty: skips them, even terabytes of them. */
static void skip_hole(struct block_reader *br)
{
	uint64_t data = source_next_data(&br->rec->src, br->pos);

	if (data >= br->end)
		br->pos = br->end;
	else
		br->pos += (data - br->pos) / br->buf->page_size * br->buf->page_size;
}

static int fill_plain(struct block_reader *br, struct block *block)
{
	struct decompressed *b = &block->bytes;
	uint64_t left;
	size_t want;
	int err;

	skip_hole(br);
	left = br->end - br->pos;
	want = left < br->block_size ? (size_t)left : br->block_size;
	if (!want)
		return 0;
	if (b->capacity < want) {
		free(b->data);
		b->capacity = 0;
		if (posix_memalign((void **)&b->data, 4096, br->block_size)) {
			b->data = NULL;
			return -ENOMEM;
		}
		b->capacity = br->block_size;
	}
	err = source_read(&br->rec->src, b->data, want, br->pos);
	if (err) {
		note_damage(block, br->pos,
			    err == -ENODATA ? "the file became shorter"
					    : "reading the file failed");
		br->pos = br->end;
		return err == -ENOMEM ? err : -EIO;
	}
	b->size = want;
	block->offset = br->pos;
	br->pos += want;
	return 1;
}

/* Reads the compressed bytes of a chunk into memory of their real size. */
static int read_input(struct block_reader *br, size_t size)
{
	if (size > br->input_capacity) {
		free(br->input);
		br->input_capacity = 0;
		br->input = malloc(size);
		if (!br->input)
			return -ENOMEM;
		br->input_capacity = size;
	}
	return source_read(&br->rec->src, br->input, size, br->pos);
}

/*
 * trace-cmd 3.3.1 on big endian wrote 0 for every size of a chunk: finds the end of the compressed
 * frame itself. 0 if that fails.
 */
static size_t find_frame(struct block_reader *br)
{
	uint64_t left = br->end - br->pos;
	size_t window = 4096, size = 0;

	if (left > BLOCK_MAX_CHUNK)
		left = BLOCK_MAX_CHUNK;
	do {
		window = window < left / 4 ? window * 4 : (size_t)left;
		if (!window || read_input(br, window))
			break;
		size = decompress_frame_size(br->rec->compression, br->input, window);
		if (!size &&
		    !decompress_is_frame(br->rec->compression, br->input, window))
			break;
	} while (!size && window < left);
	return size;
}

/* u32 compressed size, u32 uncompressed size: 1, 0 at the end, -errno. */
static int read_chunk_header(struct block_reader *br, struct block *block,
			     struct decompress_input *in)
{
	uint64_t start = br->pos;
	uint8_t head[8];

	if (!br->chunks || br->pos >= br->end)
		return 0;
	br->chunks--;
	if (br->end - br->pos < sizeof(head)) {
		if (br->uncounted)
			return 0;
		note_damage(block, start, "a chunk's header is cut off");
		goto bad;
	}
	if (source_read(&br->rec->src, head, sizeof(head), br->pos)) {
		br->pos = br->end;
		return -EIO;
	}
	br->pos += sizeof(head);
	in->size = get_u32(head, br->rec->big_endian);
	in->expected = get_u32(head + 4, br->rec->big_endian);
	if (!in->size)
		in->size = find_frame(br);
	if (!in->size) {
		note_damage(block, start, "a chunk without a size");
		goto bad;
	}
	if (in->size <= br->end - br->pos)
		return 1;
	note_damage(block, start, "a chunk is cut off");
	in->size = (size_t)(br->end - br->pos);
	block->cut = true;
	if (in->size)
		return 1;
	block->cut = false;
bad:
	br->pos = br->end;
	return -EBADMSG;
}

static int read_chunk(struct block_reader *br, struct block *block,
		      struct decompress_input *in)
{
	int err = in->size > BLOCK_MAX_CHUNK ? -E2BIG : read_input(br, in->size);

	in->data = br->input;
	if (!err && block->cut)
		err = decompress_prefix(&br->d, br->rec->compression, in, &block->bytes);
	else if (!err)
		err = decompress_block(&br->d, br->rec->compression, in, &block->bytes);
	br->pos += in->size;
	return err;
}

/* Reads the next chunk into the inactive block: 1, 0 at the end, -errno. */
static int fill_chunk(struct block_reader *br, struct block *block)
{
	struct decompress_input in = { .limit = br->chunk_limit };
	uint64_t start = br->pos;
	int ret = read_chunk_header(br, block, &in);

	if (ret <= 0)
		return ret;
	block->offset = start;
	ret = read_chunk(br, block, &in);
	block->cut = block->cut && !ret;
	block->packed = in.size;
	switch (ret) {
	case 0:
		if (!block->cut && in.expected && in.expected != block->bytes.size)
			note_damage(block, start, "a chunk is not as large as it claims");
		return 1;
	case -ENOMEM:
		return ret;
	case -ENODATA:
	case -EIO:
		br->pos = br->end;
		return -EIO;
	case -E2BIG:
		note_damage(block, start, "a chunk is larger than chunks may be");
		return -EBADMSG;
	default:
		note_damage(block, start, "a chunk cannot be decompressed");
		return -EBADMSG;
	}
}

int block_reader_next(struct block_reader *br, struct block *block)
{
	block->cut = false;
	block->nr_trouble = 0;
	return br->buf->compressed ? fill_chunk(br, block) : fill_plain(br, block);
}

void block_reader_skip_to_tail(struct block_reader *br)
{
	uint64_t tail = 4ULL * br->buf->page_size, before = br->pos, pos = br->pos;
	uint32_t left = br->chunks, left_before = left, size;
	uint8_t head[4];

	if (!br->buf->compressed) {
		if (br->end - br->pos > tail) {
			br->pos = br->end - tail;
			/* Sub-buffers are counted from the first one. */
			br->pos -= (br->pos - pos) % br->buf->page_size;
		}
		return;
	}
	while (left && br->end - pos >= 8 && !source_read(&br->rec->src, head, 4, pos)) {
		br->pos = before;
		br->chunks = left_before;
		before = pos;
		left_before = left--;
		size = get_u32(head, br->rec->big_endian);
		if (!size || size > br->end - pos - 8)
			break;
		pos += 8ULL + size;
	}
}
