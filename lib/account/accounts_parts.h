/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: accounts of each part of the addresses, and their sum.
 * In: the events of each part (event/parts.h). Out: accounts as if all events came in one order.
 */
#ifndef KMEMX_ACCOUNT_ACCOUNTS_PARTS_H
#define KMEMX_ACCOUNT_ACCOUNTS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "account/accounts.h"
#include "event/parts.h"

struct accounts_parts;

/* Can the accounts be made in parts? Not if someone observes lives, which then come in the order of
 * all events, nor by address, nor with a filter.
 */
bool accounts_can_part(const struct accounts *accounts);
/* Makes the accounts that @like has, for each part. 0 or -ENOMEM. */
int accounts_parts_new(struct accounts_parts **out, const struct accounts *like);
/* Low bits of a page frame number that do not select its part: event_parts.page_shift. */
unsigned int accounts_parts_page_shift(const struct accounts *accounts);
/* Feed the account of one part, and end it; parts may run at the same time. @ctx comes from
 * accounts_parts_one().
 */
void accounts_parts_take(void *ctx, const struct kmem_event *evs, size_t nr);
void accounts_parts_end(void *ctx);
void *accounts_parts_one(struct accounts_parts *parts, unsigned int part);
/* Do all parts together hold so many page frames that one account might have left some out? */
bool accounts_parts_full(const struct accounts_parts *parts);
/**
 * accounts_parts_sum() - make @to the finished accounts of all events
 * @parts: all ended; they must outlive @to, which reports their live objects
 *
 * Return: 0; -ENOMEM: the accounts have failed.
 */
int accounts_parts_sum(struct accounts *to, struct accounts_parts *parts) __must_check;
void accounts_parts_free(struct accounts_parts *parts);

#endif
