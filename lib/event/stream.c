// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/stream.h"

#include "event/stream_state.h"
#include "recording/read_ahead.h"
#include "recording/time_span.h"

/* Opens every CPU of the buffers wanted. */
static int open_cpus(struct event_stream *st, const struct recording *rec,
		     const struct event_stream_options *opts)
{
	uint32_t nr = 0;
	bool found = false;

	for (uint32_t b = 0; b < rec->nr_buffers; b++)
		nr += rec->buffers[b].nr_cpus;
	st->cpus = calloc(nr + 1, sizeof(*st->cpus));
	st->heads = calloc(nr + 1, sizeof(*st->heads));
	st->cpu_stats = calloc(nr + 1, sizeof(*st->cpu_stats));
	if (!st->cpus || !st->heads || !st->cpu_stats)
		return -ENOMEM;
	for (uint32_t b = 0; b < rec->nr_buffers; b++) {
		const struct recording_buffer *buf = &rec->buffers[b];

		if (opts->instance && strcmp(buf->name, opts->instance))
			continue;
		found = true;
		for (uint32_t c = 0; c < buf->nr_cpus; c++) {
			struct cpu_events *ce = &st->cpus[st->nr_cpus];
			int ret;

			st->cpu_stats[st->nr_cpus] =
				(struct event_stream_cpu){ .buffer = b,
							   .cpu = buf->cpus[c].cpu };
			st->heads[st->nr_cpus].cpu = buf->cpus[c].cpu;
			st->heads[st->nr_cpus].buffer = (uint16_t)b;
			ret = cpu_events_open(ce, &st->shared,
					      &st->cpu_stats[st->nr_cpus], rec, c);
			/* Whatever it has allocated is freed with the others. */
			st->nr_cpus++;
			if (ret < 0)
				return ret;
		}
	}
	return found || !opts->instance ? 0 : -ENOENT;
}

/* With more CPUs than this, most runs are of one event. */
#define MANY_CPUS 8

/* Makes the earliest CPU the running one. With many CPUs, how far it may run is computed only when
 * it runs for more than one event.
 */
static inline void take_top(struct event_stream *st)
{
	const struct merge_item *top = merge_top(&st->merge);
	struct cpu_head *run = top ? &st->heads[top->index] : NULL;
	struct merge_item second;

	st->limit = 0;
	if (run && (run == st->run || st->merge.size <= MANY_CPUS)) {
		st->limit = UINT64_MAX;
		/* At equal times the lower index goes first. second.ts is not 0 here. */
		if (merge_second(&st->merge, &second))
			st->limit = second.ts - (top->index > second.index);
	}
	st->run = run;
}

int event_stream_refill(struct event_stream *st, uint32_t i)
{
	struct cpu_events *ce = &st->cpus[i];
	int ret = cpu_events_refill(ce);

	if (ret > 0) {
		st->heads[i].next = ce->now->items;
		st->heads[i].end = ce->now->items + ce->now->nr;
	}
	return ret;
}

void event_stream_merge_heads(struct event_stream *st)
{
	merge_clear(&st->merge);
	for (uint32_t i = 0; i < st->nr_cpus; i++) {
		if (st->heads[i].next < st->heads[i].end)
			merge_add(&st->merge, st->heads[i].next->ts, i);
	}
	if (st->horizon)
		merge_add(&st->merge, st->pause.ts, st->nr_cpus);
	merge_build(&st->merge);
	st->run = NULL;
	take_top(st);
}

/* Reads each CPU's first events. */
static int prime(struct event_stream *st)
{
	int ret = merge_init(&st->merge, st->nr_cpus + (st->horizon != NULL));

	st->primed = true;
	for (uint32_t i = 0; i < st->nr_cpus && ret >= 0; i++)
		ret = event_stream_refill(st, i);
	if (ret < 0)
		return ret;
	event_stream_merge_heads(st);
	return 0;
}

static int prepare_shared(struct event_stream *st, const struct recording *rec,
			  const struct event_formats *fmts,
			  const struct event_stream_options *opts, const struct log *log)
{
	struct user_stacks **users = &st->shared.users;
	int ret;

	st->shared = (struct cpu_shared){
		.dec = &st->dec,
		.start_ts = opts->start_ts,
		.stop_ts = opts->stop_ts,
		.keep_stacks = opts->keep_stacks,
		.ahead_max = CPU_AHEAD_BYTES,
		.ahead = opts->read_ahead ? read_ahead_start() : NULL,
		.stats = &st->stats,
		.log = log,
		.formats = calloc(CPU_SHARED_IDS, sizeof(*st->shared.formats)),
		.by_id = calloc(CPU_SHARED_IDS, sizeof(*st->shared.by_id)),
	};
	if (!st->shared.formats || !st->shared.by_id)
		return -ENOMEM;
	for_each(fmt, fmts->list, fmts->count) {
		st->shared.formats[fmt->id] = fmt;
	}
	ret = opts->live ? 0 : user_stacks_open(users, rec, fmts);
	if (*users)
		st->shared.formats[(*users)->format.id] = &(*users)->format;
	st->dec.formats = st->shared.formats;
	st->dec.account = gfp_bit(&fmts->gfp, "__GFP_ACCOUNT", "GFP_ACCOUNT");
	st->stats.by_id = st->shared.by_id;
	return ret;
}

