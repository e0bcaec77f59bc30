/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the user's configuration file.
 * In: the environment. Out: its settings, as arguments of a command; or a message.
 */
#ifndef KMEMX_CMD_CONFIG_FILE_H
#define KMEMX_CMD_CONFIG_FILE_H

#include "base/settings.h"

enum config_state {
	CONFIG_NONE, /* no file is named: KMEMX_CONFIG is empty or /dev/null, or there is no home */
	CONFIG_ABSENT, /* there is no file of this name */
	CONFIG_IGNORED, /* @why: somebody else can write to it, or this user cannot read it */
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
 * It is $KMEMX_CONFIG, or kmemx/config in $XDG_CONFIG_HOME or ~/.config. A file that somebody
 * else can write to is not read: it must be the user's own or root's, and so must its directory
 * and the home, unless $KMEMX_CONFIG names the file. Root reads none from another's home.
 *
 * Return: GO_ON, also without a file; EXIT_FAILED or EXIT_USAGE after a message that names the
 * line. The caller frees @c in either case.
 */
int config_load(struct config *c);

void config_free(struct config *c);

/* Arguments of a command with its settings before them. The texts of settings are its own, the
 * others the caller's.
 */
struct config_args {
	int argc;
	char **argv; /* ends in NULL */
	size_t nr_settings;
	char *text;
};

/**
 * config_args() - put the settings of a command before its arguments
 * @argv: what the user gave; argv[0] is the command's name
 *
 * options_parse() reads them there (OPTIONS_SETTING).
 *
 * Return: 0 or -ENOMEM. config_args_free() frees @to.
 */
int __must_check config_args(struct config_args *to, const struct config *c, int argc,
			     char **argv);
void config_args_free(struct config_args *args);

#endif
