/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the accounts of one stream, made once for all analyses.
 * In: who asks; events in time order. Out: a slab account and a page account, with as many
 * observers as there are.
 */
#ifndef KMEMX_ACCOUNT_ACCOUNTS_H
#define KMEMX_ACCOUNT_ACCOUNTS_H

#include <stdbool.h>

#include "account/page_account.h"
#include "account/slab_account.h"
#include "recording/recording.h"

/**
 * struct accounts - zero-initialise it, set @rec and @page_size
 * @rec: borrowed
 * @page_size: bytes of a page on the recorded machine
 * @sample: to be estimated from: rows are by unit, too; zero: figures are the recording's own
 * @slab, @page: NULL until someone asks
 * @filtered: the events say which allocations the user's filter hides
 * @joined: they are the sum of accounts of parts, and finished: accounts_parts.h
 * @tasks: names, where rows are by them: @own_tasks, or others' that are borrowed
 * @edges: slab events next to the kernel's counts, if the recording has those
 */
struct accounts {
	const struct recording *rec;
	uint32_t page_size;
	struct sample sample;
	bool filtered;
	struct slab_account *slab;
	struct page_account *page;
	bool joined;
	struct slab_edges edges;
	const struct tasks *tasks;
	struct tasks own_tasks;
};

/**
 * accounts_slab(), accounts_page() - ask for an account, before the first event
 * @dimensions: what else must distinguish its rows; those of all callers together are at most
 *	DIMENSIONS_ASKED. Rows can differ in more than was asked for.
 *
 * @out: the account, to be observed; owned by @a. NULL on an error
 *
 * Return: 0; -ENOMEM; -EOVERFLOW where there is no room for what others asked for and this.
 */
int accounts_slab(struct accounts *a, const struct dimensions *dimensions,
		  struct slab_account **out) __must_check;
int accounts_page(struct accounts *a, const struct dimensions *dimensions,
		  struct page_account **out) __must_check;
/* Must slab allocations say all, or do accounts and those who observe them read neither gfp_flags
 * nor node? See event_stream_set_brief().
 */
bool accounts_read_all(const struct accounts *a);
/* Both accounts, which were asked for, take @nr events: what slab_account_events() and
 * page_account_events() do, with less work together.
 */
void accounts_events(struct accounts *a, const struct kmem_event *evs, size_t nr);
/* No more events: finishes what there is, if it is no sum of parts. */
void accounts_finish(struct accounts *a);
/* Makes @to what @from is, with accounts of its own, which nobody observes yet; it may be finished
 * while @from goes on. Not while a batch is handed over. 0; -ENOMEM: accounts_free() then, too.
 */
int accounts_copy(struct accounts *to, const struct accounts *from) __must_check;
void accounts_free(struct accounts *a);

#endif
