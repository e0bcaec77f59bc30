/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx record --label.
 * In: "key=value" of each option. Out: the text that a recording keeps.
 */
#ifndef KMEMX_CMD_LABEL_OPTIONS_H
#define KMEMX_CMD_LABEL_OPTIONS_H

#include "base/strbuf.h"
#include "cmd/options/options.h"

/* Appends the labels, one per line. GO_ON, or an exit code after a message. */
int record_labels(const struct option_strings *labels, struct strbuf *out);

#endif
