// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx recover.
 * In: what a killed recorder left. Out: a recording.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "capture/recover.h"
#include "command.h"
#include "message.h"
#include "options.h"
#include "recorder.h"
#include "report/text_cell.h"

static const char command_name[] = "recover";

struct recover_command {
	const char *output;
	bool list, quiet;
	unsigned int verbose;
	const struct log *log;
	char **tmps;
	size_t nr;
};

/* --- finding ----------------------------------------------------------------------------- */

static int nothing_in(const char *where)
{
	message_error(
		command_name,
		"no interrupted recording in %s\n  A recorder that was killed leaves .NAME.PID.tmp where it was to write NAME.\n  Name that folder: kmemx recover DIR",
		where);
	return EXIT_FAILED;
}

static int out_of_memory(void)
{
	message_error(command_name, "out of memory");
	return EXIT_FAILED;
}

/* What a folder holds, or the one file that was named; -1 to go on. */
static int find(struct recover_command *c, const char *where)
{
	struct stat st;
	int ret;

	if (stat(where, &st) < 0) {
		message_error(command_name, "cannot open %s: %s", where, strerror(errno));
		return EXIT_FAILED;
	}
	if (S_ISDIR(st.st_mode)) {
		ret = leftovers_find(where, NULL, &c->tmps, &c->nr);
		if (ret == -ENOMEM)
			return out_of_memory();
		if (ret) {
			message_error(command_name, "cannot open %s: %s", where,
				      strerror(-ret));
			return EXIT_FAILED;
		}
		return c->nr ? -1 : nothing_in(where);
	}
	c->tmps = calloc(1, sizeof(*c->tmps));
	if (!c->tmps)
		return out_of_memory();
	c->tmps[0] = strdup(where);
	c->nr = 1;
	return c->tmps[0] ? -1 : out_of_memory();
}

/* --- one of them ------------------------------------------------------------------------- */

/* Why it cannot be taken over. */
static int refuse(const struct leftover *l, const char *tmp, int err)
{
	if (err == -EINVAL)
		message_error(
			command_name,
			"%s is not what a killed recorder leaves\n  That is called .NAME.PID.tmp. Search a folder for it: kmemx recover DIR",
			tmp);
	else if (err == -EBUSY)
		message_error(command_name,
			      "%s is in use: process %d still records or recovers it",
			      tmp, (int)l->pid);
	else
		message_error(command_name, "cannot open %s: %s", tmp, strerror(-err));
	return EXIT_FAILED;
}

/* The name that the recording was to have, unless an earlier one has it. */
static char *choose_output(const struct recover_command *c, const struct leftover *l)
{
	char *path = NULL;

	if (c->output)
		return strdup(c->output);
	if (access(l->path, F_OK) < 0)
		return strdup(l->path);
	return asprintf(&path, "%s.recovered", l->path) < 0 ? NULL : path;
}

static void say_recovered(const struct recover_result *r, const char *output)
{
	struct strbuf sb = { 0 };

	text_bytes(&sb, r->page_bytes, " ");
	strbuf_printf(&sb, " of %zu CPU%s", r->nr_cpus, r->nr_cpus == 1 ? "" : "s");
	if (r->buffers_read) {
		strbuf_puts(&sb, ", ");
		text_bytes(&sb, r->from_buffers, " ");
		strbuf_puts(&sb, " of it from the ring buffers");
	}
	message_info("recovered %s -> %s", strbuf_text(&sb), output);
	if (!r->buffers_read)
		message_info(
			"the last events of each CPU are missing: what was in the ring buffers is lost");
	message_info("next: kmemx stat -i %s", output);
	strbuf_free(&sb);
}

