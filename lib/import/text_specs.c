// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/text_specs.h"

/* clang-format off */
/* A __data_loc word and its data come last, so that the word can be left out. */
#define SITE	{ "call_site", TEXT_SITE, 8, 8, false, "call_site=%pS" }
#define POINTER { "ptr", TEXT_POINTER, 16, 8, false, "ptr=%p" }
#define SLAB_ALLOC \
	SITE, POINTER, \
	{ "bytes_req", TEXT_UINT, 24, 8, false, "bytes_req=%zu" }, \
	{ "bytes_alloc", TEXT_UINT, 32, 8, false, "bytes_alloc=%zu" }, \
	{ "gfp_flags", TEXT_GFP, 40, 8, false, "gfp_flags=%s" }, \
	{ "node", TEXT_INT, 48, 4, true, "node=%d" }, \
	{ "accounted", TEXT_BOOL, 52, 1, true, "accounted=%s" }
#define PFN	{ "pfn", TEXT_PFN, 8, 8, false, "pfn=0x%lx" }
#define ORDER	{ "order", TEXT_UINT, 16, 4, false, "order=%u" }
#define TYPE(at) { "migratetype", TEXT_INT, at, 4, false, "migratetype=%d" }
#define END	{ NULL, 0, 0, 0, false, NULL }
/* clang-format on */

static const struct text_field kmalloc_fields[] = { SLAB_ALLOC, END };
static const struct text_field cache_alloc_fields[] = {
	SLAB_ALLOC, { "name", TEXT_NAME, 56, 4, true, "name=%s" }, END
};
static const struct text_field kfree_fields[] = { SITE, POINTER, END };
static const struct text_field cache_free_fields[] = {
	SITE, POINTER, { "name", TEXT_NAME, 24, 4, true, "name=%s" }, END
};
static const struct text_field page_alloc_fields[] = {
	PFN, ORDER, TYPE(20), { "gfp_flags", TEXT_GFP, 24, 8, false, "gfp_flags=%s" }, END
};
static const struct text_field page_free_fields[] = { PFN, ORDER, END };
static const struct text_field page_batched_fields[] = { PFN, END };
static const struct text_field page_zone_fields[] = { PFN,
						      ORDER,
						      TYPE(20),
						      { "percpu_refill", TEXT_INT, 24, 4,
							true, "percpu_refill=%d" },
						      END };
static const struct text_field page_drain_fields[] = { PFN, ORDER, TYPE(20), END };
static const struct text_field extfrag_fields[] = {
	PFN,
	{ "alloc_order", TEXT_INT, 16, 4, false, "alloc_order=%d" },
	{ "fallback_order", TEXT_INT, 20, 4, false, "fallback_order=%d" },
	{ "alloc_migratetype", TEXT_INT, 24, 4, false, "alloc_migratetype=%d" },
	{ "fallback_migratetype", TEXT_INT, 28, 4, false, "fallback_migratetype=%d" },
	{ "change_ownership", TEXT_INT, 32, 4, true, "change_ownership=%d" },
	END
};

const struct text_spec text_specs[TEXT_NR_SPECS] = {
	{ "kmalloc", 53, kmalloc_fields },
	{ "kmalloc_node", 53, kmalloc_fields },
	{ "kmem_cache_alloc", 60, cache_alloc_fields },
	{ "kmem_cache_alloc_node", 60, cache_alloc_fields },
	{ "kfree", 24, kfree_fields },
	{ "kmem_cache_free", 28, cache_free_fields },
	{ "mm_page_alloc", 32, page_alloc_fields },
	{ "mm_page_free", 20, page_free_fields },
	{ "mm_page_free_batched", 16, page_batched_fields },
	{ "mm_page_alloc_zone_locked", 28, page_zone_fields },
	{ "mm_page_pcpu_drain", 24, page_drain_fields },
	{ "mm_page_alloc_extfrag", 36, extfrag_fields },
};

/* Events that were renamed in 3.4. */
static const struct {
	const char *name, *today;
} renamed[] = {
	{ "mm_page_free_direct", "mm_page_free" },
	{ "mm_pagevec_free", "mm_page_free_batched" },
};

int text_spec_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (strlen(renamed[i].name) == len && !memcmp(renamed[i].name, name, len))
			return text_spec_find(renamed[i].today, strlen(renamed[i].today));
	for (int i = 0; i < TEXT_NR_SPECS; i++)
		if (strlen(text_specs[i].name) == len &&
		    !memcmp(text_specs[i].name, name, len))
			return i;
	return -1;
}
