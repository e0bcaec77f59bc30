/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): the objects that the recorder's probes name.
 * In: an event of kmem_is_probe(). Out: their lives, one by one.
 */
#ifndef KMEMX_ACCOUNT_SLAB_PROBES_H
#define KMEMX_ACCOUNT_SLAB_PROBES_H

#include "account/slab_lives.h"

/* Takes a free or an allocation. */
typedef void slab_take_fn(struct slab_lives *l, const struct kmem_event *ev);

/* Takes each object of @ev with @one, as if it had an event of its own. */
void slab_probes_take(struct slab_lives *l, const struct kmem_event *ev,
		      slab_take_fn *one);
/* @ev frees the object of @e. If it was allocated in bulk, and @ev names its cache, that of other
 * objects of the same callsite is known from now on; if it has a size, that of the cache. True:
 * the cache of such an object was not known until now, so it is missing among those of the cache.
 */
bool slab_probes_learn(struct slab_lives *l, const struct live_entry *e,
		       const struct kmem_event *ev);
/* May a dying object still be in use? Else a later free of it is one of a freed object. */
bool slab_probes_lasts(const struct live_entry *e, uint64_t now);

#endif
