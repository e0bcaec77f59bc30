/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the rules of kmemx diff.
 * In: --fail-on and --budget, as given. Out: rules, or a message and an exit code.
 */
#ifndef KMEMX_CMD_DIFF_RULES_H
#define KMEMX_CMD_DIFF_RULES_H

#include "cmd/diff/diff_options.h"

/* Parses all rules into @a->rules. GO_ON, or the exit code after a message. */
int diff_rules_parse(struct diff_args *a);

#endif
