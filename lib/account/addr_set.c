// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/addr_set.h"

#include "base/array.h"

struct addr_group {
	uint64_t bits[8];
};

/* The page's number and the lowest three bits: no two groups share it. */
static uint64_t group_key(uint64_t addr)
{
	return addr >> 12 << 3 | (addr & 7);
}

static unsigned int group_bit(uint64_t addr)
{
	return addr >> 3 & 511;
}

bool addr_set_add(struct addr_set *set, uint64_t addr)
{
	uint32_t *index = u64_map_find(&set->index, group_key(addr));
	unsigned int bit = group_bit(addr);
	struct addr_group *group;

	if (!index) {
		if (set->nr_groups >= UINT32_MAX ||
		    array_reserve(&set->groups, &set->capacity, set->nr_groups + 1,
				  sizeof(*set->groups)))
			return false;
		index = u64_map_insert(&set->index, group_key(addr),
				       (uint32_t)set->nr_groups);
		if (!index)
			return false;
		set->groups[set->nr_groups++] = (struct addr_group){ 0 };
	}
	group = &set->groups[*index];
	group->bits[bit / 64] |= 1ULL << bit % 64;
	return true;
}

bool addr_set_has(const struct addr_set *set, uint64_t addr)
{
	const uint32_t *index = u64_map_find(&set->index, group_key(addr));
	unsigned int bit = group_bit(addr);

	return index && set->groups[*index].bits[bit / 64] >> bit % 64 & 1;
}

void addr_set_free(struct addr_set *set)
{
	u64_map_free(&set->index);
	free(set->groups);
	*set = (struct addr_set){ 0 };
}
