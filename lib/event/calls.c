// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/calls.h"

#include "base/array.h"
#include "event/stream_state.h"

/* Finds or adds task @pid; UINT32_MAX: no memory. */
static uint32_t add_task(struct calls *c, int32_t pid)
{
	uint32_t *index = u64_map_insert(&c->of_pid, (uint32_t)pid, (uint32_t)c->nr);

	if (!index || array_reserve(&c->tasks, &c->capacity, *index + 1UL))
		return UINT32_MAX;
	if (*index == c->nr)
		c->tasks[c->nr++] =
			(struct call_task){ .pid = pid, .call = CALL_UNKNOWN };
	return *index;
}

struct call_change calls_last(const struct calls *c, uint32_t task)
{
	const struct call_task *t = &c->tasks[task];

	/* exit() and exit_group() never return. */
	return (struct call_change){
		.task = task,
		.over = call_is_one(t->call) ? t->call : CALL_NONE,
		.whole = t->ended && t->losses == c->losses,
	};
}

static void enter(const struct calls *c, struct call_task *t, uint32_t call,
		  struct call_change *change)
{
	change->over = call_is_one(t->call) ? t->call : CALL_NONE;
	*t = (struct call_task){ .pid = t->pid, .call = call, .losses = c->losses };
}

/* A new task returns from the call of its parent that created it. After rt_sigreturn() the number
 * is -1.
 */
static void leave(const struct calls *c, struct call_task *t, uint32_t call,
		  struct call_change *change)
{
	bool same = call == t->call || call == CALL_ODD;

	change->over = call_is_one(t->call) ? t->call : t->born ? CALL_NONE : call;
	change->whole = call_is_one(t->call) && same && t->losses == c->losses;
	*t = (struct call_task){ .pid = t->pid, .call = CALL_NONE, .losses = c->losses };
}

int calls_learn(struct calls *c, const struct kmem_event *ev, struct call_change *change)
{
	const bool born = ev->type == KMEM_TASK_NEW;
	struct call_task *t;

	*change = (struct call_change){ .task = UINT32_MAX, .over = CALL_NONE };
	if (ev->type == KMEM_LOSS)
		c->losses++;
	if (!kmem_is_call(ev->type) && !born) {
		change->task =
			ev->type == KMEM_TASK_EXIT ? calls_task(c, ev) : UINT32_MAX;
		if (change->task != UINT32_MAX)
			c->tasks[change->task].ended = true;
		return 0;
	}
	change->task = add_task(c, born ? ev->task.pid : ev->pid);
	if (change->task == UINT32_MAX)
		return -ENOMEM;
	t = &c->tasks[change->task];
	if (born) { /* the change is of the task that had this pid before */
		*change = calls_last(c, change->task);
		*t = (struct call_task){ .pid = t->pid,
					 .call = CALL_NONE,
					 .losses = c->losses,
					 .born = true };
	} else if (ev->type == KMEM_CALL_ENTER) {
		enter(c, t, ev->call, change);
	} else {
		leave(c, t, ev->call, change);
	}
	return 0;
}

uint32_t calls_task(const struct calls *c, const struct kmem_event *ev)
{
	const uint32_t *index = ev->type == KMEM_LOSS
					? NULL
					: u64_map_find(&c->of_pid, (uint32_t)ev->pid);

	return index ? *index : UINT32_MAX;
}

uint32_t calls_find(const struct calls *c, const struct kmem_event *ev)
{
	uint32_t task;

	if (ev->flags & KMEM_FLAGS_IRQ)
		return ev->flags & KMEM_FLAG_HARDIRQ ? CALL_INTERRUPT : CALL_SOFTIRQ;
	task = calls_task(c, ev);
	if (task == UINT32_MAX || c->tasks[task].losses != c->losses)
		return CALL_UNKNOWN;
	return c->tasks[task].call;
}

void calls_free(struct calls *c)
{
	u64_map_free(&c->of_pid);
	free(c->tasks);
	*c = (struct calls){ 0 };
}

/* --- callchains with the system call appended to the frames ----------------------------- */

/* @stacks: recorded callchain and call -> callchain with the call; @both: room for one */
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

/* The number of the callchain of @stack, which may be 0, with @call; 0: no memory. */
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

/* Gives allocation @ev the callchain with its call. 0 or -ENOMEM. */
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
	/* Frames have 8 bytes, so the rest is the call. */
	if (content && size % sizeof(uint64_t) == sizeof(call))
		memcpy(&call, content + size - sizeof(call), sizeof(call));
	return call;
}
