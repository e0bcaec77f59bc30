// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/bounds/slab_bounds.h"

#include "analysis/row/sites.h"

/* The key of objects that are suspect together: a cache's, or else a callsite's. */
static uint64_t suspect_key(const struct slab_bounds *b, uint64_t row)
{
	const struct sites sites = { .env = b->env };
	const struct slab_key *key;

	if (!b->acc)
		return row & LIVE_HIDDEN
			       ? sites_of_stack(&sites, lives_stack(b->lives, row))
			       : b->callsites[row];
	key = slab_lives_key(b->acc, row);
	/* kmalloc names no cache. A callsite is a kernel address, or zero; none is among the
	 * highest 2^32.
	 */
	return key->cache ? ~(uint64_t)key->cache : key->callsite;
}

/* The class of objects of @bytes bytes in the row with @key. */
static uint32_t class_of(struct slab_bounds *b, const struct slab_key *key,
			 uint64_t bytes)
{
	uint32_t of;

	if (key->kmalloc)
		return census_of_kmalloc(&b->census, bytes);
	if (key->cache)
		return census_of_name(&b->census,
				      event_stream_cache(b->env->stream, key->cache));
	of = census_of_name(&b->census, census_guess(&b->census, key->callsite, bytes));
	if (of == UINT32_MAX)
		census_nameless(&b->census, bytes);
	return of;
}

/* The piece of @row for objects of @bytes; NULL: no memory. */
static struct slab_piece *piece_of(struct slab_bounds *b, uint32_t row, uint32_t bytes)
{
	const size_t before = b->pieces.nr;
	struct slab_piece *piece = INDEXED_ITEM(&b->pieces, (uint64_t)row << 32 | bytes);

	if (piece && b->pieces.nr > before)
		*piece = (struct slab_piece){
			.row = row,
			.of = class_of(b, slab_lives_key(b->acc, row), bytes),
			.bytes = bytes,
		};
	return piece;
}

/* Counts live objects by row and size. Neighbours are often in one row: a slab's objects. */
static int count_pieces(struct slab_bounds *b)
{
	uint32_t *latest __auto_mem = calloc(lives_rows(b->lives) + 1, sizeof(*latest));
	const struct live_entry *e = NULL;

	if (!latest)
		return -ENOMEM;
	while ((e = lives_next(&b->acc->any, e))) {
		uint32_t bytes = e->bytes_alloc;
		struct slab_piece *piece =
			latest[e->row] ? &b->pieces.of[latest[e->row] - 1] : NULL;

		if (!piece || piece->bytes != bytes) {
			piece = piece_of(b, e->row, bytes);
			if (!piece)
				return -ENOMEM;
			latest[e->row] = (uint32_t)(piece - b->pieces.of) + 1;
		}
		piece->nr++;
	}
	return 0;
}

/* The recorder's own allocations were not recorded. Can frees of these objects be distinguished
 * from frees of objects that are older than the recording?
 */
static bool recorder_known(const struct recording *rec)
{
	const struct recording_text *self = recording_meta(rec, "self");

	return !self || !strcmp(self->text, "pid") ||
	       recording_meta(rec, RECORDING_META_RECORDER_PID);
}

/* Rows of tasks without live objects may have been merged, so rows that differ only in the task
 * count as one, which has all their allocations. Fills @rows: row -> number of its merged row;
 * @hits: allocations of the merged row.
 */
static int add_tasks_up(const struct slab_bounds *b, uint32_t *rows, uint64_t *hits)
{
	const struct dimensions *dims = &b->acc->any.dimensions;
	struct intern keys = { 0 };
	int pid = dimensions_find(dims, DIMENSION_PID);
	size_t i;

	for (i = 0; i < lives_rows(b->lives); i++) {
		struct slab_key key = *slab_lives_key(b->acc, i);

		key.dims.of[pid] = 0;
		key.all_tasks = 1;
		rows[i] = intern_id(&keys, &key, sizeof(key));
		if (!rows[i])
			break;
		hits[rows[i]] += b->lives->rows[i].hit;
	}
	intern_free(&keys);
	return i < lives_rows(b->lives) ? -ENOMEM : 0;
}

/* Adds the allocations of each class to the census, if rows are by task. */
static int pass_allocs_of_tasks(struct slab_bounds *b)
{
	uint32_t *rows __auto_mem = calloc(lives_rows(b->lives) + 1, sizeof(*rows));
	uint64_t *hits __auto_mem = calloc(lives_rows(b->lives) + 1, sizeof(*hits));
	int ret = rows && hits ? add_tasks_up(b, rows, hits) : -ENOMEM;
	struct u64_map counted = { 0 };
	size_t i, before;

	for (i = 0; i < b->pieces.nr && !ret; i++) {
		const struct slab_piece *piece = &b->pieces.of[i];
		uint32_t row = rows[piece->row];

		if (piece->of >= b->census.nr_classes)
			continue;
		before = counted.count;
		if (!u64_map_insert(&counted, (uint64_t)row << 32 | piece->bytes, 0))
			ret = -ENOMEM;
		else if (counted.count > before)
			b->census.classes[piece->of].allocs += hits[row];
	}
	u64_map_free(&counted);
	return ret;
}

