// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: which cache an object belongs to whose allocation names none, what names of caches say.
 * In: its size and callsite, the sizes of slabinfo, symbols. Out: names of caches, facts of them.
 */
#include "analysis/bounds/cache_guess.h"

#include "analysis/bounds/bounds.h"

uint64_t cache_guess_size(const struct census *c, const char *name)
{
	uint32_t id = name ? intern_find(&c->names, name, strlen(name)) : 0;

	return id && id <= c->nr_caches ? c->caches[id - 1].size : 0;
}

int cache_guess_init(struct cache_guess *g, const struct analysis_env *env,
		     const struct census *census)
{
	int ret = 0;

	g->env = env;
	g->census = census;
	for (uint32_t id = 1; id <= census->nr_caches && !ret; id++) {
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
	struct strbuf __auto_free aliases = { 0 };
	const char *at;
	uint32_t id = intern_find(&g->census->names, name, strlen(name));

	if (!id && meta)
		slab_aliases_of(meta->text, name, &aliases);
	for (at = strbuf_text(&aliases); !id && *at; at += at[0] == ',') {
		size_t len = strcspn(at, ",");

		id = intern_find(&g->census->names, at, len);
		at += len;
	}
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

	for (size_t i = 0; k && i < ARRAY_SIZE(k->caches) && k->caches[i]; i++) {
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

enum kmalloc_type census_kmalloc_type(const char *name)
{
	/* Random copies (CONFIG_RANDOM_KMALLOC_CACHES) and buckets (CONFIG_SLAB_BUCKETS) of a size
	 * share a class with the plain cache: the event does not say which one served.
	 */
	static const struct {
		const char *prefix;
		enum kmalloc_type type;
	} prefixes[] = {
		{ "kmalloc-cg-", KMALLOC_CGROUP },   { "msg_msg-", KMALLOC_CGROUP },
		{ "kmalloc-rcl-", KMALLOC_RECLAIM }, { "dma-kmalloc-", KMALLOC_DMA },
		{ "kmalloc-", KMALLOC_NORMAL },	     { "memdup_user-", KMALLOC_NORMAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i].prefix);

		if (!strncmp(name, prefixes[i].prefix, len) &&
		    (strchr("0123456789", name[len]) || !strncmp(name + len, "rnd-", 4)))
			return prefixes[i].type;
	}
	return KMALLOC_NR_TYPES;
}

/* Are objects of the cache allocated without an event: by kmem_cache_alloc_bulk() (6.18's callers),
 * or by the recorder as it writes a file? /proc inodes, their dentries and security blobs gained
 * 100 to 300 more objects in a second or two than any recorder's events reported (6.18, counted
 * after shrinking). Most likely these belong to tasks without events, which a recording does not
 * show (Documentation/ledger.md, "Tasks without events").
 */
bool cache_comes_unseen(const char *name)
{
	static const char *const names[] = {
		"maple_node", "skbuff_head_cache", "io_kiocb",	     "bio-",
		"biovec-",    "ext4_io_end",	   "jbd2_",	     "xfs_ioend",
		"dentry",     "proc_inode_cache",  "lsm_inode_cache"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Did the kernel merge the cache with others? */
static bool is_merged(const struct recording *rec, const char *name)
{
	const struct recording_text *meta = recording_meta(rec, "slab_aliases");
	struct strbuf __auto_free others = { 0 };

	if (meta)
		slab_aliases_of(meta->text, name, &others);
	return others.size || others.failed;
}

/* Does the cache hold one object per task or process? The recorder, whose events are excluded,
 * starts none between the counts (lib/capture: its only fork comes before the first count). Pid may
 * also be the name of epoll's items, which the recorder has.
 */
bool cache_is_of_tasks(const struct recording *rec, const char *name)
{
	static const char *const names[] = { "task_struct", "signal_cache",
					     "mm_struct",   "sighand_cache",
					     "files_cache", "fs_cache",
					     "pid" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return !is_merged(rec, name);
	return false;
}

/* Does every allocation and free of the cache have an event? vm_area_struct is only used by
 * vm_area_alloc(), vm_area_dup() and vm_area_free() of mm/vma_init.c (6.18), one object at a time.
 */
bool cache_has_all_events(const char *name)
{
	return !strcmp(name, "vm_area_struct");
}

/* Objects of a sheaf if the recording does not say: in 6.18 two caches have sheaves, in later
 * kernels all do (calculate_sheaf_capacity(): at most 60).
 */
uint64_t cache_sheaf_capacity(const struct recording *rec, const char *name)
{
	if (census_since(rec, 6, 19))
		return 60;
	if (census_since(rec, 6, 18) &&
	    (!strcmp(name, "maple_node") || !strcmp(name, "vm_area_struct")))
		return 32;
	return 0;
}
