/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: a set of addresses, small where they are dense.
 * In: addresses. Out: whether one is in it.
 */
#ifndef KMEMX_ACCOUNT_ADDR_SET_H
#define KMEMX_ACCOUNT_ADDR_SET_H

#include "base/hash.h"

/**
 * struct addr_set - addresses, a bit each; zero-initialise it
 * @index: group of addresses -> its place in @groups
 * @groups: 512 bits each
 *
 * A group is the addresses of one 4 KiB page with the same remainder modulo eight. Objects are
 * aligned to eight bytes nearly everywhere, so a page is one group of 64 bytes, however many
 * objects come and go in it.
 */
struct addr_set {
	struct u64_map index;
	struct addr_group *groups;
	size_t nr_groups, capacity;
};

/* Adds @addr, which may be in the set already. False if memory ran out. */
bool addr_set_add(struct addr_set *set, uint64_t addr) __must_check;
bool addr_set_has(const struct addr_set *set, uint64_t addr);
void addr_set_free(struct addr_set *set);

#endif
