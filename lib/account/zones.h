/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: what the kernel says of its zones.
 * In: texts of buddyinfo, zoneinfo, pagetypeinfo and min_free_kbytes, as a recording holds them,
 * untrusted. Out: numbers.
 */
#ifndef KMEMX_ACCOUNT_ZONES_H
#define KMEMX_ACCOUNT_ZONES_H

#include "base/compiler.h"

/* No kernel has more orders; a larger number of blocks is damage. */
#define BUDDY_ORDERS_MAX 20
#define BUDDY_BLOCKS_MAX (1ULL << 40)

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

/* The next counter of zoneinfo with one of @nr names ("nr_shmem", "pages free"); moves *@text on,
 * which must be what this function left: @stat has the node of the lines before. Returns false at
 * the end.
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
	size_t nr, capacity;
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
