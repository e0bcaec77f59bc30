// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/bounds/census.h"

#include "analysis/bounds/bounds.h"
#include "base/array.h"

/* Objects of one class that the recorder, which is not recorded, may hold; and the time in which
 * others may allocate between the last event and the reading of slabinfo.
 */
#define MARGIN_OBJECTS 16
#define MARGIN_NS      8000000

/* get_slabinfo() of mm/slub.c inspects at most this many partial slabs of a node and extrapolates
 * (6.10, ea3bac1d3f3c: MAX_PARTIAL_TO_SCAN).
 */
#define COUNTED_SLABS 10000
/* A slab's number of objects has 15 bits (struct slab), so more means damage. */
#define MAX_PER_SLAB  32767U

/* A gain below this part (1/4) of what seems to live may be chance, as CPUs hold free objects. */
#define SHOWN_PART 4

/* Limit for caches times events next to a count: half a second of work. */
#define EDGE_STEPS 100000000

/* Sheaves of a CPU (main, spare, kfree_rcu's) and full sheaves in a node's barn, 6.18. */
#define CPU_SHEAVES  3
#define NODE_SHEAVES 10

/* set_cpu_partial() and slub_set_cpu_partial() of mm/slub.c: since 5.16 (b47291ef02b0) a CPU keeps
 * as many slabs as would hold this many objects when half full; before, it stopped at this many
 * free objects, and each slab may have contributed only one.
 */
uint64_t census_slack(const struct slabinfo_line *line, const struct recording *rec)
{
	static const struct {
		uint64_t size, objects, slabs;
	} limits[] = { { 4096, 6, 2 }, { 1024, 24, 6 }, { 256, 52, 13 }, { 0, 120, 30 } };
	uint64_t per_slab = line->per_slab ? SMALLER(line->per_slab, MAX_PER_SLAB) : 1,
		 slabs;
	size_t i = 0;

	while (line->size < limits[i].size)
		i++;
	slabs = (2 * limits[i].objects + per_slab - 1) / per_slab;
	if (!census_since(rec, 5, 16) && slabs < limits[i].slabs)
		slabs = limits[i].slabs;
	return rec->nr_cpus * per_slab * (1 + slabs);
}

/* A node has at least one zone, and buddyinfo a line for each. */
static uint64_t nr_nodes(const struct recording *rec)
{
	const char *text = recording_meta_text(rec, "buddyinfo.after");
	struct buddy_line line;
	uint64_t nodes = 1;

	while (buddyinfo_next(&text, &line))
		if (line.node < 4096 && line.node >= nodes)
			nodes = line.node + 1;
	return nodes;
}

/* Maximum of sheaves of one cache that the CPUs and nodes of @rec hold. */
static uint64_t max_sheaves(const struct recording *rec)
{
	return CPU_SHEAVES * (uint64_t)rec->nr_cpus + NODE_SHEAVES * nr_nodes(rec);
}

static uint64_t sheaves(const struct census *c, uint64_t capacity)
{
	return capacity * c->nr_sheaves;
}

/* A new class; UINT32_MAX if memory ran out. */
static uint32_t new_class(struct census *c)
{
	if (array_grow(&c->classes, c->nr_classes))
		return UINT32_MAX;
	c->classes[c->nr_classes] =
		(struct census_class){ .counted = true, .caches = UINT32_MAX };
	return (uint32_t)c->nr_classes++;
}

/* The class of a cache that slabinfo names for the first time. */
static uint32_t class_of_line(struct census *c, const struct slabinfo_line *line,
			      const char *name)
{
	uint32_t *of;

	if (census_kmalloc_type(name) == KMALLOC_NR_TYPES)
		return new_class(c);
	of = u64_map_find(&c->sizes, line->size);
	if (of)
		return *of;
	of = u64_map_insert(&c->sizes, line->size, (uint32_t)c->nr_classes);
	return of ? new_class(c) : UINT32_MAX;
}

/* Is the line an exact count? A cache has no more partial slabs than slabs, nor than free objects,
 * as each partial slab has one. With SLAB's limits, CPUs hide more objects.
 */
