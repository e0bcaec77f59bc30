/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: -o FILE of a command that writes text.
 * In: a path. Out: a new file that replaces @path when complete; or the FIFO, device or link at
 * @path, which is written into.
 */
#ifndef KMEMX_TEXT_OUTPUT_H
#define KMEMX_TEXT_OUTPUT_H

#include <signal.h>

#include "base/new_file.h"

/**
 * struct text_output - an output file being written
 * @file: the new file; @file.fd is -1 if an existing FIFO, device or link is written into
 * @fd: the descriptor to write to; negative if nothing is open
 * @holds: signals are held until text_output_close(), as the new file already has a name and must
 *	not be left behind
 * @before: the signal mask before that
 */
struct text_output {
	struct new_file file;
	int fd;
	bool holds;
	sigset_t before;
};

#define TEXT_OUTPUT_INIT ((struct text_output){ .file = NEW_FILE_INIT, .fd = -1 })

/* Opens @path, "-" for stdout, which must not be the file @input. GO_ON, or an exit code after a
 * message.
 */
int text_output_open(struct text_output *o, const char *path, const char *input,
		     const char *command);
/* Lets others read a new file as the umask allows, like a file written by a shell. By default only
 * its owner can.
 */
void text_output_share(const struct text_output *o);
/* Writes to the struct text_output @ctx. 0 or -errno; -EINTR if a signal is pending. */
int text_output_write(void *ctx, const char *data, size_t size);
/* Ends the output and gives the new file its name. 0 or -errno. */
int text_output_commit(struct text_output *o);
/* Commits the output unless writing it failed with @err, and closes it. EXIT_OK, or EXIT_FAILED
 * after a message about @path.
 */
int text_output_end(struct text_output *o, int err, const char *path,
		    const char *command);
/* Tells a user at a terminal to open the page @path in a browser. */
void text_output_say_page(const char *path);
/* Releases everything. A new file that was not committed is removed. */
void text_output_close(struct text_output *o);

#endif
