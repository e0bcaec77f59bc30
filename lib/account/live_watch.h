/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: who wants to know of every change of what is live.
 * In: nothing. Out: the function that an account calls, for peaks of its rows' groups.
 */
#ifndef KMEMX_ACCOUNT_LIVE_WATCH_H
#define KMEMX_ACCOUNT_LIVE_WATCH_H

#include <stdint.h>

/**
 * struct live_watch - optional in an account
 * @fn: the live memory of the account's row @row has changed by @change (bytes of slab
 *	objects, or pages); called in the order of the events
 */
struct live_watch {
	void (*fn)(void *ctx, uint32_t row, int64_t change);
	void *ctx;
};

#endif
