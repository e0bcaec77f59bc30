// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/replay.h"

#include "base/array.h"

int replay_ids_add(struct replay_ids *ids, const struct export_row *row, uint32_t index)
{
	if (row->id == EXPORT_OTHERS) {
		ids->others[row->memory] = index + 1;
		return 0;
	}
	return u64_map_insert(&ids->by_id, row->id, index) ? 0 : -ENOMEM;
}

uint32_t replay_ids_find(const struct replay_ids *ids, const struct export_job *job,
			 const struct history_change *c)
{
	uint32_t id = history_row(job->opts->history, c);
	const uint32_t *index = id == UINT32_MAX ? NULL : u64_map_find(&ids->by_id, id);

	if (index)
		return *index;
	return ids->others[c->memory] ? ids->others[c->memory] - 1 : UINT32_MAX;
}

/* 0 or -ENOMEM. */
static int add_row(struct export_job *job, const struct export_row *row)
{
	uint32_t root = intern_id(&job->frames, row->allocator, strlen(row->allocator));
	size_t nr = row->nr_frames + 1;
	struct replay *r = job->state;
	struct replay_row *kept;
	uint32_t number;

	if (!root || array_reserve(&r->frames, &r->capacity, nr))
		return -ENOMEM;
	memcpy(r->frames, row->frames, row->nr_frames * sizeof(*row->frames));
	r->frames[row->nr_frames] = root;
	number = KEYED_ID_OF(&r->rows, r->frames, nr * sizeof(*r->frames));
	if (!number)
		return -ENOMEM;
	kept = &r->rows.of[number - 1];
	kept->frames = KEYED_KEY(&r->rows, number - 1);
	kept->nr = nr;
	for (size_t i = 0; i < EXPORT_METRICS; i++) {
		kept->values[i] += row->values[i];
		r->known[i] |= row->known[i];
	}
	return replay_ids_add(&r->ids, row, number - 1);
}

void replay_add(struct export_job *job, const struct export_row *row)
{
	export_fail(job, add_row(job, row));
}

void replay_free(void *state)
{
	struct replay *r = state;

	KEYED_FREE(&r->rows);
	free(r->frames);
	u64_map_free(&r->ids.by_id);
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
	uint64_t units = less(ts, clock->first);

	return clock->ns == 1 ? units : (uint64_t)((double)units * clock->ns);
}

/**
 * struct pieces - blocks that were freed in parts
 * @heads: for each object the index of its first piece + 1; 0: freed as a whole, or live
 * @of: bytes that were freed together; @next: the object's next piece, or 0
 */
struct pieces {
	uint32_t *heads;
	struct piece {
		uint64_t bytes;
		uint32_t next;
	} * of;
	size_t nr;
};

/* Appends a piece to those of the object: @tails are the last pieces. */
static int add_piece(struct pieces *p, uint32_t *tails, const struct history_change *c)
{
	uint32_t number;

	if (p->nr >= UINT32_MAX ||
	    ARRAY_ADD(p->of, p->nr, (struct piece){ .bytes = c->bytes }))
		return -ENOMEM;
	number = (uint32_t)p->nr;
	if (tails[c->object])
		p->of[tails[c->object] - 1].next = number;
	else
		p->heads[c->object] = number;
	tails[c->object] = number;
	return 0;
}

static int find_pieces(struct pieces *p, const struct export_history *h)
{
	size_t nr = h->objects.nr + 1UL;
	uint64_t *born __auto_mem = calloc(nr, sizeof(*born));
	uint32_t *tails __auto_mem = calloc(nr, sizeof(*tails));
	int ret;

	p->heads = calloc(nr, sizeof(*p->heads));
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

/* Passes on an allocation, split into the pieces in which it will be freed. */
static void put_birth(struct export_job *job, struct replay_change *change,
		      const struct pieces *pieces, replay_put put)
{
	uint64_t left = change->of->bytes;
	uint32_t next = pieces->heads[change->of->object];

	for (; next && left && !job->out.err; change->piece++) {
		const struct piece *p = &pieces->of[next - 1];

		change->bytes = SMALLER(p->bytes, left);
		put(job, change);
		left -= change->bytes;
		next = p->next;
	}
	change->bytes = left;
	if ((left || !change->of->bytes) && !job->out.err)
		put(job, change);
}

void replay_changes(struct export_job *job, replay_put put)
{
	const struct export_history *h = job->opts->history;
	const struct replay *r = job->state;
	struct replay_clock clock = replay_clock(job);
	struct pieces pieces = { .heads = NULL };

	export_fail(job, h ? find_pieces(&pieces, h) : 0);
	for (size_t i = 0; h && i < h->nr && !job->out.err; i++) {
		const struct history_change *c = &h->changes[i];
		struct replay_change change = { .of = c,
						.ns = replay_ns(&clock, c->ts),
						.bytes = c->bytes,
						.row = replay_ids_find(&r->ids, job, c) };

		if (c->more)
			put_birth(job, &change, &pieces, put);
		else
			put(job, &change);
	}
	free(pieces.heads);
	free(pieces.of);
}