static bool is_exact(const struct slabinfo_line *line)
{
	uint64_t per_slab = line->per_slab ? line->per_slab : 1;

	return line->active <= line->total && !line->cpu_limit &&
	       (line->total / per_slab <= COUNTED_SLABS ||
		line->total - line->active <= COUNTED_SLABS);
}

static int add_line(struct census *c, const struct slabinfo_line *line,
		    const struct recording *rec, bool after)
{
	uint32_t id = intern_id(&c->names, line->name, line->name_len);
	struct census_cache *cache;
	struct census_class *class;
	const char *name;

	if (!id || array_reserve(&c->caches, &c->caches_capacity, id))
		return -ENOMEM;
	name = intern_get(&c->names, id, NULL);
	if (id > c->nr_caches) {
		uint32_t of = class_of_line(c, line, name);

		if (of == UINT32_MAX)
			return -ENOMEM;
		c->caches[c->nr_caches++] = (struct census_cache){
			.of = of,
			.next = c->classes[of].caches,
			.size = line->size,
			.per_slab = line->per_slab < MAX_PER_SLAB ? line->per_slab
								  : MAX_PER_SLAB,
			.pages = line->pages,
			.slack = census_slack(line, rec),
			.sheaf = cache_sheaf_capacity(rec, name),
		};
		c->classes[of].unseen |= cache_comes_unseen(name);
		c->classes[of].tasks = cache_is_of_tasks(rec, name);
		c->classes[of].caches = id - 1;
		c->classes[of].nr_caches++;
		c->classes[of].per_slab =
			LARGER(c->classes[of].per_slab, c->caches[id - 1].per_slab);
	}
	cache = &c->caches[id - 1];
	cache->used |= line->total != 0;
	*(after ? &cache->after : &cache->before) += line->active;
	class = &c->classes[cache->of];
	class->counted &= is_exact(line);
	*(after ? &class->after : &class->before) += line->active;
	return 0;
}

static int add_snapshot(struct census *c, const struct recording *rec, const char *item,
			bool after)
{
	const char *text = recording_meta_text(rec, item);
	struct slabinfo_line line;
	int ret = 0;

	while (!ret && slabinfo_next(&text, &line))
		ret = add_line(c, &line, rec, after);
	return ret;
}

/* "NAME SLABS SHEAF": what CPUs hold of each cache. If a cache is listed more than once, the
 * highest count wins.
 */
static int add_cpu_slabs(struct census *c, const struct recording *rec)
{
	struct held {
		bool known;
		uint64_t slabs, sheaf;
	} *held __auto_mem = calloc(c->nr_caches + 1, sizeof(*held));
	const char *text = recording_meta_text(rec, "slab_cpu.after");
	struct slab_cpu_line line;

	if (!held)
		return -ENOMEM;
	while (slab_cpu_next(&text, &line)) {
		uint32_t id = intern_find(&c->names, line.name, line.name_len);

		if (!id || id > c->nr_caches || line.slabs > UINT32_MAX ||
		    line.sheaf > UINT32_MAX)
			continue;
		held[id - 1].known = true;
		held[id - 1].slabs = LARGER(held[id - 1].slabs, line.slabs);
		held[id - 1].sheaf = LARGER(held[id - 1].sheaf, line.sheaf);
	}
	for (size_t i = 0; i < c->nr_caches; i++) {
		struct census_cache *cache = &c->caches[i];

		c->classes[cache->of].slack +=
			held[i].known ? held[i].slabs * cache->per_slab +
						sheaves(c, held[i].sheaf)
				      : cache->slack + sheaves(c, cache->sheaf);
	}
	return 0;
}

/* Adds a cache's line of one of the two counts. */
static void add_count(struct census_count *count, struct census_reading *of,
		      const struct slab_count_line *line, uint64_t per_slab)
{
	*of = (struct census_reading){ .counted = true,
				       .objects = line->objects,
				       .begin = line->begin,
				       .read = line->read,
				       .end = line->end,
				       .held = line->held * per_slab,
				       .sheaf = line->sheaf };
	if (!count->caches || line->begin < count->begin)
		count->begin = line->begin;
	count->end = LARGER(line->end, count->end);
	count->objects += line->objects;
	count->caches++;
}