/* Passes each class's events to the census. */
static void pass_events(struct slab_bounds *b)
{
	struct census *census = &b->census;
	const struct u64_map *surplus = &b->acc->surplus;

	for_each(piece, b->pieces.of, b->pieces.nr) {
		if (piece->of < census->nr_classes) {
			struct census_class *class = &census->classes[piece->of];

			class->live += piece->nr;
			/* To be safe, rows with several sizes count for each of them. */
			if (!b->acc->any.spent)
				class->allocs += b->lives->rows[piece->row].hit;
		}
	}
	for_each(slot, surplus->slots, surplus->capacity) {
		const char *name;
		uint32_t of;

		if (!slot->used)
			continue;
		name = event_stream_cache(b->env->stream, (uint32_t)(slot->key >> 1));
		of = census_of_name(census, name);
		if (of >= census->nr_classes)
			continue;
		if (slot->key == slab_surplus_key((uint32_t)(slot->key >> 1), true))
			census->classes[of].doubled += slot->value;
		else if (recorder_known(b->env->rec))
			census->classes[of].old_freed += slot->value;
	}
}

/* Finds the caches and callsites whose objects are freed without an event. Hidden ones count, too.
 */
static int find_suspects(struct slab_bounds *b)
{
	const struct u64_map *hidden = &b->lives->hidden_gone;
	int ret = 0;

	for (size_t i = 0; i < lives_rows(b->lives) && !ret; i++)
		if (lives_sums(b->lives, i).implicit)
			ret = bounds_suspect(&b->bounds, suspect_key(b, i));
	for (size_t i = 0; i < hidden->capacity && !ret; i++)
		if (hidden->slots[i].used && hidden->slots[i].value)
			ret = bounds_suspect(&b->bounds,
					     suspect_key(b, hidden->slots[i].key));
	for (size_t i = 0; i < b->pieces.nr && !ret; i++)
		if (census_contradicts(&b->census, b->pieces.of[i].of))
			ret = bounds_suspect(&b->bounds,
					     suspect_key(b, b->pieces.of[i].row));
	return ret;
}

/* Do the events show the end of each life? Those of areas do, and those of pages
 * (free_pages_prepare() of mm/page_alloc.c). Slab objects are freed without an event of their own
 * only through RCU and in bulk, which the recorder's probes record.
 */
static bool has_all_ends(const struct slab_bounds *b)
{
	if (b->lives->kind->memory != MEMORY_SLAB)
		return b->bounds.all_frees;
	return b->bounds.all_frees && !b->acc->totals.unseen &&
	       recorded_types(b->env->rec, b->env->fmts, 1U << KMEM_FREE_RCU) ==
		       RECORDED_YES &&
	       recorded_types(b->env->rec, b->env->fmts, 1U << KMEM_FREE_BULK) ==
		       RECORDED_YES;
}

/* Tells the census of objects that wait for RCU: they are in use, and in no row. Live ones that
 * were allocated in bulk may be of any class.
 */
static void pass_dying(struct slab_bounds *b)
{
	const struct slab_totals *sum = &b->acc->totals;
	const struct live_table *live = &b->acc->any.live;
	struct live_entry *e = NULL;

	b->census.lost += sum->unseen;
	while (sum->rcu + sum->bulk_allocs && (e = live_next(live, e))) {
		const struct slab_key *key;
		uint32_t of = UINT32_MAX;

		if (e->state != LIVE_ALLOCATED && !slab_is_dying(e))
			continue;
		key = slab_lives_key(b->acc, e->row);
		if (e->state == LIVE_ALLOCATED)
			b->census.lost += !e->bytes_alloc && !key->cache;
		else
			of = class_of(b, key, e->bytes_alloc);
		if (of < b->census.nr_classes)
			b->census.classes[of].dying++;
	}
}

