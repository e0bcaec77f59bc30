// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_events.h"

#include <unistd.h>

#include "base/array.h"

#define MAX_CPU		4095U
/* Words that a sub-buffer may need besides a record: subbuf_writer.h. */
#define BESIDE_A_RECORD 24U
/* LOST_SAMPLES: these samples were dropped by a user's filter, not lost. */
#define MISC_FILTERED	(1U << 15)
#define ID_INDEX_ENTRY	32U

/* --- CPUs -------------------------------------------------------------------------------- */

static int add_cpu(struct perf_events *pe, uint32_t cpu)
{
	struct perf_cpu *c;
	int fd, ret;

	if (array_reserve(&pe->cpus, &pe->capacity, pe->nr_cpus + 1, sizeof(*pe->cpus)))
		return -ENOMEM;
	fd = pe->opts->open_part(pe->opts->ctx, cpu);
	if (fd < 0)
		return fd;
	c = &pe->cpus[pe->nr_cpus];
	*c = (struct perf_cpu){ .cpu = cpu };
	ret = subbuf_writer_init(&c->pages, &pe->tracing->layout, pe->tracing->big_endian,
				 pe->tracing->subbuf_size);
	if (ret) {
		close(fd);
		return ret;
	}
	subbuf_writer_to(&c->pages, fd, 0);
	pe->by_cpu[cpu] = (uint32_t)++pe->nr_cpus;
	return 0;
}

/* @cpu is at most MAX_CPU. Sets @out to the CPU's index. */
static int get_cpu(struct perf_events *pe, uint32_t cpu, uint32_t *out)
{
	int ret = pe->by_cpu[cpu] ? 0 : add_cpu(pe, cpu);

	*out = pe->by_cpu[cpu] - 1;
	return ret;
}

/* --- out --------------------------------------------------------------------------------- */

static int add_record(struct perf_events *pe, struct perf_cpu *c, uint64_t ts,
		      const uint8_t *data, uint32_t size)
{
	const struct raw_record rec = { ts, data, size };
	int ret = subbuf_writer_add(&c->pages, &rec, false);

	if (!ret)
		pe->result->nr_events++;
	return ret;
}

static void set_u64(uint8_t *p, uint64_t v, bool big_endian)
{
	for (unsigned int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * (big_endian ? 7 - i : i));
}

/* Only now are all earlier mappings known. Without frame pointers, the outermost frames are
 * nonsense: those that belong to nothing are left out.
 */
