// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/wire.h"

#include <sys/uio.h>

#include "base/array.h"
#include "recording/compose.h"
#include "recording/trace_dat.h"

/**
 * struct extent - the pages of one record
 * @at: their offset in the joined source
 * @offset: their offset in the file
 */
struct extent {
	uint64_t at;
	uint64_t offset;
	uint64_t size;
	uint32_t cpu;
};

struct joined {
	struct source under;
	struct extent *extents;
	size_t nr;
};

struct wire_reader {
	struct trace_dat *td;
	struct extent *extents;
	size_t nr_extents;
	bool ended;
};

/* --- the joined source ------------------------------------------------------------------- */

static const struct extent *find_extent(const struct joined *j, uint64_t at)
{
	/* The first extent covers everything before the second. */
	return &j->extents[COUNT_FIRST(i, j->nr - 1, j->extents[i + 1].at <= at)];
}

static int joined_read(void *ctx, void *buf, size_t size, uint64_t offset)
{
	const struct joined *j = ctx;
	const struct extent *e = j->nr ? find_extent(j, offset) : NULL;
	uint8_t *p = buf;

	for (; size; e++) {
		uint64_t skip, part;
		int err;

		if (!e || e == j->extents + j->nr)
			return -ENODATA;
		skip = offset - e->at;
		part = SMALLER(e->size - skip, size);
		err = source_read(&j->under, p, (size_t)part, e->offset + skip);
		if (err)
			return err;
		p += part;
		offset += part;
		size -= (size_t)part;
	}
	return 0;
}

static void joined_close(void *ctx)
{
	struct joined *j = ctx;

	source_close(&j->under);
	free(j->extents);
	free(j);
}

static uint64_t joined_next_data(void *ctx, uint64_t offset)
{
	const struct joined *j = ctx;
	const struct extent *e = j->nr ? find_extent(j, offset) : NULL;

	for (; e && e < j->extents + j->nr; e++) {
		uint64_t skip = less(offset, e->at);
		uint64_t data = source_next_data(&j->under, e->offset + skip);

		if (data < e->offset + e->size)
			return e->at + (data - e->offset);
	}
	return UINT64_MAX;
}

static const struct source_ops joined_ops = { joined_read, joined_close,
					      joined_next_data };

ORDER_BY(compare_extents, struct extent, cpu, offset)

/* Replaces the file's source by the joined source. */
static int join(struct wire_reader *w)
{
	struct recording *rec = w->td->rec;
	struct joined *j = malloc(sizeof(*j));
	uint64_t at = 0;

	if (!j)
		return -ENOMEM;
	if (w->nr_extents)
		qsort(w->extents, w->nr_extents, sizeof(*w->extents), compare_extents);
	/* Cannot overflow: the extents are distinct parts of the file. */
	for (size_t i = 0; i < w->nr_extents; i++) {
		w->extents[i].at = at;
		at += w->extents[i].size;
	}
	*j = (struct joined){ rec->src, w->extents, w->nr_extents };
	rec->src = (struct source){ &joined_ops, j, at };
	w->extents = NULL;
	return 0;
}

/* --- records ----------------------------------------------------------------------------- */

static int add_pages(struct wire_reader *w, uint32_t cpu, uint64_t offset, uint64_t size)
{
	struct recording *rec = w->td->rec;

	if (cpu >= TRACE_DAT_MAX_CPUS) {
		trace_dat_damage(w->td, offset,
				 "pages of CPU %" PRIu32 ", which cannot be", cpu);
		return 0;
	}
	/* Ignores a partial sub-buffer: the next one must stay aligned. */
	if (size % rec->page_size)
		trace_dat_damage(w->td, offset + size,
				 "a sub-buffer of CPU %" PRIu32 " is cut off", cpu);
	size -= size % rec->page_size;
	if (!size)
		return 0;
	return ARRAY_ADD(w->extents, w->nr_extents,
			 (struct extent){ .offset = offset, .size = size, .cpu = cpu });
}

