/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: growth of plain arrays.
 * In: an array and the number of items it must hold. Out: room for them.
 */
#ifndef KMEMX_BASE_ARRAY_H
#define KMEMX_BASE_ARRAY_H

#include "base/compiler.h"

/**
 * array_reserve() - make room for @need items
 * @items: address of the array's pointer; new items are not initialised
 * @capacity: how many it can hold; updated
 * @item_size: bytes of one item, not 0
 *
 * Grows by doubling. Return: 0; -ENOMEM, also if the size would overflow; the array is unchanged
 * then.
 */
int array_reserve(void *items, size_t *capacity, size_t need,
		  size_t item_size) __must_check;

/**
 * array_reach() - the same, and all @need items are there
 * @nr: how many there are; raised to @need if it is less, and the new ones are zero
 */
int array_reach(void *items, size_t *nr, size_t *capacity, size_t need,
		size_t item_size) __must_check;

/* Makes room for one item more than @nr in an array that grows only by this, one by one, and so
 * keeps no capacity. 0 or -ENOMEM.
 */
int array_grow(void *items, size_t nr, size_t item_size) __must_check;

/* A function for qsort(): items of @type by their member @key, with the same @key by @next. */
#define ORDER_BY(name, type, key, next)                           \
	static int name(const void *a, const void *b)             \
	{                                                         \
		const type *x = a, *y = b;                        \
                                                                  \
		if (x->key != y->key)                             \
			return x->key < y->key ? -1 : 1;          \
		return (x->next > y->next) - (x->next < y->next); \
	}

/* How many of the first @nr items meet @condition, an expression about number @i. Those that meet
 * it come first: it is evaluated for log2(@nr) of them.
 */
#define COUNT_FIRST(i, nr, condition)                               \
	({                                                          \
		size_t low_ = 0, high_ = (nr);                      \
                                                                    \
		while (low_ < high_) {                              \
			const size_t i = low_ + (high_ - low_) / 2; \
                                                                    \
			if (condition)                              \
				low_ = i + 1;                       \
			else                                        \
				high_ = i;                          \
		}                                                   \
		low_;                                               \
	})

#endif
