/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a tracing instance of our own, ready to be switched on.
 * In: struct capture_options. Out: the instance, its buffers and events; the facts known before it
 * starts.
 */
#ifndef KMEMX_CAPTURE_SETUP_H
#define KMEMX_CAPTURE_SETUP_H

#include "capture/session/session.h"

/**
 * setup_instance() - begin the output, create the instance, fork the command, which waits
 *
 * Does everything that can fail or that allocates much. Return: 0; -errno after a LOG_ERROR
 * message; the caller removes the instance in any case.
 */
int setup_instance(struct session *s) __must_check;
/* Enables the events with tracing off. From now on, events in the instance's buffers mean that
 * something was recorded (dead.h). Errors as for setup_instance().
 */
int setup_events(struct session *s) __must_check;
/* Are frees by all tasks recorded into a ring buffer of their own? */
bool setup_has_frees(const struct capture_options *opts);
/* Are only some tasks recorded? */
bool setup_by_task(const struct capture_options *opts);
/* Writes to the instance, and to the second one if there is one. 0 or -errno. */
int setup_write(const struct session *s, const char *file, const char *text);
/* Adds the metadata known before the recording starts, with @s->wall_start. 0 or -ENOMEM. */
int setup_add_facts(struct session *s) __must_check;
/* Switches tracing on, for the frees first: what is allocated from now on may be freed at once. */
int setup_switch_on(const struct session *s) __must_check;

#endif
