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
 * @capacity: address of how many it can hold; updated
 *
 * Grows by doubling. Return: 0; -ENOMEM, also if the size would overflow; the array is unchanged
 * then.
 */
#define array_reserve(items, capacity, need) \
	array_reserve_size(items, capacity, need, sizeof(**(items)))
/* The same for items of @item_size bytes, not 0. */
int array_reserve_size(void *items, size_t *capacity, size_t need,
		       size_t item_size) __must_check;

/* Makes room for exactly @need items, if there is less, and drops those that were there. 0;
 * -ENOMEM: there is no room.
 */
#define array_renew(items, capacity, need) \
	array_renew_size(items, capacity, need, sizeof(**(items)))
int array_renew_size(void *items, size_t *capacity, size_t need,
		     size_t item_size) __must_check;

/**
 * array_reach() - as array_reserve(), and all @need items are there
 * @nr: address of how many there are; raised to @need if it is less, and the new ones are zero
 */
#define array_reach(items, nr, capacity, need) \
	array_reach_size(items, nr, capacity, need, sizeof(**(items)))
int array_reach_size(void *items, size_t *nr, size_t *capacity, size_t need,
		     size_t item_size) __must_check;

/* For array_grow(): room for twice as many. 0 or -ENOMEM. */
int array_double(void *items, size_t nr, size_t item_size) __must_check;

/* Makes room for one item more than @nr in an array that grows only by this, one by one, and so
 * keeps no capacity. 0 or -ENOMEM.
 */
#define array_grow(items, nr) array_grow_size(items, nr, sizeof(**(items)))
static inline int __must_check array_grow_size(void *items, size_t nr, size_t item_size)
{
	/* There is room up to the next power of two, at least 8. */
	return nr && (nr < 8 || (nr & (nr - 1))) ? 0 : array_double(items, nr, item_size);
}

/* Adds an item, the last argument, to such an array of @nr items. 0 or -ENOMEM. */
#define ARRAY_ADD(items, nr, ...) \
	(array_grow(&(items), nr) ? -ENOMEM : ((items)[(nr)++] = (__VA_ARGS__), 0))

/* Defines a function for qsort() that compares @x and @y of @type: it returns @order, such as
 * UP(cpu) ?: DOWN(bytes) ?: strcmp(x->name, y->name).
 */
#define ORDER(name, type, order)                      \
	static int name(const void *a, const void *b) \
	{                                             \
		const type *x = a, *y = b;            \
                                                      \
		return order;                         \
	}
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))
/* The item with the smallest (UP) or largest (DOWN) member @key comes first. */
#define UP(key)	      COMPARE(x->key, y->key)
#define DOWN(key)     COMPARE(y->key, x->key)

/* By member @key; items with the same @key by @next. */
#define ORDER_BY(name, type, key, next)	     ORDER(name, type, UP(key) ?: UP(next))
/* The same, but the largest @key comes first. */
#define ORDER_LARGEST(name, type, key, next) ORDER(name, type, DOWN(key) ?: UP(next))
/* For items that are numbers. */
#define ORDER_NUMBERS(name, type)	     ORDER(name, type, COMPARE(*x, *y))

/* Binary search: how many of the first @nr items meet @condition, an expression about item @i. The
 * items that meet it must come first.
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
