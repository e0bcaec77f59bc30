// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/time/stays.h"

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

/* Times outside the range, from a damaged recording, go to the first or last bin. */
static uint16_t bin_of(const struct stays *s, uint64_t ts)
{
	uint64_t bin = ts > s->first ? (ts - s->first) / s->width : 0;

	return (uint16_t)(bin < s->nr_bins ? bin : s->nr_bins - 1);
}

static void put(struct stays *s, const struct stay *stay)
{
	uint64_t key =
		(((uint64_t)stay->memory << 32 | stay->row) << BIN_BITS | stay->begin)
			<< BIN_BITS |
		stay->end;
	uint32_t *place = u64_map_insert(&s->places, key, (uint32_t)s->nr);

	if (!place || (*place == s->nr && array_reserve(&s->stays, &s->capacity,
							s->nr + 1, sizeof(*s->stays)))) {
		s->failed = true;
		return;
	}
	if (*place == s->nr)
		s->stays[s->nr++] = *stay;
	else
		s->stays[*place].bytes += stay->bytes;
}

/* Merges bins in pairs. */
static void halve(struct stays *s)
{
	size_t nr = s->nr, i;

	u64_map_free(&s->places);
	s->places = (struct u64_map){ 0 };
	s->nr = 0;
	/* A stay is put at its own place or before it. */
	for (i = 0; i < nr && !s->failed; i++) {
		struct stay stay = s->stays[i];

		stay.begin /= 2;
		stay.end /= 2;
		put(s, &stay);
	}
	s->nr_bins = (s->nr_bins + 1) / 2;
	s->width *= 2;
}

void stays_add(struct stays *s, enum memory memory, uint32_t row, const uint64_t times[2],
	       uint64_t bytes)
{
	struct stay stay = { .row = row, .memory = (uint8_t)memory, .bytes = bytes };

	if (s->failed)
		return;
	while (s->nr >= s->limit && s->nr_bins > 1 && !s->failed)
		halve(s);
	stay.begin = bin_of(s, times[0]);
	stay.end = bin_of(s, times[1]);
	/* By its time stamp the free can come before the allocation. */
	if (stay.end < stay.begin)
		stay.end = stay.begin;
	put(s, &stay);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct stays *s = ctx;

	for (; life < end; life++) {
		uint64_t times[2] = { life->begin,
				      life->event ? life->event->ts : UINT64_MAX };

		if (life_changes(life) && life->what != LIFE_BORN)
			stays_add(s, of->kind->memory, life->row, times, life->bytes);
	}
}

int stays_observe(struct stays *s, struct lives *const of[MEMORY_KINDS])
{
	int ret = 0, i;

	for (i = 0; i < MEMORY_KINDS && !ret; i++) {
		of[i]->live.times = true;
		ret = lives_observe(of[i], lived, s);
	}
	return ret;
}

void stays_free(struct stays *s)
{
	u64_map_free(&s->places);
	free(s->stays);
	*s = (struct stays){ 0 };
}