static int read_options(struct wire_reader *w, struct reader *r)
{
	int err = 0;

	while (!err && reader_left(r)) {
		char *data __auto_mem = NULL;
		uint32_t size;
		uint16_t id;

		w->td->pos = r->pos;
		id = reader_u16(r);
		size = reader_u32(r);
		/* Zeros are a hole. */
		data = id || size ? reader_text(r, size) : NULL;
		if (!data)
			break;
		err = trace_dat_option(w->td, id, (uint8_t *)data, size);
	}
	err = err ?: r->err;
	return err ?: reader_left(r) ? -EBADMSG : 0;
}

/* The last command lines are used: they include tasks that started later. */
static int read_cmdlines(struct trace_dat *td, struct reader *r)
{
	char *before = td->rec->cmdlines;
	int err;

	td->rec->cmdlines = NULL;
	err = trace_dat_parts[WIRE_CMDLINES - OPTION_HEADER_INFO].read(td, r);
	if (td->rec->cmdlines)
		free(before);
	else
		td->rec->cmdlines = before;
	return err;
}

static int read_part(struct wire_reader *w, uint16_t id, struct reader *r)
{
	switch (id) {
	case WIRE_OPTIONS:
		return read_options(w, r);
	case OPTION_HEADER_INFO ... OPTION_PRINTK:
		return trace_dat_parts[id - OPTION_HEADER_INFO].read(w->td, r);
	case WIRE_CMDLINES:
		return read_cmdlines(w->td, r);
	default:
		return 0;
	}
}

/* Reads one record: 1 if another one may follow, 0 at the end, -errno. */
static int read_record(struct wire_reader *w, struct reader *r)
{
	struct trace_dat *td = w->td;
	uint64_t at = r->pos, size;
	struct reader part;
	uint16_t id = reader_u16(r);
	uint32_t cpu;
	int err;

	reader_u16(r);
	cpu = reader_u32(r);
	size = reader_u64(r);
	if (r->err)
		return r->err == -ENODATA ? 0 : r->err;
	w->ended = id == WIRE_END;
	/* Zeros are a hole, or data lost in a power failure. */
	if (w->ended || (id == WIRE_OPTIONS && !size))
		return 0;
	size = SMALLER(size, reader_left(r));
	if (id == WIRE_PAGES) {
		err = add_pages(w, cpu, r->pos, size);
	} else {
		reader_init(&part, &td->rec->src, r->pos, r->pos + size,
			    td->rec->big_endian);
		err = read_part(w, id, &part);
	}
	if (err == -ENODATA || err == -EBADMSG) {
		trace_dat_damage(td, at,
				 "the part %u of the stream is damaged or cut off", id);
		err = 0;
	}
	reader_skip(r, size);
	return err ? err : 1;
}

/* Joins each CPU's extents in the joined source. Adds the CPUs below @end to the last buffer, and
 * advances @from.
 */
static int add_cpus(struct wire_reader *w, size_t *from, uint64_t end)
{
	const struct joined *j = w->td->rec->src.ctx;
	size_t i = *from, next;
	int err = 0;

	for (; !err && i < j->nr && j->extents[i].cpu < end; i = next) {
		struct recording_cpu cpu = { .cpu = j->extents[i].cpu %
						    RECORDING_FREES_CPU,
					     .offset = j->extents[i].at };

		for (next = i; next < j->nr && j->extents[next].cpu == j->extents[i].cpu;
		     next++)
			cpu.size += j->extents[next].size;
		err = trace_dat_add_cpu(w->td, &cpu, 0);
	}
	*from = i;
	return err;
}

static int add_buffer(struct wire_reader *w, const char *of)
{
	struct recording *rec = w->td->rec;
	char *clock __auto_mem = trace_dat_chosen_clock(rec->trace_clock);

	return trace_dat_add_buffer(w->td, of, clock, rec->page_size);
}

/* Adds the top buffer and, if it has pages, the buffer of frees. */
static int add_buffers(struct wire_reader *w)
{
	const struct joined *j = w->td->rec->src.ctx;
	size_t from = 0;
	int err = add_buffer(w, "");

	err = err ?: add_cpus(w, &from, RECORDING_FREES_CPU);
	if (err || from == j->nr)
		return err;
	err = add_buffer(w, RECORDING_FREES);
	return err ? err : add_cpus(w, &from, UINT64_MAX);
}

