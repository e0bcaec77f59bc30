/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: where to get missing debug information.
 * In: an open study. Out: sentences with the package or option, and the message that lists them.
 */
#ifndef KMEMX_CMD_INPUT_HINTS_H
#define KMEMX_CMD_INPUT_HINTS_H

#include "base/strbuf.h"
#include "cmd/input/input.h"

#define INPUT_HINTS 4

/* Fills in one line each, made safe for a terminal; some stay empty. Call strbuf_free() on each. */
void input_hints(const struct input *in, struct strbuf hints[INPUT_HINTS]);

/* Says that @what needs debug information, where kmemx looked, and what provides it. @dirs: a
 * source tree is enough. Returns EXIT_USAGE.
 */
int input_hints_missing(const struct input *in, const char *what, bool dirs);

#endif
