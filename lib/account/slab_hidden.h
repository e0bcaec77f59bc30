/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): slab objects whose allocation the user's filter hides.
 * In: a batch of lives. Out: the same without theirs, and fates without their frees.
 */
#ifndef KMEMX_ACCOUNT_SLAB_HIDDEN_H
#define KMEMX_ACCOUNT_SLAB_HIDDEN_H

#include "account/slab_lives.h"

/* Removes the lives of hidden objects from the batch and their frees from the fates. Keeps, by row,
 * how many ended without an event. Does nothing without a filter.
 */
void slab_hidden_drop(struct slab_lives *l);

#endif