static int open_stream(struct event_stream **out, const struct recording *rec,
		       const struct event_formats *fmts,
		       const struct event_stream_options *opts, const struct log *log)
{
	struct event_stream *st = calloc(1, sizeof(*st));
	int ret;

	if (!st)
		return -ENOMEM;
	st->dec.common = fmts->common;
	st->dec.big_endian = rec->big_endian;
	st->dec.page_stride = 1;
	st->dec.page_size = recording_kernel_page_size(rec);
	st->dec.nr_cpus = rec->nr_cpus ? rec->nr_cpus : 1;
	st->dec.lock = &st->lock;
	pthread_mutex_init(&st->lock, NULL);
	ret = prepare_shared(st, rec, fmts, opts, log) ?: open_cpus(st, rec, opts);
	if (ret < 0)
		goto err;
	st->stats.cpus = st->cpu_stats;
	st->stats.nr_cpus = st->nr_cpus;
	st->rec = rec;
	st->instance = opts->instance;
	ret = opts->live ? 0 : prime(st);
	if (ret < 0)
		goto err;
	*out = st;
	return 0;
err:
	event_stream_close(st);
	return ret;
}

/* What a recording's page pointers have in common. */
struct page_pointers {
	uint64_t some;	/* of the largest block */
	uint64_t apart; /* greatest common divisor of all distances */
	uint32_t order; /* order of @some */
};

static void page_pointers_add(struct page_pointers *pp, uint64_t page, uint32_t order)
{
	uint64_t distance;

	if (page == KMEM_NO_PFN)
		return;
	if (!pp->some)
		*pp = (struct page_pointers){ page, 0, order };
	distance = page > pp->some ? page - pp->some : pp->some - page;
	while (distance) {
		uint64_t rest = pp->apart % distance;

		pp->apart = distance;
		distance = rest;
	}
	if (order > pp->order) {
		pp->some = page;
		pp->order = order;
	}
}

/* The recording does not say how large a struct page is, but all distances between the pointers are
 * multiples of its size. That is mostly 64 bytes, 32 on 32-bit kernels, which is assumed where the
 * distances leave a choice. Blocks are aligned to their size: the largest one gets a frame number
 * that is a multiple of every size.
 */
static int learn_page_pointers(struct event_stream *out, const struct recording *rec,
			       const struct event_formats *fmts)
{
	const struct event_stream_options all = { .stop_ts = UINT64_MAX };
	uint32_t usual = rec->layout.long_size == 8 ? 64 : 32;
	struct page_pointers pp = { 0 };
	struct event_stream *st;
	struct kmem_event ev;
	int ret = open_stream(&st, rec, fmts, &all, NULL);

	if (ret < 0)
		return ret;
	while ((ret = event_stream_next(st, &ev)) == 1) {
		if (ev.type == KMEM_PAGE_ALLOC)
			page_pointers_add(&pp, ev.page_alloc.pfn, ev.page_alloc.order);
		else if (ev.type == KMEM_PAGE_FREE)
			page_pointers_add(&pp, ev.page_free.pfn, ev.page_free.order);
	}
	event_stream_close(st);
	out->dec.page_stride = usual;
	if (pp.apart % usual && pp.apart >= usual / 2 && pp.apart <= 2 * usual)
		out->dec.page_stride = (uint32_t)pp.apart;
	out->dec.page_base = pp.some - ((uint64_t)out->dec.page_stride << 32);
	return ret;
}

int event_stream_open(struct event_stream **out, const struct recording *rec,
		      const struct event_formats *fmts,
		      const struct event_stream_options *opts, const struct log *log)
{
	struct event_stream *st;
	int ret = open_stream(&st, rec, fmts, opts, log);

	if (ret)
		return ret;
	st->unchecked = true;
	st->page_pointers = ANY(i, fmts->count, fmts->list[i].page_pointer);
	if (st->page_pointers) {
		ret = learn_page_pointers(st, rec, fmts);
		if (ret < 0)
			event_stream_close(st);
	}
	if (!ret)
		*out = st;
	return ret;
}

