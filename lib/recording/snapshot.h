/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the kernel's own memory statistics at one moment.
 * In: texts of slabinfo, vmstat, buddyinfo, zoneinfo, pagetypeinfo and of slab aliases, as a
 * recording holds them, untrusted. Out: numbers.
 */
#ifndef KMEMX_RECORDING_SNAPSHOT_H
#define KMEMX_RECORDING_SNAPSHOT_H

#include "base/strbuf.h"

/* A number above this is damage; sums and differences of a few million fit an int64_t. */
#define SNAPSHOT_MAX (1ULL << 40)

/**
 * struct slabinfo_line - one cache
 * @name, @name_len: inside the text, not NUL terminated, at most 255 bytes
 * @active: objects in use; SLUB counts every object of a slab that a CPU holds
 * @total: objects that the slabs have room for
 * @size: bytes of an object; @per_slab, @pages: objects and page frames of one slab
 * @cpu_limit: how many free objects a CPU keeps, with SLAB; 0 with SLUB
 */
struct slabinfo_line {
	const char *name;
	size_t name_len;
	uint64_t active, total, size, per_slab, pages, cpu_limit;
};

/**
 * struct allocinfo_line - one place that allocates, of /proc/allocinfo
 * @bytes, @calls: allocated there and not yet freed
 * @place: "FILE:LINE"; @module: empty for the kernel; inside the text, not NUL terminated
 */
struct allocinfo_line {
	uint64_t bytes, calls;
	const char *place, *module, *function;
	size_t place_len, module_len, function_len;
};

/* The next line "BYTES CALLS FILE:LINE [MODULE] func:FUNCTION"; moves *@text on; skips other lines.
 */
bool allocinfo_next(const char **text, struct allocinfo_line *line);

/* The vmalloc areas that a function owns; @name, @name_len: as above. */
struct vmallocinfo_line {
	uint64_t areas, pages;
	const char *name;
	size_t name_len;
};

/* The next line "AREAS PAGES FUNCTION [MODULE]" of kmemx's sums; moves *@text on; skips others. */
bool vmallocinfo_next(const char **text, struct vmallocinfo_line *line);

/* The objects of a cache that a function allocated; @name: "FUNCTION [MODULE]". As above. */
struct alloc_trace_line {
	uint64_t objects;
	const char *cache, *name;
	size_t cache_len, name_len;
};

/* The next line "CACHE OBJECTS FUNCTION [MODULE]" of kmemx's sums; moves *@text on; skips others. */
bool alloc_trace_next(const char **text, struct alloc_trace_line *line);

/**
 * struct page_owner_line - the pages of a callchain, of kmemx's sums of page_owner
 * @names, @len: its functions, the innermost first, separated by blanks
 */
struct page_owner_line {
	uint64_t pages, gfp_flags;
	const char *names;
	size_t len;
};

/* The next line "PAGES 0xGFP FUNCTION FUNCTION ..."; moves *@text on; skips other lines. */
bool page_owner_next(const char **text, struct page_owner_line *line);

/* The next cache of slabinfo 2.x; moves *@text on; skips other lines. */
bool slabinfo_next(const char **text, struct slabinfo_line *line);

/* What CPUs hold of a cache: @slabs; @sheaf: how many objects a sheaf can hold. */
struct slab_cpu_line {
	const char *name;
	size_t name_len;
	uint64_t slabs, sheaf;
};

/* The next line "NAME SLABS SHEAF"; moves *@text on; skips other lines. */
bool slab_cpu_next(const char **text, struct slab_cpu_line *line);

/**
 * struct slab_count_line - one cache, counted while events were recorded
 * @objects: objects in use at some time from @read to @end (ns, the trace's clock), plus free ones
 *	in up to @held slabs and in sheaves
 * @sheaf: objects that a sheaf has room for; 0: the cache has no sheaves
 * @shrunk: the cache was shrunk between @begin and @read: CPUs hold only slabs that they took since
 */
struct slab_count_line {
	const char *name;
	size_t name_len;
	uint64_t objects, held, sheaf, begin, read, end;
	bool shrunk;
};

/* The next line "NAME OBJECTS HELD SHEAF SHRUNK BEGIN READ END"; as above. */
bool slab_count_next(const char **text, struct slab_count_line *line);

/* Whether a cache is reclaimable, by the kernel's count of such memory. */
struct slab_reclaim_line {
	const char *name;
	size_t name_len;
	bool reclaimable;
};

/* The next line "NAME 0" or "NAME 1"; moves *@text on; skips other lines. */
bool slab_reclaim_next(const char **text, struct slab_reclaim_line *line);

