// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/browse/stays.h"

#include "base/array.h"

/* Enough for OVER_TIME_BINS. */
#define BIN_BITS 11

_Static_assert(OVER_TIME_BINS <= 1U << BIN_BITS, "a bin does not fit into its bits");

void stays_init(struct stays *s, const struct over_time *t, size_t limit)
{
	*s = (struct stays){ .first = t->first,
			     .width = t->width,
			     .nr_bins = t->nr_bins,
			     .limit = limit };
}

/* Most times are in the bin in which memory ends now. */
static inline uint16_t bin_of(const struct stays *s, uint64_t ts)
{
	return (uint16_t)over_time_bin(ts, s->first, s->width, s->nr_bins, s->end);
}

/* Finds or adds the sum with the row, begin and end of @stay. NULL: no memory. */
static struct web_stay *find(struct stays *s, const struct web_stay *stay)
{
	struct web_stay *found;

	if (stay->end != s->end)
		u64_map_clear(&s->stays.index);
	s->end = stay->end;
	found = INDEXED_ITEM(&s->stays, (uint64_t)stay->row << BIN_BITS | stay->begin);
	if (!found || array_reach(&s->latest, &s->nr_rows, &s->capacity, stay->row + 1UL))
		return NULL;
	s->latest[stay->row] = (uint32_t)(found - s->stays.of) + 1;
	found->row = stay->row;
	found->begin = stay->begin;
	found->end = stay->end;
	return found;
}

static void put(struct stays *s, const struct web_stay *stay)
{
	uint32_t latest = stay->row < s->nr_rows ? s->latest[stay->row] : 0;
	struct web_stay *to = latest ? &s->stays.of[latest - 1] : NULL;

	if (!to || to->begin != stay->begin || to->end != stay->end)
		to = find(s, stay);
	if (to)
		to->bytes += stay->bytes;
	else
		s->failed = true;
}

void stays_halve(struct stays *s)
{
	const size_t nr = s->stays.nr;

	u64_map_clear(&s->stays.index);
	s->stays.nr = s->nr_rows = 0;
	/* A stay moves to its own place or an earlier one. */
	for (size_t i = 0; i < nr && !s->failed; i++) {
		struct web_stay stay = s->stays.of[i];

		stay.begin /= 2;
		stay.end /= 2;
		put(s, &stay);
	}
	s->nr_bins = (s->nr_bins + 1) / 2;
	s->width *= 2;
}

void stays_add(struct stays *s, uint32_t row, const uint64_t times[2], uint64_t bytes)
{
	struct web_stay stay = { .row = row, .bytes = bytes };

	if (s->failed)
		return;
	while (s->stays.nr >= s->limit && s->nr_bins > 1 && !s->failed)
		stays_halve(s);
	stay.begin = bin_of(s, times[0]);
	stay.end = bin_of(s, times[1]);
	/* By its time stamp the free can come before the allocation. */
	stay.end = LARGER(stay.end, stay.begin);
	put(s, &stay);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct stays *s = ctx;

	for (; life < end; life++) {
		uint64_t times[2] = { life->begin, over_time_of(life) };

		if (life_changes(life) && life->what != LIFE_BORN)
			stays_add(s, life->row, times, life->bytes);
	}
}

int stays_observe(struct stays *s, struct lives *of)
{
	of->live.times = true;
	return lives_observe(of, lived, s);
}

void stays_free(struct stays *s)
{
	INDEXED_FREE(&s->stays);
	free(s->latest);
	*s = (struct stays){ 0 };
}

/* --- for a page -------------------------------------------------------------------------- */

int report_stays_add(struct web_report *w, const struct stays *stays,
		     const uint32_t *row_of)
{
	if (array_reserve(&w->stays, &w->stays_capacity, w->nr_stays + stays->stays.nr))
		return -ENOMEM;
	for_each(stay, stays->stays.of, stays->stays.nr) {
		w->stays[w->nr_stays] = *stay;
		w->stays[w->nr_stays++].row = row_of[stay->row];
	}
	return 0;
}

/* Sort keys of stays, the least significant first. */
enum { END, BEGIN, ROW };

static uint32_t number_of(const struct web_stay *s, int which)
{
	return which == END ? s->end : which == BEGIN ? s->begin : s->row;
}

/* Copies @nr stays sorted by key @which; equal ones keep their order. 0 or -ENOMEM. */
static int order(const struct web_stay *from, size_t nr, int which, struct web_stay *to)
{
	uint32_t *places __auto_mem = NULL, number, most = 0;

	for_each(s, from, nr)
		most = LARGER(most, number_of(s, which));
	places = calloc(most + 2UL, sizeof(*places));
	if (!places)
		return -ENOMEM;
	for_each(s, from, nr)
		places[number_of(s, which) + 1]++;
	for (number = 0; number < most; number++)
		places[number + 1] += places[number];
	for_each(s, from, nr)
		to[places[number_of(s, which)]++] = *s;
	return 0;
}

static bool same_place(const struct web_stay *a, const struct web_stay *b)
{
	return a->row == b->row && a->begin == b->begin && a->end == b->end;
}

/* Puts the stays in order and adds up those of the same place; @spare has room for all. */
static int merge(struct web_report *w, struct web_stay *spare)
{
	size_t nr = w->nr_stays;
	int ret = order(w->stays, nr, END, spare);

	ret = ret ?: order(spare, nr, BEGIN, w->stays);
	ret = ret ?: order(w->stays, nr, ROW, spare);
	if (ret)
		return ret;
	w->nr_stays = 0;
	for_each(s, spare, nr) {
		if (w->nr_stays && same_place(&w->stays[w->nr_stays - 1], s))
			w->stays[w->nr_stays - 1].bytes += s->bytes;
		else
			w->stays[w->nr_stays++] = *s;
	}
	return 0;
}

int report_stays_end(struct web_report *w, uint64_t width)
{
	struct web_stay *spare __auto_mem = malloc((w->nr_stays + 1) * sizeof(*spare));
	int ret = spare ? merge(w, spare) : -ENOMEM;

	while (!ret && (width < w->width || w->nr_stays > WEB_REPORT_STAYS)) {
		for_each(s, w->stays, w->nr_stays) {
			s->begin /= 2;
			s->end /= 2;
		}
		width *= 2;
		ret = merge(w, spare);
		if (width > w->width * w->nr_bins)
			break;
	}
	w->stay_bins = (uint32_t)(width / w->width);
	return ret;
}
