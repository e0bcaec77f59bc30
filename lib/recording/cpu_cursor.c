// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/cpu_cursor.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/unpack.h"
#include "recording/compress.h"
#include "recording/read_ahead.h"

/* --- blocks ------------------------------------------------------------------------------ */

#define MAX_TROUBLE 2

/* All readers of a buffer share this much for one block each; they have two or three, of at least a
 * sub-buffer. Larger blocks would leave the L2 cache before they are decoded.
 */
#define READ_AHEAD	(4U << 20)
#define MAX_BLOCK	(256U << 10)
/* The same for chunks, which may be hostile. trace-cmd's have ten pages, kmemx's 128 KiB at most,
 * or four pages.
 */
#define CHUNK_MEMORY	(12U << 20)
#define CHUNK_MIN_PAGES 16

/* What is wrong with a part of the file. */
struct block_trouble {
	uint64_t offset;
	const char *what; /* a literal */
};

/**
 * struct block - consecutive pages; zero-initialise it, free(@bytes.data)
 * @offset: in the file, of the pages or of their compressed chunk
 * @packed: compressed bytes that it was made of; 0: it was not compressed
 * @cut: the rest of its chunk is missing
 * @trouble: messages about it, even if there is no block
 */
struct block {
	struct decompressed bytes;
	uint64_t offset;
	uint64_t packed;
	bool cut;
	struct block_trouble trouble[MAX_TROUBLE];
	unsigned int nr_trouble;
};

/**
 * struct block_reader - what is left to read of one CPU
 * @pos, @end: in the file
 * @chunks: compressed: chunks left
 * @uncounted: their number is not known
 * @cut_at: where the file ends within the number of chunks, until that is reported; else 0
 */
struct block_reader {
	const struct recording *rec;
	const struct recording_buffer *buf;
	uint64_t pos, end, cut_at;
	uint32_t chunks;
	bool uncounted;
	size_t block_size; /* uncompressed: read at once */
	size_t chunk_limit;
	struct unpacker *unpacker;
	uint8_t *input; /* a compressed chunk */
	size_t input_capacity;
};

static void note_damage(struct block *block, uint64_t offset, const char *what)
{
	if (block->nr_trouble < MAX_TROUBLE)
		block->trouble[block->nr_trouble++] =
			(struct block_trouble){ offset, what };
}

static size_t clamp_size(size_t v, size_t min, size_t max)
{
	if (v < min)
		return min;
	return SMALLER(v, max);
}

static void set_limits(struct block_reader *br)
{
	size_t page = br->buf->page_size, nr = br->buf->nr_cpus;
	uint64_t size = br->end - br->pos;

	br->block_size = clamp_size(READ_AHEAD / nr, page, LARGER(MAX_BLOCK, page));
	br->block_size -= br->block_size % page;
	br->block_size = (size_t)SMALLER(br->block_size, size);
	br->chunk_limit =
		clamp_size(CHUNK_MEMORY / nr, CHUNK_MIN_PAGES * page, CHUNK_MAX);
}

/* Starts at the CPU's first page. */
static void start_reading(struct block_reader *br, const struct recording *rec,
			  const struct recording_buffer *buf,
			  const struct recording_cpu *cpu)
{
	uint8_t count[4];

	*br = (struct block_reader){
		.rec = rec, .buf = buf, .pos = cpu->offset, .end = cpu->offset + cpu->size
	};
	set_limits(br);
	if (!buf->compressed)
		return;
	if (cpu->size < 4 || source_read(&rec->src, count, 4, br->pos)) {
		br->cut_at = br->pos;
		br->pos = br->end;
		return;
	}
	br->chunks = get_u32(count, rec->big_endian);
	br->pos += 4;
	/* trace-cmd 3.3.1 on big endian writes 0, whatever follows. */
	br->uncounted = !br->chunks;
	if (br->uncounted)
		br->chunks = UINT32_MAX;
}

/* Skips sub-buffers in a hole, which are empty; there may be terabytes of them. */
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
	return array_renew(&br->input, &br->input_capacity, size)
		       ?: source_read(&br->rec->src, br->input, size, br->pos);
}

/*
 * trace-cmd 3.3.1 on big endian wrote 0 for every size of a chunk: finds the end of the compressed
 * frame itself. 0 if that fails.
 */
