// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how far the recorded kernel's counts of slab objects can be trusted.
 * In: its release, its nodes. Out: what holds for it.
 */
#include "analysis/bounds/census_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sheaves of a CPU (main, spare, kfree_rcu's) and full sheaves in a node's barn, 6.18. */
#define CPU_SHEAVES  3
#define NODE_SHEAVES 10
bool census_since(const struct recording *rec, unsigned int major, unsigned int minor)
{
	unsigned int a = 0, b = 0;
	char release[64];

	recording_release(rec, release, sizeof(release));
	return sscanf(release, "%u.%u", &a, &b) == 2 &&
	       (a > major || (a == major && b >= minor));
}

bool census_has_counts(const struct recording *rec)
{
	return census_since(rec, 5, 9);
}

/* A node has at least one zone, and buddyinfo a line for each: "Node 0, zone ...". Not sscanf(),
 * which scans to the end of the whole text each time.
 */
static uint64_t nr_nodes(const struct recording *rec)
{
	static const char node[] = "Node ";
	const struct recording_text *meta = recording_meta(rec, "buddyinfo.after");
	const char *at = meta ? meta->text : "";
	uint64_t nodes = 1;

	for (; at; at = strchr(at, '\n')) {
		uint64_t id;
		char *end;

		at += *at == '\n';
		if (strncmp(at, node, sizeof(node) - 1) != 0)
			continue;
		id = strtoull(at + sizeof(node) - 1, &end, 10);
		if (*end == ',' && id < 4096 && id >= nodes)
			nodes = id + 1;
	}
	return nodes;
}

uint64_t census_sheaves(const struct recording *rec)
{
	return CPU_SHEAVES * (uint64_t)rec->nr_cpus + NODE_SHEAVES * nr_nodes(rec);
}
