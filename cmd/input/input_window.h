/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: checks --time.
 * In: the option's value. Out: bounds, or a message.
 */
#ifndef KMEMX_CMD_INPUT_WINDOW_H
#define KMEMX_CMD_INPUT_WINDOW_H

#include "study/window.h"

/* Options that select a part of the recording, in a struct window. */
#define TIME_OPTION(window)                                                \
	{                                                                  \
		OPTION_STRING | OPTION_EVERYDAY, 0, "time", "START,STOP",  \
			&(window).time,                                    \
			"only this time: seconds, +1s from the start, 10%" \
	}
#define INSTANCE_OPTION(window)                                           \
	{                                                                 \
		OPTION_STRING, 0, "instance", "NAME", &(window).instance, \
			"only the ring buffer of this name"               \
	}

/* Parses @w->time before a file is opened. GO_ON, or EXIT_USAGE after a message. */
int input_window_check(struct window *w, const char *command) __must_check;

#endif
