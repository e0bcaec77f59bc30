// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: callchains that also say in which system call it was.
 * In: the stream's events. Out: the same, with other numbers of callchains.
 *
 * Behind the frames of such a callchain is the call, so that it is one of its own.
 */

#include "event/calls.h"
#include "event/stream_state.h"

/* @stacks: callchain as recorded and call -> that of both; @both: room for one */
struct stream_calls {
	struct calls calls;
	struct u64_map stacks;
	struct strbuf both;
};

int event_stream_set_calls(struct event_stream *st)
{
	if (!st->calls)
		st->calls = calloc(1, sizeof(*st->calls));
	return st->calls ? 0 : -ENOMEM;
}

void stream_calls_again(struct event_stream *st)
{
	if (st->calls)
		calls_free(&st->calls->calls);
}

void stream_calls_free(struct event_stream *st)
{
	if (!st->calls)
		return;
	calls_free(&st->calls->calls);
	u64_map_free(&st->calls->stacks);
	strbuf_free(&st->calls->both);
	free(st->calls);
}

/* The callchain of @stack, which may be 0, and @call; 0: no memory. */
static uint32_t add_both(struct event_stream *st, uint32_t stack, uint32_t call)
{
	struct strbuf *both = &st->calls->both;
	const void *frames;
	size_t size = 0;
	uint32_t id;

	strbuf_reset(both);
	pthread_mutex_lock(st->dec.lock);
	frames = stack ? intern_get(&st->shared.stacks, stack, &size) : NULL;
	if (frames)
		strbuf_add(both, frames, size);
	strbuf_add(both, &call, sizeof(call));
	id = both->failed ? 0 : intern_id(&st->shared.stacks, both->data, both->size);
	pthread_mutex_unlock(st->dec.lock);
	return id;
}

/* Gives allocation @ev its callchain and call. 0 or -ENOMEM. */
static int give(struct event_stream *st, struct kmem_event *ev)
{
	uint32_t call = calls_find(&st->calls->calls, ev), *both;

	if (call == CALL_UNKNOWN)
		return 0;
	both = u64_map_insert(&st->calls->stacks, (uint64_t)ev->stack << 32 | call, 0);
	if (both && !*both)
		*both = add_both(st, ev->stack, call);
	if (!both || !*both)
		return -ENOMEM;
	ev->stack = *both;
	return 0;
}

int stream_calls_take(struct event_stream *st, struct kmem_event *evs, int nr)
{
	struct call_change change;
	int ret = 0;

	for (int i = 0; i < nr && !ret; i++) {
		if (kmem_is_slab_alloc(evs[i].type) || kmem_is_area_alloc(evs[i].type) ||
		    evs[i].type == KMEM_PAGE_ALLOC || evs[i].type == KMEM_ALLOC_BULK)
			ret = give(st, &evs[i]);
		else
			ret = calls_learn(&st->calls->calls, &evs[i], &change);
	}
	return ret;
}

uint32_t event_stream_call(const struct event_stream *st, uint32_t id)
{
	uint32_t call = CALL_UNKNOWN;
	const char *content;
	size_t size = 0;

	if (!st->calls || !id)
		return call;
	pthread_mutex_lock(st->dec.lock);
	content = intern_get(&st->shared.stacks, id, &size);
	pthread_mutex_unlock(st->dec.lock);
	/* Frames have 8 bytes. */
	if (content && size % sizeof(uint64_t) == sizeof(call))
		memcpy(&call, content + size - sizeof(call), sizeof(call));
	return call;
}
