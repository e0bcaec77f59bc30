// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/array.h"

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
	p = realloc(p, bytes);
	if (!p)
		return -ENOMEM;
	memcpy(items, &p, sizeof(p));
	*capacity = bigger;
	return 0;
}

int array_double(void *items, size_t nr, size_t item_size)
{
	void *p;

	memcpy(&p, items, sizeof(p));
	p = reallocarray(p, nr ? nr * 2 : 8, item_size);
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
