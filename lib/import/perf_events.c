// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_events.h"

#include "base/array.h"

/* LOST_SAMPLES: these samples were dropped by a user's filter, not lost. */
#define MISC_FILTERED  (1U << 15)
#define ID_INDEX_ENTRY 32U
/* The most bytes and records that are held; half of them are written when there are more. */
#define ORDER_BYTES    (32U << 20)
#define ORDER_ENTRIES  (512U << 10)

/**
 * struct perf_item - a record waiting to be sorted
 * @seq: its number, in the order of the file
 * @cpu: index of its CPU
 * @lost: number of events lost at this point; then there is no data
 * @data: @size bytes of an event, then @stack_size bytes of its stack; while it waits, these are at
 *	@at of the bytes of struct perf_order
 * @nr_user: how many frames at its end are addresses of process @pid
 */
struct perf_item {
	uint64_t ts, seq;
	uint64_t lost;
	const uint8_t *data;
	size_t at;
	uint32_t cpu;
	uint32_t size, stack_size;
	uint32_t nr_user, pid;
};

/* --- writing ----------------------------------------------------------------------------- */

static int add_record(struct perf_events *pe, struct import_cpu *c, uint64_t ts,
		      const uint8_t *data, uint32_t size)
{
	const struct raw_record rec = { ts, data, size };
	int ret = subbuf_writer_add(&c->pages, &rec, false);

	if (!ret)
		pe->result->nr_events++;
	return ret;
}

/* All earlier mappings are known only now. Without frame pointers, the outermost frames are
 * nonsense: those that belong to no mapping are left out.
 */
static int add_stack(struct perf_events *pe, struct import_cpu *c,
		     const struct perf_item *item)
{
	const struct perf_tracing *t = pe->tracing;
	uint32_t size = item->stack_size, known = 0;
	uint8_t *frame;

	if (array_reserve_size(&pe->stack, &pe->stack_size, item->stack_size, 1))
		return -ENOMEM;
	memcpy(pe->stack, item->data + item->size, item->stack_size);
	frame = pe->stack + item->stack_size - 8 * (size_t)item->nr_user;
	for (uint32_t i = 0; i < item->nr_user; i++, frame += 8) {
		uint64_t user = user_maps_frame(pe->user, item->pid, item->ts,
						get_u64(frame, t->big_endian));

		if (!user)
			return -ENOMEM;
		set_uint(frame, user, 8, t->big_endian);
		if (!i)
			user_maps_innermost(pe->user, user);
		if (user != USER_FRAME)
			known = i + 1;
	}
	if (known < item->nr_user) {
		const size_t end = size - 8 * (size_t)(item->nr_user - known);

		size = (uint32_t)perf_tracing_stack_end(
			t, pe->stack, perf_tracing_stack_frames(t, end));
	}
	return add_record(pe, c, item->ts, pe->stack, size);
}

