// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/ledger/ledger_caches.h"

#include "analysis/bounds/bounds.h"

const char *cache_row_name(const struct ledger_caches *lc, const struct cache_row *row)
{
	return intern_get(&lc->census.names, row->name, NULL);
}

struct row_key {
	uint64_t id;   /* kmalloc: object size; else the cache's number in names */
	uint32_t type; /* enum kmalloc_type, or KMALLOC_NR_TYPES for a cache of its own */
	uint32_t pad;  /* zero: keys are compared as bytes */
};

static uint32_t find_row(struct ledger_caches *lc, uint64_t id, uint32_t type)
{
	const struct row_key key = { .id = id, .type = type };

	return KEYED_ID(&lc->rows, &key) - 1;
}

/* ipc/msg.c allocates from the msg_msg caches without __GFP_ACCOUNT, which those caches add
 * themselves (SLAB_ACCOUNT). For a size that they have slabs of, no flag shows whether an object is
 * theirs, kmalloc-N's or kmalloc-cg-N's, so these share one row.
 */
static int find_shared(struct ledger_caches *lc)
{
	for (uint32_t i = 0; i < lc->census.nr_caches; i++) {
		const struct census_cache *cache = &lc->census.caches[i];
		const char *name = intern_get(&lc->census.names, i + 1, NULL);

		if (cache->used && !strncmp(name, "msg_msg-", strlen("msg_msg-")) &&
		    !u64_map_insert(&lc->shared, cache->size, 0))
			return -ENOMEM;
	}
	return 0;
}

/* The first of the kmalloc types that events cannot tell apart. */
static uint32_t row_type(const struct ledger_caches *lc, uint32_t type, uint64_t size)
{
	return type == KMALLOC_CGROUP && u64_map_find(&lc->shared, size) ? KMALLOC_NORMAL
									 : type;
}

/* Finds each cache's row and adds slabinfo's numbers to it. */
static int add_caches(struct ledger_caches *lc)
{
	lc->cache_rows = calloc(lc->census.nr_caches + 1, sizeof(*lc->cache_rows));
	if (!lc->cache_rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < lc->census.nr_caches; i++) {
		const struct census_cache *cache = &lc->census.caches[i];
		const char *name = intern_get(&lc->census.names, i + 1, NULL);
		uint32_t type = row_type(lc, census_kmalloc_type(name), cache->size);
		uint32_t at = find_row(lc, type == KMALLOC_NR_TYPES ? i + 1 : cache->size,
				       type);

		if (at == UINT32_MAX)
			return -ENOMEM;
		lc->cache_rows[i] = at;
		lc->rows.of[at].nr_caches++;
		lc->rows.of[at].slack += cache->slack;
		lc->rows.of[at].before += (int64_t)cache->before;
		lc->rows.of[at].after += (int64_t)cache->after;
	}
	return 0;
}

/* Names each row after its most general cache: the shortest name, if possible of a kmalloc cache.
 * Lists its caches if there are several.
 */
static void name_rows(struct ledger_caches *lc)
{
	for (uint32_t id = 1; id <= lc->census.nr_caches; id++) {
		struct cache_row *row = &lc->rows.of[lc->cache_rows[id - 1]];
		const char *name = intern_get(&lc->census.names, id, NULL);
		const char *old = cache_row_name(lc, row);
		bool kmalloc = strstr(name, "kmalloc-") != NULL;
		bool was = old && strstr(old, "kmalloc-");

		if (!old || (kmalloc && !was) ||
		    (kmalloc == was && strlen(name) < strlen(old)))
			row->name = id;
		if (row->nr_caches > 1)
			strbuf_printf(&row->members, "%s%s", row->members.size ? " " : "",
				      name);
	}
}

static uint32_t row_of_name(struct ledger_caches *lc, const char *name)
{
	uint32_t id = name ? intern_id(&lc->census.names, name, strlen(name)) : 0;
	uint32_t row;

	if (!id)
		return UINT32_MAX;
	if (id <= lc->census.nr_caches)
		return lc->cache_rows[id - 1];
	/* Neither slabinfo lists the cache. */
	row = find_row(lc, id, KMALLOC_NR_TYPES);
	if (row != UINT32_MAX)
		lc->rows.of[row].name = id;
	return row;
}

/* The row of kmallocs of @size bytes; UINT32_MAX: slabinfo lists no cache for them. */
static uint32_t row_of_kmalloc(const struct ledger_caches *lc, uint64_t size,
			       uint32_t type)
{
	const struct row_key keys[] = { { .id = size, .type = type },
					{ .id = size, .type = KMALLOC_NORMAL } };
	uint32_t row = intern_find(&lc->rows.keys, &keys[0], sizeof(keys[0]));

	if (!row)
		row = intern_find(&lc->rows.keys, &keys[1], sizeof(keys[1]));
	return row - 1;
}