static int recover(const struct recover_command *c, const struct leftover *l)
{
	struct recover_options opts = { .log = c->log };
	struct capture_options owner = { 0 };
	struct recover_result result;
	char *output = choose_output(c, l);
	int ret;

	if (!output)
		return out_of_memory();
	opts.output = output;
	recorder_set_owner(&owner);
	opts.owner_uid = owner.owner_uid;
	opts.owner_gid = owner.owner_gid;
	ret = recover_run(l, &opts, &result);
	if (!ret && !c->quiet)
		say_recovered(&result, output);
	free(output);
	return ret ? EXIT_FAILED : EXIT_OK;
}

static int list(const struct leftover *l)
{
	struct strbuf sb = { 0 };

	text_bytes(&sb, leftover_bytes(l), " ");
	printf("%s\t%s\t%s\n", l->tmp, strbuf_text(&sb),
	       leftover_has_pages(l) ? "interrupted" : "empty");
	strbuf_free(&sb);
	return EXIT_OK;
}

/* @alone: the only one; of several the empty and the busy ones are passed over. */
static int handle(const struct recover_command *c, const char *tmp, bool alone)
{
	struct leftover l;
	int ret = leftover_open(&l, tmp);

	if (ret == -EBUSY && c->list) {
		printf("%s\t-\tin use\n", tmp);
		ret = EXIT_OK;
	} else if (ret == -EBUSY && !alone) {
		message_info("%s is in use: left alone", tmp);
		ret = EXIT_OK;
	} else if (ret) {
		ret = refuse(&l, tmp, ret);
	} else if (c->list) {
		ret = list(&l);
	} else if (!leftover_has_pages(&l)) {
		message_info("%s holds no events: %s", tmp,
			     leftover_remove(&l) ? "it cannot be removed" : "removed");
		ret = EXIT_OK;
	} else {
		ret = recover(c, &l);
	}
	leftover_close(&l);
	return ret;
}

static int handle_all(const struct recover_command *c)
{
	int worst = EXIT_OK;

	if (c->output && c->nr > 1 && !c->list) {
		message_error(
			command_name,
			"-o names one recording, but there are %zu to recover\n  Name one of them (kmemx recover -l lists them), or leave out -o.",
			c->nr);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < c->nr; i++) {
		int ret = handle(c, c->tmps[i], c->nr == 1);

		if (ret)
			worst = ret;
	}
	return worst;
}

static int run_recover(int argc, char **argv)
{
	static const struct option_usage usage = {
		.command = command_name,
		.purpose = "Make a recording of what a killed recorder left.",
		.usage = "kmemx recover [options] [DIR|FILE]",
		.examples =
			"  sudo kmemx recover\n"
			"  sudo kmemx recover -o saved.dat /tmp/.kmemx.dat.1234.tmp\n",
	};
	struct recover_command c = { 0 };
	const struct option options[] = {
		{ OPTION_STRING, 'o', "output", "FILE", &c.output,
		  "file to write (default: what it was to be)" },
		{ OPTION_FLAG, 'l', "list", NULL, &c.list,
		  "only list what there is: file, size, state" },
		{ OPTION_FLAG, 'q', "quiet", NULL, &c.quiet, "print errors only" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &c.verbose, "say more" },
		{ OPTION_HELP, 'h', "help", NULL, NULL, "show this help" },
		{ OPTION_END },
	};
	struct message_log log_state = { .command = command_name };
	struct log log;
	int operands, ret;

	ret = options_parse(&usage, options, argc, argv, &operands);
	if (ret >= 0)
		return ret;
	if (argc - operands > 1) {
		message_error(command_name, "one folder or file at a time, not '%s' too",
			      argv[operands + 1]);
		return EXIT_USAGE;
	}
	log_state.verbose = c.verbose;
	log_state.quiet = c.quiet;
	log = message_log(&log_state);
	c.log = &log;
	ret = find(&c, operands < argc ? argv[operands] : ".");
	if (ret < 0)
		ret = handle_all(&c);
	leftovers_free(c.tmps, c.nr);
	return ret;
}

const struct command command_recover = {
	.name = command_name,
	.purpose = "make a recording of what a killed recorder left",
	.run = run_recover,
};
