// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/filter/alloc_filter.h"

#include <fnmatch.h>

#include "symbol/symbols.h"

/* The answer for @key, cached in the map for @kind; @ask computes it. */
#define REMEMBERED(filter, kind, key, ask)                                          \
	({                                                                          \
		const uint32_t *known_ = u64_map_find(&(filter)->known[kind], key); \
		const bool yes_ = known_ ? *known_ : (ask);                         \
                                                                                    \
		if (!known_ && !u64_map_insert(&(filter)->known[kind], key, yes_))  \
			(filter)->failed = true;                                    \
		yes_;                                                               \
	})

int alloc_filter_begin(struct alloc_filter *f, const struct analysis_env *env)
{
	f->env = env;
	if (env->accounts && f->groups.nr) {
		env->accounts->by_process = true;
		f->processes = &env->accounts->processes;
	}
	sites_init(&f->callsites, env);
	return tasks_read(&f->tasks, env->rec->cmdlines);
}

/* --- who ------------------------------------------------------------------------------- */

bool filter_ranges_has(const struct filter_ranges *r, uint64_t value)
{
	return !r->nr ||
	       ANY(i, r->nr, value >= r->items[i].first && value <= r->items[i].last);
}

static bool comm_matches(const struct alloc_filter *f, const char *comm)
{
	return ANY(i, f->comms.nr, !fnmatch(f->comms.items[i], comm, 0));
}

static bool name_matches(const char *pattern, const char *function)
{
	char name[256];

	return !fnmatch(pattern, function, 0) ||
	       (symbol_plain(function, name, sizeof(name)) && !fnmatch(pattern, name, 0));
}

static bool site_matches(const struct alloc_filter *f, uint64_t addr)
{
	struct callsite_place place;
	struct symbol sym;
	bool known = symbols_find(f->env->syms, addr, &sym);

	(void)callsite_look(f->env->rule, f->env->syms, addr, &place);

	for (size_t i = 0; i < f->nr_sites; i++) {
		const struct filter_site *site = &f->sites[i];

		if (!site->name) {
			if (site->value == addr)
				return true;
			continue;
		}
		if (known && name_matches(site->name, sym.name) &&
		    (!site->exact || site->value == addr - sym.addr))
			return true;
		if (place.function && !site->exact &&
		    name_matches(site->name, place.function))
			return true;
	}
	return false;
}

static bool pass_comm(struct alloc_filter *f, int32_t pid)
{
	return REMEMBERED(f, KNOWN_COMM, (uint32_t)pid,
			  comm_matches(f, tasks_name(&f->tasks, pid)));
}

static bool group_matches(const struct alloc_filter *f, uint32_t group, bool whole)
{
	struct strbuf __auto_free path = { 0 };
	const char *text;

	processes_group_path(f->processes, group, whole, &path);
	text = strbuf_text(&path);
	return !path.failed && dir_words_has(&f->groups, text + (*text == '/'));
}

static bool pass_group(struct alloc_filter *f, const struct kmem_event *ev)
{
	const uint32_t group = processes_group(f->processes, ev);

	return REMEMBERED(f, KNOWN_GROUP, group,
			  group_matches(f, group, false) ||
				  group_matches(f, group, true));
}

static bool pass_address(struct alloc_filter *f, uint64_t addr)
{
	return REMEMBERED(f, KNOWN_SITE, addr, site_matches(f, addr));
}

/* The callsite that @ev names; false: it is in its callchain, if anywhere. */
static bool names_site(const struct alloc_filter *f, const struct kmem_event *ev,
		       uint64_t *site)
{
	if (kmem_is_slab_alloc(ev->type) ||
	    (kmem_is_area_alloc(ev->type) && ev->slab_alloc.callsite))
		*site = sites_beyond(f->env, ev->slab_alloc.callsite, ev->stack);
	else if (kmem_is_slab_free(ev->type) || kmem_is_probe(ev->type))
		*site = ev->slab_free.callsite;
	else
		return false;
	return true;
}

static bool pass_site(struct alloc_filter *f, const struct kmem_event *ev)
{
	uint64_t site;

	if (names_site(f, ev, &site))
		return pass_address(f, site);
	return ev->stack &&
	       pass_address(f, sites_of_stack_once(&f->callsites, ev->stack));
}

/* @dir: NULL: no memory. */
static bool dir_matches(struct alloc_filter *f, const char *dir)
{
	f->failed |= !dir;
	return dir && dir_words_has(&f->dirs, dir);
}

