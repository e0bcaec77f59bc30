/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): slab objects whose allocation the user's filter hides.
 * In: a batch of lives. Out: the same without theirs, and fates without their frees.
 */
#ifndef KMEMX_ACCOUNT_SLAB_HIDDEN_H
#define KMEMX_ACCOUNT_SLAB_HIDDEN_H

#include "account/slab_lives.h"

/* Takes the lives of hidden objects out of the batch, and their frees out of the fates; how many
 * ended without an event stays known by row. Without a filter it finds nothing to do.
 */
void slab_hidden_drop(struct slab_lives *l);

#endif
