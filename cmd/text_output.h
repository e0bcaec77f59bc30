/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: -o FILE of a command that writes text.
 * In: a path. Out: a file that takes its place when it is complete, or what the user has put
 * there to be written into: a FIFO, a device, a link.
 */
#ifndef KMEMX_TEXT_OUTPUT_H
#define KMEMX_TEXT_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/new_file.h"

/**
 * struct text_output - an output under way
 * @file: the new file; its @fd is -1 if something existing is written into
 * @fd: what to write to; below 0: nothing is open
 * @holds: signals wait until text_output_close(), as the new file has a name already, which
 *	must not be left behind; @before: the mask until then
 */
struct text_output {
	struct new_file file;
	int fd;
	bool holds;
	sigset_t before;
};

#define TEXT_OUTPUT_INIT ((struct text_output){ .file = NEW_FILE_INIT, .fd = -1 })

/* Opens @path, which must not be the file @input. GO_ON, or an exit code after a message. */
int text_output_open(struct text_output *o, const char *path, const char *input,
		     const char *command);
/* A new file is for others, too: it can be read by whom the umask lets, as what a shell writes. New
 * files are their owner's alone otherwise.
 */
void text_output_share(const struct text_output *o);
/* Writes to the struct text_output @ctx. 0 or -errno: -EINTR if a signal waits. */
int text_output_write(void *ctx, const char *data, size_t size);
/* The end: the new file takes its name. 0 or -errno. */
int text_output_commit(struct text_output *o);
/* To a user at a terminal: that @path is a page to be opened. */
void text_output_say_page(const char *path);
/* Releases everything; a new file that was not committed is gone. */
void text_output_close(struct text_output *o);

#endif
