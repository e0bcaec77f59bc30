/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): the sum of the parts' page accounts.
 * In: finished page accounts. Out: their sum.
 */
#ifndef KMEMX_ACCOUNT_PAGE_PARTS_H
#define KMEMX_ACCOUNT_PAGE_PARTS_H

#include "account/page_account.h"
#include "event/parts.h"

/* Makes @to the sum of @parts, one for each of EVENT_PARTS. 0 or -ENOMEM. */
int page_account_join(struct page_account *to,
		      struct page_account *const *parts) __must_check;

#endif
