// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the dispatcher.
 * In: argv. Out: one command's run, and its exit code once stdout is known to be written.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "command.h"
#include "message.h"
#include "options.h"

/* In the order of a session: it is the order of the list that the user sees. */
static const struct command *const commands[] = {
	&command_record, &command_boot,	   &command_extract, &command_stat,
	&command_diff,	 &command_script,  &command_split,   &command_info,
	&command_import, &command_recover, &command_version,
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_overview(FILE *out)
{
	fputs("kmemx records a kernel's memory allocations and reports who made them.\n\n"
	      "usage: kmemx COMMAND [options]\n"
	      "       kmemx COMMAND -h | kmemx help COMMAND\n\n"
	      "commands:\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s  %s\n", commands[i]->name, commands[i]->purpose);
	fputs("\nexamples:\n"
	      "  sudo kmemx record -- make -j2     record the whole system while make runs\n"
	      "  kmemx stat --page --caller -l 10  who allocated the most pages\n",
	      out);
}

/* For the shells' completion. */
static int list_commands(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("%s\t%s\n", commands[i]->name, commands[i]->purpose);
	return EXIT_OK;
}

static int unknown_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands)];
	const char *nearest;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i]->name;
	nearest = options_nearest(name, names, ARRAY_SIZE(names));
	if (nearest)
		message_error(NULL, "'%s' is not a kmemx command. Did you mean '%s'?",
			      name, nearest);
	else
		message_error(NULL,
			      "'%s' is not a kmemx command.\n  The list: kmemx help",
			      name);
	return EXIT_USAGE;
}

static int run_help(const char *name)
{
	const struct command *command;
	char help[] = "--help";
	char *args[3];

	if (!name) {
		print_overview(stdout);
		return EXIT_OK;
	}
	command = find_command(name);
	if (!command)
		return unknown_command(name);
	args[0] = (char *)command->name;
	args[1] = help;
	args[2] = NULL;
	return command->run(2, args);
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		print_overview(stdout);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "help") || !strcmp(name, "-h") || !strcmp(name, "--help"))
		return run_help(argc > 2 ? argv[2] : NULL);
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		char *args[] = { (char *)command_version.name, NULL };

		return command_version.run(1, args);
	}
	if (!strcmp(name, "--list-commands"))
		return list_commands();
	if (name[0] == '-') {
		message_error(
			NULL,
			"unknown option '%s'; a command comes first.\n  The list: kmemx help",
			name);
		return EXIT_USAGE;
	}
	command = find_command(name);
	if (!command)
		return unknown_command(name);
	return command->run(argc - 1, argv + 1);
}

/* If the caller closed one of the three standard descriptors, the next file opened would
 * take its number, and output or messages would land in a recording. They are filled with
 * one that fails when used: /dev/null opened the wrong way round.
 */
static int fill_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	}
	return 0;
}

/* Checked here once for all commands, so that no report is cut in silence. */
static int finish_stdout(int ret)
{
	bool failed = ferror(stdout);
	int err;

	errno = 0;
	if (fflush(stdout) == 0 && !failed && fclose(stdout) == 0)
		return ret;
	err = errno;
	/* An earlier write failed and its reason is gone: ending the cut line tells it. */
	if (!err && write(STDOUT_FILENO, "\n", 1) < 0)
		err = errno;
	if (err == EPIPE) /* the reader has had enough: what SIGPIPE would have said */
		return 128 + SIGPIPE;
	if (err)
		message_error(NULL, "cannot write to standard output: %s", strerror(err));
	else
		message_error(NULL, "cannot write to standard output");
	return ret == EXIT_OK ? EXIT_FAILED : ret;
}

int main(int argc, char **argv)
{
	if (fill_standard_fds() < 0)
		return EXIT_FAILED;
	return finish_stdout(dispatch(argc, argv));
}
