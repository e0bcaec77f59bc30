// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/filter/alloc_filter.h"

#include <fnmatch.h>

#include "analysis/row/comparison_name.h"
#include "base/array.h"

/* --- words ------------------------------------------------------------------------------- */

int alloc_filter_add_node(struct alloc_filter *f, const char *word)
{
	size_t before = f->nodes.nr, i;
	int err = strcmp(word, "-1") ? filter_ranges_add(&f->nodes, word) : 0;

	if (err)
		return err;
	if (f->nodes.nr == before)
		return filter_ranges_add(&f->nodes, "0");
	for (i = before; i < f->nodes.nr; i++) {
		f->nodes.items[i].first++;
		f->nodes.items[i].last++;
	}
	return 0;
}

int alloc_filter_add_order(struct alloc_filter *f, const char *word)
{
	return filter_ranges_add(&f->orders, word);
}

int alloc_filter_add_cache(struct alloc_filter *f, const char *word)
{
	/* An option instead of a name; no cache has such a name. */
	if (!*word || *word == '-')
		return -EINVAL;
	return dir_words_append(&f->caches, word, strlen(word));
}

int alloc_filter_add_dir(struct alloc_filter *f, const char *word)
{
	return event_filter_add_dir(&f->who, word);
}

/* Adds one flag's name to @gfp. */
static int add_flag(struct filter_gfp *gfp, const char *name, size_t len,
		    const struct gfp_names *names)
{
	char *end;

	if (len > 2 && !strncmp(name, "0x", 2)) {
		errno = 0;
		gfp->bits |= strtoull(name, &end, 16);
		return errno || end != name + len ? -EINVAL : 0;
	}
	if (len == 4 && !strncmp(name, "none", 4)) {
		gfp->none = true;
		return 0;
	}
	for (size_t i = 0; len && i < names->count && i < 64; i++) {
		const struct gfp_name *known = &names->names[i];

		if ((strncmp(known->name, name, len) != 0 || known->name[len]) &&
		    (strncmp(known->short_name, name, len) != 0 ||
		     known->short_name[len]))
			continue;
		if (strncmp(known->name, "__", 2) != 0)
			gfp->names |= 1ULL << i;
		else
			gfp->bits |= known->mask;
		return 0;
	}
	return len ? -ENOENT : -EINVAL;
}

int alloc_filter_add_gfp(struct alloc_filter *f, const char *word,
			 const struct gfp_names *names)
{
	struct filter_gfp gfp = { 0 };
	int err;

	for (;; word++) {
		size_t len = strcspn(word, "|");

		err = add_flag(&gfp, word, len, names);
		if (err)
			return err;
		word += len;
		if (!*word)
			break;
	}
	if (array_reserve(&f->gfps, &f->gfps_capacity, f->nr_gfps + 1, sizeof(*f->gfps)))
		return -ENOMEM;
	f->gfps[f->nr_gfps++] = gfp;
	return 0;
}

/* --- allocations ------------------------------------------------------------------------- */

int alloc_filter_begin(struct alloc_filter *f, const struct analysis_env *env)
{
	f->env = env;
	if (env->accounts && f->who.groups.nr) {
		env->accounts->by_process = true;
		f->who.processes = &env->accounts->processes;
	}
	sites_init(&f->sites, env);
	return tasks_read(&f->tasks, env->rec->cmdlines);
}

static bool is_cache(const struct alloc_filter *f, const char *name)
{
	/* fnmatch() alone would take "[kmalloc]" as a set of letters. */
	for (size_t i = 0; i < f->caches.nr; i++) {
		if (!strcmp(f->caches.items[i], name) ||
		    !fnmatch(f->caches.items[i], name, 0))
			return true;
	}
	return false;
}

static bool is_kmalloc_cache(const struct alloc_filter *f, uint64_t bytes, bool *failed)
{
	struct strbuf __auto_free name = { 0 };
	bool yes = is_cache(f, "[kmalloc]");

	comparison_name_kmalloc(f->env, bytes, &name);
	yes = yes || is_cache(f, strbuf_text(&name));
	*failed |= name.failed;
	return yes;
}

