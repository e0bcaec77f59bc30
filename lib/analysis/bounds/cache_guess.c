// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: which cache an object belongs to whose allocation names none.
 * In: its size and callsite, the sizes of slabinfo, symbols. Out: the cache's name.
 */
#include "analysis/bounds/cache_guess.h"

#include <errno.h>

uint64_t cache_guess_size(const struct census *c, const char *name)
{
	uint32_t id = name ? intern_find(&c->names, name, strlen(name)) : 0;

	return id && id <= c->nr_caches ? c->caches[id - 1].size : 0;
}

int cache_guess_init(struct cache_guess *g, const struct analysis_env *env,
		     const struct census *census)
{
	int ret = 0;
	uint32_t id;

	g->env = env;
	g->census = census;
	for (id = 1; id <= census->nr_caches && !ret; id++) {
		const struct census_cache *cache = &census->caches[id - 1];
		const char *name = intern_get(&census->names, id, NULL);
		size_t before = g->sizes.count;
		uint32_t *only;

		if (!cache->used || census_kmalloc_type(name) != KMALLOC_NR_TYPES)
			continue;
		only = u64_map_insert(&g->sizes, cache->size, id);
		if (!only)
			ret = -ENOMEM;
		else if (g->sizes.count == before)
			*only = 0;
	}
	return ret;
}

/* Functions of mainline, from 5.10 to 6.17, and caches that they allocate from. */
static const struct known_cache {
	const char *function, *caches[3];
} known[] = {
	{ "__alloc_file", { "filp" } },
	{ "__alloc_skb",
	  { "skbuff_head_cache", "skbuff_fclone_cache", "skbuff_small_head" } },
	{ "__anon_vma_prepare", { "anon_vma", "anon_vma_chain" } },
	{ "__d_alloc", { "dentry" } },
	{ "__delayacct_tsk_init", { "task_delay_info" } },
	{ "__kernfs_new_node", { "kernfs_node_cache" } },
	{ "__proc_create", { "proc_dir_entry" } },
	{ "__sigqueue_alloc", { "sigqueue" } },
	{ "alloc_buffer_head", { "buffer_head" } },
	{ "alloc_empty_file", { "filp" } },
	{ "alloc_pid", { "pid" } },
	{ "alloc_posix_timer", { "posix_timers_cache" } },
	{ "alloc_vfsmnt", { "mnt_cache" } },
	{ "alloc_vmap_area", { "vmap_area" } },
	{ "anon_vma_clone", { "anon_vma", "anon_vma_chain" } },
	{ "anon_vma_fork", { "anon_vma", "anon_vma_chain" } },
	{ "copy_fs_struct", { "fs_cache" } },
	{ "copy_process", { "signal_cache", "sighand_cache", "mm_struct" } },
	{ "cred_alloc_blank", { "cred", "cred_jar" } },
	{ "do_epoll_ctl", { "eventpoll_epi", "ep_head" } },
	{ "do_timer_create", { "posix_timers_cache" } },
	{ "dup_fd", { "files_cache" } },
	{ "dup_mm", { "mm_struct" } },
	{ "ep_insert", { "eventpoll_epi", "ep_head" } },
	{ "ep_ptable_queue_proc", { "eventpoll_pwq" } },
	{ "fsnotify_add_mark_locked", { "fsnotify_mark_connector" } },
	{ "getname_flags", { "names_cache" } },
	{ "getname_kernel", { "names_cache" } },
	{ "locks_alloc_lock", { "file_lock_cache" } },
	{ "mm_alloc", { "mm_struct" } },
	{ "prepare_creds", { "cred", "cred_jar" } },
	{ "prepare_kernel_cred", { "cred", "cred_jar" } },
	{ "proc_alloc_inode", { "proc_inode_cache" } },
	{ "radix_tree_node_alloc", { "radix_tree_node" } },
	{ "vm_area_alloc", { "vm_area_struct", "vma_lock" } },
	{ "vm_area_dup", { "vm_area_struct", "vma_lock" } },
	{ "xas_alloc", { "radix_tree_node" } },
};

/* The cache that the function at @callsite allocates from; NULL: not known. */
static const struct known_cache *known_at(const struct cache_guess *g, uint64_t callsite)
{
	struct symbol sym;
	size_t i, len;

	if (!g->env->syms || !symbols_find(g->env->syms, callsite, &sym))
		return NULL;
	len = strcspn(sym.name, "."); /* .part.0 of compilers */
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(known[i].function, sym.name, len) && !known[i].function[len])
			return &known[i];
	return NULL;
}

/* The cache of @bytes that is @name, or that the kernel merged with it; NULL: none. */
static const char *merged_name(const struct cache_guess *g, const char *name,
			       uint64_t bytes)
{
	const struct recording_text *meta = recording_meta(g->env->rec, "slab_aliases");
	struct strbuf aliases = { 0 };
	const char *at;
	uint32_t id = intern_find(&g->census->names, name, strlen(name));

	if (!id && meta)
		slab_aliases_of(meta->text, name, &aliases);
	for (at = strbuf_text(&aliases); !id && *at; at += at[0] == ',') {
		size_t len = strcspn(at, ",");

		id = intern_find(&g->census->names, at, len);
		at += len;
	}
	strbuf_free(&aliases);
	name = intern_get(&g->census->names, id, NULL);
	return name && cache_guess_size(g->census, name) == bytes ? name : NULL;
}

/* The only cache of objects of @bytes that the function at @callsite is known to use; NULL: none.
 */
static const char *known_name(const struct cache_guess *g, uint64_t callsite,
			      uint64_t bytes)
{
	const struct known_cache *k = known_at(g, callsite);
	const char *found = NULL, *name;
	size_t i;

	for (i = 0; k && i < ARRAY_SIZE(k->caches) && k->caches[i]; i++) {
		name = merged_name(g, k->caches[i], bytes);
		if (name && found && name != found)
			return NULL;
		found = name ? name : found;
	}
	return found;
}

const char *cache_guess_name(const struct cache_guess *g, uint64_t callsite,
			     uint64_t bytes)
{
	const uint32_t *only = u64_map_find(&g->sizes, bytes);

	if (!only)
		return NULL;
	return *only ? intern_get(&g->census->names, *only, NULL)
		     : known_name(g, callsite, bytes);
}

void cache_guess_free(struct cache_guess *g)
{
	u64_map_free(&g->sizes);
}
