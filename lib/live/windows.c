// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/windows.h"

#include "base/array.h"

#define SECOND_NS 1000000000.0

/* The index of interval @step in a ring buffer. */
static unsigned int place(uint64_t step)
{
	return (unsigned int)(step % WINDOWS_KEPT);
}

void windows_begin(struct windows *w)
{
	for (size_t i = 0; i < w->nr; i++) {
		w->groups[i].step = (struct window_sums){ 0 };
		w->groups[i].bytes[place(w->nr_steps)] = 0;
	}
	w->step = (struct window_sums){ 0 };
}

static void add(struct window_sums *to, const struct window_sums *more)
{
	to->bytes += more->bytes;
	to->hit += more->hit;
	to->live_bytes += more->live_bytes;
	to->live_hit += more->live_hit;
}

int windows_add(struct windows *w, uint32_t group, const struct window_sums *more)
{
	struct window_group *g;

	if (group == WINDOWS_GONE || array_reserve(&w->groups, &w->capacity, group + 1UL))
		return -ENOMEM;
	while (w->nr <= group)
		w->groups[w->nr++] = (struct window_group){ .last = w->nr_steps };
	g = &w->groups[group];
	add(&g->step, more);
	add(&w->step, more);
	g->total.bytes += more->bytes;
	g->total.hit += more->hit;
	w->total.bytes += more->bytes;
	w->total.hit += more->hit;
	g->bytes[place(w->nr_steps)] += more->bytes;
	if (more->hit)
		g->last = w->nr_steps;
	return 0;
}

void windows_end(struct windows *w, uint64_t ns)
{
	w->lengths[place(w->nr_steps)] = ns;
	w->nr_steps++;
}

static uint64_t rate(uint64_t count, uint64_t ns)
{
	return ns ? (uint64_t)((double)count * SECOND_NS / (double)ns + 0.5) : 0;
}

uint64_t windows_rate(const struct windows *w, uint64_t count)
{
	return w->nr_steps ? rate(count, w->lengths[place(w->nr_steps - 1)]) : 0;
}

void windows_series(const struct windows *w, uint32_t group, unsigned int nr,
		    struct strbuf *out)
{
	nr = SMALLER(nr, WINDOWS_KEPT);
	nr = (unsigned int)SMALLER(nr, w->nr_steps);
	for (uint64_t step = w->nr_steps - nr; step < w->nr_steps; step++)
		strbuf_printf(out, "%s%" PRIu64, step == w->nr_steps - nr ? "" : "|",
			      rate(w->groups[group].bytes[place(step)],
				   w->lengths[place(step)]));
}

bool windows_active(const struct windows *w, uint32_t group)
{
	return w->nr_steps - w->groups[group].last <= WINDOWS_KEPT;
}

int windows_renumber(struct windows *w, const uint32_t *to, size_t nr)
{
	struct window_group *groups = calloc(nr + 1, sizeof(*groups));

	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < w->nr; i++) {
		if (to[i] < nr)
			groups[to[i]] = w->groups[i];
	}
	free(w->groups);
	w->groups = groups;
	w->nr = nr;
	w->capacity = nr + 1;
	return 0;
}

void windows_free(struct windows *w)
{
	free(w->groups);
	*w = (struct windows){ 0 };
}