/* Adds @more; the sum stays at UINT64_MAX. */
static void count(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

static int write_item(struct perf_events *pe, const struct perf_item *item)
{
	struct import_cpu *c = &pe->result->made.cpus.items[item->cpu];
	int ret;

	if (item->lost) {
		subbuf_writer_lost(&c->pages, item->lost);
		count(&c->lost, item->lost);
		return 0;
	}
	if (item->ts < c->written_ts)
		pe->result->nr_late++;
	c->written_ts = item->ts;
	ret = add_record(pe, c, item->ts, item->data, item->size);
	if (!ret && item->stack_size)
		ret = add_stack(pe, c, item);
	return ret;
}

/* --- sorting by time ---------------------------------------------------------------------- */

/* perf reads the CPUs' rings one after the other, round by round. It guarantees that nothing after
 * a mark is older than anything before the previous mark, so at most two rounds are held. A file
 * without marks, or with wrong ones, is sorted within a bounded window.
 */

static size_t bytes_of(const struct perf_item *item)
{
	return (size_t)item->size + item->stack_size;
}

ORDER_BY(compare, struct perf_item, ts, seq)

/* The records of one ring are mostly in order already. */
static void sort(struct perf_order *o)
{
	for (size_t i = 1; i < o->nr; i++)
		if (compare(&o->entries[i - 1], &o->entries[i]) > 0) {
			qsort(o->entries, o->nr, sizeof(*o->entries), compare);
			return;
		}
}

/* Moves the remaining records together into newly allocated memory. */
static int keep_from(struct perf_order *o, size_t first)
{
	uint8_t *bytes;
	size_t size = 0;

	for (size_t i = first; i < o->nr; i++)
		size += bytes_of(&o->entries[i]);
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	o->nr_bytes = 0;
	for (size_t i = first; i < o->nr; i++) {
		struct perf_item *e = &o->entries[i];

		size = bytes_of(e);
		if (size)
			memcpy(bytes + o->nr_bytes, o->bytes + e->at, size);
		e->at = o->nr_bytes;
		o->nr_bytes += size;
	}
	free(o->bytes);
	o->bytes = bytes;
	o->bytes_capacity = o->nr_bytes + 1;
	o->nr -= first;
	memmove(o->entries, o->entries + first, o->nr * sizeof(*o->entries));
	return 0;
}

/* Writes the first @nr entries, which are sorted. */
static int release(struct perf_events *pe, size_t nr)
{
	struct perf_order *o = &pe->order;

	for_each(e, o->entries, nr) {
		int ret;

		e->data = o->bytes + e->at;
		ret = write_item(pe, e);
		if (ret)
			return ret;
	}
	return nr ? keep_from(o, nr) : 0;
}

/* Copies @item and its data. */
static int order_add(struct perf_events *pe, const struct perf_item *item)
{
	struct perf_order *o = &pe->order;
	const size_t size = bytes_of(item);

	if (o->nr >= ORDER_ENTRIES || o->nr_bytes + size > ORDER_BYTES) {
		int ret;

		sort(o);
		ret = release(pe, (o->nr + 1) / 2);
		if (ret)
			return ret;
	}
	if (array_reserve(&o->entries, &o->capacity, o->nr + 1) ||
	    array_reserve_size(&o->bytes, &o->bytes_capacity, o->nr_bytes + size + 1, 1))
		return -ENOMEM;
	o->entries[o->nr] = *item;
	o->entries[o->nr].seq = o->added++;
	o->entries[o->nr++].at = o->nr_bytes;
	if (size)
		memcpy(o->bytes + o->nr_bytes, item->data, size);
	o->nr_bytes += size;
	o->newest = LARGER(o->newest, item->ts);
	return 0;
}

/* Writes what is not later than @ts. */
static int release_until(struct perf_events *pe, uint64_t ts)
{
	struct perf_order *o = &pe->order;

	sort(o);
	return release(pe, COUNT_FIRST(i, o->nr, o->entries[i].ts <= ts));
}

/* perf's mark (PERF_RECORD_FINISHED_ROUND). */
static int order_round(struct perf_events *pe)
{
	int ret = release_until(pe, pe->order.safe);

	pe->order.safe = pe->order.newest;
	return ret;
}

int perf_events_restart(struct perf_events *pe)
{
	int ret = release_until(pe, UINT64_MAX);

	pe->order.safe = pe->order.newest = 0;
	return ret;
}

/* --- samples ----------------------------------------------------------------------------- */

/* Adds a loss after the CPU's last sample: the record that reports it is later than the first
 * sample after the loss.
 */
static int add_loss(struct perf_events *pe, uint32_t index, uint64_t ts, uint64_t lost)
{
	const struct import_cpu *c = &pe->result->made.cpus.items[index];
	const struct perf_item item = { .ts = c->seen_ts ? c->seen_ts : ts,
					.lost = lost,
					.cpu = index };

	return lost ? order_add(pe, &item) : 0;
}

/* Adds the event, and its stack if it has one. */
static int add_event(struct perf_events *pe, uint32_t index, const struct perf_sample *s)
{
	const struct perf_tracing *t = pe->tracing;
	struct perf_item item = {
		.ts = s->time, .cpu = index, .size = s->raw_size, .pid = s->pid
	};
	int ret = array_reserve_size(&pe->record, &pe->record_size,
				     s->raw_size + perf_tracing_stack_max(t), 1);

	if (ret)
		return ret;
	memcpy(pe->record, s->raw, s->raw_size);
	if (s->nr_chain)
		item.stack_size = (uint32_t)perf_tracing_stack(
			t, s, pe->record + s->raw_size, &item.nr_user);
	item.data = pe->record;
	pe->result->nr_samples++;
	pe->result->nr_stacks += item.stack_size != 0;
	return order_add(pe, &item);
}

static bool is_readable(const struct perf_events *pe, const struct perf_sample *s)
{
	const struct perf_tracing *t = pe->tracing;

	return t->subbuf_size && s->raw_size >= t->common_size &&
	       perf_tracing_knows(t, get_u16(s->raw, t->big_endian)) &&
	       (!(s->has & PERF_HAS_CPU) || s->cpu <= IMPORT_MAX_CPU);
}

static int read_sample(struct perf_events *pe, const struct perf_record *rec)
{
	struct perf_import *r = pe->result;
	struct perf_sample s;
	uint32_t index;
	int ret = perf_sample_parse(pe->attrs, rec->data, rec->size, &s);

	if (ret) {
		r->nr_unreadable++;
		return 0;
	}
	if (s.attr->type != PERF_ATTR_TRACEPOINT || !(s.has & PERF_HAS_RAW)) {
		r->nr_others++;
		return 0;
	}
	if (!is_readable(pe, &s) || !(s.has & PERF_HAS_TIME)) {
		*(s.has & PERF_HAS_TIME ? &r->nr_unreadable : &r->nr_untimed) += 1;
		return 0;
	}
	ret = import_cpu(&pe->result->made.cpus, s.has & PERF_HAS_CPU ? s.cpu : 0,
			 &index);
	if (ret)
		return ret;
	if (s.raw_size > pe->tracing->subbuf_size - pe->tracing->layout.data_offset -
				 SUBBUF_BESIDE_RECORD) {
		r->nr_too_long++;
		ret = add_loss(pe, index, s.time, 1);
	} else {
		ret = add_event(pe, index, &s);
	}
	pe->result->made.cpus.items[index].seen_ts = s.time;
	return ret;
}

/* --- losses ------------------------------------------------------------------------------ */

static int lose_everywhere(struct perf_events *pe, uint64_t ts)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < pe->result->made.cpus.nr; i++)
		ret = add_loss(pe, i, ts, SUBBUF_MISSED_UNKNOWN);
	return ret;
}

