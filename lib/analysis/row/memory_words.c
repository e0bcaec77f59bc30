// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what reports call each kind of memory.
 * In: a kind. Out: its words.
 */
#include "analysis/row/memory_words.h"

const struct memory_words *memory_words(enum memory memory)
{
	static const struct memory_words words[MEMORY_KINDS] = {
		[MEMORY_SLAB] = { "slab", "slab", "Slab objects", "slab objects",
				  "Objects", "object", UNIT_COUNT },
		[MEMORY_PAGE] = { "page", "page", "Pages", "pages", "Pages", "page",
				  UNIT_PAGES },
		[MEMORY_VMALLOC] = { "vmalloc", "vmalloc", "Areas of vmalloc",
				     "areas of vmalloc", "Areas", "area", UNIT_COUNT },
		[MEMORY_PERCPU] = { "percpu", "percpu-memory", "Per-CPU allocations",
				    "per-CPU allocations", "Allocations", "allocation",
				    UNIT_COUNT },
	};

	return &words[memory];
}
