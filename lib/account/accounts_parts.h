/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: accounts of each part of the addresses, and what they are together.
 * In: the events of each part (event/parts.h). Out: accounts as of all events in one order.
 */
#ifndef KMEMX_ACCOUNT_ACCOUNTS_PARTS_H
#define KMEMX_ACCOUNT_ACCOUNTS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "account/accounts.h"
#include "event/parts.h"

struct accounts_parts;

/* Can the accounts that were asked for be made in parts? Not where someone observes lives, which
 * come in the order of all then, nor by address, nor with a filter.
 */
bool accounts_can_part(const struct accounts *accounts);
/* For each part the accounts that @like has. 0 or -ENOMEM. */
int accounts_parts_new(struct accounts_parts **out, const struct accounts *like);
/* Bits of a page frame number that do not decide on its part: event_parts.page_shift. */
unsigned int accounts_parts_page_shift(const struct accounts *accounts);
/* The account of one part takes events, and ends; parts may do so at the same time. @ctx is
 * accounts_parts_one().
 */
void accounts_parts_take(void *ctx, const struct kmem_event *evs, size_t nr);
void accounts_parts_end(void *ctx);
void *accounts_parts_one(struct accounts_parts *parts, unsigned int part);
/* Do all parts together hold so much that accounts in one might leave something out? */
bool accounts_parts_full(const struct accounts_parts *parts);
/**
 * accounts_parts_sum() - make @to what accounts of all events are, once they are finished
 * @parts: all ended; @to reports their live objects, and they must outlive it
 *
 * Return: 0; -ENOMEM: the accounts have failed.
 */
int accounts_parts_sum(struct accounts *to, struct accounts_parts *parts) __must_check;
void accounts_parts_free(struct accounts_parts *parts);

#endif