/* The cache that most frees of each group named; of several, the one that was named first. */
static int find_named(struct ledger_caches *lc)
{
	const struct ledger_names *n = &lc->ledger->names;
	struct u64_map_slot *slots __auto_mem = u64_map_sorted(&n->named);
	uint32_t most = 0, *cache = NULL;
	int ret = slots || !n->named.count ? 0 : -ENOMEM;

	for (size_t i = 0; i < n->named.count && !ret; i++) {
		bool first = !i || slots[i].key >> 32 != slots[i - 1].key >> 32;

		if (!first && slots[i].value <= most)
			continue;
		most = slots[i].value;
		cache = u64_map_insert(&lc->named, slots[i].key >> 32, 0);
		if (cache)
			*cache = (uint32_t)slots[i].key;
		else
			ret = -ENOMEM;
	}
	return ret;
}

/* The row of a group; UINT32_MAX: not known. */
static uint32_t row_of_group(struct ledger_caches *lc, uint32_t group)
{
	const struct ledger_key *key = ledger_key(lc->ledger, group);
	const struct event_stream *stream = lc->ledger->env->stream;
	const uint32_t *named;

	switch (key->kind) {
	case LEDGER_NAMED:
		return row_of_name(lc, event_stream_cache(stream, (uint32_t)key->id));
	case LEDGER_UNNAMED:
		named = u64_map_find(&lc->named, group);
		return row_of_name(lc,
				   named ? event_stream_cache(stream, *named)
					 : census_guess(&lc->census, key->id, key->type));
	case LEDGER_UNKNOWN: /* add_unknown() finds it */
		return UINT32_MAX;
	default:
		return row_of_kmalloc(lc, key->id, key->type);
	}
}

/* The row of @group; NULL: none. */
static struct cache_row *row_of(struct ledger_caches *lc, uint32_t group)
{
	uint32_t row = lc->group_rows[group];

	return row == UINT32_MAX ? NULL : &lc->rows.of[row];
}

/* Adds up a group that is in no row. */
static int add_rowless(struct ledger_caches *lc, const struct ledger_key *key,
		       const struct ledger_group *g)
{
	uint32_t *nr;

	if (key->kind == LEDGER_KMALLOC)
		lc->large_net += (uint64_t)ledger_group_net(g);
	if (key->kind != LEDGER_UNNAMED)
		return 0;
	lc->nameless += g->allocs;
	lc->nameless_net += (uint64_t)ledger_group_net(g);
	nr = u64_map_insert(&lc->nameless_sizes, key->type, 0);
	return nr ? 0 : -ENOMEM;
}

/* Finds each group's row and adds the group's numbers to it. */
static int add_groups(struct ledger_caches *lc)
{
	const struct ledger *l = lc->ledger;

	lc->group_rows = calloc(l->groups.nr + 1, sizeof(*lc->group_rows));
	if (!lc->group_rows || find_named(lc))
		return -ENOMEM;
	for (uint32_t i = 0; i < l->groups.nr; i++) {
		const struct ledger_group *g = &l->groups.of[i];

		lc->group_rows[i] = row_of_group(lc, i);
		if (row_of(lc, i))
			ledger_group_add(&row_of(lc, i)->events, g, 1);
		else if (add_rowless(lc, ledger_key(l, i), g))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < lc->census.nr_caches; i++)
		lc->rows.of[lc->cache_rows[i]].nameless |=
			census_kmalloc_type(intern_get(&lc->census.names, i + 1, NULL)) ==
				KMALLOC_NR_TYPES &&
			u64_map_find(&lc->nameless_sizes, lc->census.caches[i].size);
	return 0;
}

/* kmalloc_type(): DMA before reclaimable before accounted. */
static uint32_t kmalloc_type(const struct ledger *l, uint64_t gfp)
{
	uint32_t type = KMALLOC_NR_TYPES;

	while (--type > KMALLOC_NORMAL)
		if (gfp & l->type_masks[type])
			break;
	return type;
}

struct ledger_key ledger_key_of(const struct ledger *l, uint32_t row, uint64_t bytes)
{
	const struct lives *lives = &l->slab->any;
	const struct slab_key *by = lives_key(lives, row);
	struct ledger_key key = { 0 };

