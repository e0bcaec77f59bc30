// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording (internal): trace.dat version 6, read strictly in sequence.
 * In: a reader after the common start. Out: struct recording.
 */

#include "recording/trace_dat.h"

#include "base/array.h"

/* In a damaged file, this much metadata is searched, one window at a time. */
#define SEARCH_LIMIT  (256U << 20)
#define SEARCH_WINDOW (1U << 20)

/* An instance, whose block is elsewhere in the file. */
struct v6_instance {
	char *name;
	uint64_t offset;
};

struct v6 {
	struct trace_dat *td;
	struct v6_instance *instances;
	size_t nr_instances;
	uint32_t nr_cpus;
	uint64_t guesses; /* positions in tables that were tried */
	bool searched;	  /* the CPU count before the marks is not trusted */
};

static int option_instance(struct v6 *v, const uint8_t *data, size_t size)
{
	struct trace_dat *td = v->td;
	struct byte_reader r = byte_reader(data, size, td->rec->big_endian);
	uint64_t offset = byte_reader_u64(&r);
	struct v6_instance *in;

	if (r.failed || offset >= td->rec->src.size) {
		trace_dat_damage(td, offset, "an instance is beyond the end of the file");
		return 0;
	}
	if (array_grow(&v->instances, v->nr_instances))
		return -ENOMEM;
	in = &v->instances[v->nr_instances];
	in->offset = offset;
	in->name = trace_dat_option_text(r.p, byte_reader_left(&r));
	if (!in->name)
		return -ENOMEM;
	v->nr_instances++;
	return 0;
}

/* {u16 id, u32 size, data}... up to id 0, which has no size. */
static int read_options(struct v6 *v, struct reader *r)
{
	int err = 0;

	while (!err && !r->err) {
		uint64_t at = r->pos;
		uint16_t id = reader_u16(r);
		char *data __auto_mem = NULL;
		uint32_t size;

		if (id == OPTION_DONE)
			break;
		size = reader_u32(r);
		data = reader_text(r, size);
		if (!data)
			break;
		v->td->pos = at;
		if (id == OPTION_BUFFER)
			err = option_instance(v, (uint8_t *)data, size);
		else
			err = trace_dat_option(v->td, id, (uint8_t *)data, size);
	}
	return err ? err : r->err;
}

/* "[local]", or the kernel's whole list with the chosen clock in brackets. */
static char *read_clock(struct reader *r)
{
	uint64_t size = reader_u64(r);
	char *text __auto_mem = NULL, *open;

	if (!r->err && size <= READER_MAX_NAME)
		text = reader_text(r, size);
	open = text ? strchr(text, '[') : NULL;
	return text && !(open && strchr(open, ']')) ? strdup(text)
						    : trace_dat_chosen_clock(text);
}

/*
 * Guesses the number of CPUs in the table at @r: the clock follows it, with a size and brackets
 * that do not look like data offsets. 0 if unknown.
 */
static uint32_t guess_cpus(struct v6 *v, const struct reader *r)
{
	struct reader table = *r, clock;
	const uint64_t limit = TRACE_DAT_MAX_CPUS + r->src->size / 16;
	const uint32_t page_size = v->td->rec->page_size;

	/* All instances may share one table: the limit is on positions, not on tables. */
	for (uint32_t nr = 1; nr <= TRACE_DAT_MAX_CPUS && v->guesses++ < limit; nr++) {
		char *text __auto_mem = NULL;
		uint64_t size;

		/* Data begins at a page boundary. */
		if (reader_u64(&table) % page_size)
			return 0;
		reader_skip(&table, 8);
		clock = table;
		size = reader_u64(&clock);
		if (clock.err)
			return 0;
		if (!size || size > READER_MAX_NAME)
			continue;
		text = reader_text(&clock, size);
		if (text && strchr(text, '[') && strchr(text, ']'))
			return nr;
	}
	return 0;
}

