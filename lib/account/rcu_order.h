/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account (internal): the order in which CPUs handed objects to RCU.
 * In: each object. Out: the objects that follow it.
 *
 * kfree_rcu() adds objects to an array of its CPU, of a page (kvfree_call_rcu()), and RCU frees a
 * full array by one call of kmem_cache_free_bulk(). The event of that call names only the first
 * objects; the others are those that the CPU handed over next.
 */
#ifndef KMEMX_ACCOUNT_RCU_ORDER_H
#define KMEMX_ACCOUNT_RCU_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Objects of each CPU that are kept: the latest. */
#define RCU_ORDER_KEPT (1U << 16)

struct rcu_order_cpu {
	uint64_t *ptrs; /* number n is at n % RCU_ORDER_KEPT */
	size_t capacity;
	uint64_t nr; /* handed over so far */
};

/* Zero-initialise it. */
struct rcu_order {
	struct rcu_order_cpu *cpus;
	size_t nr_cpus, capacity;
};

/* Adds @ptr to those of @cpu. @place: where it is. 0; -ENOMEM. */
int rcu_order_add(struct rcu_order *order, uint16_t cpu, uint64_t ptr,
		  uint32_t *place) __must_check;
/* The object that was handed over @distance objects after the one at @place, and its @next place.
 * 0: there is none yet. A place whose object is not kept any more is that of a later object.
 */
uint64_t rcu_order_after(const struct rcu_order *order, uint32_t place, uint32_t distance,
			 uint32_t *next);
void rcu_order_free(struct rcu_order *order);

#endif
