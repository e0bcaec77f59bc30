// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sums of page blocks by frame.
 * In: lives. Out: what each row allocated at each frame, and what became of it.
 */
#include "account/page_addresses.h"

#include <stdlib.h>

#include "base/array.h"

/* The key of an entry; without padding, because keys are compared as bytes. */
struct pfn_key {
	uint64_t pfn, row;
};

/* The place of frame @pfn, allocated by @row; NULL if memory ran out. */
static struct page_pfn *address_of(struct page_addresses *a, uint64_t pfn, uint32_t row)
{
	const struct pfn_key key = { pfn, row };
	uint32_t id = intern_id(&a->keys, &key, sizeof(key));

	if (!id || array_reserve(&a->pfns, &a->capacity, id, sizeof(*a->pfns))) {
		a->failed = true;
		return NULL;
	}
	if (id > a->nr)
		a->pfns[a->nr++] = (struct page_pfn){ .pfn = pfn, .row = row };
	return &a->pfns[id - 1];
}

void page_addresses_lives(void *ctx, const struct lives *of, const struct life *life,
			  size_t nr)
{
	struct page_addresses *a = ctx;
	size_t i;

	for (i = 0; i < nr && !a->failed; i++, life++) {
		struct page_pfn *pfn = life->what == LIFE_REFUSED
					       ? NULL
					       : address_of(a, life->at, life->row);

		if (!pfn)
			continue;
		switch (life->what) {
		case LIFE_BORN:
			pfn->hit++;
			pfn->live_pages += life->nr;
			break;
		case LIFE_GONE:
			pfn->implicit_pages += life->nr;
			pfn->live_pages -= life->nr;
			break;
		case LIFE_FOUND: /* counted as gone before */
			pfn->implicit_pages -= life->nr;
			break;
		default:
			pfn->live_pages -= life->nr;
		}
	}
}

void page_addresses_sum(struct page_addresses *a, const struct page_lives *lives)
{
	const struct live_entry *e = NULL;
	size_t i;

	for (i = 0; i < a->nr; i++)
		a->pfns[i].sure_pages = 0;
	while (a->nr && (e = lives_next(&lives->any, e))) {
		struct page_pfn *pfn =
			lives_sure(&lives->any, e)
				? address_of(a, page_lives_first(lives, e), e->row)
				: NULL;

		if (pfn)
			pfn->sure_pages += 1ULL << e->order;
	}
}

void page_addresses_free(struct page_addresses *a)
{
	intern_free(&a->keys);
	free(a->pfns);
	*a = (struct page_addresses){ 0 };
}
