/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: blocks signals while a recording is made, or a file that must not be left behind.
 * In: nothing. Out: a descriptor that reports them; whether one is pending.
 */
#ifndef KMEMX_CMD_SIGNALS_H
#define KMEMX_CMD_SIGNALS_H

#include <signal.h>

#include "base/compiler.h"

/**
 * signals_block() - block all signals that would kill the process, except its own faults
 * @before: receives the old mask
 *
 * A write to a closed standard error (SIGPIPE) or beyond the file size limit (SIGXFSZ) then fails,
 * which the writer reports. Return: a signalfd(2) for the signals except SIGPIPE; -1 with errno.
 */
int signals_block(sigset_t *before) __must_check;
/* Drops pending signals, which have been handled, and restores the mask. */
void signals_unblock(const sigset_t *before);

/* Blocks the same signals until signals_release(), while there is a file that the process must not
 * leave behind. Calls may be nested. @before receives the old mask.
 */
void signals_hold(sigset_t *before);
/* Is a signal pending that the mask @before does not block? */
bool signals_wait(const sigset_t *before);
/* Restores the mask: a pending signal kills the process now. */
void signals_release(const sigset_t *before);

#endif
