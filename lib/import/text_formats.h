/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the formats of records made from text.
 * In: which events and fields occurred. Out: formats as the kernel writes them.
 */
#ifndef KMEMX_IMPORT_TEXT_FORMATS_H
#define KMEMX_IMPORT_TEXT_FORMATS_H

#include "import/text_events.h"
#include "recording/system_texts.h"

/* Adds the formats of all events so far, named and grouped by their system. 0 or -ENOMEM. */
int text_formats(const struct text_events *te, struct text_list *events) __must_check;
/* The same for ftrace's own events: kernel_stack. */
int text_formats_of_ftrace(struct text_list *ftrace) __must_check;

#endif
