/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: growth of plain arrays.
 * In: an array and how many items it must hold. Out: room for them.
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
 * @item_size: bytes of one, not 0
 *
 * Grows by doubling. Return: 0; -ENOMEM also where the size would overflow, with the array
 * as it was.
 */
int array_reserve(void *items, size_t *capacity, size_t need,
		  size_t item_size) __must_check;

/**
 * array_own() - after a struct was copied, give the copy an array of its own
 * @items: address of the pointer, which still is the original's
 * @nr: items to copy; with 0 the pointer becomes NULL
 * @failed: set if memory ran out. The pointer is NULL then, and where it was set before: so
 *	 all of a copy's arrays can be freed, or owned one after the other, in any case.
 */
void array_own(void *items, size_t nr, size_t item_size, bool *failed);

#endif
