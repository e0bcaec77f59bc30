// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: a stream that is fed with sub-buffers while it is read.
 * In: sub-buffers as a tracing instance gives them, CPU by CPU. Out: the stream's events, as far as
 * all CPUs have been fed.
 */
#include "event/stream_state.h"

int event_stream_go_live(struct event_stream *st)
{
	if (st->page_pointers || st->primed)
		return -EINVAL;
	/* The heads have room for it, and it is merged like a CPU. An item without data is handled
	 * like a loss, so it costs events nothing.
	 */
	st->horizon = &st->heads[st->nr_cpus];
	st->horizon->next = &st->pause;
	st->horizon->end = &st->pause + 1;
	return 0;
}

/* The index of the CPU in the stream; UINT32_MAX if it has none. */
static uint32_t find_cpu(const struct event_stream *st, uint32_t cpu)
{
	uint32_t buffer = cpu >= RECORDING_FREES_CPU;

	cpu %= RECORDING_FREES_CPU;
	for (uint32_t i = 0; i < st->nr_cpus; i++) {
		if (st->heads[i].cpu == cpu && st->heads[i].buffer == buffer)
			return i;
	}
	return UINT32_MAX;
}

static int fail(struct event_stream *st, int err)
{
	st->error = err;
	return err;
}

int event_stream_keep(struct event_stream *st)
{
	int ret = 0;

	for (uint32_t i = 0; i < st->nr_cpus && !ret; i++)
		ret = cpu_events_keep(&st->cpus[i]);
	return ret ? fail(st, ret) : 0;
}

int event_stream_feed(struct event_stream *st, uint32_t cpu, const void *pages,
		      size_t size)
{
	uint32_t i = find_cpu(st, cpu);
	int ret;

	if (i == UINT32_MAX)
		return -ENOENT;
	ret = cpu_events_feed(&st->cpus[i], pages, size);
	/* A CPU without items continues with the first new ones. */
	if (!ret && st->primed && st->heads[i].next == st->heads[i].end)
		ret = event_stream_refill(st, i);
	return ret < 0 ? fail(st, ret) : 0;
}

int event_stream_advance(struct event_stream *st, uint64_t ts)
{
	st->pause.ts = LARGER(st->pause.ts, ts);
	if (st->primed)
		event_stream_merge_heads(st);
	return st->error;
}

/* With @mark, marks in @to the callchains of CPU @ce's items; else renumbers them by @to. */
static void each_stack(struct cpu_events *ce, uint32_t *to, bool mark)
{
	struct cpu_batch *batch;

	for (batch = ce->now; batch; batch = batch->next) {
		for_each(item, batch->items, batch->nr) {
			if (mark)
				to[item->stack] |= item->stack;
			else
				item->stack = to[item->stack];
		}
	}
}

int event_stream_forget_stacks(struct event_stream *st, uint32_t *to)
{
	struct cpu_shared *sh = &st->shared;
	struct intern stacks = { 0 };

	for (uint32_t i = 0; i < st->nr_cpus; i++)
		each_stack(&st->cpus[i], to, true);
	for (uint32_t id = 1; id <= sh->stacks.count; id++) {
		size_t size = 0;
		const void *frames = intern_get(&sh->stacks, id, &size);

		if (!to[id])
			continue;
		to[id] = intern_id(&stacks, frames, size);
		if (!to[id]) {
			intern_free(&stacks);
			return -ENOMEM;
		}
	}
	to[0] = 0;
	for (uint32_t i = 0; i < st->nr_cpus; i++)
		each_stack(&st->cpus[i], to, false);
	intern_free(&sh->stacks);
	sh->stacks = stacks;
	sh->stack = 0;
	memset(sh->recent_stacks, 0, sizeof(sh->recent_stacks));
	return 0;
}