int slab_bounds_of(struct slab_bounds *b, const struct lives *lives,
		   const uint64_t *callsites, const struct analysis_env *env)
{
	const struct slab_lives *acc = accounts_of_slab(lives);
	int ret;

	b->env = env;
	b->lives = lives;
	b->callsites = callsites;
	b->acc = lives->kind->memory == MEMORY_PAGE ? NULL : acc;
	bounds_init(&b->bounds, env);
	b->bounds.all_ends = has_all_ends(b);
	/* The kernel's count is of slab objects, and with a filter it cannot be used: it includes
	 * the objects of all tasks.
	 */
	if (lives->filtered || lives->kind->memory != MEMORY_SLAB)
		return find_suspects(b);
	ret = census_init(&b->census, env);
	if (!ret && b->census.most)
		ret = count_pieces(b);
	if (!ret && acc->any.spent)
		ret = pass_allocs_of_tasks(b);
	if (ret)
		return ret;
	pass_events(b);
	pass_dying(b);
	if (acc->edges)
		census_add_edges(&b->census, acc->edges, env->stream);
	return slab_likely_make(b, recorder_known(b->env->rec)) ?: find_suspects(b);
}

struct net_range slab_bounds_events(const struct slab_bounds *b, uint32_t row,
				    const struct lives_sums *counts)
{
	return bounds_net(&b->bounds, suspect_key(b, row), counts->live_alloc,
			  counts->sure_alloc);
}

/* Part of a sum: objects of one class and size. */
struct share {
	uint32_t sum, of, bytes;
	uint32_t pad; /* zero: keys are compared as bytes */
};

/* The bytes of each sum by the kernel's count. */
struct proof {
	uint64_t min, max, likely, unshown;
};

/* Adds up the pieces of each sum by class, and what the kernel's count says of them: @proofs, zero
 * at first.
 */
static int prove(const struct slab_bounds *b, const uint32_t *group_of,
		 struct proof *proofs)
{
	KEYED(uint64_t) shares = { .nr = 0 }; /* objects that seem to live */
	int ret = 0;

	for (size_t i = 0; i < b->pieces.nr && !ret; i++) {
		const struct slab_piece *piece = &b->pieces.of[i];
		const struct share share = { group_of ? group_of[piece->row] : 0,
					     piece->of, piece->bytes, 0 };
		uint64_t *objects;

		if (share.sum == UINT32_MAX)
			continue;
		objects = KEYED_ITEM(&shares, &share);
		if (objects)
			*objects += piece->nr;
		ret = objects ? 0 : -ENOMEM;
		proofs[share.sum].likely += piece->likely;
	}
	for (size_t i = 0; i < shares.nr && !ret; i++) {
		const struct share *share = KEYED_KEY(&shares, i);
		const uint64_t objects = shares.of[i];
		struct census_range r = census_range(&b->census, share->of, objects);
		struct proof *to = &proofs[share->sum];

		to->min += r.min * share->bytes;
		to->max += r.max * share->bytes;
		if (!census_shows(&b->census, share->of))
			to->unshown += objects * share->bytes;
	}
	KEYED_FREE(&shares);
	return ret;
}

int slab_bounds_sums(const struct slab_bounds *b, const uint32_t *group_of,
		     struct net_range *sums, size_t nr)
{
	struct proof *proofs __auto_mem = calloc(nr + 1, sizeof(*proofs));
	int ret = proofs ? prove(b, group_of, proofs) : -ENOMEM;

	if (ret)
		return ret;
	memset(sums, 0, nr * sizeof(*sums));
	for (uint32_t i = 0; i < lives_rows(b->lives); i++) {
		const uint32_t sum = group_of ? group_of[i] : 0;
		struct net_range row;

		if (sum == UINT32_MAX)
			continue;
		row = slab_bounds_events(b, i, &b->lives->rows[i]);
		net_range_add(&sums[sum], &row, lives_weight(b->lives, i));
	}
	for (uint32_t i = 0; i < nr && b->census.most; i++) {
		net_range_prove(&sums[i], proofs[i].min, proofs[i].max);
		net_range_guess(&sums[i], proofs[i].likely);
		sums[i].unshown = proofs[i].unshown;
	}
	return 0;
}

struct net_range slab_bounds_address(const struct slab_bounds *b, uint32_t row,
				     const struct lives_sums *counts)
{
	const uint32_t *piece = u64_map_find(
		&b->pieces.index, (uint64_t)row << 32 | (uint32_t)counts->live_alloc);
	struct net_range r = slab_bounds_events(b, row, counts);
	struct census_range one;

	if (!piece || counts->live != 1)
		return r;
	one = census_range(&b->census, b->pieces.of[*piece].of, 1);
	net_range_prove(&r, one.min * r.net, one.max * r.net);
	net_range_guess(&r, r.net * slab_likely_one(&b->pieces.of[*piece]));
	return r;
}

void slab_bounds_free(struct slab_bounds *b)
{
	bounds_free(&b->bounds);
	census_free(&b->census);
	INDEXED_FREE(&b->pieces);
	*b = (struct slab_bounds){ 0 };
}