/* At the end: if damage may have changed times, computes the span without them. 0 or an error. */
static int check_times(struct event_stream *st)
{
	struct event_stream_stats *s = &st->stats;
	const struct time_span_options opts = { .instance = st->instance,
						.start_ts = st->shared.start_ts,
						.stop_ts = st->shared.stop_ts,
						.min_size = st->dec.common.min_size };
	struct time_span span;
	int ret;

	if (!st->unchecked)
		return 0;
	st->unchecked = false;
	if (s->largest_step_back < TIME_STEP_PLAUSIBLE &&
	    s->last_ts - s->first_ts <= TIME_SPAN_PLAUSIBLE)
		return 0;
	ret = time_span_check(st->rec, &opts, &span);
	if (ret)
		return ret;
	s->first_ts = span.first;
	s->last_ts = span.last;
	s->nr_impossible = span.nr_impossible;
	return 0;
}

void event_stream_set_brief(struct event_stream *st, bool brief)
{
	st->dec.brief = brief;
}

/* Reads on in the running CPU. 0 or an error. */
static int refill_run(struct event_stream *st)
{
	int ret = event_stream_refill(st, (uint32_t)(st->run - st->heads));

	if (ret < 0)
		return ret;
	if (ret)
		merge_replace_top(&st->merge, st->run->next->ts);
	else
		merge_pop(&st->merge);
	take_top(st);
	return 0;
}

/* How many events are decoded at a time; small enough to stay in the L1 cache. */
#define BATCH_MAX 128

/* The running CPU's next event is at @ts, after @st->limit: switches to another CPU. */
static inline void switch_run(struct event_stream *st, uint64_t ts)
{
	struct merge_item other;

	if (st->merge.size != 2) {
		merge_replace_top(&st->merge, ts);
		take_top(st);
		return;
	}
	other = merge_swap(&st->merge, ts);
	st->run = &st->heads[other.index];
	st->limit = ts - (other.index != 0);
}

/* A loss comes alone, as there is no record to decode. Return: 1; 0 at a live stream's horizon. */
static int take_loss(struct event_stream *st, struct kmem_event *ev)
{
	const struct raw_item *item = st->run->next;
	const struct cpu_batch *now;

	if (unlikely(st->run == st->horizon))
		return 0;
	now = st->cpus[st->run - st->heads].now;
	st->run->next++;
	*ev = (struct kmem_event){ .ts = item->ts,
				   .type = KMEM_LOSS,
				   .cpu = st->run->cpu,
				   .buffer = st->run->buffer,
				   .loss = { now->missed, now->since_ts } };
	if (st->run->next < st->run->end && st->run->next->ts > st->limit)
		switch_run(st, st->run->next->ts);
	return 1;
}

/* CPU and buffer, adjacent here as in an event, to be stored at once. */
static inline uint64_t place_of(const struct cpu_head *head)
{
	uint64_t place;

	_Static_assert(offsetof(struct cpu_head, buffer) -
					       offsetof(struct cpu_head, cpu) ==
				       offsetof(struct kmem_event, buffer) -
					       offsetof(struct kmem_event, cpu) &&
			       offsetof(struct kmem_event, loss) -
					       offsetof(struct kmem_event, cpu) >=
				       sizeof(place),
		       "what lies behind them is unused");
	memcpy(&place, &head->cpu, sizeof(place));
	return place;
}

/* Takes items in time order until a CPU has no more or there is a loss. @evs receive them as they
 * are in their sub-buffers. Return: their number, 0 at the end or before a loss.
 */
static int pick_events(struct event_stream *st, struct kmem_event *evs, int max)
{
	struct kmem_event *ev = evs, *full = evs + max;
	struct cpu_head *run;

	_Static_assert(offsetof(struct kmem_event, stack) ==
			       offsetof(struct raw_item, stack),
		       "an event begins as an item does");
	while (ev < full && (run = st->run) && run->next < run->end) {
		const struct raw_item *item = run->next, *end = run->end;
		const uint64_t limit = st->limit;
		const uint64_t place = place_of(run);

		if (unlikely(!item->data)) /* only a sub-buffer's first item is a loss */
			break;
		do {
			__builtin_prefetch(item->data);
			memcpy(ev, item, sizeof(*item));
			memcpy(&ev->cpu, &place, sizeof(place));
			ev++;
			item++;
		} while (item < end && item->ts <= limit && ev < full);
		run->next = item;
		if (item < end && item->ts > limit)
			switch_run(st, item->ts);
	}
	return (int)(ev - evs);
}

