/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx top on a terminal.
 * In: reports, keys. Out: a screen.
 */
#ifndef KMEMX_CMD_TOP_SCREEN_H
#define KMEMX_CMD_TOP_SCREEN_H

#include <stdbool.h>

#include "cmd/top/top.h"

/* Was kmemx built with support for a screen? */
bool top_screen_built(void);
/* Takes over the terminal. NULL if it cannot be used. */
struct top_screen *top_screen_open(struct top *top);
/* Shows the last interval, or what a key changed. */
void top_screen_draw(struct top_screen *s);
/* Handles keys; also call it without input, as the terminal's size may have changed. True if the
 * user quits or the terminal is gone.
 */
bool top_screen_keys(struct top_screen *s);
/* Gives the terminal back. */
void top_screen_close(struct top_screen *s);

#endif