static size_t find_frame(struct block_reader *br)
{
	uint64_t left = br->end - br->pos;
	size_t window = 4096, size = 0;

	left = SMALLER(left, CHUNK_MAX);
	do {
		window = window < left / 4 ? window * 4 : (size_t)left;
		if (!window || read_input(br, window))
			break;
		size = decompress_frame_size(br->rec->compression, br->input, window);
		/* Only the end of a zstd frame can be found. */
		if (!size && (br->rec->compression != COMPRESSION_ZSTD ||
			      unpack_format_of(br->input, window) != UNPACK_ZSTD))
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
	int err = in->size > CHUNK_MAX ? -E2BIG : read_input(br, in->size);

	in->data = br->input;
	in->cut = block->cut;
	err = err ?: decompress_block(&br->unpacker, in, &block->bytes);
	br->pos += in->size;
	return err;
}

/* Reads the next chunk into the inactive block: 1, 0 at the end, -errno. */
static int fill_chunk(struct block_reader *br, struct block *block)
{
	struct decompress_input in = { .kind = br->rec->compression,
				       .limit = br->chunk_limit };
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

/* Reads the next pages into @block, reusing its memory. Touches nothing but the two, as another
 * thread may call it. 1; 0 at the end; -EBADMSG if a chunk is damaged, the next call continues
 * after it; -EIO, -ENOMEM.
 */
static int read_block(struct block_reader *br, struct block *block)
{
	block->cut = false;
	block->nr_trouble = 0;
	if (br->cut_at)
		note_damage(block, br->cut_at, "the number of chunks is cut off");
	br->cut_at = 0;
	return br->buf->compressed ? fill_chunk(br, block) : fill_plain(br, block);
}

/* --- sub-buffers ------------------------------------------------------------------------- */

/* Events compress three- to tenfold, and nearly empty sub-buffers to a few bytes. Data that grows
 * by more was made to keep the reader busy. These are the limits of what all CPUs may become
 * together, and of its ratio to the compressed bytes.
 */
#define EVENTS_MAX   (256ULL << 20)
#define EVENTS_RATIO 64U
#define PAGES_MAX    (512ULL << 20)
#define PAGES_RATIO  1024U

/* Blocks rotate, so that the last sub-buffer of one survives the next one's read; a third is read
 * meanwhile by another thread, if there is one.
 */
#define NR_BLOCKS 3

/* Smaller blocks are not worth the transfer between threads. */
#define MIN_AHEAD (64U << 10)

/**
 * struct cpu_growth - compressed bytes of a CPU, and what they became
 * @pages: whole sub-buffers; @events: what these hold
 */
struct cpu_growth {
	uint64_t packed, pages, events;
};

/**
 * struct cpu_cursor - one CPU's pages
 * @ahead: fills blocks; NULL: this thread does
 * @job: fills a block, if @pending; only the job touches the reader then
 * @filled: the job's result
 * @growth: compressed bytes so far, and what they became
 * @at: offset in the active block of what has not been returned yet
 * @quiet: damage is not logged
 * @fed: the active block's bytes are the caller's
 */
struct cpu_cursor {
	const struct recording *rec;
	const struct recording_buffer *buf;
	uint32_t cpu;
	struct block_reader reader;
	struct block blocks[NR_BLOCKS];
	unsigned int active;
	struct cpu_growth growth;
	size_t at;
	struct read_ahead *ahead;
	struct read_ahead_job job;
	bool pending;
	int filled;
	bool quiet, fed;
};

static void log_damage(struct cpu_cursor *cur, uint64_t offset, const char *what)
{
	const struct recording *rec = cur->rec;

	if (!cur->quiet)
		log_msg(rec->log, LOG_WARN,
			"%s: at offset %" PRIu64 ", CPU %" PRIu32 "%s%s: %s", rec->path,
			offset, cur->cpu, *cur->buf->name ? " of buffer " : "",
			cur->buf->name, what);
}

static unsigned int next_block(const struct cpu_cursor *cur)
{
	return cur->ahead ? (cur->active + 1) % NR_BLOCKS : !cur->active;
}

static void fill_ahead(void *ctx)
{
	struct cpu_cursor *cur = ctx;

	cur->filled = read_block(&cur->reader, &cur->blocks[next_block(cur)]);
}

int cpu_cursor_open(struct cpu_cursor **out, const struct recording *rec, uint32_t buffer,
		    uint32_t cpu_index, struct read_ahead *ahead)
{
	const struct recording_buffer *buf = &rec->buffers[buffer];
	const struct recording_cpu *cpu = &buf->cpus[cpu_index];
	struct cpu_cursor *cur = calloc(1, sizeof(*cur));

	*out = NULL;
	if (!cur)
		return -ENOMEM;
	cur->rec = rec;
	cur->buf = buf;
	cur->cpu = cpu->cpu;
	start_reading(&cur->reader, rec, buf, cpu);
	if (buf->compressed || cur->reader.block_size >= MIN_AHEAD)
		cur->ahead = ahead;
	cur->job = (struct read_ahead_job){ .fn = fill_ahead, .ctx = cur };
	*out = cur;
	return 0;
}

void cpu_cursor_quiet(struct cpu_cursor *cur)
{
	cur->quiet = true;
}

void cpu_cursor_feed(struct cpu_cursor *cur, const void *pages, size_t size)
{
	struct block *block = &cur->blocks[cur->active];

	if (!cur->fed)
		free(block->bytes.data);
	cur->fed = true;
	/* It is never written to, because it is not the reader's next block. */
	*block = (struct block){ .bytes = { (uint8_t *)(uintptr_t)pages, size, size } };
	cur->at = 0;
}

void cpu_cursor_skip_to_tail(struct cpu_cursor *cur)
{
	struct block_reader *br = &cur->reader;
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

void cpu_cursor_close(struct cpu_cursor *cur)
{
	if (!cur)
		return;
	if (cur->pending)
		read_ahead_wait(cur->ahead, &cur->job);
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		if (!cur->fed || i != cur->active)
			free(cur->blocks[i].bytes.data);
	}
	free(cur->reader.input);
	unpacker_free(cur->reader.unpacker);
	free(cur);
}

/* Makes the next block the active one. 1; 0 at the end; -errno. */
static int advance_block(struct cpu_cursor *cur)
{
	const struct block *block = &cur->blocks[next_block(cur)];

	if (cur->pending)
		read_ahead_wait(cur->ahead, &cur->job);
	else
		fill_ahead(cur);
	cur->pending = false;
	for (unsigned int i = 0; i < block->nr_trouble; i++)
		log_damage(cur, block->trouble[i].offset, block->trouble[i].what);
	if (cur->filled != 1)
		return cur->filled;
	cur->active = next_block(cur);
	cur->at = 0;
	cur->growth.packed += cur->blocks[cur->active].packed;
	cur->growth.pages += cur->blocks[cur->active].bytes.size;
	if (cur->ahead) {
		cur->pending = true;
		read_ahead_submit(cur->ahead, &cur->job);
	}
	return 1;
}

/* 1: there is something in the active block; 0: at the end; -errno. */
static int fill(struct cpu_cursor *cur)
{
	for (;;) {
		struct block *block = &cur->blocks[cur->active];
		int ret;

		if (cur->at < block->bytes.size)
			return 1;
		if (block->cut) {
			block->cut = false;
			return -EBADMSG;
		}
		ret = advance_block(cur);
		if (ret <= 0)
			return ret;
	}
}

/* Reads the commit word and checks it against the @size bytes that the page has. */
static void load_page(struct cpu_cursor *cur, const uint8_t *page, size_t size,
		      struct subbuf *sb)
{
	const struct page_layout *l = &cur->rec->layout;
	bool big = cur->rec->big_endian;
	/*
	 * The flags are a negative int that the kernel adds to a long: with them, the upper half of
	 * a 64-bit word is all ones and says nothing.
	 */
	uint32_t commit = (uint32_t)get_uint(page + l->commit_offset, l->long_size, big);
	uint32_t claim = commit & ~(SUBBUF_COMMIT_MISSED | SUBBUF_COMMIT_STORED);
	uint64_t missed;

	sb->ts = get_u64(page, big);
	sb->data = page + l->data_offset;
	sb->size = (uint32_t)(size - l->data_offset);
	sb->missed = commit & SUBBUF_COMMIT_MISSED ? SUBBUF_MISSED_UNKNOWN : 0;
	sb->truncated = claim > sb->size;
	if (sb->truncated) {
		log_damage(cur, sb->file_offset,
			   size < cur->buf->page_size
				   ? "a sub-buffer is cut off"
				   : "a sub-buffer claims more than it holds");
		return;
	}
	/* The number of lost events follows the data, if there was room for it. */
	if (sb->missed && commit & SUBBUF_COMMIT_STORED &&
	    l->long_size <= sb->size - claim) {
		missed = get_uint(sb->data + claim, l->long_size, big);
		if (missed)
			sb->missed = missed;
	}
	sb->size = claim;
}

/* With @nr_cpus CPUs, may the compressed bytes of one CPU grow so much? */
static bool growth_ok(const struct cpu_growth *to, uint32_t nr_cpus)
{
	return to->events <= EVENTS_MAX / nr_cpus + EVENTS_RATIO * to->packed &&
	       to->pages <= PAGES_MAX / nr_cpus + PAGES_RATIO * to->packed;
}

/* Counts @events bytes. Has little compressed data become too much? */
static bool is_bomb(struct cpu_cursor *cur, uint32_t events)
{
	cur->growth.events += events;
	if (likely(growth_ok(&cur->growth, cur->buf->nr_cpus)))
		return false;
	log_msg(cur->rec->log, LOG_ERROR,
		"%s: CPU %" PRIu32 "%s%s: %" PRIu64 " compressed bytes expand to %" PRIu64
		" MB, more than events of a kernel do. To read them anyway, convert the file: trace-cmd convert --compression none",
		cur->rec->path, cur->cpu, *cur->buf->name ? " of buffer " : "",
		cur->buf->name, cur->growth.packed, cur->growth.pages >> 20);
	return true;
}

int cpu_cursor_next(struct cpu_cursor *cur, struct subbuf *sb)
{
	const struct block *block;
	size_t size;
	int ret = fill(cur);

	if (ret <= 0)
		return ret;
	block = &cur->blocks[cur->active];
	size = block->bytes.size - cur->at;
	size = SMALLER(size, cur->buf->page_size);
	sb->file_offset = block->offset + (cur->buf->compressed ? 0 : cur->at);
	cur->at += size;
	if (size < cur->rec->layout.data_offset) {
		log_damage(cur, sb->file_offset, "a sub-buffer's header is cut off");
		return -EBADMSG;
	}
	load_page(cur, block->bytes.data + cur->at - size, size, sb);
	return cur->buf->compressed && is_bomb(cur, sb->size) ? -E2BIG : 1;
}
