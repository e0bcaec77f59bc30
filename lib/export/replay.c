// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/replay.h"

#include "base/array.h"

/* Adds the frames of @row, and the allocator as the outermost one. */
static int add_frames(struct replay *r, struct export_job *job,
		      const struct export_row *row)
{
	uint32_t root = intern_id(&job->frames, row->allocator, strlen(row->allocator));

	if (!root || array_reserve(&r->frames, &r->frames_capacity,
				   r->nr_frames + row->nr_frames + 1, sizeof(*r->frames)))
		return -ENOMEM;
	memcpy(r->frames + r->nr_frames, row->frames,
	       row->nr_frames * sizeof(*row->frames));
	r->frames[r->nr_frames + row->nr_frames] = root;
	return 0;
}

int replay_add(struct export_job *job, const struct export_row *row)
{
	struct replay *r = job->state;
	size_t nr = row->nr_frames + 1;
	struct replay_row *kept;
	uint32_t number;

	if (add_frames(r, job, row))
		return -ENOMEM;
	number = intern_id(&r->stacks, r->frames + r->nr_frames, nr * sizeof(*r->frames));
	if (!number ||
	    array_reserve(&r->rows, &r->rows_capacity, number, sizeof(*r->rows)))
		return -ENOMEM;
	kept = &r->rows[number - 1];
	if (number > r->nr_rows) {
		*kept = (struct replay_row){ .first = r->nr_frames, .nr = nr };
		r->nr_frames += nr;
		r->nr_rows = number;
	}
	for (size_t i = 0; i < EXPORT_METRICS; i++) {
		kept->values[i] += row->values[i];
		r->known[i] |= row->known[i];
	}
	if (row->id == EXPORT_OTHERS) {
		r->others[row->memory] = number - 1;
		r->has_others[row->memory] = true;
		return 0;
	}
	return u64_map_insert(&r->by_id, row->id, number - 1) ? 0 : -ENOMEM;
}

uint32_t replay_row(const struct replay *r, const struct export_job *job,
		    const struct history_change *c)
{
	uint32_t id = history_row(job->opts->history, c);
	const uint32_t *row = id == UINT32_MAX ? NULL : u64_map_find(&r->by_id, id);

	if (row)
		return *row;
	return r->has_others[c->memory] ? r->others[c->memory] : UINT32_MAX;
}

void replay_free(struct replay *r)
{
	free(r->rows);
	free(r->frames);
	intern_free(&r->stacks);
	u64_map_free(&r->by_id);
}

static uint64_t number_of(const struct export_job *job, const char *name)
{
	const struct cell *fact = export_fact(job, name);

	return fact && fact->type == CELL_UINT ? fact->u : 0;
}

struct replay_clock replay_clock(const struct export_job *job)
{
	uint64_t first = number_of(job, "first_ts"), last = number_of(job, "last_ts");
	uint64_t duration = number_of(job, "duration_ns");
	struct replay_clock clock = { .first = first, .ns = 1 };

	/* The rate of other clocks follows from the total duration. */
	if (!job->opts->clock_ns && duration && last > first)
		clock.ns = (double)duration / (double)(last - first);
	return clock;
}

uint64_t replay_ns(const struct replay_clock *clock, uint64_t ts)
{
	uint64_t units = ts > clock->first ? ts - clock->first : 0;

	return clock->ns == 1 ? units : (uint64_t)((double)units * clock->ns);
}

/* Appends a piece to those of the object: @tails are the last pieces. */
static int add_piece(struct replay_pieces *p, uint32_t *tails,
		     const struct history_change *c)
{
	uint32_t number;

	if (p->nr >= UINT32_MAX ||
	    array_reserve(&p->pieces, &p->capacity, p->nr + 1, sizeof(*p->pieces)))
		return -ENOMEM;
	p->pieces[p->nr++] = (struct replay_piece){ .bytes = c->bytes };
	number = (uint32_t)p->nr;
	if (tails[c->object])
		p->pieces[tails[c->object] - 1].next = number;
	else
		p->heads[c->object] = number;
	tails[c->object] = number;
	return 0;
}

int replay_pieces_init(struct replay_pieces *p, const struct export_history *h)
{
	size_t nr = h->objects.count + 1UL;
	uint64_t *born __auto_mem = calloc(nr, sizeof(*born));
	uint32_t *tails __auto_mem = calloc(nr, sizeof(*tails));
	int ret;

	*p = (struct replay_pieces){ .heads = calloc(nr, sizeof(*p->heads)) };
	ret = born && tails && p->heads ? 0 : -ENOMEM;
	for (size_t i = 0; i < h->nr && !ret; i++) {
		const struct history_change *c = &h->changes[i];

		if (c->more)
			born[c->object] += c->bytes;
		else if (c->bytes < born[c->object])
			ret = add_piece(p, tails, c);
	}
	return ret;
}

void replay_pieces_free(struct replay_pieces *p)
{
	free(p->heads);
	free(p->pieces);
}