/* Per CPU u64 offset and u64 size, then the clock. */
static int read_cpus(struct v6 *v, struct reader *r, const char *name)
{
	struct trace_dat *td = v->td;
	struct reader table = *r;
	char *clock __auto_mem = NULL;
	uint32_t guess;
	int err;

	guess = guess_cpus(v, r);
	if (v->searched || (guess && guess != v->nr_cpus)) {
		trace_dat_damage(td, r->pos,
				 "the table of CPUs has %" PRIu32
				 " of them, its number is %" PRIu32,
				 guess, v->nr_cpus);
		v->nr_cpus = guess;
		td->rec->nr_cpus = guess;
	}
	if (!v->nr_cpus || v->nr_cpus > reader_left(r) / 16)
		return -EBADMSG;
	reader_skip(r, 16ULL * v->nr_cpus);
	clock = read_clock(r);
	err = trace_dat_add_buffer(td, name, clock, td->rec->page_size);
	for (uint32_t i = 0; !err && i < v->nr_cpus; i++) {
		struct recording_cpu cpu = { .cpu = i };

		cpu.offset = reader_u64(&table);
		cpu.size = reader_u64(&table);
		if (cpu.size)
			err = trace_dat_add_cpu(td, &cpu, 0);
	}
	return err ? err : table.err;
}

/* "options  " may come first; then "flyrecord", or "latency  " followed by text. */
static int read_block(struct v6 *v, struct reader *r, const char *name)
{
	char tag[10];
	int err;

	reader_bytes(r, tag, sizeof(tag));
	if (!r->err && !memcmp(tag, "options  ", sizeof(tag))) {
		err = read_options(v, r);
		if (err)
			return err;
		reader_bytes(r, tag, sizeof(tag));
	}
	if (r->err)
		return r->err;
	if (!memcmp(tag, "latency  ", sizeof(tag))) {
		v->td->has_text = true;
		return 0;
	}
	return memcmp(tag, "flyrecord", sizeof(tag)) ? -EBADMSG : read_cpus(v, r, name);
}

static void read_instances(struct v6 *v, struct reader *r)
{
	struct trace_dat *td = v->td;
	/* Instances have no instances of their own. */
	size_t nr = v->nr_instances;

	for_each(in, v->instances, nr) {
		reader_init(r, &td->rec->src, in->offset, UINT64_MAX,
			    td->rec->big_endian);
		free(td->cpustat_buffer);
		td->cpustat_buffer = strdup(in->name);
		if (read_block(v, r, in->name))
			trace_dat_damage(td, in->offset, "instance '%s' is unreadable",
					 in->name);
	}
}

static int read_metadata(struct v6 *v, struct reader *r)
{
	struct trace_dat *td = v->td;
	uint64_t at;
	int err;

	for (size_t i = 0; i < TRACE_DAT_NR_PARTS; i++) {
		at = r->pos;
		err = trace_dat_parts[i].read(td, r);
		if (err == -ENODATA || err == -EBADMSG) {
			trace_dat_damage(td, at, "the %s are damaged or cut short",
					 trace_dat_parts[i].name);
			return -EBADMSG;
		}
		if (err)
			return err;
	}
	return 0;
}

/* Is the number of CPUs at @at, followed by a mark? */
static bool cpus_at(struct v6 *v, uint64_t at)
{
	struct trace_dat *td = v->td;
	struct reader r;
	char tag[10];

	reader_init(&r, &td->rec->src, at, UINT64_MAX, td->rec->big_endian);
	v->nr_cpus = reader_u32(&r);
	reader_bytes(&r, tag, sizeof(tag));
	if (!v->searched && (!v->nr_cpus || v->nr_cpus > TRACE_DAT_MAX_CPUS))
		return false;
	return !r.err && (!memcmp(tag, "options  ", sizeof(tag)) ||
			  !memcmp(tag, "flyrecord", sizeof(tag)));
}

