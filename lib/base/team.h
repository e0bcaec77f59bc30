/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: threads that share the tasks of one round after the other.
 * In: a number of tasks. Out: each done once, on any thread.
 */
#ifndef KMEMX_BASE_TEAM_H
#define KMEMX_BASE_TEAM_H

#define TEAM_MAX 64U

struct team;

/**
 * team_start() - get threads ready
 * @nr: the caller's thread included; more than TEAM_MAX are not started, nor more than the
 *	system allows
 *
 * Return: NULL if there is no memory, or not a single thread could be started.
 */
struct team *team_start(unsigned int nr);
/* Calls @fn once with each number below @nr_tasks, the lowest first, on the caller's thread and
 * the others; what it did is seen by all once this returns.
 */
void team_run(struct team *team, void (*fn)(void *ctx, unsigned int task), void *ctx,
	      unsigned int nr_tasks);
/* Ends the threads. NULL is fine. */
void team_stop(struct team *team);

#endif
