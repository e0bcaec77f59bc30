// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/cpu_cursor.h"

#include "recording/read_ahead.h"
#include "recording/trace_dat.h"

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
 * @at: in the active block: what has not been handed out yet
 * @cut_at: where the file ends within the number of chunks, if not logged yet; else 0
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
	uint64_t cut_at;
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

	cur->filled = block_reader_next(&cur->reader, &cur->blocks[next_block(cur)]);
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
	if (!block_reader_init(&cur->reader, rec, buf, cpu))
		cur->cut_at = cpu->offset;
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
	block_reader_skip_to_tail(&cur->reader);
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
	block_reader_free(&cur->reader);
	free(cur);
}

/* Makes the next block the active one. 1; 0 at the end; -errno. */
static int advance_block(struct cpu_cursor *cur)
{
	const struct block *block = &cur->blocks[next_block(cur)];

	if (unlikely(cur->cut_at))
		log_damage(cur, cur->cut_at, "the number of chunks is cut off");
	cur->cut_at = 0;
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

/* Has little data grown too much? */
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
	if (size > cur->buf->page_size)
		size = cur->buf->page_size;
	sb->file_offset = block->offset + (cur->buf->compressed ? 0 : cur->at);
	cur->at += size;
	if (size < cur->rec->layout.data_offset) {
		log_damage(cur, sb->file_offset, "a sub-buffer's header is cut off");
		return -EBADMSG;
	}
	load_page(cur, block->bytes.data + cur->at - size, size, sb);
	return cur->buf->compressed && is_bomb(cur, sb->size) ? -E2BIG : 1;
}

static uint64_t align_up(uint64_t v, uint64_t to)
{
	return v > UINT64_MAX - to ? UINT64_MAX : (v + to - 1) / to * to;
}

/* Compressed data contains the number of chunks and their sizes. */
static uint64_t end_of_chunks(struct trace_dat *td, uint64_t start, uint64_t end)
{
	struct reader r;
	uint32_t chunks;

	reader_init(&r, &td->rec->src, start, end, td->rec->big_endian);
	chunks = reader_u32(&r);
	if (!chunks)
		return end;
	while (chunks-- && !r.err) {
		uint32_t size = reader_u32(&r);

		/* The writer did not store the size: the chunk's reader finds its end. */
		if (!size)
			return end;
		reader_skip(&r, 4ULL + size);
	}
	return r.err ? end : r.pos;
}

/* The first page from @at on that is not all hole; a last partial page, or @end. */
static uint64_t skip_hole(const struct source *src, uint64_t at, uint64_t end,
			  uint32_t page_size)
{
	uint64_t data = source_next_data(src, at);

	if (data > end)
		data = end;
	return data > at ? at + (data - at) / page_size * page_size : at;
}

/* A CPU's pages ascend in time: the next CPU begins where it goes back. */
static uint64_t end_of_pages(struct trace_dat *td, uint64_t start, uint64_t end)
{
	struct recording *rec = td->rec;
	uint64_t ts, last = 0;
	uint8_t head[8];

	for (uint64_t at = start; end - at >= rec->page_size; at += rec->page_size) {
		if (source_read(&rec->src, head, sizeof(head), at))
			return at;
		ts = get_u64(head, rec->big_endian);
		/* Time 0 may also be a hole of any size, where nothing was written. */
		if (ts < last ||
		    (!ts && skip_hole(&rec->src, at, end, rec->page_size) > at))
			return at;
		last = ts;
	}
	return end;
}

char *trace_dat_chosen_clock(const char *list)
{
	const char *open = list ? strchr(list, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? strndup(open + 1, (size_t)(close - open) - 1) : strdup("");
}

int trace_dat_search_cpus(struct trace_dat *td, uint64_t start, uint64_t end,
			  bool compressed)
{
	struct recording *rec = td->rec;
	struct recording_cpu cpu = { 0 };
	char *clock __auto_mem = trace_dat_chosen_clock(rec->trace_clock);
	int err;

	if (end > rec->src.size)
		end = rec->src.size;
	err = trace_dat_add_buffer(td, rec->nr_buffers ? "recovered" : "", clock,
				   rec->page_size);
	if (err)
		return err;
	rec->buffers[rec->nr_buffers - 1].compressed = compressed;
	for (cpu.offset = align_up(start, rec->page_size);
	     !err && cpu.offset < end && cpu.cpu < TRACE_DAT_MAX_CPUS; cpu.cpu++) {
		uint64_t stop;

		cpu.offset = skip_hole(&rec->src, cpu.offset, end, rec->page_size);
		stop = compressed ? end_of_chunks(td, cpu.offset, end)
				  : end_of_pages(td, cpu.offset, end);
		if (stop <= cpu.offset)
			break;
		cpu.size = stop - cpu.offset;
		cpu.cut = stop == end; /* CPUs after it may be missing completely */
		err = trace_dat_add_cpu(td, &cpu, 0);
		cpu.offset = compressed ? align_up(stop, rec->page_size) : stop;
	}
	log_msg(rec->log, LOG_WARN,
		"%s: the description of the data at offset %" PRIu64
		" is missing; its %" PRIu32
		" CPUs are numbered in their order in the file",
		rec->path, start, rec->buffers[rec->nr_buffers - 1].nr_cpus);
	return err;
}
