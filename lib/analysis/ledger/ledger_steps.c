// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the ledger between two moments of the kernel's curve.
 * In: changes by events, the kernel's counts at moments. Out: both, step by step.
 */
#include "analysis/ledger/ledger_steps.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

/* A burst has at least this part of what is unexplained, in at most this part of the time. */
#define BURST_PART(missing) ((missing) / 5 * 4)
#define BURST_TIME(span)    ((span) / 4)

int ledger_steps_init(struct ledger_steps *s, const struct recording *rec)
{
	int ret = kernel_curve_of(&s->curve, rec);

	if (!ret)
		return 0;
	kernel_curve_free(&s->curve);
	return ret == -ENOMEM ? ret : 0;
}

/* Finds the step of @ts, near @at, which becomes that step. False: @ts is in none. */
static bool find_step(const struct ledger_steps *s, uint64_t ts, unsigned int *at)
{
	const uint64_t *times = s->curve.times;

	if (s->curve.nr < 2 || ts <= times[0] || ts > times[s->curve.nr - 1])
		return false;
	while (ts <= times[*at])
		--*at;
	while (ts > times[*at + 1])
		++*at;
	return true;
}

bool ledger_steps_slab(struct ledger_steps *s, uint64_t ts, enum ledger_step_of of,
		       uint32_t id, int net)
{
	uint32_t *index;
	uint64_t key;

	if (!find_step(s, ts, &s->slab_at))
		return true;
	key = ((uint64_t)id << 1 | of) * LEDGER_STEPS + s->slab_at;
	index = u64_map_insert(&s->index, key, (uint32_t)s->nr);
	if (!index ||
	    array_reserve(&s->nets, &s->capacity, *index + 1UL, sizeof(*s->nets)))
		return false;
	if (*index == s->nr)
		s->nets[s->nr++] = (struct ledger_step_net){ id, s->slab_at, of, 0 };
	s->nets[*index].net += net;
	return true;
}

void ledger_steps_page(struct ledger_steps *s, uint64_t ts, uint64_t allocated,
		       uint64_t freed)
{
	if (!find_step(s, ts, &s->page_at))
		return;
	s->pages[s->page_at].allocated += allocated;
	s->pages[s->page_at].freed += freed;
}

void ledger_steps_free(struct ledger_steps *s)
{
	kernel_curve_free(&s->curve);
	u64_map_free(&s->index);
	free(s->nets);
}

bool ledger_row_burst(const struct ledger_row_steps *r, const uint64_t *times,
		      unsigned int nr, int64_t missing, struct ledger_burst *burst)
{
	uint64_t best = nr ? BURST_TIME(times[nr] - times[0]) + 1 : 0;
	bool found = false;
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		int64_t net = 0;

		for (k = i; k < nr && times[k + 1] - times[i] < best; k++) {
			net += ledger_row_step(r, k);
			if (missing > 0 ? net < BURST_PART(missing)
					: net > BURST_PART(missing))
				continue;
			best = times[k + 1] - times[i];
			*burst = (struct ledger_burst){ i, k + 1, net };
			found = true;
			break;
		}
	}
	return found && missing;
}
