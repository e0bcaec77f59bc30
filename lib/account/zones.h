/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: what the kernel says of its zones.
 * In: texts of buddyinfo, zoneinfo, pagetypeinfo and min_free_kbytes, as a recording holds them,
 * untrusted. Out: numbers.
 */
#ifndef KMEMX_ACCOUNT_ZONES_H
#define KMEMX_ACCOUNT_ZONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The number in /proc/sys/vm/min_free_kbytes; false if it is not a number. */
bool min_free_kbytes_value(const char *text, uint64_t *kbytes);

/* The "Page block order" of pagetypeinfo, at most BUDDY_ORDERS_MAX; false if absent. */
bool pagetypeinfo_block_order(const char *text, unsigned int *order);

#endif
