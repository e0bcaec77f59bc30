/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): the sum of the parts' slab accounts.
 * In: finished slab accounts. Out: their sum.
 */
#ifndef KMEMX_ACCOUNT_SLAB_PARTS_H
#define KMEMX_ACCOUNT_SLAB_PARTS_H

#include "account/slab_account.h"

/**
 * slab_account_join() - make @to the sum of @parts
 * @parts: one for each of EVENT_PARTS; they must outlive @to, which reports their live objects
 *
 * Return: 0 or -ENOMEM.
 */
int slab_account_join(struct slab_account *to,
		      struct slab_account *const *parts) __must_check;

#endif