/* Checks the directory of the callsite that rows by directory use. */
static bool pass_dir(struct alloc_filter *f, const struct kmem_event *ev)
{
	uint64_t site;

	if (!names_site(f, ev, &site))
		site = sites_of_stack_once(&f->callsites, ev->stack);
	return REMEMBERED(f, KNOWN_DIR, site,
			  dir_matches(f, directories_find(f->env->dirs, site, 0)));
}

static bool pass_ptr(const struct alloc_filter *f, const struct kmem_event *ev)
{
	if (kmem_is_slab_alloc(ev->type) || kmem_is_area_alloc(ev->type))
		return filter_ranges_has(&f->ptrs, ev->slab_alloc.ptr);
	if (kmem_is_slab_free(ev->type) || kmem_is_area(ev->type))
		return filter_ranges_has(&f->ptrs, ev->slab_free.ptr);
	return false;
}

/* Does @ev pass, as far as that depends on its task and time? */
static bool pass_task(struct alloc_filter *f, const struct kmem_event *ev)
{
	if (f->pids.nr &&
	    (ev->pid < 0 || !filter_ranges_has(&f->pids, (uint64_t)ev->pid)))
		return false;
	if (f->groups.nr && !pass_group(f, ev))
		return false;
	return !f->comms.nr || pass_comm(f, ev->pid);
}

/* Does @ev pass by CPU, event, task, address and callsite? For a loss, only the CPU is checked. */
static bool pass_who(struct alloc_filter *f, const struct kmem_event *ev)
{
	if (!filter_ranges_has(&f->cpus, ev->cpu))
		return false;
	if (ev->type == KMEM_LOSS)
		return true;
	if (f->ids && !f->ids[ev->id])
		return false;
	if (!pass_task(f, ev))
		return false;
	if (f->ptrs.nr && !pass_ptr(f, ev))
		return false;
	if (f->nr_sites && !pass_site(f, ev))
		return false;
	return !f->dirs.nr || pass_dir(f, ev);
}

bool alloc_filter_task(struct alloc_filter *f, int32_t pid, uint64_t ts)
{
	const struct kmem_event ev = { .pid = pid, .ts = ts };

	return pass_task(f, &ev);
}

/* --- what ------------------------------------------------------------------------------ */

static bool is_cache(const struct alloc_filter *f, const char *name)
{
	/* fnmatch() alone would take "[kmalloc]" as a set of letters. */
	return ANY(i, f->caches.nr,
		   !strcmp(f->caches.items[i], name) ||
			   !fnmatch(f->caches.items[i], name, 0));
}

static bool is_kmalloc_cache(struct alloc_filter *f, uint64_t bytes)
{
	struct strbuf __auto_free name = { 0 };
	bool yes = is_cache(f, "[kmalloc]");

	comparison_name_kmalloc(f->env, bytes, &name);
	yes = yes || is_cache(f, strbuf_text(&name));
	f->failed |= name.failed;
	return yes;
}

/* @cache: the number of its name. */
static bool pass_named(struct alloc_filter *f, uint32_t cache)
{
	return REMEMBERED(
		f, KNOWN_CACHE, cache,
		is_cache(f, event_stream_cache(f->env->stream, cache) ?: "[unnamed]"));
}

static bool pass_cache(struct alloc_filter *f, const struct kmem_event *ev)
{
	uint64_t bytes = ev->slab_alloc.bytes_alloc;

	if (!kmem_is_kmalloc(ev->type))
		return pass_named(f, ev->slab_alloc.cache);
	return REMEMBERED(f, KNOWN_KMALLOC, bytes, is_kmalloc_cache(f, bytes));
}

bool alloc_filter_unnamed(const struct alloc_filter *f)
{
	const uint32_t *known = u64_map_find(&f->known[KNOWN_CACHE], 0);

	return known && !*known &&
	       ANY(i, f->caches.nr,
		   f->caches.items[i][0] != '[' &&
			   strncmp(f->caches.items[i], "kmalloc-", 8) != 0);
}

static bool has_flags(struct alloc_filter *f, uint64_t flags)
{
	const struct gfp_names *names = &f->env->fmts->gfp;
	struct strbuf __auto_free text = { 0 };
	uint64_t used = 0;
	bool yes = false;

	gfp_format_short(names, flags, &text, &used);
	f->failed |= text.failed;
	for (size_t i = 0; i < f->nr_gfps && !yes; i++) {
		const struct filter_gfp *gfp = &f->gfps[i];

		yes = (flags & gfp->bits) == gfp->bits &&
		      (used & gfp->names) == gfp->names && !(gfp->none && flags);
	}
	return yes;
}

static bool pass_gfp(struct alloc_filter *f, uint64_t flags)
{
	return REMEMBERED(f, KNOWN_GFP, flags, has_flags(f, flags));
}

