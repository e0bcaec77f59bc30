/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: growth of plain arrays.
 * In: an array and the number of items it must hold. Out: room for them.
 */
#ifndef KMEMX_BASE_ARRAY_H
#define KMEMX_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

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
 * array_own() - after copying a struct, give the copy its own array
 * @items: address of the pointer, which still points to the original's array
 * @nr: items to copy; with 0 the pointer becomes NULL
 * @failed: set if memory ran out; if it was set before, nothing is copied. The pointer is NULL in
 *	both cases, so all arrays of a copy can always be freed.
 */
void array_own(void *items, size_t nr, size_t item_size, bool *failed);

#endif