/* Adds up the lines of one of the two counts by class. */
static void add_counts(struct census *c, const struct recording *rec, const char *item,
		       bool after)
{
	const char *text = recording_meta_text(rec, item);
	struct slab_count_line line;

	while (slab_count_next(&text, &line)) {
		uint32_t id = intern_find(&c->names, line.name, line.name_len);
		struct census_cache *cache =
			id && id <= c->nr_caches ? &c->caches[id - 1] : NULL;
		struct census_class *class;

		/* Listed twice, or too many objects: damage. */
		if (!cache || (after ? &cache->last : &cache->first)->counted ||
		    line.objects > INT64_MAX / 2 || line.held > UINT32_MAX ||
		    line.sheaf > UINT32_MAX)
			continue;
		class = &c->classes[cache->of];
		if (!after) {
			add_count(&class->first, &cache->first, &line, cache->per_slab);
			continue;
		}
		add_count(&class->last, &cache->last, &line, cache->per_slab);
		class->held += cache->last.held;
		/* Only the cache's own events can have refilled what shrinking emptied. */
		if (line.shrunk && cache_has_all_events(intern_get(&c->names, id, NULL)))
			class->refill += sheaves(c, line.sheaf);
		else
			class->held += sheaves(c, line.sheaf);
	}
}

/* Finds the sizes of which only one cache has objects. */
static int find_only(struct census *c)
{
	int ret = 0;

	for (uint32_t id = 1; id <= c->nr_caches && !ret; id++) {
		const struct census_cache *cache = &c->caches[id - 1];
		const char *name = intern_get(&c->names, id, NULL);
		size_t before = c->only.count;
		uint32_t *only;

		if (!cache->used || census_kmalloc_type(name) != KMALLOC_NR_TYPES)
			continue;
		only = u64_map_insert(&c->only, cache->size, id);
		if (!only)
			ret = -ENOMEM;
		else if (c->only.count == before)
			*only = 0;
	}
	return ret;
}

static bool is_known(const struct analysis_env *env, uint64_t *lost)
{
	return !recording_is_part(env->rec) && !recording_meta(env->rec, "truncated") &&
	       /* The kernel counts all objects, not a sample. */
	       !recording_meta(env->rec, RECORDING_META_SAMPLE) &&
	       bounds_lost(env->rec, event_stream_stats(env->stream), lost);
}

int census_init(struct census *c, const struct analysis_env *env)
{
	const struct recording_text *duration = recording_meta(env->rec, "duration_ns");
	int ret;

	c->env = env;
	c->most = recording_meta(env->rec, "slabinfo.after") && !env->window;
	c->least = c->most && duration && recording_meta(env->rec, "slabinfo.before") &&
		   is_known(env, &c->lost);
	c->recorder_apart = bounds_recorder_apart(env->rec);
	c->nr_sheaves = max_sheaves(env->rec);
	c->duration_ns = duration ? strtoull(duration->text, NULL, 10) : 0;
	if (!c->most)
		return 0;
	ret = add_snapshot(c, env->rec, "slabinfo.before", false);
	ret = ret ?: add_snapshot(c, env->rec, "slabinfo.after", true);
	if (ret)
		return ret;
	if (census_has_counts(env->rec)) {
		add_counts(c, env->rec, "slab_counts.before", false);
		add_counts(c, env->rec, "slab_counts.after", true);
	}
	return add_cpu_slabs(c, env->rec) ?: find_only(c);
}

uint32_t census_of_name(const struct census *c, const char *name)
{
	uint32_t id = name ? intern_find(&c->names, name, strlen(name)) : 0;

	return id && id <= c->nr_caches ? c->caches[id - 1].of : UINT32_MAX;
}

uint32_t census_of_kmalloc(const struct census *c, uint64_t size)
{
	const uint32_t *of = u64_map_find(&c->sizes, size);

	return of ? *of : UINT32_MAX;
}

void census_nameless(struct census *c, uint64_t bytes)
{
	for (size_t i = 0; i < c->nr_caches; i++)
		c->classes[c->caches[i].of].unseen |= c->caches[i].size == bytes;
}

static bool is_within(uint64_t ts, uint64_t from, uint64_t to)
{
	return ts >= from && ts <= to;
}

