// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: the sub-buffers of one CPU, one after the other.
 * In: a recording, a buffer, a CPU. Out: checked sub-buffers in file order.
 */
#include "recording/cpu_cursor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/compress.h"

/* All cursors of a buffer together read ahead this much, twice; each at least a sub-buffer.
 * Larger blocks than these are out of the second-level cache before they are decoded.
 */
#define READ_AHEAD	(4U << 20)
#define MAX_BLOCK	(256U << 10)
/* All cursors of a buffer together hold this much of hostile chunks. */
#define CHUNK_MEMORY	(256U << 20)
#define CHUNK_MIN_PAGES 64
#define MAX_MESSAGES	10

/* The commit word, from kernel/trace/ring_buffer.c (RB_MISSED_EVENTS, RB_MISSED_STORED). */
#define COMMIT_MISSED (1U << 31)
#define COMMIT_STORED (1U << 30)

struct cpu_cursor {
	const struct recording *rec;
	const struct recording_buffer *buf;
	uint32_t cpu;
	uint64_t pos, end; /* in the file: what has not been read yet */
	uint32_t chunks;   /* compressed: that are still to come */
	bool uncounted;	   /* their number is not known */
	bool cut;	   /* the active block is but the beginning of a chunk */
	size_t block_size; /* uncompressed: read at once */
	size_t chunk_limit;
	struct decompressor d;
	uint8_t *input; /* a compressed chunk */
	size_t input_capacity;
	/* Two alternate, so that the last sub-buffer of one outlives the next one's read. */
	struct decompressed blocks[2];
	unsigned int active;
	size_t at; /* in the active block: what has not been handed out yet */
	uint64_t block_offset;
	uint32_t nr_messages;
};

static void damage(struct cpu_cursor *cur, uint64_t offset, const char *what)
{
	const struct recording *rec = cur->rec;

	if (cur->nr_messages >= MAX_MESSAGES)
		return;
	cur->nr_messages++;
	log_msg(rec->log, LOG_WARN,
		"%s: at offset %" PRIu64 ", CPU %" PRIu32 "%s%s: %s%s", rec->path, offset,
		cur->cpu, *cur->buf->name ? " of buffer " : "", cur->buf->name, what,
		cur->nr_messages == MAX_MESSAGES ? " (further ones are not shown)" : "");
}

static size_t clamp_size(size_t v, size_t min, size_t max)
{
	if (v < min)
		return min;
	return v > max ? max : v;
}

static void set_limits(struct cpu_cursor *cur)
{
	size_t page = cur->buf->page_size, nr = cur->buf->nr_cpus;
	uint64_t size = cur->end - cur->pos;

	cur->block_size =
		clamp_size(READ_AHEAD / nr, page, MAX_BLOCK > page ? MAX_BLOCK : page);
	cur->block_size -= cur->block_size % page;
	if (cur->block_size > size)
		cur->block_size = (size_t)size;
	cur->chunk_limit = clamp_size(CHUNK_MEMORY / nr, CHUNK_MIN_PAGES * page,
				      CPU_CURSOR_MAX_CHUNK);
}

int cpu_cursor_open(struct cpu_cursor **out, const struct recording *rec, uint32_t buffer,
		    uint32_t cpu_index)
{
	const struct recording_buffer *buf = &rec->buffers[buffer];
	const struct recording_cpu *cpu = &buf->cpus[cpu_index];
	struct cpu_cursor *cur = calloc(1, sizeof(*cur));
	uint8_t count[4];

	*out = NULL;
	if (!cur)
		return -ENOMEM;
	cur->rec = rec;
	cur->buf = buf;
	cur->cpu = cpu->cpu;
	cur->pos = cpu->offset;
	cur->end = cpu->offset + cpu->size;
	set_limits(cur);
	if (buf->compressed) {
		if (cpu->size >= 4 && !source_read(&rec->src, count, 4, cur->pos)) {
			cur->chunks = get_u32(count, rec->big_endian);
			cur->pos += 4;
			/* trace-cmd 3.3.1 on big endian: 0, whatever follows. */
			cur->uncounted = !cur->chunks;
			if (cur->uncounted)
				cur->chunks = UINT32_MAX;
		} else {
			damage(cur, cur->pos, "the number of chunks is cut off");
			cur->pos = cur->end;
		}
	}
	*out = cur;
	return 0;
}

void cpu_cursor_close(struct cpu_cursor *cur)
{
	if (!cur)
		return;
	free(cur->blocks[0].data);
	free(cur->blocks[1].data);
	free(cur->input);
	decompressor_free(&cur->d);
	free(cur);
}

static int fill_plain(struct cpu_cursor *cur)
{
	struct decompressed *b = &cur->blocks[!cur->active];
	uint64_t left = cur->end - cur->pos;
	size_t want = left < cur->block_size ? (size_t)left : cur->block_size;
	int err;

	if (!want)
		return 0;
	if (!b->data) {
		if (posix_memalign((void **)&b->data, 4096, cur->block_size)) {
			b->data = NULL;
			return -ENOMEM;
		}
		b->capacity = cur->block_size;
	}
	err = source_read(&cur->rec->src, b->data, want, cur->pos);
	if (err) {
		damage(cur, cur->pos,
		       err == -ENODATA ? "the file became shorter"
				       : "reading the file failed");
		cur->pos = cur->end;
		return err == -ENOMEM ? err : -EIO;
	}
	b->size = want;
	cur->block_offset = cur->pos;
	cur->pos += want;
	return 1;
}

