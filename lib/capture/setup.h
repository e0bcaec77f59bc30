/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a tracing instance of our own, ready to be switched on.
 * In: struct capture_options. Out: the instance, its buffers and events; what is known of the
 * recording before it starts.
 */
#ifndef KMEMX_CAPTURE_SETUP_H
#define KMEMX_CAPTURE_SETUP_H

#include "base/compiler.h"
#include "capture/session.h"

/**
 * setup_instance() - begin the output, make the instance, start the command, which waits
 *
 * Everything that can fail or that allocates much is done here. Return: 0; -errno after an
 * LOG_ERROR message; the caller removes the instance in any case.
 */
int setup_instance(struct session *s) __must_check;
/* The same: switches the events on, with tracing off. From now on there is an event in the
 * instance's buffers only if there was a recording (dead.h).
 */
int setup_events(struct session *s) __must_check;
/* Do the frees by all tasks get a ring buffer of their own? */
bool setup_has_frees(const struct capture_options *opts);
/* Are only some tasks recorded? */
bool setup_by_task(const struct capture_options *opts);
/* Writes to both instances, where there are two. 0 or -errno. */
int setup_write(const struct session *s, const char *file, const char *text);
/* Metadata: what is known of the recording before it starts, with @s->wall_start. 0 or -ENOMEM. */
int setup_add_facts(struct session *s) __must_check;
/* Tracing on. The frees first: what is allocated from now on may be freed at once. */
int setup_switch_on(const struct session *s) __must_check;

#endif