static bool pass_slab(struct alloc_filter *f, const struct kmem_event *ev)
{
	if (f->orders.nr ||
	    !filter_ranges_has(&f->nodes, (uint64_t)((int64_t)ev->slab_alloc.node + 1)))
		return false;
	return (!f->caches.nr || pass_cache(f, ev)) &&
	       (!f->nr_gfps || pass_gfp(f, ev->slab_alloc.gfp_flags));
}

static bool pass_page(struct alloc_filter *f, const struct kmem_event *ev)
{
	if (f->nodes.nr || f->caches.nr ||
	    !filter_ranges_has(&f->orders, ev->page_alloc.order))
		return false;
	return !f->nr_gfps || pass_gfp(f, ev->page_alloc.gfp_flags);
}

/* An area's event has neither a cache nor a node; that of vmalloc has no GFP flags. */
static bool pass_area(struct alloc_filter *f, const struct kmem_event *ev)
{
	return !f->orders.nr && !f->nodes.nr && !f->caches.nr &&
	       (!f->nr_gfps ||
		(ev->type == KMEM_PERCPU_ALLOC && pass_gfp(f, ev->slab_alloc.gfp_flags)));
}

/* The event of a bulk allocation does not say what is asked for. */
static bool pass_bulk(const struct alloc_filter *f)
{
	return !f->orders.nr && !f->nodes.nr && !f->caches.nr && !f->nr_gfps;
}

/* The kind of memory that an event allocates; MEMORY_KINDS: none. */
static enum memory allocated(unsigned int type)
{
	switch (type) {
	case KMEM_PAGE_ALLOC:
		return MEMORY_PAGE;
	case KMEM_VMALLOC_ALLOC:
		return MEMORY_VMALLOC;
	case KMEM_PERCPU_ALLOC:
		return MEMORY_PERCPU;
	default:
		return kmem_is_slab_alloc(type) || type == KMEM_ALLOC_BULK ? MEMORY_SLAB
									   : MEMORY_KINDS;
	}
}

/* Does the filter pass what the allocation @ev asks for? */
static bool pass_what(struct alloc_filter *f, const struct kmem_event *ev)
{
	if (ev->type == KMEM_PAGE_ALLOC)
		return pass_page(f, ev);
	if (ev->type == KMEM_ALLOC_BULK)
		return pass_bulk(f);
	return kmem_is_area(ev->type) ? pass_area(f, ev) : pass_slab(f, ev);
}

/* Does the filter pass @ev, which is not an allocation, by its cache and its memory? */
static bool pass_rest(struct alloc_filter *f, const struct kmem_event *ev)
{
	bool named = kmem_is_slab_free(ev->type) && ev->slab_free.cache;

	if (ev->type == KMEM_LOSS || pass_bulk(f))
		return true;
	if (f->nr_gfps || f->nodes.nr)
		return false;
	return (!f->caches.nr || (named && pass_named(f, ev->slab_free.cache))) &&
	       (!f->orders.nr || (ev->type == KMEM_PAGE_FREE &&
				  filter_ranges_has(&f->orders, ev->page_free.order)));
}

bool alloc_filter_pass(struct alloc_filter *f, const struct kmem_event *ev)
{
	return pass_who(f, ev) &&
	       (allocated(ev->type) == MEMORY_KINDS ? pass_rest(f, ev)
						    : pass_what(f, ev));
}

void alloc_filter_mark(struct alloc_filter *f, struct kmem_event *evs, size_t nr)
{
	struct kmem_event *ev, *end = evs + nr;

	for (ev = evs; ev < end; ev++) {
		enum memory memory = allocated(ev->type);

		if (memory == MEMORY_KINDS)
			continue;
		ev->hidden = !(pass_what(f, ev) && pass_who(f, ev));
		if (!ev->hidden)
			f->nr[memory] += ev->type == KMEM_ALLOC_BULK ? ev->objects.nr : 1;
	}
}

void alloc_filter_free(struct alloc_filter *f)
{
	struct filter_ranges *const ranges[] = { &f->cpus, &f->pids, &f->ptrs, &f->nodes,
						 &f->orders };
	struct dir_words *const words[] = { &f->comms, &f->dirs, &f->groups, &f->caches };

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		free(ranges[i]->items);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		dir_words_free(words[i]);
	for (size_t i = 0; i < ARRAY_SIZE(f->known); i++)
		u64_map_free(&f->known[i]);
	for (size_t i = 0; i < f->nr_sites; i++)
		free(f->sites[i].name);
	free(f->sites);
	free(f->ids);
	free(f->gfps);
	tasks_free(&f->tasks);
	sites_free(&f->callsites);
	*f = (struct alloc_filter){ 0 };
}