/* Adds an event of the class next to one of its counts. */
static void class_edge(struct census *c, struct census_class *class,
		       const struct slab_edge *e)
{
	for (uint32_t i = class->caches; i != UINT32_MAX; i = c->caches[i].next) {
		const struct census_reading *first = &c->caches[i].first;
		const struct census_reading *last = &c->caches[i].last;

		class->first.events += is_within(e->ts, first->read, first->end);
		class->last.events += is_within(e->ts, last->read, last->end);
		class->since_shrunk += is_within(e->ts, last->begin, last->end);
	}
	/* As in old_freed: only if the event names the cache. */
	if (e->what == SLAB_EDGE_FREE_OLD)
		class->old_outside += e->kind.cache && (e->ts <= class->first.end ||
							e->ts >= class->last.begin);
	else if (e->what == SLAB_EDGE_FREE)
		class->frees_since += e->ts >= class->last.begin;
	else
		class->allocs_since += e->ts >= class->last.begin;
}

/* Each event may concern each cache, so without a limit a small file could take hours. A recorder's
 * own windows have some thousand events, far below it. Above it, only slabinfo is used.
 */
static bool affordable(const struct census *c, const struct slab_edges *edges)
{
	return !c->nr_caches || edges->nr <= EDGE_STEPS / c->nr_caches;
}

void census_add_edges(struct census *c, const struct slab_edges *edges,
		      const struct event_stream *stream)
{
	if (edges->incomplete || !affordable(c, edges))
		return;
	for_each(class, c->classes, c->nr_classes) {
		class->exact = class->nr_caches &&
			       class->first.caches == class->nr_caches &&
			       class->last.caches == class->nr_caches &&
			       class->first.end < class->last.begin;
	}
	for_each(e, edges->events, edges->nr) {
		uint32_t of = e->kind.bytes
				      ? census_of_kmalloc(c, e->kind.bytes)
				      : census_of_name(c, event_stream_cache(
								  stream, e->kind.cache));

		if (e->kind.bytes || e->kind.cache) {
			if (of < c->nr_classes)
				class_edge(c, &c->classes[of], e);
			continue;
		}
		/* An object of an unknown cache, perhaps of a known size. */
		for (size_t i = 0; i < c->nr_classes; i++)
			if (!e->kind.nameless ||
			    c->caches[c->classes[i].caches].size == e->kind.nameless)
				class_edge(c, &c->classes[i], e);
	}
}

/* Objects that appeared without an event while slabinfo was read, or that belong to the recorder.
 */
static uint64_t margin(const struct census *c, const struct census_class *class)
{
	uint64_t events = class->allocs + class->old_freed;

	if (class->exact)
		return class->tasks && c->recorder_apart ? 0 : MARGIN_OBJECTS;
	if (c->duration_ns <= MARGIN_NS)
		return MARGIN_OBJECTS + events;
	return MARGIN_OBJECTS + events / (c->duration_ns / MARGIN_NS);
}

/* How far a count may be off in either direction because of events during it: an event can make a
 * CPU take or return a slab, which is counted with all of its objects or none.
 */
static uint64_t unsteady(const struct census *c, const struct census_class *class,
			 const struct census_count *count)
{
	return (count->events + c->lost) * class->per_slab;
}

/* Free objects that the last count may count as in use. */
static uint64_t hidden(const struct census *c, const struct census_class *class)
{
	return class->held + (class->since_shrunk || c->lost ? class->refill : 0) +
	       unsteady(c, class, &class->last);
}

/* Objects in use at the last count are: seen objects that still live at the end of the recording,
 * those freed since, and others: objects in use at the first count, minus those that events freed
 * between the counts.
 */
static uint64_t gained_exactly(const struct census *c, const struct census_class *class)
{
	uint64_t others = class->first.objects + unsteady(c, class, &class->first) +
			  hidden(c, class) + class->frees_since + class->dying +
			  margin(c, class) + c->lost;

	return less(class->last.objects + less(class->old_freed, class->old_outside),
		    others);
}

static uint64_t gained_by_slabinfo(const struct census *c,
				   const struct census_class *class)
{
	uint64_t others =
		class->before + class->slack + class->dying + margin(c, class) + c->lost;

	return less(class->after + class->old_freed, others);
}

