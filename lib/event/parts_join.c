// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: joins the stretches of a CPU.
 * In: the stretches of a round, scanned. Out: their events as if they had been scanned as one.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "event/parts_state.h"

/* The event of place @place in @run, which is in order; NULL if it is not there. */
static struct parts_event *find(const struct parts_lane *lane,
				const struct parts_run *run, uint64_t place)
{
	size_t low = run->from, high = run->from + run->nr;

	place &= PARTS_PLACE_MASK;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint64_t here = lane->evs[mid].place & PARTS_PLACE_MASK;

		if (here == place)
			return &lane->evs[mid];
		if (here < place)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The event of @claim: it is in the lane that it was scanned into in this round, or it waits,
 * because no bound passes it.
 */
static struct parts_event *claimer(const struct parts *p, const struct parts_cpu *cpu,
				   const struct parts_claim *claim)
{
	unsigned int now = p->round % 2, part = claim->part;
	const struct parts_merge *m = p->merges[part];
	const struct parts_stretch *s = &p->stretches[now][claim->stretch];

	if (claim->round != p->round)
		return find(&m->waiting[now], &m->runs[now][cpu->index], claim->place);
	return find(&p->groups[s->group].lanes[now][part], &s->runs[part], claim->place);
}

/* Gives stack @id of group @from to the event that waits for it. 0; -EAGAIN, -ENOMEM. */
static int give_stack(struct parts *p, const struct parts_cpu *cpu,
		      const struct parts_claim *claim, const struct parts_group *from,
		      uint32_t id)
{
	struct parts_event *ev = claimer(p, cpu, claim);
	struct parts_group *to;
	const void *frames;
	size_t size = 0;

	if (!ev)
		return -EAGAIN;
	to = &p->groups[ev->place >> PARTS_PLACE_BITS];
	frames = intern_get(&from->shared.stacks, id, &size);
	if (frames && to != from) {
		id = intern_id(&to->shared.stacks, frames, size);
		if (!id)
			return -ENOMEM;
	}
	ev->stack = id;
	return 0;
}

/* May an event have waited for its callchain over @pages? Reading in one order gives up where all
 * CPUs together have read too far ahead; it does not as long as each CPU stays within its share.
 * Each page in between counts, with its items.
 */
static bool may_wait(const struct parts *p, const struct parts_cpu *cpu, uint64_t pages)
{
	const struct recording *rec = p->st->rec;
	uint64_t page = rec->buffers[p->st->cpu_stats[cpu->index].buffer].page_size;

	return pages <= 1 || (pages - 1) * CPU_BATCH_BYTES(page) <=
				     p->st->shared.ahead_max / (p->st->nr_cpus + 1);
}

/* Drops claims of earlier stretches that the first event of @s, or a loss before it, ends. */
static void turn_claims(struct parts_cpu *cpu, const struct parts_stretch *s)
{
	struct stack_claims before = cpu->claims;
	unsigned int i;

	for (i = 0; i < STACK_CONTEXTS; i++)
		before.owners[i] = cpu->waiting[i].there;
	if (s->scan.losses)
		stack_claims_clear(&before);
	stack_claims_at_place(&before, s->scan.first_place);
	for (i = 0; i < STACK_CONTEXTS; i++)
		cpu->waiting[i].there = before.owners[i] != 0;
}

/* A loss at the start of the stretch dates from the end of the stretch before. 0; -EAGAIN if it is
 * not later than that.
 */
static int date_loss(struct parts *p, const struct parts_cpu *cpu,
		     const struct parts_stretch *s)
{
	unsigned int i;

	for (i = 0; i < EVENT_PARTS && s->scan.losses; i++) {
		struct parts_lane *lane = &p->groups[s->group].lanes[p->round % 2][i];
		struct parts_event *loss = &lane->evs[s->runs[i].from];

		if (loss->ts < cpu->record_ts)
			return -EAGAIN;
		loss->words[1] = cpu->record_ts;
	}
	return 0;
}

/* Applies what was unknown when @s was scanned. 0; -EAGAIN if it changes the result. */
static int lead_in(struct parts *p, struct parts_cpu *cpu, const struct parts_stretch *s)
{
	if (s->scan.blind)
		return s->nr ? -EAGAIN : 0;
	if (s->scan.losses > 1 || s->scan.first_ts < cpu->record_ts)
		return -EAGAIN;
	turn_claims(cpu, s);
	return date_loss(p, cpu, s);
}

/* Gives callchains that @s found to events of earlier stretches. 0; -EAGAIN, -ENOMEM. */
static int give_stacks(struct parts *p, struct parts_cpu *cpu,
		       const struct parts_stretch *s)
{
	struct parts_group *g = &p->groups[s->group];
	unsigned int i;

	for (i = 0; i < STACK_CONTEXTS; i++) {
		const struct cpu_late_stack *late = &s->scan.late[i];
		struct parts_claim *claim = &cpu->waiting[i];
		int ret = 0;

		if (!late->page)
			continue;
		if (!claim->there)
			g->stats.nr_stacks_unclaimed++;
		else if (!may_wait(p, cpu, cpu->nr_pages + late->page - 1 - claim->page))
			ret = -EAGAIN;
		else if (claim->part != PARTS_NOWHERE)
			ret = give_stack(p, cpu, claim, g, late->stack);
		if (ret)
			return ret;
		claim->there = false;
	}
	return 0;
}

/* Hands claims on to the next stretch. 0; -EAGAIN if one waits for too long. */
static int lead_out(const struct parts *p, struct parts_cpu *cpu,
		    const struct parts_stretch *s)
{
	uint64_t pages = cpu->nr_pages + s->scan.nr_pages;
	unsigned int i;

	for (i = 0; i < STACK_CONTEXTS && !s->scan.blind; i++) {
		struct parts_claim *claim = &cpu->waiting[i];
		uintptr_t owner = s->claims.owners[i];

		if (s->waiting[i].there) {
			*claim = s->waiting[i];
			claim->page += cpu->nr_pages;
		} else if (owner != CPU_INHERITED(i)) {
			claim->there = false;
		}
		cpu->claims.owners[i] = owner == CPU_SILENT ? owner : 0;
	}
	if (!s->scan.blind) {
		cpu->claims.place = s->claims.place;
		cpu->claims.context = s->claims.context;
		cpu->record_ts = s->record_ts;
	}
	if (s->nr)
		cpu->last_ts = s->last_ts;
	cpu->nr_pages = pages;
	for (i = 0; i < STACK_CONTEXTS; i++) {
		const struct parts_claim *claim = &cpu->waiting[i];

		if (claim->there && !may_wait(p, cpu, pages - 1 - claim->page))
			return -EAGAIN;
	}
	return 0;
}

/* Has little data grown too much, or might it have within the stretch? */
static bool grew_too_much(const struct parts *p, struct parts_cpu *cpu,
			  const struct parts_stretch *s)
{
	const struct recording *rec = p->st->rec;
	const struct recording_buffer *buf =
		&rec->buffers[p->st->cpu_stats[cpu->index].buffer];
	uint64_t packed = cpu->growth.packed;

	cpu->growth.packed += s->growth.packed;
	cpu->growth.pages += s->growth.pages;
	cpu->growth.events += s->growth.events;
	return buf->compressed && !cpu_growth_ok(&cpu->growth, packed, buf->nr_cpus);
}

/* Adds the counts that do not depend on earlier stretches. 0 or -ENOMEM. */
static int add_up(struct parts *p, struct parts_cpu *cpu, const struct parts_stretch *s)
{
	struct event_stream_cpu *stats = &p->st->cpu_stats[cpu->index];
	const struct parts_group *g = &p->groups[s->group];

	stats->nr_events += s->stats.nr_events;
	stats->nr_gaps += s->stats.nr_gaps;
	stats->nr_lost += s->stats.nr_lost;
	stats->nr_unknown += s->stats.nr_unknown;
	cpu->scanned += s->nr;
	cpu->ended |= s->past_stop;
	if (array_reserve(&cpu->held, &cpu->held_capacity, cpu->nr_held + s->held.nr,
			  sizeof(*cpu->held)))
		return -ENOMEM;
	if (s->held.nr)
		memcpy(cpu->held + cpu->nr_held, g->held + s->held.from,
		       s->held.nr * sizeof(*cpu->held));
	cpu->nr_held += s->held.nr;
	return 0;
}

int parts_join(struct parts *p)
{
	unsigned int now = p->round % 2;
	size_t i;
	int ret = 0;

	for (i = 0; i < p->nr_stretches[now] && !ret; i++) {
		const struct parts_stretch *s = &p->stretches[now][i];
		struct parts_cpu *cpu = &p->cpus[s->cpu];

		if (!s->first)
			ret = lead_in(p, cpu, s);
		if (!ret)
			ret = give_stacks(p, cpu, s);
		if (!ret)
			ret = lead_out(p, cpu, s);
		if (!ret && grew_too_much(p, cpu, s))
			ret = -EAGAIN;
		if (!ret)
			ret = add_up(p, cpu, s);
	}
	return ret;
}