static int lose(struct perf_events *pe, const struct perf_record *rec, uint64_t lost)
{
	struct perf_sample s;
	uint32_t index;
	int ret;

	perf_sample_parse_trailer(pe->attrs, rec->data, rec->size, &s);
	if (!(s.has & PERF_HAS_CPU) || s.cpu > IMPORT_MAX_CPU ||
	    !pe->tracing->subbuf_size) {
		pe->result->nr_lost_anywhere++;
		return lose_everywhere(pe, s.time);
	}
	ret = import_cpu(&pe->result->made.cpus, s.cpu, &index);
	return ret ? ret : add_loss(pe, index, s.time, lost);
}

/* u64 number, then {id, index, CPU, task} for each: maps ids to CPUs. */
static int read_id_index(struct perf_events *pe, const struct perf_record *rec)
{
	for (size_t at = 8; at + ID_INDEX_ENTRY <= rec->size; at += ID_INDEX_ENTRY) {
		const uint64_t cpu = get_u64(rec->data + at + 16, rec->big_endian);

		if (cpu > IMPORT_MAX_CPU)
			continue; /* events of a task have all bits set */
		if (pe->cpu_of_id.count == PERF_IDS_MAX)
			return 0;
		if (!u64_map_insert(&pe->cpu_of_id,
				    get_u64(rec->data + at, rec->big_endian),
				    (uint32_t)cpu))
			return -ENOMEM;
	}
	return 0;
}