/* The next events, or a loss. Return: their number; 0 at the end; <0 error. */
static int take_events(struct event_stream *st, struct kmem_event *evs, int max)
{
	int nr, ret;

	/* A refill invalidates picked items, so it comes first. */
	while (st->run && st->run->next == st->run->end) {
		ret = refill_run(st);
		if (ret < 0)
			return ret;
	}
	if (!st->run)
		return check_times(st);
	nr = pick_events(st, evs, max);
	if (unlikely(!nr))
		return take_loss(st, evs);
	ret = decode_events(&st->dec, evs, (size_t)nr, &st->stats.nr_undecodable);
	return ret < 0 ? ret : nr;
}

int event_stream_next_batch(struct event_stream *st, struct kmem_event *evs, int max)
{
	int nr = st->error;

	if (unlikely(!st->primed) && !nr)
		nr = prime(st);
	if (likely(!nr))
		nr = take_events(st, evs, SMALLER(max, BATCH_MAX));
	if (unlikely(st->calls) && nr > 0 && stream_calls_take(st, evs, nr))
		nr = -ENOMEM;
	if (unlikely(nr < 0))
		st->error = nr;
	return nr;
}

/* Opens the CPUs again, at their start. 0, -ENOMEM. */
static int rewind_cpus(struct event_stream *st)
{
	struct cpu_shared *sh = &st->shared;
	uint32_t index = 0;
	int ret = 0;

	memset(sh->by_id, 0, CPU_SHARED_IDS * sizeof(*sh->by_id));
	memset(sh->recent_stacks, 0, sizeof(sh->recent_stacks));
	memset(st->dec.recent, 0, sizeof(st->dec.recent));
	intern_free(&sh->stacks);
	intern_free(&st->dec.names);
	st->stats = (struct event_stream_stats){ .by_id = sh->by_id,
						 .cpus = st->cpu_stats,
						 .nr_cpus = st->nr_cpus };
	for (uint32_t i = 0; i < st->nr_cpus && !ret; i++, index++) {
		struct event_stream_cpu *cpu = &st->cpu_stats[i];

		if (i && cpu->buffer != cpu[-1].buffer)
			index = 0;
		*cpu = (struct event_stream_cpu){ .buffer = cpu->buffer,
						  .cpu = cpu->cpu };
		cpu_events_close(&st->cpus[i]);
		ret = cpu_events_open(&st->cpus[i], sh, cpu, st->rec, index);
	}
	return ret;
}

int event_stream_again(struct event_stream *st)
{
	struct intern stacks = st->shared.stacks, names = st->dec.names;
	int ret;

	st->shared.stacks = (struct intern){ 0 };
	st->dec.names = (struct intern){ 0 };
	ret = rewind_cpus(st);
	st->shared.stacks = stacks;
	st->dec.names = names;
	merge_free(&st->merge);
	for (uint32_t i = 0; i < st->nr_cpus; i++)
		st->heads[i].next = st->heads[i].end = NULL;
	stream_calls_again(st);
	st->run = NULL;
	st->primed = false;
	st->unchecked = true;
	st->error = ret;
	return ret;
}

int event_stream_next(struct event_stream *st, struct kmem_event *ev)
{
	return event_stream_next_batch(st, ev, 1);
}

const struct event_stream_stats *event_stream_stats(const struct event_stream *st)
{
	return &st->stats;
}

/* Content never moves, but the table that points to it may, so this takes the lock. */
static const void *look_up(const struct event_stream *st, const struct intern *in,
			   uint32_t id, size_t *size)
{
	const void *content;

	pthread_mutex_lock(st->dec.lock);
	content = intern_get(in, id, size);
	pthread_mutex_unlock(st->dec.lock);
	return content;
}

const uint64_t *event_stream_stack(const struct event_stream *st, uint32_t id,
				   uint32_t *nr)
{
	size_t size = 0;
	const uint64_t *frames = look_up(st, &st->shared.stacks, id, &size);

	*nr = (uint32_t)(size / sizeof(*frames));
	return frames;
}

uint32_t event_stream_nr_stacks(const struct event_stream *st)
{
	return st->shared.stacks.count;
}

const char *event_stream_cache(const struct event_stream *st, uint32_t id)
{
	return look_up(st, &st->dec.names, id, NULL);
}

void event_stream_close(struct event_stream *st)
{
	if (!st)
		return;
	for (uint32_t i = 0; i < st->nr_cpus; i++)
		cpu_events_close(&st->cpus[i]);
	read_ahead_stop(st->shared.ahead);
	stream_calls_free(st);
	free(st->cpus);
	free(st->heads);
	free(st->cpu_stats);
	free(st->shared.formats);
	free(st->shared.by_id);
	free(st->shared.frames);
	intern_free(&st->shared.stacks);
	user_stacks_close(st->shared.users);
	intern_free(&st->dec.names);
	pthread_mutex_destroy(&st->lock);
	merge_free(&st->merge);
	free(st);
}
