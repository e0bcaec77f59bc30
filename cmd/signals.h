/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: signals while a recording is made, or a file that must not be left behind.
 * In: nothing. Out: a descriptor that reports them; whether one waits.
 */
#ifndef KMEMX_CMD_SIGNALS_H
#define KMEMX_CMD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/compiler.h"

/**
 * signals_block() - block all signals that would end the process, but for its own faults
 * @before: receives the mask as it was
 *
 * A closed standard error (SIGPIPE) or a limit of file sizes (SIGXFSZ) makes a write fail
 * then, which the writer reports. Return: a signalfd(2) for the others; -1 with errno.
 */
int signals_block(sigset_t *before) __must_check;
/* The mask as it was. Signals that came meanwhile have had what they wanted. */
void signals_unblock(const sigset_t *before);

/* Has the same signals wait until signals_release(), for a moment in which there is something that
 * the process would leave behind. Calls may be nested. @before: receives the mask as it was.
 */
void signals_hold(sigset_t *before);
/* Does a signal wait that would have ended the process with the mask @before? */
bool signals_wait(const sigset_t *before);
/* Ends the process, if a signal has waited for that. */
void signals_release(const sigset_t *before);

#endif