/* The CPU of a LOST_SAMPLES record. perf itself writes it with an id, but with CPU and time 0. If
 * it has a time, the kernel wrote it.
 */
static bool cpu_of_lost_samples(const struct perf_events *pe, const struct perf_sample *s,
				uint32_t *out)
{
	const uint32_t *cpu =
		s->has & PERF_HAS_ID ? u64_map_find(&pe->cpu_of_id, s->id) : NULL;

	*out = cpu ? *cpu : s->cpu;
	return cpu || (s->has & PERF_HAS_CPU && s->cpu <= IMPORT_MAX_CPU && s->time);
}

/* The kernel counts these per event, and perf reports them at its end. */
static int read_lost_samples(struct perf_events *pe, const struct perf_record *rec)
{
	uint64_t lost, *sum;
	struct perf_sample s;
	uint32_t cpu, index;
	int ret;

	if (rec->size < 8 || rec->misc & MISC_FILTERED)
		return 0;
	lost = get_u64(rec->data, rec->big_endian);
	perf_sample_parse_trailer(pe->attrs, rec->data, rec->size, &s);
	if (!lost)
		return 0;
	if (!cpu_of_lost_samples(pe, &s, &cpu) || !pe->tracing->subbuf_size) {
		sum = &pe->lost_samples_anywhere;
	} else {
		ret = import_cpu(&pe->result->made.cpus, cpu, &index);
		if (ret)
			return ret;
		sum = &pe->result->made.cpus.items[index].lost_samples;
	}
	count(sum, lost);
	return 0;
}

int perf_events_record(struct perf_events *pe, const struct perf_record *rec)
{
	struct perf_sample at;
	uint64_t lost;

	switch (rec->type) {
	case PERF_SAMPLE:
		return read_sample(pe, rec);
	case PERF_LOST:
		if (rec->size < 16)
			return 0;
		lost = get_u64(rec->data + 8, rec->big_endian);
		count(&pe->result->nr_lost, lost);
		return lost ? lose(pe, rec, lost) : 0;
	case PERF_LOST_SAMPLES:
		return read_lost_samples(pe, rec);
	case PERF_THROTTLE:
		return lose(pe, rec, SUBBUF_MISSED_UNKNOWN);
	case PERF_ID_INDEX:
		return read_id_index(pe, rec);
	case PERF_FINISHED_ROUND:
		return order_round(pe);
	case PERF_HEADER_BUILD_ID:
		return user_maps_build_id(pe->user, rec);
	case PERF_MMAP:
	case PERF_MMAP2:
	case PERF_FORK:
	case PERF_COMM:
		perf_sample_parse_trailer(pe->attrs, rec->data, rec->size, &at);
		return user_maps_record(pe->user, rec, at.time);
	default:
		return 0;
	}
}

/* --- the end ----------------------------------------------------------------------------- */

/* A LOST record comes with the next event that fits: events lost after the last one are known only
 * from the kernel's own count.
 */
static int finish_cpu(struct perf_events *pe, struct import_cpu *c, bool lost_anywhere)
{
	if (c->lost_samples > c->lost) {
		subbuf_writer_lost(&c->pages, c->lost_samples - c->lost);
		count(&pe->result->nr_lost, c->lost_samples - c->lost);
	} else if (lost_anywhere) {
		subbuf_writer_lost(&c->pages, SUBBUF_MISSED_UNKNOWN);
	}
	return subbuf_writer_finish(&c->pages, c->written_ts);
}

int perf_events_finish(struct perf_events *pe)
{
	struct import_cpus *cpus = &pe->result->made.cpus;
	const bool lost_anywhere = pe->lost_samples_anywhere > pe->result->nr_lost;
	int ret = release_until(pe, UINT64_MAX);

	for (size_t i = 0; !ret && i < cpus->nr; i++)
		ret = finish_cpu(pe, &cpus->items[i], lost_anywhere);
	return ret;
}

void perf_events_free(struct perf_events *pe)
{
	u64_map_free(&pe->cpu_of_id);
	free(pe->record);
	free(pe->stack);
	free(pe->order.entries);
	free(pe->order.bytes);
}
