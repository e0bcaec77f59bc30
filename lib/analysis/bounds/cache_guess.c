// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: guesses the cache of an object whose allocation names none; what names of caches say.
 * In: its size and callsite, the sizes of slabinfo, symbols. Out: the cache's name.
 *
 * Before Linux 6.18 kmem_cache_alloc names no cache, before 5.12 kmem_cache_free does not either.
 * But an allocation says how many bytes it takes (bytes_alloc), and that is slabinfo's objsize.
 */
#include "analysis/bounds/bounds.h"
#include "analysis/bounds/census.h"

uint64_t census_size(const struct census *c, const char *name)
{
	uint32_t id = name ? intern_find(&c->names, name, strlen(name)) : 0;

	return id && id <= c->nr_caches ? c->caches[id - 1].size : 0;
}

/* Functions of mainline, from 5.10 to 6.17, and caches that they allocate from. */
static const struct known_cache {
	const char *caches[3], *functions[3];
} known[] = {
	{ { "filp" }, { "__alloc_file", "alloc_empty_file" } },
	{ { "skbuff_head_cache", "skbuff_fclone_cache", "skbuff_small_head" },
	  { "__alloc_skb" } },
	{ { "anon_vma", "anon_vma_chain" },
	  { "__anon_vma_prepare", "anon_vma_clone", "anon_vma_fork" } },
	{ { "dentry" }, { "__d_alloc" } },
	{ { "task_delay_info" }, { "__delayacct_tsk_init" } },
	{ { "kernfs_node_cache" }, { "__kernfs_new_node" } },
	{ { "proc_dir_entry" }, { "__proc_create" } },
	{ { "sigqueue" }, { "__sigqueue_alloc" } },
	{ { "buffer_head" }, { "alloc_buffer_head" } },
	{ { "pid" }, { "alloc_pid" } },
	{ { "posix_timers_cache" }, { "alloc_posix_timer", "do_timer_create" } },
	{ { "mnt_cache" }, { "alloc_vfsmnt" } },
	{ { "vmap_area" }, { "alloc_vmap_area" } },
	{ { "fs_cache" }, { "copy_fs_struct" } },
	{ { "signal_cache", "sighand_cache", "mm_struct" }, { "copy_process" } },
	{ { "cred", "cred_jar" },
	  { "cred_alloc_blank", "prepare_creds", "prepare_kernel_cred" } },
	{ { "eventpoll_epi", "ep_head" }, { "do_epoll_ctl", "ep_insert" } },
	{ { "files_cache" }, { "dup_fd" } },
	{ { "mm_struct" }, { "dup_mm", "mm_alloc" } },
	{ { "eventpoll_pwq" }, { "ep_ptable_queue_proc" } },
	{ { "fsnotify_mark_connector" }, { "fsnotify_add_mark_locked" } },
	{ { "names_cache" }, { "getname_flags", "getname_kernel" } },
	{ { "file_lock_cache" }, { "locks_alloc_lock" } },
	{ { "proc_inode_cache" }, { "proc_alloc_inode" } },
	{ { "radix_tree_node" }, { "radix_tree_node_alloc", "xas_alloc" } },
	{ { "vm_area_struct", "vma_lock" }, { "vm_area_alloc", "vm_area_dup" } },
};

/* The cache that the function at @callsite allocates from; NULL: not known. */
static const struct known_cache *known_at(const struct census *c, uint64_t callsite)
{
	struct symbol sym;
	char name[128];

	if (!c->env->syms || !symbols_find(c->env->syms, callsite, &sym))
		return NULL;
	/* Drop the compiler's suffix, such as .part.0. */
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(sym.name, "."), sym.name);
	return FIND(k, known, ARRAY_SIZE(known),
		    ANY(i, ARRAY_SIZE(k->functions), text_same(k->functions[i], name)));
}

/* The cache of @bytes that is @name, or that the kernel merged with it; NULL: none. */
static const char *merged_name(const struct census *c, const char *name, uint64_t bytes)
{
	const char *links = recording_meta_text(c->env->rec, "slab_aliases");
	struct strbuf __auto_free aliases = { 0 };
	const char *at;
	uint32_t id = intern_find(&c->names, name, strlen(name));

	if (!id)
		slab_aliases_of(links, name, &aliases);
	for (at = strbuf_text(&aliases); !id && *at; at += at[0] == ',') {
		size_t len = strcspn(at, ",");

		id = intern_find(&c->names, at, len);
		at += len;
	}
	name = intern_get(&c->names, id, NULL);
	return name && census_size(c, name) == bytes ? name : NULL;
}

/* The only cache of objects of @bytes that the function at @callsite is known to use; NULL: none.
 */
static const char *known_name(const struct census *c, uint64_t callsite, uint64_t bytes)
{
	const struct known_cache *k = known_at(c, callsite);
	const char *found = NULL, *name;

	for (size_t i = 0; k && i < ARRAY_SIZE(k->caches) && k->caches[i]; i++) {
		name = merged_name(c, k->caches[i], bytes);
		if (name && found && name != found)
			return NULL;
		found = name ? name : found;
	}
	return found;
}

const char *census_guess(const struct census *c, uint64_t callsite, uint64_t bytes)
{
	const uint32_t *only = u64_map_find(&c->only, bytes);

	if (!only)
		return NULL;
	return *only ? intern_get(&c->names, *only, NULL)
		     : known_name(c, callsite, bytes);
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

/* By kmem_cache_alloc_bulk() (6.18's callers), or by the recorder as it writes a file. /proc
 * inodes, their dentries and security blobs gained 100 to 300 more objects in a second or two than
 * any recorder's events reported (6.18, counted after shrinking). Most likely these belong to tasks
 * without events, which a recording does not show (Documentation/ledger.md, "Tasks without
 * events").
 */
bool cache_comes_unseen(const char *name)
{
	static const char *const names[] = {
		"maple_node", "skbuff_head_cache", "io_kiocb",	     "bio-",
		"biovec-",    "ext4_io_end",	   "jbd2_",	     "xfs_ioend",
		"dentry",     "proc_inode_cache",  "lsm_inode_cache"
	};

	return ANY(i, ARRAY_SIZE(names), !strncmp(name, names[i], strlen(names[i])));
}

/* Did the kernel merge the cache with others? */
static bool is_merged(const struct recording *rec, const char *name)
{
	struct strbuf __auto_free others = { 0 };

	slab_aliases_of(recording_meta_text(rec, "slab_aliases"), name, &others);
	return others.size || others.failed;
}

/* The recorder, whose events are excluded, starts no task between the counts (lib/capture: its only
 * fork comes before the first count). "pid" may also be the name of epoll's items, which the
 * recorder has.
 */
bool cache_is_of_tasks(const struct recording *rec, const char *name)
{
	static const char *const names[] = { "task_struct", "signal_cache",
					     "mm_struct",   "sighand_cache",
					     "files_cache", "fs_cache",
					     "pid" };

	return ANY(i, ARRAY_SIZE(names), !strcmp(name, names[i])) &&
	       !is_merged(rec, name);
}

/* vm_area_struct is only used by vm_area_alloc(), vm_area_dup() and vm_area_free() of mm/vma_init.c
 * (6.18), one object at a time.
 */
bool cache_has_all_events(const char *name)
{
	return !strcmp(name, "vm_area_struct");
}

/* In 6.18 two caches have sheaves, in later kernels all do (calculate_sheaf_capacity(): at most
 * 60).
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
