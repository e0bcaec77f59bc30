/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the union of the parts' rows.
 * In: each part's rows, their keys and first events. Out: one row for each key, in the order of
 * the first event of each.
 */
#ifndef KMEMX_ACCOUNT_ROW_UNION_H
#define KMEMX_ACCOUNT_ROW_UNION_H

#include <stddef.h>
#include <stdint.h>

#include "account/event_place.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "event/parts.h"

/**
 * struct row_union - zero-initialise it
 * @keys: as they came; @firsts: the first event of each
 * @of: for each part's rows, the row of the union; before row_union_number(), the key's number - 1
 */
struct row_union {
	struct intern keys;
	struct event_place *firsts;
	size_t firsts_capacity;
	uint32_t *of[EVENT_PARTS];
	size_t nr[EVENT_PARTS], capacity[EVENT_PARTS];
};

/* Adds the next row of @part: its key, of @size bytes, and its first event. 0 or -ENOMEM. */
int row_union_add(struct row_union *u, unsigned int part, const void *key, size_t size,
		  const struct event_place *first) __must_check;
/* Numbers the rows, after all were added. @keys, which is empty, receives their keys: that of row n
 * has number n + 1. 0 or -ENOMEM.
 */
int row_union_number(struct row_union *u, struct intern *keys) __must_check;
/* After row_union_number(), once: the first event of each row, to be freed by the caller. */
struct event_place *row_union_take_firsts(struct row_union *u);
void row_union_free(struct row_union *u);

#endif
