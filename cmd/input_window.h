/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --time, as the user wrote it.
 * In: the option's value. Out: bounds, or a message.
 */
#ifndef KMEMX_CMD_INPUT_WINDOW_H
#define KMEMX_CMD_INPUT_WINDOW_H

#include "study/window.h"

/* Reads @w->time before a file is opened: GO_ON, or EXIT_USAGE after a message. */
int input_window_check(struct window *w, const char *command) __must_check;

#endif