/**
 * struct percpu_stats - bytes of per-CPU memory, of one CPU; all CPUs have the same
 * @statics: variables of the kernel itself
 * @allocated: all @areas that are allocated, including what rounding adds
 * @addresses: all @chunks; not all of it has memory
 * @empty_pages: page frames without an area
 */
struct percpu_stats {
	uint64_t statics, allocated, addresses;
	uint64_t areas, chunks, empty_pages;
};

/* Reads debugfs's percpu_stats of Linux 4.14 to 7.x. False: it is no such text, or damaged. */
bool percpu_stats_read(struct percpu_stats *stats, const char *text) __must_check;

/* Value of "NAME VALUE" in vmstat. */
bool vmstat_value(const char *text, const char *name, uint64_t *value);
/* Sum of all values whose name begins with @prefix; false if there is none. */
bool vmstat_sum(const char *text, const char *prefix, uint64_t *sum);
/* Page frames in the buddy allocator's free lists, all zones. */
bool buddyinfo_pages(const char *text, uint64_t *pages);
/* Page frames in the CPUs' own free lists ("count:" of zoneinfo's pagesets). */
bool zoneinfo_pcp_pages(const char *text, uint64_t *pages);

/**
 * slab_alias_next() - the next "NAME TARGET" line of /sys/kernel/slab's links
 *
 * Caches with the same target are one cache. Return: false at the end. The parts lie inside
 * the text and end at the lengths given.
 */
struct slab_alias {
	const char *name, *target;
	size_t name_len, target_len;
};

bool slab_alias_next(const char **text, struct slab_alias *alias);
/* Appends the other names of cache @name, separated by commas. */
void slab_aliases_of(const char *text, const char *name, struct strbuf *out);

/* The kernel's statistics of its zones. */

#define BUDDY_ORDERS_MAX 20 /* no kernel has more */

/**
 * struct buddy_line - the free blocks of one zone
 * @zone, @zone_len: inside the text, not NUL terminated
 * @blocks: of each order from 0 on; @nr: how many orders there are
 */
struct buddy_line {
	uint64_t node;
	const char *zone;
	size_t zone_len;
	uint64_t blocks[BUDDY_ORDERS_MAX];
	unsigned int nr;
};

/* The next zone of buddyinfo; moves *@text on; skips other lines. */
bool buddyinfo_next(const char **text, struct buddy_line *line);

/**
 * zoneinfo_min() - the watermarks that min_free_kbytes set, if its value is not known
 * @pages: receives the sum of the min watermarks of the zones that share it (not HighMem, not
 *	   Movable: mm/page_alloc.c, __setup_per_zone_wmarks()), without a temporary boost where
 *	   zoneinfo says it (Linux 5.12). Each zone's is rounded down to a page.
 * @nodes: how many nodes there are
 *
 * Return: false if the text has no such zone.
 */
bool zoneinfo_min(const char *text, uint64_t *pages, uint64_t *nodes);

/* A counter of a zone or a node: @name is its place in the list of wanted names. */
struct zone_stat {
	uint32_t node;
	size_t name;
	uint64_t value;
};

/* The next counter of zoneinfo with one of @nr names ("nr_shmem", "pages free"); moves *@text on.
 * Pass the same @stat again: it has the node of earlier lines. Returns false at the end.
 */
bool zoneinfo_next(const char **text, const char *const *names, size_t nr,
		   struct zone_stat *stat);

/**
 * struct node_map - which node each page frame belongs to; zero-initialise it
 * @spans: frames from @start to @end - 1, smaller spans first: where the frames of nodes alternate,
 *	one zone's span lies in another's
 */
struct node_map {
	struct node_span {
		uint64_t start, end;
		uint32_t node;
	} * spans;
	size_t nr;
};

/* Reads zoneinfo ("start_pfn:" and "spanned" of each zone). 0 or -ENOMEM; call node_map_free() in
 * any case.
 */
int node_map_read(struct node_map *map, const char *zoneinfo) __must_check;
/* The node of frame @pfn; UINT32_MAX: unknown. */
uint32_t node_map_find(const struct node_map *map, uint64_t pfn);
void node_map_free(struct node_map *map);

/* The number in /proc/sys/vm/min_free_kbytes; false if it is not a number. */
bool min_free_kbytes_value(const char *text, uint64_t *kbytes);

/* The "Page block order" of pagetypeinfo, at most BUDDY_ORDERS_MAX; false if absent. */
bool pagetypeinfo_block_order(const char *text, unsigned int *order);

#endif