int trace_dat_open_wire(struct trace_dat *td)
{
	struct wire_reader w = { .td = td };
	struct recording *rec = td->rec;
	struct reader r;
	int err = 1;

	reader_init(&r, &rec->src, td->pos, UINT64_MAX, rec->big_endian);
	while (err == 1)
		err = read_record(&w, &r);
	if (!err && !w.ended) {
		trace_dat_damage(td, r.pos,
				 "the stream ends early; reading what was received");
		td->cut = "the stream has no end";
		td->all_cut = true;
	}
	if (!err && !rec->header_page) {
		log_msg(rec->log, LOG_ERROR,
			"%s: the stream ended before its event formats", rec->path);
		err = -EBADMSG;
	}
	err = err ?: join(&w);
	free(w.extents);
	return err ? err : add_buffers(&w);
}

/* --- writing ----------------------------------------------------------------------------- */

_Static_assert(sizeof(WIRE_MAGIC) == WIRE_MAGIC_SIZE, "the magic holds its NUL");

static int write_all(struct wire *w, const void *head, size_t head_size, const void *data,
		     size_t size)
{
	struct iovec iov[2] = { { (void *)(uintptr_t)head, head_size },
				{ (void *)(uintptr_t)data, size } };
	size_t i = 0;

	while (i < ARRAY_SIZE(iov)) {
		ssize_t n = writev(w->fd, iov + i, (int)(ARRAY_SIZE(iov) - i));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		w->bytes += (uint64_t)n;
		for (; i < ARRAY_SIZE(iov) && (size_t)n >= iov[i].iov_len; i++)
			n -= (ssize_t)iov[i].iov_len;
		if (i < ARRAY_SIZE(iov)) {
			iov[i].iov_base = (char *)iov[i].iov_base + n;
			iov[i].iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int send_composed(struct wire *w, struct composer *c)
{
	int ret = compose_result(c);

	ret = ret ?: write_all(w, c->sb.data, c->sb.size, NULL, 0);
	strbuf_free(&c->sb);
	return ret;
}

static void add_options(struct wire *w, struct composer *c)
{
	struct writer_facts facts = *c->facts;
	const struct writer_facts *all = c->facts;
	size_t start = section_begin(c, WIRE_OPTIONS);

	if (facts.meta) /* no pointer arithmetic on NULL */
		facts.meta += w->nr_meta;
	facts.nr_meta -= w->nr_meta;
	c->facts = &facts;
	compose_options(c);
	c->facts = all;
	if (c->sb.failed || c->sb.size > start + SECTION_HEADER_SIZE)
		section_end(c, start);
	else
		c->sb.size = start; /* an empty record would look like a hole */
	w->nr_meta = all->nr_meta;
}

int wire_start(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts, .stream = true };

	strbuf_add(&c.sb, WIRE_MAGIC, WIRE_MAGIC_SIZE);
	compose_machine(&c);
	for (uint16_t id = OPTION_HEADER_INFO; id <= OPTION_CMDLINES; id++)
		compose_section(&c, id);
	add_options(w, &c);
	w->symbols = facts->kallsyms_size;
	return send_composed(w, &c);
}

int wire_options(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts, .stream = true };

	add_options(w, &c);
	return send_composed(w, &c);
}

int wire_pages(struct wire *w, uint32_t cpu, const void *pages, size_t size)
{
	/* In this machine's byte order. */
	const struct {
		uint16_t id, flags;
		uint32_t cpu;
		uint64_t size;
	} head = { .id = WIRE_PAGES, .cpu = cpu, .size = size };

	_Static_assert(sizeof(head) == WIRE_RECORD_SIZE, "the header has no padding");
	return write_all(w, &head, sizeof(head), pages, size);
}

int wire_end(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts, .stream = true };

	compose_section(&c, WIRE_END);
	return send_composed(w, &c);
}

int wire_finish(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts, .stream = true };

	compose_section(&c, WIRE_CMDLINES);
	add_options(w, &c);
	if (!w->symbols)
		compose_section(&c, OPTION_KALLSYMS);
	compose_section(&c, WIRE_END);
	return send_composed(w, &c);
}
