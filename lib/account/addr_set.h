/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: a set of addresses, compact where they are dense.
 * In: addresses. Out: whether an address is in the set.
 */
#ifndef KMEMX_ACCOUNT_ADDR_SET_H
#define KMEMX_ACCOUNT_ADDR_SET_H

#include "base/keyed.h"

/* Addresses of one 4 KiB page with the same remainder modulo eight, a bit each. */
struct addr_group {
	uint64_t bits[8];
};

/**
 * struct addr_set - addresses; zero-initialise it
 *
 * Objects are aligned to eight bytes nearly everywhere, so a page is one group of 64 bytes, however
 * many objects come and go in it.
 */
struct addr_set {
	INDEXED(struct addr_group) groups;
};

/* The page's number and the lowest three bits: no two groups share it. */
static inline uint64_t addr_group_key(uint64_t addr)
{
	return addr >> 12 << 3 | (addr & 7);
}

/* Adds @addr, which may be in the set already. False if memory ran out. */
static inline bool __must_check addr_set_add(struct addr_set *set, uint64_t addr)
{
	struct addr_group *group = INDEXED_ITEM(&set->groups, addr_group_key(addr));

	if (group)
		group->bits[addr >> 9 & 7] |= 1ULL << (addr >> 3 & 63);
	return group;
}

static inline bool addr_set_has(const struct addr_set *set, uint64_t addr)
{
	const uint32_t *index = u64_map_find(&set->groups.index, addr_group_key(addr));

	return index &&
	       set->groups.of[*index].bits[addr >> 9 & 7] >> (addr >> 3 & 63) & 1;
}

static inline void addr_set_free(struct addr_set *set)
{
	INDEXED_FREE(&set->groups);
	*set = (struct addr_set){ 0 };
}

#endif