static bool flyrecord_at(struct v6 *v, uint64_t at)
{
	struct reader r;

	reader_init(&r, &v->td->rec->src, at + 4, UINT64_MAX, v->td->rec->big_endian);
	return reader_tag(&r, "flyrecord", 10);
}

/* Most bytes fail the first comparison, which is cheap even if a sanitizer checks memcmp(). */
static inline bool is_mark(const uint8_t *p)
{
	return (*p == 'o' && !memcmp(p, "options  ", 10)) ||
	       (*p == 'f' && !memcmp(p, "flyrecord", 10));
}

/*
 * The file has no offsets of its parts, only sizes: if one is wrong, the marks before the table of
 * CPUs lead to it. Returns the first position from @at on that is four bytes before a mark and for
 * which @is_it is true; 0 if not found.
 */
static uint64_t find_mark(struct v6 *v, uint64_t at,
			  bool (*is_it)(struct v6 *v, uint64_t at))
{
	const struct source *src = &v->td->rec->src;
	uint64_t found = 0, limit = at + SEARCH_LIMIT;
	uint8_t *window __auto_mem = malloc(SEARCH_WINDOW);
	const uint8_t *p;
	size_t size;

	while (window && !found && at < src->size && at < limit) {
		size = src->size - at < SEARCH_WINDOW ? (size_t)(src->size - at)
						      : SEARCH_WINDOW;
		if (size < 14 || source_read(src, window, size, at))
			break;
		for (p = window + 4; p + 10 <= window + size && !found; p++) {
			uint64_t before = at + (uint64_t)(p - window) - 4;

			if (is_mark(p) && is_it(v, before))
				found = before;
		}
		/* A mark may cross the window's end. */
		at += size == SEARCH_WINDOW ? size - 13 : size;
	}
	return found;
}

/* Reads the number of CPUs, the options and the table at @at. */
static int read_top_block(struct v6 *v, struct reader *r, uint64_t at)
{
	struct recording *rec = v->td->rec;
	int err;

	if (!cpus_at(v, at))
		return -EBADMSG;
	rec->nr_cpus = v->searched ? 0 : v->nr_cpus;
	reader_init(r, &rec->src, at + 4, UINT64_MAX, rec->big_endian);
	err = read_block(v, r, "");
	if ((err != -EBADMSG && err != -ENODATA) || rec->nr_buffers)
		return err;
	trace_dat_damage(v->td, at, "the options are damaged");
	v->searched = true;
	at = find_mark(v, at, flyrecord_at);
	if (!at)
		return err;
	reader_init(r, &rec->src, at + 4, UINT64_MAX, rec->big_endian);
	return read_block(v, r, "");
}

int trace_dat_open_v6(struct trace_dat *td)
{
	struct recording *rec = td->rec;
	struct v6 v = { .td = td };
	struct reader r;
	uint64_t at;
	int err;

	reader_init(&r, &rec->src, td->pos, UINT64_MAX, rec->big_endian);
	err = read_metadata(&v, &r);
	at = r.pos;
	if (!err && !cpus_at(&v, at))
		err = -EBADMSG;
	if (err == -EBADMSG) {
		v.searched = true;
		at = find_mark(&v, td->pos, cpus_at);
		if (at)
			trace_dat_damage(td, at,
					 "the table of CPUs was found here by searching");
		err = at ? 0 : -EBADMSG;
	}
	err = err ?: read_top_block(&v, &r, at);
	if (err == -EBADMSG || err == -ENODATA) {
		log_msg(rec->log, LOG_ERROR,
			"%s: the table of CPUs is damaged or cut off; no events can be found",
			rec->path);
		err = -EBADMSG;
	}
	if (!err)
		read_instances(&v, &r);
	while (v.nr_instances)
		free(v.instances[--v.nr_instances].name);
	free(v.instances);
	return err;
}
