/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the whole of a text file.
 * In: a path, also of proc and tracefs, whose files have no size. Out: its text.
 */
#ifndef KMEMX_RECORDING_TEXT_FILE_H
#define KMEMX_RECORDING_TEXT_FILE_H

#include "base/compiler.h"
#include "base/io.h"
#include "base/strbuf.h"

/* No text that is read whole is larger (kallsyms is 5 to 20 MB). */
#define TEXT_FILE_MAX (256U << 20)

/* Appends the file's content. 0; -EFBIG; -ENOMEM; -errno of io_open_input() and read(2). */
int text_file_read(struct strbuf *out, const char *path, enum io_input kind) __must_check;

#endif
