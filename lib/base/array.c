// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/array.h"

#include <sys/mman.h>
#include <unistd.h>

/* Arrays of this size ask for huge pages. What the last one wastes is little in comparison. */
#define LARGE_BYTES (32UL << 20)

/* realloc(), but the kernel may back a large array with huge pages: page faults took a tenth of the
 * time of an analysis that fills a hundred megabytes. Room that is never written takes no memory.
 */
static void *resize(void *p, size_t bytes)
{
	p = realloc(p, bytes);
	if (p && bytes >= LARGE_BYTES) {
		uintptr_t before = (uintptr_t)p % (uintptr_t)sysconf(_SC_PAGESIZE);

		(void)madvise((char *)p - before, bytes + before, MADV_HUGEPAGE);
	}
	return p;
}

int array_reserve_size(void *items, size_t *capacity, size_t need, size_t item_size)
{
	size_t bigger = *capacity ? *capacity : 16;
	size_t bytes;
	void *p;

	if (need <= *capacity)
		return 0;
	while (bigger < need) {
		if (__builtin_mul_overflow(bigger, (size_t)2, &bigger))
			return -ENOMEM;
	}
	if (__builtin_mul_overflow(bigger, item_size, &bytes))
		return -ENOMEM;
	memcpy(&p, items,
	       sizeof(p)); /* @items is some T **: no aliasing through void ** */
	p = resize(p, bytes);
	if (!p)
		return -ENOMEM;
	memcpy(items, &p, sizeof(p));
	*capacity = bigger;
	return 0;
}

int array_renew_size(void *items, size_t *capacity, size_t need, size_t item_size)
{
	size_t bytes;
	void *p;

	if (need <= *capacity)
		return 0;
	memcpy(&p, items, sizeof(p));
	free(p);
	p = __builtin_mul_overflow(need, item_size, &bytes) ? NULL : malloc(bytes);
	memcpy(items, &p, sizeof(p));
	*capacity = p ? need : 0;
	return p ? 0 : -ENOMEM;
}

int array_double(void *items, size_t nr, size_t item_size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(nr ? nr * 2 : 8, item_size, &bytes))
		return -ENOMEM;
	memcpy(&p, items, sizeof(p));
	p = resize(p, bytes);
	if (!p)
		return -ENOMEM;
	memcpy(items, &p, sizeof(p));
	return 0;
}

int array_reach_size(void *items, size_t *nr, size_t *capacity, size_t need,
		     size_t item_size)
{
	char *p;

	if (need <= *nr)
		return 0;
	if (array_reserve_size(items, capacity, need, item_size))
		return -ENOMEM;
	memcpy(&p, items, sizeof(p));
	memset(p + *nr * item_size, 0, (need - *nr) * item_size);
	*nr = need;
	return 0;
}
