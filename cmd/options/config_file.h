/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the user's configuration file.
 * In: the environment. Out: its settings, as arguments of a command; or a message.
 */
#ifndef KMEMX_CMD_CONFIG_FILE_H
#define KMEMX_CMD_CONFIG_FILE_H

#include "base/settings.h"

enum config_state {
	CONFIG_NONE, /* no file: KMEMX_CONFIG is empty or /dev/null, or there is no home */
	CONFIG_ABSENT,	/* the file does not exist */
	CONFIG_IGNORED, /* not trusted, or this user cannot read it: @why */
	CONFIG_READ,
};

/* Zero-initialise it. */
struct config {
	enum config_state state;
	char *path;	 /* NULL with CONFIG_NONE */
	const char *why; /* with CONFIG_IGNORED: the reason */
	struct settings settings;
};

/**
 * config_load() - read the user's configuration file
 *
 * The file is $KMEMX_CONFIG, or kmemx/config in $XDG_CONFIG_HOME or ~/.config. A file that other
 * users can write to is ignored: the file must belong to this user or root. So must its directory
 * and the home, unless $KMEMX_CONFIG names the file. Root ignores a file in another user's home.
 *
 * Return: GO_ON, also without a file; EXIT_FAILED or EXIT_USAGE after a message. The caller frees
 * @c in any case.
 */
int config_load(struct config *c);

void config_free(struct config *c);

/* Arguments of a command, preceded by its settings. @text holds the settings; the other strings
 * are the caller's.
 */
struct config_args {
	int argc;
	char **argv; /* ends in NULL */
	char *text;
};

/**
 * config_args() - put the settings of a command before its arguments
 * @argv: what the user gave; argv[0] is the command's name
 *
 * options_parse() reads the settings there (OPTIONS_SETTING).
 *
 * Return: 0 or -ENOMEM. config_args_free() frees @to.
 */
int __must_check config_args(struct config_args *to, const struct config *c, int argc,
			     char **argv);
void config_args_free(struct config_args *args);

#endif
