/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: what an account that goes on for long need not know any more.
 * In: an account between two batches, the rows that are to be kept. Out: the same without others.
 */
#ifndef KMEMX_ACCOUNT_FORGET_H
#define KMEMX_ACCOUNT_FORGET_H

#include <stdbool.h>
#include <stdint.h>

#include "account/page_account.h"
#include "account/slab_account.h"
#include "base/compiler.h"

/* The new number of a row that was dropped. */
#define FORGET_GONE UINT32_MAX

/**
 * forget_slab(), forget_page() - drop rows of which nothing lives, and all that is known of what
 * was freed
 * @keep: for each row whether it is to stay in any case; set where something of it lives
 * @to: receives each row's new number, or FORGET_GONE. Both have an entry for each of
 *	slab_lives_rows(), and one more
 *
 * The sums of rows that are dropped are gone: whoever wants totals adds them up before. Afterwards
 * a free of what was freed before is one of an unknown object, and who freed what no event
 * allocated is counted anew. Nobody may observe the account, and there are no parts. Clocks must
 * agree (skew 0), as there is nothing to put right later. Return: 0; -ENOMEM: nothing happened.
 */
int forget_slab(struct slab_account *acc, bool *keep, uint32_t *to) __must_check;
int forget_page(struct page_account *acc, bool *keep, uint32_t *to) __must_check;

/**
 * forget_mark_stacks() - which callchains the rows of an account refer to
 * @slab, @page: accounts; NULL: none
 * @used: has an entry for each number of a callchain; set to 1 for those
 *
 * Right after forget_slab() and forget_page(): only rows refer to callchains then.
 */
void forget_mark_stacks(const struct slab_account *slab, const struct page_account *page,
			uint32_t *used);
/* Callchain @n is called @to[n] from now on, differently for each that rows refer to; rows keep
 * their numbers. 0; -ENOMEM: nothing can be done with the account but to free it.
 */
int forget_renumber_stacks(struct slab_account *slab, struct page_account *page,
			   const uint32_t *to) __must_check;

#endif
