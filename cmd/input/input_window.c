// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: checks --time.
 * In: the option's value. Out: bounds, or a message.
 */
#include "cmd/input/input_window.h"

#include "cmd/options/command.h"
#include "cmd/options/message.h"

int input_window_check(struct window *w, const char *command)
{
	if (!w->time || !time_window_parse(&w->parsed, w->time))
		return GO_ON;
	message_error(
		command,
		"invalid --time '%s'\n  Give START,STOP in seconds as trace-cmd prints them (81.5,82), from the start\n  (+1s,+1500ms) or in percent (10%%,20%%); either may be left out",
		w->time);
	return EXIT_USAGE;
}