/* @cache: the number of its name. */
static bool pass_named(struct alloc_filter *f, uint32_t cache)
{
	return REMEMBERED(
		f, cache_known, cache,
		is_cache(f, event_stream_cache(f->env->stream, cache) ?: "[unnamed]"));
}

static bool pass_cache(struct alloc_filter *f, const struct kmem_event *ev)
{
	uint64_t bytes = ev->slab_alloc.bytes_alloc;

	if (!kmem_is_kmalloc(ev->type))
		return pass_named(f, ev->slab_alloc.cache);
	return REMEMBERED(f, kmalloc_known, bytes,
			  is_kmalloc_cache(f, bytes, &f->failed));
}

bool alloc_filter_unnamed(const struct alloc_filter *f)
{
	const uint32_t *known = u64_map_find(&f->cache_known, 0);

	for (size_t i = 0; known && !*known && i < f->caches.nr; i++) {
		if (f->caches.items[i][0] != '[' &&
		    strncmp(f->caches.items[i], "kmalloc-", 8) != 0)
			return true;
	}
	return false;
}

bool alloc_filter_has_dir(const struct alloc_filter *f, const char *name)
{
	return dir_words_has(&f->who.dirs, name);
}

static bool has_flags(const struct alloc_filter *f, uint64_t flags, bool *failed)
{
	const struct gfp_names *names = event_formats_gfp(f->env->fmts);
	struct strbuf __auto_free text = { 0 };
	uint64_t used = 0;
	bool yes = false;

	gfp_format_short(names, flags, &text, &used);
	*failed |= text.failed;
	for (size_t i = 0; i < f->nr_gfps && !yes; i++) {
		const struct filter_gfp *gfp = &f->gfps[i];

		yes = (flags & gfp->bits) == gfp->bits &&
		      (used & gfp->names) == gfp->names && !(gfp->none && flags);
	}
	return yes;
}

static bool pass_gfp(struct alloc_filter *f, uint64_t flags)
{
	return REMEMBERED(f, gfp_known, flags, has_flags(f, flags, &f->failed));
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
	const struct event_filter_names names = { f->env->syms, &f->sites, &f->tasks };
	bool pass = event_filter_pass(&f->who, &names, ev) &&
		    (allocated(ev->type) == MEMORY_KINDS ? pass_rest(f, ev)
							 : pass_what(f, ev));

	f->failed |= f->who.failed;
	return pass;
}

bool alloc_filter_task(struct alloc_filter *f, int32_t pid, uint64_t ts)
{
	const struct event_filter_names names = { f->env->syms, &f->sites, &f->tasks };
	const struct kmem_event ev = { .pid = pid, .ts = ts };
	bool pass = event_filter_task(&f->who, &names, &ev);

	f->failed |= f->who.failed;
	return pass;
}

void alloc_filter_mark(struct alloc_filter *f, struct kmem_event *evs, size_t nr)
{
	const struct event_filter_names names = { f->env->syms, &f->sites, &f->tasks };
	struct kmem_event *ev, *end = evs + nr;

	for (ev = evs; ev < end; ev++) {
		enum memory memory = allocated(ev->type);

		if (memory == MEMORY_KINDS)
			continue;
		ev->hidden =
			!(pass_what(f, ev) && event_filter_pass(&f->who, &names, ev));
		if (!ev->hidden)
			f->nr[memory] += ev->type == KMEM_ALLOC_BULK ? ev->objects.nr : 1;
	}
	f->failed |= f->who.failed;
}

void alloc_filter_free(struct alloc_filter *f)
{
	dir_words_free(&f->caches);
	free(f->gfps);
	free(f->nodes.items);
	free(f->orders.items);
	event_filter_free(&f->who);
	tasks_free(&f->tasks);
	sites_free(&f->sites);
	u64_map_free(&f->cache_known);
	u64_map_free(&f->kmalloc_known);
	u64_map_free(&f->gfp_known);
	*f = (struct alloc_filter){ 0 };
}
