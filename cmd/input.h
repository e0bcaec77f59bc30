/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what every command that reads a recording opens.
 * In: a path. Out: the recording, its formats, symbols and migratetypes, or a message.
 */
#ifndef KMEMX_CMD_INPUT_H
#define KMEMX_CMD_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "event/formats.h"
#include "event/migratetype.h"
#include "event/stream.h"
#include "message.h"
#include "recording/recording.h"
#include "symbol/symbols.h"

#define INPUT_DEFAULT "kmemx.dat"

/* At most one is set: where symbols are to come from instead of the recording. */
struct symbol_files {
	const char *kallsyms, *system_map, *vmlinux;
};

enum symbol_kind {
	SYMBOLS_RECORDED,
	SYMBOLS_KALLSYMS,
	SYMBOLS_SYSTEM_MAP,
	SYMBOLS_VMLINUX,
};

/**
 * struct symbol_origin - where the symbols in use are from
 * @path: NULL for the recording's own
 * @offset: what was added to the file's addresses (KASLR)
 * @build_id_equal: both sides have a build id, and they are equal
 */
struct symbol_origin {
	enum symbol_kind kind;
	const char *path;
	uint64_t offset;
	bool build_id_equal;
};

/**
 * struct input_options - what to open
 * @path: the recording; "-" is standard input
 * @symbols: to use instead of the recording's
 * @want_symbols: symbols are needed at all
 */
struct input_options {
	const char *command;
	const char *path;
	struct symbol_files symbols;
	bool want_symbols;
	unsigned int verbose;
};

struct input {
	const char *command, *path;
	struct message_log log_state;
	struct log log;
	struct recording *rec;
	struct event_formats *fmts;
	struct symbols *syms;
	struct symbol_origin origin;
	struct migratetypes migratetypes;
};

/* -i FILE or one operand: sets @path. GO_ON, or EXIT_USAGE after a message. */
int input_path(const char *command, int argc, char **argv, int operands,
	       const char **path);
/**
 * input_open() - open a recording for a command
 *
 * Return: GO_ON; otherwise the exit code, after a message. @in must be given to
 * input_close() in any case, and must not be moved.
 */
int input_open(struct input *in, const struct input_options *opts) __must_check;
void input_close(struct input *in);
/* The exit code where there is no such ring buffer, after a message. */
int input_no_instance(const struct input *in, const char *instance);
/* The exit code for a stream's error, after a message. */
int input_stream_failed(const struct input *in, int err);

#endif
