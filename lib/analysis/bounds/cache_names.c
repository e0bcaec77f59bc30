// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what the name of a slab cache says about its objects.
 * In: names of slabinfo. Out: facts from the sources of the kernel.
 */
#include "analysis/bounds/census.h"

#include "analysis/bounds/bounds.h"

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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Did the kernel merge the cache with others? */
static bool is_merged(const struct recording *rec, const char *name)
{
	const struct recording_text *meta = recording_meta(rec, "slab_aliases");
	struct strbuf others = { 0 };
	bool merged;

	if (meta)
		slab_aliases_of(meta->text, name, &others);
	merged = others.size || others.failed;
	strbuf_free(&others);
	return merged;
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
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
