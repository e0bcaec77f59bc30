// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the order in which CPUs handed objects to RCU.
 * In: each object. Out: the objects that follow it.
 */
#include "account/rcu_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A place: the CPU, and the object's number modulo RCU_ORDER_KEPT. */
static uint32_t place_of(uint32_t cpu, uint64_t number)
{
	return cpu << 16 | (uint32_t)(number % RCU_ORDER_KEPT);
}

int rcu_order_add(struct rcu_order *order, uint16_t cpu, uint64_t ptr, uint32_t *place)
{
	struct rcu_order_cpu *c;
	int ret = array_reserve(&order->cpus, &order->capacity, cpu + 1U, sizeof(*c));

	if (ret)
		return ret;
	for (; order->nr_cpus <= cpu; order->nr_cpus++)
		order->cpus[order->nr_cpus] = (struct rcu_order_cpu){ 0 };
	c = &order->cpus[cpu];
	if (c->nr < RCU_ORDER_KEPT)
		ret = array_reserve(&c->ptrs, &c->capacity, c->nr + 1, sizeof(*c->ptrs));
	if (ret)
		return ret;
	*place = place_of(cpu, c->nr);
	c->ptrs[c->nr++ % RCU_ORDER_KEPT] = ptr;
	return 0;
}

uint64_t rcu_order_after(const struct rcu_order *order, uint32_t place, uint32_t distance,
			 uint32_t *next)
{
	const struct rcu_order_cpu *c = order->cpus + (place >> 16);
	uint64_t number;

	if (place >> 16 >= order->nr_cpus)
		return 0;
	/* The latest of this number modulo RCU_ORDER_KEPT. */
	number = c->nr - 1 - (c->nr - 1 - place) % RCU_ORDER_KEPT + distance;
	if (number >= c->nr)
		return 0;
	*next = place_of(place >> 16, number);
	return c->ptrs[number % RCU_ORDER_KEPT];
}

void rcu_order_free(struct rcu_order *order)
{
	size_t i;

	for (i = 0; i < order->nr_cpus; i++)
		free(order->cpus[i].ptrs);
	free(order->cpus);
	*order = (struct rcu_order){ 0 };
}