/* The compressed bytes of a chunk, in memory that is as large as they really are. */
static int read_input(struct cpu_cursor *cur, size_t size)
{
	if (size > cur->input_capacity) {
		free(cur->input);
		cur->input_capacity = 0;
		cur->input = malloc(size);
		if (!cur->input)
			return -ENOMEM;
		cur->input_capacity = size;
	}
	return source_read(&cur->rec->src, cur->input, size, cur->pos);
}

/*
 * trace-cmd 3.3.1 on big endian wrote 0 for every size of a chunk: the compressed frame
 * itself tells where it ends. 0 if it does not.
 */
static size_t find_frame(struct cpu_cursor *cur)
{
	uint64_t left = cur->end - cur->pos;
	size_t window = 4096, size = 0;

	if (left > CPU_CURSOR_MAX_CHUNK)
		left = CPU_CURSOR_MAX_CHUNK;
	do {
		window = window < left / 4 ? window * 4 : (size_t)left;
		if (!window || read_input(cur, window))
			break;
		size = decompress_frame_size(cur->rec->compression, cur->input, window);
	} while (!size && window < left);
	return size;
}

/* u32 compressed size, u32 uncompressed size: 1, 0 at the end, -errno. */
static int read_chunk_header(struct cpu_cursor *cur, struct decompress_input *in)
{
	uint64_t start = cur->pos;
	uint8_t head[8];

	if (!cur->chunks || cur->pos >= cur->end)
		return 0;
	cur->chunks--;
	if (cur->end - cur->pos < sizeof(head)) {
		if (cur->uncounted)
			return 0;
		damage(cur, start, "a chunk's header is cut off");
		goto bad;
	}
	if (source_read(&cur->rec->src, head, sizeof(head), cur->pos)) {
		cur->pos = cur->end;
		return -EIO;
	}
	cur->pos += sizeof(head);
	in->size = get_u32(head, cur->rec->big_endian);
	in->expected = get_u32(head + 4, cur->rec->big_endian);
	if (!in->size)
		in->size = find_frame(cur);
	if (!in->size) {
		damage(cur, start, "a chunk without a size");
		goto bad;
	}
	if (in->size <= cur->end - cur->pos)
		return 1;
	damage(cur, start, "a chunk is cut off");
	in->size = (size_t)(cur->end - cur->pos);
	cur->cut = true;
	if (in->size)
		return 1;
	cur->cut = false;
bad:
	cur->pos = cur->end;
	return -EBADMSG;
}

static int read_chunk(struct cpu_cursor *cur, struct decompress_input *in)
{
	int err = in->size > CPU_CURSOR_MAX_CHUNK ? -E2BIG : read_input(cur, in->size);

	in->data = cur->input;
	if (!err && cur->cut)
		err = decompress_prefix(&cur->d, cur->rec->compression, in,
					&cur->blocks[!cur->active]);
	else if (!err)
		err = decompress_block(&cur->d, cur->rec->compression, in,
				       &cur->blocks[!cur->active]);
	cur->pos += in->size;
	return err;
}

/* The next chunk into the block that is not active: 1, 0 at the end, -errno. */
static int fill_chunk(struct cpu_cursor *cur)
{
	struct decompress_input in = { .limit = cur->chunk_limit };
	uint64_t start = cur->pos;
	int ret = read_chunk_header(cur, &in);

	if (ret <= 0)
		return ret;
	cur->block_offset = start;
	ret = read_chunk(cur, &in);
	cur->cut = cur->cut && !ret;
	switch (ret) {
	case 0:
		if (!cur->cut && in.expected &&
		    in.expected != cur->blocks[!cur->active].size)
			damage(cur, start, "a chunk is not as large as it claims");
		return 1;
	case -ENOMEM:
		return ret;
	case -ENODATA:
	case -EIO:
		cur->pos = cur->end;
		return -EIO;
	case -E2BIG:
		damage(cur, start, "a chunk is larger than chunks may be");
		return -EBADMSG;
	default:
		damage(cur, start, "a chunk cannot be decompressed");
		return -EBADMSG;
	}
}

/* 1: there is something in the active block; 0: at the end; -errno. */
static int fill(struct cpu_cursor *cur)
{
	int ret;

	while (cur->at >= cur->blocks[cur->active].size) {
		if (cur->cut) {
			cur->cut = false;
			return -EBADMSG;
		}
		ret = cur->buf->compressed ? fill_chunk(cur) : fill_plain(cur);
		if (ret <= 0)
			return ret;
		cur->active = !cur->active;
		cur->at = 0;
	}
	return 1;
}