	if (by->kmalloc) {
		key.kind = LEDGER_KMALLOC;
		key.id = bytes;
		key.type = kmalloc_type(l, lives_value(lives, row, DIMENSION_GFP));
	} else {
		key.kind = by->cache ? LEDGER_NAMED : LEDGER_UNNAMED;
		key.id = by->cache ? by->cache : by->callsite;
		key.type = by->cache ? 0 : (uint32_t)bytes;
	}
	return key;
}

/* Adds to each row what waits for RCU. */
static void add_dying(struct ledger_caches *lc)
{
	const struct ledger *l = lc->ledger;
	struct live_entry *e = NULL;

	while (l->slab->totals.dying && (e = live_next(&l->slab->any.live, e))) {
		struct ledger_key key;
		uint32_t group;

		if (!slab_is_dying(e))
			continue;
		key = ledger_key_of(l, e->row, e->bytes_alloc);
		group = intern_find(&l->groups.keys, &key, sizeof(key));
		if (group && row_of(lc, group - 1))
			row_of(lc, group - 1)->dying++;
	}
}

/* The row of an object in @page: that of any object seen in the same slab. */
static uint32_t row_of_page(const struct ledger_caches *lc, uint64_t page)
{
	for (uint64_t span = 1; span <= SLAB_PAGES_MAX; span *= 2) {
		for (uint64_t p = page & ~(span - 1); p < (page & ~(span - 1)) + span;
		     p++) {
			const uint32_t *group = u64_map_find(&lc->ledger->pages, p);
			uint32_t row = group ? lc->group_rows[*group] : UINT32_MAX;

			for (size_t i = 0; i < lc->census.nr_caches && row != UINT32_MAX;
			     i++)
				if (lc->cache_rows[i] == row &&
				    lc->census.caches[i].pages >= span)
					return row;
		}
	}
	return UINT32_MAX;
}

/* By callsite of frees that name no cache: the row of these objects; UINT32_MAX: several rows. */
static int find_freers(const struct ledger_caches *lc, struct u64_map *rows)
{
	const struct intern *freers = &lc->ledger->freers;
	uint32_t id, *known;

	for (id = 1; id <= freers->count; id++) {
		const struct ledger_freer *f = intern_get(freers, id, NULL);

		known = u64_map_insert(rows, f->callsite, lc->group_rows[f->group]);
		if (!known)
			return -ENOMEM;
		if (*known != lc->group_rows[f->group])
			*known = UINT32_MAX;
	}
	return 0;
}

/* Finds the rows of groups of an unknown cache. */
static int add_unknown(struct ledger_caches *lc)
{
	const struct ledger *l = lc->ledger;
	struct u64_map freers = { 0 };
	int ret = find_freers(lc, &freers);

	for (uint32_t i = 0; i < l->groups.nr && !ret; i++) {
		const struct ledger_unknown_key *u;
		const uint32_t *freer;

		if (ledger_key(l, i)->kind != LEDGER_UNKNOWN)
			continue;
		u = intern_get(&l->unknown, (uint32_t)ledger_key(l, i)->id, NULL);
		freer = u64_map_find(&freers, u->callsite);
		lc->group_rows[i] = row_of_page(lc, u->page);
		if (!row_of(lc, i) && freer)
			lc->group_rows[i] = *freer;
		if (row_of(lc, i))
			ledger_group_add(&row_of(lc, i)->events, &l->groups.of[i], 1);
		else
			lc->nr_unknown += l->groups.of[i].freed;
	}
	u64_map_free(&freers);
	return ret;
}

/* Adds a cache's count to that of its row. */
static void add_count(struct census_reading *to, const struct census_reading *of)
{
	to->objects += of->objects;
	to->held += of->held;
	if (!to->counted || of->read < to->read)
		to->read = of->read;
	if (!to->counted || of->end > to->end)
		to->end = of->end;
	to->counted = true;
}

/* Adds the counts of caches that were empty at both ends, or of the others. */
static void add_counts_of(struct ledger_caches *lc, bool empty)
{
	for (size_t i = 0; i < lc->census.nr_caches; i++) {
		const struct census_cache *cache = &lc->census.caches[i];
		struct cache_row *row = &lc->rows.of[lc->cache_rows[i]];

		if (!cache->first.counted || !cache->last.counted ||
		    empty != (!cache->first.objects && !cache->last.objects))
			continue;
		row->nr_counted++;
		/* When an empty cache was counted does not matter to a row with others. */
		if (empty && row->filled)
			continue;
		row->filled |= !empty;
		add_count(&row->first, &cache->first);
		add_count(&row->last, &cache->last);
		row->sheaves += cache->last.sheaf * lc->census.nr_sheaves;
	}
}