static int add_stack(struct perf_events *pe, struct perf_cpu *c,
		     const struct perf_item *item)
{
	const struct perf_tracing *t = pe->tracing;
	uint32_t size = item->stack_size, known = 0;
	uint8_t *frame;

	if (array_reserve(&pe->stack, &pe->stack_size, item->stack_size, 1))
		return -ENOMEM;
	memcpy(pe->stack, item->data + item->size, item->stack_size);
	frame = pe->stack + item->stack_size - 8 * (size_t)item->nr_user;
	for (uint32_t i = 0; i < item->nr_user; i++, frame += 8) {
		uint64_t user = user_maps_frame(pe->user, item->pid, item->ts,
						get_u64(frame, t->big_endian));

		if (!user)
			return -ENOMEM;
		set_u64(frame, user, t->big_endian);
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

static int write_item(void *ctx, const struct perf_item *item)
{
	struct perf_events *pe = ctx;
	struct perf_cpu *c = &pe->cpus[item->cpu];
	int ret;

	if (item->lost) {
		subbuf_writer_lost(&c->pages, item->lost);
		if (__builtin_add_overflow(c->lost, item->lost, &c->lost))
			c->lost = UINT64_MAX;
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

int perf_events_init(struct perf_events *pe, const struct recording_import_options *opts,
		     const struct perf_attrs *attrs, const struct perf_tracing *tracing,
		     struct perf_import_result *result)
{
	*pe = (struct perf_events){
		.opts = opts, .attrs = attrs, .tracing = tracing, .result = result
	};
	pe->order.write = write_item;
	pe->order.ctx = pe;
	pe->by_cpu = calloc(MAX_CPU + 1, sizeof(*pe->by_cpu));
	return pe->by_cpu ? 0 : -ENOMEM;
}

/* --- samples ----------------------------------------------------------------------------- */

/* Adds a loss after the CPU's last sample, wherever it was reported. Its own time is that of the
 * record that reported it, after the first sample that followed.
 */
static int add_loss(struct perf_events *pe, uint32_t index, uint64_t ts, uint64_t lost)
{
	const struct perf_cpu *c = &pe->cpus[index];
	const struct perf_item item = { .ts = c->seen_ts ? c->seen_ts : ts,
					.lost = lost,
					.cpu = index };

	return lost ? perf_order_add(&pe->order, &item) : 0;
}

/* Adds the event, and its stack if it has one. */
static int add_event(struct perf_events *pe, uint32_t index, const struct perf_sample *s)
{
	const struct perf_tracing *t = pe->tracing;
	struct perf_item item = {
		.ts = s->time, .cpu = index, .size = s->raw_size, .pid = s->pid
	};
	int ret = array_reserve(&pe->record, &pe->record_size,
				s->raw_size + perf_tracing_stack_max(t), 1);

	if (ret)
		return ret;
	memcpy(pe->record, s->raw, s->raw_size);
	if (s->nr_chain)
		item.stack_size = (uint32_t)perf_tracing_stack(
			t, s, pe->record + s->raw_size, pe->user ? &item.nr_user : NULL);
	item.data = pe->record;
	pe->result->nr_samples++;
	pe->result->nr_stacks += item.stack_size != 0;
	return perf_order_add(&pe->order, &item);
}

static bool is_readable(const struct perf_events *pe, const struct perf_sample *s)
{
	const struct perf_tracing *t = pe->tracing;

	return t->subbuf_size && s->raw_size >= t->common_size &&
	       perf_tracing_knows(t, get_u16(s->raw, t->big_endian)) &&
	       (!(s->has & PERF_HAS_CPU) || s->cpu <= MAX_CPU);
}

static int read_sample(struct perf_events *pe, const struct perf_record *rec)
{
	struct perf_import_result *r = pe->result;
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
	ret = get_cpu(pe, s.has & PERF_HAS_CPU ? s.cpu : 0, &index);
	if (ret)
		return ret;
	if (s.raw_size > pe->tracing->subbuf_size - pe->tracing->layout.data_offset -
				 BESIDE_A_RECORD) {
		r->nr_too_long++;
		ret = add_loss(pe, index, s.time, 1);
	} else {
		ret = add_event(pe, index, &s);
	}
	pe->cpus[index].seen_ts = s.time;
	return ret;
}

/* --- losses ------------------------------------------------------------------------------ */

static void count_lost(struct perf_events *pe, uint64_t lost)
{
	uint64_t *sum = &pe->result->nr_lost;

	if (__builtin_add_overflow(*sum, lost, sum))
		*sum = UINT64_MAX;
}

static int lose_everywhere(struct perf_events *pe, uint64_t ts)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < pe->nr_cpus; i++)
		ret = add_loss(pe, i, ts, SUBBUF_MISSED_UNKNOWN);
	return ret;
}

static int lose(struct perf_events *pe, const struct perf_record *rec, uint64_t lost)
{
	struct perf_sample s;
	uint32_t index;
	int ret;

	perf_sample_parse_trailer(pe->attrs, rec->data, rec->size, &s);
	if (!(s.has & PERF_HAS_CPU) || s.cpu > MAX_CPU || !pe->tracing->subbuf_size) {
		pe->result->nr_lost_anywhere++;
		return lose_everywhere(pe, s.time);
	}
	ret = get_cpu(pe, s.cpu, &index);
	return ret ? ret : add_loss(pe, index, s.time, lost);
}

/* u64 number, then {id, index, CPU, task} for each: maps ids to CPUs. */
static int read_id_index(struct perf_events *pe, const uint8_t *data, size_t size)
{
	const bool big = pe->attrs->big_endian;

	for (size_t at = 8; at + ID_INDEX_ENTRY <= size; at += ID_INDEX_ENTRY) {
		const uint64_t cpu = get_u64(data + at + 16, big);

		if (cpu > MAX_CPU)
			continue; /* events of a task have all bits set */
		if (pe->cpu_of_id.count == PERF_IDS_MAX)
			return 0;
		if (!u64_map_insert(&pe->cpu_of_id, get_u64(data + at, big),
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
	return cpu || (s->has & PERF_HAS_CPU && s->cpu <= MAX_CPU && s->time);
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
	lost = get_u64(rec->data, pe->attrs->big_endian);
	perf_sample_parse_trailer(pe->attrs, rec->data, rec->size, &s);
	if (!lost)
		return 0;
	if (!cpu_of_lost_samples(pe, &s, &cpu) || !pe->tracing->subbuf_size) {
		sum = &pe->lost_samples_anywhere;
	} else {
		ret = get_cpu(pe, cpu, &index);
		if (ret)
			return ret;
		sum = &pe->cpus[index].lost_samples;
	}
	if (__builtin_add_overflow(*sum, lost, sum))
		*sum = UINT64_MAX;
	return 0;
}

/* Reads what a record says about the code of processes. */
static int read_mapping(struct perf_events *pe, const struct perf_record *rec)
{
	struct user_record r = { .type = rec->type,
				 .misc = rec->misc,
				 .data = rec->data,
				 .size = rec->size,
				 .big_endian = pe->attrs->big_endian };
	struct perf_sample at;

	if (rec->type == PERF_HEADER_BUILD_ID)
		return user_maps_build_id(pe->user, &r);
	perf_sample_parse_trailer(pe->attrs, rec->data, rec->size, &at);
	r.time = at.time;
	return user_maps_record(pe->user, &r);
}

int perf_events_build_ids(struct perf_events *pe, const uint8_t *data, size_t size)
{
	const bool big = pe->attrs->big_endian;
	int ret = 0;

	while (!ret && size >= PERF_RECORD_HEADER) {
		const uint16_t len = get_u16(data + 6, big);
		const struct user_record rec = { .misc = get_u16(data + 4, big),
						 .data = data + PERF_RECORD_HEADER,
						 .size = len - PERF_RECORD_HEADER,
						 .big_endian = big };

		if (len < PERF_RECORD_HEADER || len > size)
			return 0;
		ret = user_maps_build_id(pe->user, &rec);
		data += len;
		size -= len;
	}
	return ret;
}

int perf_events_record(struct perf_events *pe, const struct perf_record *rec)
{
	uint64_t lost;

	switch (rec->type) {
	case PERF_SAMPLE:
		return read_sample(pe, rec);
	case PERF_LOST:
		if (rec->size < 16)
			return 0;
		lost = get_u64(rec->data + 8, pe->attrs->big_endian);
		count_lost(pe, lost);
		return lost ? lose(pe, rec, lost) : 0;
	case PERF_LOST_SAMPLES:
		return read_lost_samples(pe, rec);
	case PERF_THROTTLE:
		return lose(pe, rec, SUBBUF_MISSED_UNKNOWN);
	case PERF_ID_INDEX:
		return read_id_index(pe, rec->data, rec->size);
	case PERF_FINISHED_ROUND:
		return perf_order_round(&pe->order);
	case PERF_HEADER_BUILD_ID:
	case PERF_MMAP:
	case PERF_MMAP2:
	case PERF_FORK:
	case PERF_COMM:
		return pe->user ? read_mapping(pe, rec) : 0;
	default:
		return 0;
	}
}

int perf_events_next_file(struct perf_events *pe)
{
	return perf_order_restart(&pe->order);
}

/* --- the end ----------------------------------------------------------------------------- */

ORDER_BY(compare_cpus, struct perf_cpu, cpu, cpu)

/* A LOST record comes with the next event that fits: events lost after the last one are known only
 * from the kernel's own count.
 */
static int finish_cpu(struct perf_events *pe, struct perf_cpu *c, bool lost_anywhere)
{
	if (c->lost_samples > c->lost) {
		subbuf_writer_lost(&c->pages, c->lost_samples - c->lost);
		count_lost(pe, c->lost_samples - c->lost);
	} else if (lost_anywhere) {
		subbuf_writer_lost(&c->pages, SUBBUF_MISSED_UNKNOWN);
	}
	return subbuf_writer_finish(&c->pages, c->written_ts);
}

int perf_events_finish(struct perf_events *pe)
{
	const bool lost_anywhere = pe->lost_samples_anywhere > pe->result->nr_lost;
	int ret = perf_order_finish(&pe->order);

	if (pe->nr_cpus)
		qsort(pe->cpus, pe->nr_cpus, sizeof(*pe->cpus), compare_cpus);
	for (size_t i = 0; !ret && i < pe->nr_cpus; i++)
		ret = finish_cpu(pe, &pe->cpus[i], lost_anywhere);
	return ret;
}

void perf_events_free(struct perf_events *pe)
{
	for (size_t i = 0; i < pe->nr_cpus; i++) {
		close(pe->cpus[i].pages.fd);
		subbuf_writer_free(&pe->cpus[i].pages);
	}
	free(pe->cpus);
	free(pe->by_cpu);
	u64_map_free(&pe->cpu_of_id);
	free(pe->record);
	free(pe->stack);
	perf_order_free(&pe->order);
}