/* What the commit word says, checked against the @size bytes that the page has. */
static void load_page(struct cpu_cursor *cur, const uint8_t *page, size_t size,
		      struct subbuf *sb)
{
	const struct page_layout *l = &cur->rec->layout;
	bool big = cur->rec->big_endian;
	/*
	 * The flags are a negative int that the kernel adds to a long: of 64 bits the
	 * upper half is all ones with them, and says nothing.
	 */
	uint32_t commit = (uint32_t)get_uint(page + l->commit_offset, l->long_size, big);
	uint32_t claim = commit & ~(COMMIT_MISSED | COMMIT_STORED);
	uint64_t missed;

	sb->ts = get_u64(page, big);
	sb->data = page + l->data_offset;
	sb->size = (uint32_t)(size - l->data_offset);
	sb->missed = commit & COMMIT_MISSED ? SUBBUF_MISSED_UNKNOWN : 0;
	sb->truncated = claim > sb->size;
	if (sb->truncated) {
		damage(cur, sb->file_offset,
		       size < cur->buf->page_size
			       ? "a sub-buffer is cut off"
			       : "a sub-buffer claims more than it holds");
		return;
	}
	/* Behind the data lies the number of lost events, if there was room for it. */
	if (sb->missed && commit & COMMIT_STORED && l->long_size <= sb->size - claim) {
		missed = get_uint(sb->data + claim, l->long_size, big);
		if (missed)
			sb->missed = missed;
	}
	sb->size = claim;
}

int cpu_cursor_next(struct cpu_cursor *cur, struct subbuf *sb)
{
	const struct decompressed *b;
	size_t size;
	int ret = fill(cur);

	if (ret <= 0)
		return ret;
	b = &cur->blocks[cur->active];
	size = b->size - cur->at;
	if (size > cur->buf->page_size)
		size = cur->buf->page_size;
	sb->file_offset = cur->block_offset + (cur->buf->compressed ? 0 : cur->at);
	cur->at += size;
	if (size < cur->rec->layout.data_offset) {
		damage(cur, sb->file_offset, "a sub-buffer's header is cut off");
		return -EBADMSG;
	}
	load_page(cur, b->data + cur->at - size, size, sb);
	return 1;
}

/* Goes on with the last few sub-buffers: the last two chunks, or the last four pages. */
static void skip_to_tail(struct cpu_cursor *cur)
{
	uint64_t tail = 4ULL * cur->buf->page_size, before = cur->pos, pos = cur->pos;
	uint32_t left = cur->chunks, left_before = left, size;
	uint8_t head[4];

	if (!cur->buf->compressed) {
		if (cur->end - cur->pos > tail) {
			cur->pos = cur->end - tail;
			/* Sub-buffers are counted from the first one. */
			cur->pos -= (cur->pos - pos) % cur->buf->page_size;
		}
		return;
	}
	while (left && cur->end - pos >= 8 &&
	       !source_read(&cur->rec->src, head, 4, pos)) {
		cur->pos = before;
		cur->chunks = left_before;
		before = pos;
		left_before = left--;
		size = get_u32(head, cur->rec->big_endian);
		if (!size || size > cur->end - pos - 8)
			break;
		pos += 8ULL + size;
	}
}

struct span {
	uint64_t first, last;
	bool any;
};

/* Until the first event, or over all events that are left. */
static int walk_span(struct cpu_cursor *cur, struct span *span, bool only_first)
{
	struct subbuf sb;
	struct subbuf_iter it;
	struct raw_record raw;
	bool here = false;
	int ret;

	while ((ret = cpu_cursor_next(cur, &sb)) == 1 || ret == -EBADMSG) {
		if (ret != 1)
			continue;
		it = subbuf_iter(&sb, cur->rec->big_endian);
		while (subbuf_iter_next(&it, &raw) == 1) {
			if (!span->any || raw.ts < span->first)
				span->first = raw.ts;
			if (!span->any || raw.ts > span->last)
				span->last = raw.ts;
			span->any = here = true;
			if (only_first)
				return 1;
		}
	}
	return ret < 0 ? ret : here;
}

int recording_time_span(const struct recording *rec, uint32_t buffer, uint64_t *first,
			uint64_t *last)
{
	struct span span = { 0 };
	uint32_t i;
	int pass, ret = 0;

	for (i = 0; i < rec->buffers[buffer].nr_cpus; i++) {
		/* The first event, the tail; the whole CPU if the tail has none. */
		for (pass = 0; pass < 3; pass++) {
			struct cpu_cursor *cur;

			ret = cpu_cursor_open(&cur, rec, buffer, i);
			if (ret)
				return ret;
			cur->nr_messages = MAX_MESSAGES; /* the real walk reports */
			if (pass == 1)
				skip_to_tail(cur);
			ret = walk_span(cur, &span, pass == 0);
			cpu_cursor_close(cur);
			if (ret == -ENOMEM)
				return ret;
			if ((pass == 0 && ret != 1) || (pass == 1 && ret == 1))
				break;
		}
	}
	if (!span.any)
		return -ENODATA;
	*first = span.first;
	*last = span.last;
	return 0;
}