static void add_counts(struct ledger_caches *lc)
{
	add_counts_of(lc, false);
	add_counts_of(lc, true);
	for_each(row, lc->rows.of, lc->rows.nr) {
		row->exact = row->nr_caches && row->nr_counted == row->nr_caches &&
			     row->first.counted && row->last.counted &&
			     row->first.end < row->last.read;
		if (!row->exact)
			continue;
		row->before = (int64_t)row->first.objects;
		row->after = (int64_t)row->last.objects;
		row->slack = LARGER(row->first.held, row->last.held) + row->sheaves;
	}
}

/* Replaces slabinfo by the counts in each row whose caches were all counted at both ends, and
 * subtracts the events outside of them.
 */
static void use_counts(struct ledger_caches *lc)
{
	const struct ledger *l = lc->ledger;

	if (!l->counted)
		return;
	add_counts(lc);
	for (size_t i = 0; i < l->nr_edges; i++) {
		const struct ledger_edge *e = &l->edges[i];
		struct cache_row *row = row_of(lc, e->group);

		if (!row || !row->exact ||
		    (e->ts > row->first.end && e->ts < row->last.read))
			continue;
		/* A free of a freed object may have turned out to be an ordinary one. */
		if (e->what != LEDGER_EDGE_AGAIN || row->events.again)
			ledger_group_add(&row->events, ledger_effect(e->what), -1);
		row->unsure += e->ts >= row->first.read && e->ts <= row->last.end;
	}
}

/* Gives the rows of caches in the kernel's curve their steps, with the kernel's counts. */
static int begin_steps(struct ledger_caches *lc)
{
	const struct kernel_curve *curve = &lc->ledger->steps.curve;

	for (uint32_t i = 0; i < lc->census.nr_caches && curve->nr > 1; i++) {
		struct cache_row *row = &lc->rows.of[lc->cache_rows[i]];
		const char *name = intern_get(&lc->census.names, i + 1, NULL);

		if (!kernel_curve_find(curve, KERNEL_SLAB, name))
			continue;
		if (!row->steps)
			row->steps = calloc(1, sizeof(*row->steps));
		if (!row->steps)
			return -ENOMEM;
		kernel_curve_sum(curve, KERNEL_SLAB, name, &row->steps->kernel);
	}
	return 0;
}

/* Adds what events changed in each step. */
static int add_steps(struct ledger_caches *lc)
{
	const struct ledger_steps *s = &lc->ledger->steps;
	int ret = begin_steps(lc);

	for (size_t i = 0; i < s->nets.nr && !ret; i++) {
		const struct ledger_step_net *n = &s->nets.of[i];
		struct cache_row *row = row_of(lc, n->group);

		if (row && row->steps)
			row->steps->trace[n->step] += n->net;
	}
	return ret;
}

/* If the recorder's probes show each end, objects that wait for RCU are in use. A sheaf may take an
 * object without an event.
 */
static void find_waiting(struct ledger_caches *lc)
{
	const struct analysis_env *env = lc->ledger->env;
	bool sheaves = census_since(env->rec, 6, 18);

	if (lc->ledger->slab->totals.unseen ||
	    recorded_types(env->rec, env->fmts, 1U << KMEM_FREE_BULK) != RECORDED_YES)
		return;
	for (size_t i = 0; i < lc->rows.nr; i++)
		if (!sheaves || (lc->rows.of[i].exact && !lc->rows.of[i].sheaves))
			lc->rows.of[i].waiting = lc->rows.of[i].dying;
}

int ledger_caches_make(struct ledger_caches *lc)
{
	int ret = census_init(&lc->census, lc->ledger->env);

	ret = ret ?: find_shared(lc) ?: add_caches(lc) ?: add_groups(lc);
	if (ret)
		return ret;
	name_rows(lc);
	add_dying(lc);
	ret = add_unknown(lc) ?: add_steps(lc);
	if (!ret)
		use_counts(lc);
	find_waiting(lc);
	return ret;
}

void ledger_caches_free(struct ledger_caches *lc)
{
	census_free(&lc->census);
	free(lc->cache_rows);
	u64_map_free(&lc->shared);
	u64_map_free(&lc->nameless_sizes);
	u64_map_free(&lc->named);
	for (size_t i = 0; i < lc->rows.nr; i++) {
		strbuf_free(&lc->rows.of[i].members);
		free(lc->rows.of[i].steps);
	}
	KEYED_FREE(&lc->rows);
	free(lc->group_rows);
}
