/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: drops what a long-running account no longer needs.
 * In: an account between two batches, the rows to keep. Out: the account without other rows.
 */
#ifndef KMEMX_ACCOUNT_FORGET_H
#define KMEMX_ACCOUNT_FORGET_H

#include <stdbool.h>
#include <stdint.h>

#include "account/page_account.h"
#include "account/slab_account.h"
#include "base/compiler.h"

/* The new number of a dropped row. */
#define FORGET_GONE UINT32_MAX

/**
 * forget_slab(), forget_page() - drop rows without live objects, and all freed objects
 * @keep: for each row: keep it in any case; set for rows with live objects
 * @to: receives each row's new number, or FORGET_GONE. Both have one entry more than
 *	slab_lives_rows()
 *
 * The sums of dropped rows are lost: add up totals before. Afterwards, another free of an object
 * freed before is a free of an unknown object, and the counts of such frees by caller start anew.
 * The account must have no observers and no parts. Clocks must agree (skew 0), because events in
 * the wrong order cannot be matched later. Return: 0; -ENOMEM: nothing happened.
 */
int forget_slab(struct slab_account *acc, bool *keep, uint32_t *to) __must_check;
int forget_page(struct page_account *acc, bool *keep, uint32_t *to) __must_check;

/**
 * forget_mark_stacks() - mark the callchains that the rows of an account refer to
 * @slab, @page: accounts; NULL: none
 * @used: one entry for each callchain number; set to 1 for those in use
 *
 * Call it right after forget_slab() and forget_page(): then only rows refer to callchains.
 */
void forget_mark_stacks(const struct slab_account *slab, const struct page_account *page,
			uint32_t *used);
/* Renumbers callchain @n to @to[n], which differ for all callchains that rows refer to. Rows keep
 * their numbers. 0; -ENOMEM: the account can only be freed.
 */
int forget_renumber_stacks(struct slab_account *slab, struct page_account *page,
			   const uint32_t *to) __must_check;

#endif
