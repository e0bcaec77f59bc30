/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: threads that share the tasks of one round after the other.
 * In: a number of tasks. Out: each done once, on any thread.
 */
#ifndef KMEMX_BASE_TEAM_H
#define KMEMX_BASE_TEAM_H

#include <stdint.h>

#define TEAM_MAX   64U
#define TEAM_TASKS 64U

struct team;

/**
 * team_start() - get threads ready
 * @nr: the caller's thread included; more than TEAM_MAX are not started, nor more than the
 *	system allows
 *
 * Return: NULL if there is no memory, or not a single thread could be started.
 */
struct team *team_start(unsigned int nr);
/**
 * struct team_round - tasks that do not wait for each other
 * @fn: called once with each number below @nr
 * @cost: of each task, in any unit
 * @nr: at most TEAM_TASKS
 */
struct team_round {
	void (*fn)(void *ctx, unsigned int task);
	void *ctx;
	uint64_t cost[TEAM_TASKS];
	unsigned int nr;
};

/* Does the tasks, on the caller's thread and the others; what they did is seen by all once this
 * returns. Each thread has tasks of its own, of much the same cost together. Who is done helps
 * those that have begun: one that has not is about to, if it has a processor.
 */
void team_run(struct team *team, const struct team_round *round);
/* Ends the threads. NULL is fine. */
void team_stop(struct team *team);

#endif
