/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: threads that run a round of tasks together, one round after the other.
 * In: a number of tasks. Out: each run once, on any thread.
 */
#ifndef KMEMX_BASE_TEAM_H
#define KMEMX_BASE_TEAM_H

#include <stdint.h>

#define TEAM_MAX   64U
#define TEAM_TASKS 64U

struct team;

/**
 * team_start() - start threads
 * @nr: includes the caller's thread; no more than TEAM_MAX, or than the system allows, are started
 *
 * Return: NULL if memory ran out or no thread could be started.
 */
struct team *team_start(unsigned int nr);
/**
 * struct team_round - tasks that do not depend on each other
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

/* Runs the tasks on the caller's thread and the others; when it returns, all their writes are
 * visible to all threads. Each thread has its own tasks, of similar total cost. A thread that is
 * done helps those that have begun; one that has not begun is about to, if it has a CPU.
 */
void team_run(struct team *team, const struct team_round *round);
/* Ends the threads. NULL is fine. */
void team_stop(struct team *team);

#endif
