/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what brings debug information that is missing.
 * In: an open study. Out: sentences with the package or option, and the message that lists them.
 */
#ifndef KMEMX_CMD_INPUT_HINTS_H
#define KMEMX_CMD_INPUT_HINTS_H

#include "base/strbuf.h"
#include "input.h"

#define INPUT_HINTS 4

/* Fills in one line each, made safe for a terminal; some may stay empty. strbuf_free() each. */
void input_hints(const struct input *in, struct strbuf hints[INPUT_HINTS]);

/* EXIT_USAGE, after a message that says @what needs debug information, where it was looked for, and
 * what brings it. @dirs: a source tree would do.
 */
int input_hints_missing(const struct input *in, const char *what, bool dirs);

#endif