/* Are objects of the class allocated in bulk? Then frees without an allocation event are not all of
 * older objects.
 */
static bool comes_in_bulk(const struct census_class *class)
{
	return class->doubled > MARGIN_OBJECTS + class->allocs / 100;
}

/* How many of the class's seen objects must live. Objects in use after the recording are these,
 * older ones that were not freed since, and unseen ones.
 */
static uint64_t least(const struct census *c, const struct census_class *class)
{
	uint64_t gained =
		class->exact ? gained_exactly(c, class) : gained_by_slabinfo(c, class);

	/* Frees of objects whose allocation was not seen: others like them may live. */
	if (!c->least || class->unseen || comes_in_bulk(class))
		return 0;
	/* The class gained more than the events explain, so the gain does not prove the seen ones.
	 */
	return gained > class->live ? 0 : gained;
}

/* How many of the seen objects can live. */
static uint64_t most(const struct census *c, const struct census_class *class)
{
	if (class->exact)
		return class->last.objects + unsteady(c, class, &class->last) +
		       class->allocs_since;
	return class->after;
}

static bool is_counted(const struct census *c, uint32_t of)
{
	return c->most && of < c->nr_classes &&
	       (c->classes[of].counted || c->classes[of].exact);
}

struct census_range census_range(const struct census *c, uint32_t of, uint64_t nr)
{
	const struct census_class *class;
	struct census_range r = { 0, nr };

	if (!is_counted(c, of))
		return r;
	class = &c->classes[of];
	r.max = SMALLER(r.max, most(c, class));
	/* All that must live, minus the class's other objects. */
	r.min = SMALLER(less(least(c, class), less(class->live, nr)), r.max);
	return r;
}

/* By how many objects the class's growth falls short of what events say: its seemingly live objects
 * minus freed older ones. Free objects in slabs of CPUs are in both counts and usually cancel out.
 */
static uint64_t probably_missing(const struct census_class *class)
{
	uint64_t old = comes_in_bulk(class) ? 0 : class->old_freed + class->old_kfreed;

	if (!class->exact)
		return less(class->live + class->before, class->after + old);
	return less(class->live + class->first.objects + class->frees_since +
			    SMALLER(old, class->old_outside),
		    class->last.objects + class->allocs_since + old);
}

/* How many free objects one of the counts may include, and the other may not. */
static uint64_t held_at_either_end(const struct census *c,
				   const struct census_class *class)
{
	uint64_t held = class->exact ? 0 : class->slack;

	for (uint32_t i = class->caches; i != UINT32_MAX && class->exact;
	     i = c->caches[i].next)
		held += c->caches[i].first.held + c->caches[i].last.held +
			sheaves(c, c->caches[i].last.sheaf);
	return held;
}

uint64_t census_likely(const struct census *c, uint32_t of, uint64_t untraced)
{
	const struct census_class *class;
	struct census_range r;
	uint64_t missing, nr;

	if (!is_counted(c, of))
		return UINT64_MAX;
	class = &c->classes[of];
	r = census_range(c, of, class->live);
	missing = c->least ? probably_missing(class) : less(class->live, r.max);
	if (untraced < missing && missing <= held_at_either_end(c, class))
		missing = untraced;
	nr = less(class->live, missing);
	/* A slab that came or went during the count could make it too small, but rarely does. */
	if (class->exact)
		r.max = SMALLER(r.max, class->last.objects + class->allocs_since);
	nr = SMALLER(nr, r.max);
	return LARGER(nr, r.min);
}

bool census_shows(const struct census *c, uint32_t of)
{
	const struct census_class *class;

	if (!is_counted(c, of) || !c->least)
		return true;
	class = &c->classes[of];
	return probably_missing(class) <= class->live / SHOWN_PART * (SHOWN_PART - 1);
}

bool census_contradicts(const struct census *c, uint32_t of)
{
	return is_counted(c, of) && c->classes[of].live > most(c, &c->classes[of]);
}

void census_free(struct census *c)
{
	intern_free(&c->names);
	free(c->caches);
	u64_map_free(&c->sizes);
	u64_map_free(&c->only);
	free(c->classes);
	*c = (struct census){ 0 };
}
