// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: creates and frees analyses, and has what many of them need.
 * In: an environment. Out: an analysis; the events that its stream had; words for kinds of memory.
 */
#include "analysis/analysis.h"

int analysis_new(const struct analysis *analysis, const struct analysis_env *env,
		 const struct analysis_options *opts, void **self)
{
	char *own = *self = calloc(1, analysis->size);
	int ret;

	if (!own)
		return -ENOMEM;
	memcpy(own + analysis->env_at, &env, sizeof(env));
	if (analysis->opts_at)
		memcpy(own + analysis->opts_at, &opts, sizeof(opts));
	ret = analysis->create ? analysis->create(own, env, opts) : 0;
	if (ret <= 0)
		return ret;
	analysis_free(analysis, own);
	*self = NULL;
	return 0;
}

void analysis_free(const struct analysis *analysis, void *self)
{
	if (self && analysis->destroy)
		analysis->destroy(self);
	free(self);
}

uint32_t analysis_seen(const struct analysis_env *env)
{
	const struct event_stream_stats *s = event_stream_stats(env->stream);
	uint32_t seen = 0;

	for_each(fmt, env->fmts->list, env->fmts->count) {
		if (s->by_id[fmt->id])
			seen |= 1U << fmt->type;
	}
	return seen;
}

bool analysis_recorded(const struct analysis_env *env, uint32_t types)
{
	return analysis_seen(env) & types ||
	       recorded_types(env->rec, env->fmts, types) == RECORDED_YES;
}

const struct free_event free_events[FREE_EVENTS] = {
	{ "kfree", NEEDS(KMALLOC) | NEEDS(KMALLOC_NODE), NEEDS(KFREE) },
	{ "kmem_cache_free", NEEDS(CACHE_ALLOC) | NEEDS(CACHE_ALLOC_NODE),
	  NEEDS(CACHE_FREE) },
	{ "mm_page_free", NEEDS(PAGE_ALLOC), NEEDS(PAGE_FREE) },
	{ "free_vmap_area_noflush", NEEDS(VMALLOC_ALLOC), NEEDS(VMALLOC_FREE) },
	{ "percpu_free_percpu", NEEDS(PERCPU_ALLOC), NEEDS(PERCPU_FREE) },
};

uint32_t analysis_missing_frees(const struct analysis_env *env)
{
	uint32_t seen = analysis_seen(env), missing = 0;

	for (size_t i = 0; i < FREE_EVENTS; i++) {
		if (seen & free_events[i].allocs &&
		    !analysis_recorded(env, free_events[i].type))
			missing |= free_events[i].type;
	}
	return missing;
}

void analysis_plain_times(const struct analysis_env *env, struct table *t)
{
	for (size_t i = 0; i < t->nr_columns && !recording_clocks_are_ns(env->rec); i++) {
		enum column_unit *unit = &t->columns[i].unit;

		if (*unit == UNIT_NS || *unit == UNIT_TIME || *unit == UNIT_MOMENT)
			*unit = UNIT_COUNT;
	}
}

struct cell analysis_migratetype(const struct analysis_env *env, int32_t type,
				 struct table *t)
{
	const char *name = migratetype_name(env->migratetypes, type);
	char number[16];

	snprintf(number, sizeof(number), "%" PRId32, type);
	return cell_text(t, name ? name : number);
}

const struct memory_words *memory_words(enum memory memory)
{
	static const struct memory_words words[MEMORY_KINDS] = {
		[MEMORY_SLAB] = { "slab", "slab", "Slab objects", "slab objects",
				  "Objects", "object", UNIT_COUNT, "Slab allocations",
				  "Live slab objects", "slab", "SLAB allocator" },
		[MEMORY_PAGE] = { "page", "page", "Pages", "pages", "Pages", "page",
				  UNIT_PAGES, "Page allocations", "Live pages", "page",
				  "page allocator" },
		[MEMORY_VMALLOC] = { "vmalloc", "vmalloc", "Areas of vmalloc",
				     "areas of vmalloc", "Areas", "area", UNIT_COUNT,
				     "Areas of vmalloc", "Live areas of vmalloc",
				     "vmalloc", "vmalloc" },
		[MEMORY_PERCPU] = { "percpu", "percpu-memory", "Per-CPU allocations",
				    "per-CPU allocations", "Allocations", "allocation",
				    UNIT_COUNT, "Per-CPU memory", "Live per-CPU memory",
				    "per-CPU", "per-CPU memory" },
	};

	return &words[memory];
}

const char *other_frees_title(bool filtered)
{
	return filtered ? "  without an allocation event (the filter cannot tell whose)"
			: "  of memory that others allocated (not recorded)";
}

void other_frees_note(bool filtered, uint64_t nr, struct table *t)
{
	table_note_if(t, filtered && nr,
		      "%" PRIu64
		      " free%s no allocation event: the filter cannot tell whose %s.",
		      nr, nr == 1 ? " has" : "s have", nr == 1 ? "it is" : "they are");
}
