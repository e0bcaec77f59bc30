// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx recover.
 * In: what a killed recorder left. Out: a recording.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/safe_text.h"
#include "base/strbuf.h"
#include "capture/file/dead.h"
#include "capture/file/recover.h"
#include "capture/session/capture.h"
#include "cmd/input/input.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/record/recorder.h"
#include "report/text_cell.h"

static const char command_name[] = "recover";

struct recover_command {
	const char *output;
	bool list, quiet, streams;
	unsigned int verbose;
	const struct log *log;
	char **tmps;
	size_t nr;
	size_t nr_streams; /* streams found */
};

/* --- finding ----------------------------------------------------------------------------- */

static int nothing_in(const struct recover_command *c, const char *where)
{
	if (c->nr_streams)
		return EXIT_OK;

	return message_fail(
		EXIT_FAILED, command_name,
		"no interrupted recording in %s\n  A killed recorder leaves .NAME.TOKEN.tmp in the directory of its output NAME\n  Name that directory: kmemx recover DIR",
		where);
}

/* Finds the files in a directory, or takes the named file. GO_ON, or an exit code. */
static int find(struct recover_command *c, const char *where)
{
	struct stat st;
	int ret;

	if (stat(where, &st) < 0)
		return message_fail(EXIT_FAILED, command_name, "cannot open %s: %s",
				    where, strerror(errno));
	if (S_ISDIR(st.st_mode) && !leftover_is_named(where)) {
		ret = leftovers_find(where, NULL, &c->tmps, &c->nr);
		if (ret == -ENOMEM)
			return message_no_memory(command_name);
		if (ret)
			return message_fail(EXIT_FAILED, command_name,
					    "cannot open %s: %s", where, strerror(-ret));
		return c->nr ? GO_ON : nothing_in(c, where);
	}
	c->tmps = calloc(1, sizeof(*c->tmps));
	if (!c->tmps)
		return message_no_memory(command_name);
	c->tmps[0] = strdup(where);
	c->nr = 1;
	return c->tmps[0] ? GO_ON : message_no_memory(command_name);
}

/* --- one file ---------------------------------------------------------------------------- */

/* Says why the file cannot be recovered. Returns the exit code. */
static int refuse(const char *tmp, int err)
{
	if (err == -EINVAL &&
	    input_perf_tell(command_name, tmp, "what a killed recorder left"))
		return EXIT_FAILED;
	if (err == -EINVAL)
		message_error(
			command_name,
			"%s was not left by a killed recorder\n  Such a file is named .NAME.TOKEN.tmp. To search a directory: kmemx recover DIR",
			tmp);
	else if (err == -EBUSY)
		message_error(command_name,
			      "%s is in use: another kmemx is recording or recovering it",
			      tmp);
	else if (err == -EPERM || err == -ELOOP)
		message_error(
			command_name,
			"%s was not created by this user\n  Recover it as the user who recorded it",
			tmp);
	else
		message_error(command_name, "cannot open %s: %s", tmp, strerror(-err));
	return EXIT_FAILED;
}

static bool is_free(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0;
}

/* The intended name of the recording, or another one if it is taken. */
static char *choose_output(const struct recover_command *c, const struct leftover *l)
{
	char *path = NULL;

	if (c->output)
		return strdup(c->output);
	if (is_free(l->path))
		return strdup(l->path);
	if (asprintf(&path, "%s.recovered", l->path) < 0)
		return NULL;
	for (unsigned int i = 2; !is_free(path); i++) {
		free(path);
		if (asprintf(&path, "%s.recovered.%u", l->path, i) < 0)
			return NULL;
	}
	return path;
}

static void say_recovered(const struct recover_result *r, const char *output)
{
	struct strbuf __auto_free sb = { 0 };

	text_bytes(&sb, r->page_bytes, " ");
	strbuf_printf(&sb, " of %zu CPU%s", r->nr_cpus, r->nr_cpus == 1 ? "" : "s");
	if (r->buffers_read) {
		strbuf_puts(&sb, ", ");
		text_bytes(&sb, r->from_buffers, " ");
		strbuf_puts(&sb, " of it from the ring buffers");
	}
	message_info("recovered %s -> %s", strbuf_text(&sb), output);
	if (r->unwritten)
		message_info(
			"%" PRIu64
			" event%s that the recorder had read but not written %s lost",
			r->unwritten, plural(r->unwritten),
			r->unwritten == 1 ? "is" : "are");
	if (r->whole)
		message_info("it is complete: the recorder had written every event");
	else if (r->extract)
		message_info(
			"an extract was interrupted: unread events are still in the buffer, and tracing may be off there");
	else if (!r->buffers_read)
		message_info(
			"the last events of each CPU are missing: what was in the ring buffers is lost");
	message_info("next: kmemx summary -i %s", SHELL_NAME(output));
}

/* Saves the events in the ring buffers of instance @name to the recording @path. */
static int save_buffers(const struct recover_command *c, const char *name,
			const char *path, const char *what)
{
	struct capture_options o = { .output = path,
				     .stream_fd = -1,
				     .stop_fd = -1,
				     .command_line = "kmemx recover",
				     .file_version = 7,
				     .log = c->log };
	struct capture_result result;
	struct instance in;
	int ret;

	ret = extract_run(&o, name, true, &result);
	if (!ret && !result.write_error && !result.read_error &&
	    !instance_adopt(&in, instance_token(name)))
		instance_destroy(&in, c->log);
	if (!ret && !c->quiet)
		message_info("recovered the last %" PRIu64 " event%s of %s -> %s",
			     result.events, plural(result.events), what, path);
	return ret ? EXIT_FAILED : EXIT_OK;
}

/* The recorder wrote no file header: only its ring buffers are left. */
static int recover_buffers(const struct recover_command *c, const struct leftover *l,
			   const char *output)
{
	char name[sizeof(INSTANCE_PREFIX) + NEW_FILE_TOKEN];
	int ret;

	snprintf(name, sizeof(name), INSTANCE_PREFIX "%s", l->token);
	ret = save_buffers(c, name, output, "a recorder that had no file");
	if (!ret && leftover_remove(l))
		message_info("%s cannot be removed", l->tmp);
	return ret;
}

static int recover(const struct recover_command *c, const struct leftover *l)
{
	char *output __auto_mem = choose_output(c, l);
	struct recover_result result;
	int ret;

	if (!output)
		return message_no_memory(command_name);
	ret = recover_run(l, output, &result, c->log);
	if (!ret && !c->quiet)
		say_recovered(&result, output);
	return !ret		? EXIT_OK
	       : result.nothing ? recover_buffers(c, l, output)
				: EXIT_FAILED;
}

static int list(const struct recover_command *c, const struct leftover *l)
{
	struct strbuf __auto_free sb = { 0 };

	safe_text_puts(&sb, l->tmp);
	strbuf_puts(&sb, "\t");
	text_bytes(&sb, leftover_bytes(l), " ");
	printf("%s\t%s\n", strbuf_text(&sb),
	       dead_has_events(l, c->log) ? "interrupted" : "empty");
	return EXIT_OK;
}

/* @alone: it is the only file. Of several, skips those in use or of another user. */
static int handle(const struct recover_command *c, const char *tmp, bool alone)
{
	struct leftover l;
	int ret = leftover_open(&l, tmp);

	if (ret == -EBUSY && c->list) {
		struct strbuf __auto_free sb = { 0 };

		safe_text_puts(&sb, tmp);
		printf("%s\t-\tin use\n", strbuf_text(&sb));
		ret = EXIT_OK;
	} else if (ret == -EBUSY && !alone) {
		message_info("%s is in use; skipped", tmp);
		ret = EXIT_OK;
	} else if ((ret == -EPERM || ret == -ELOOP) && !alone) {
		message_info("%s was not created by this user; skipped", tmp);
		ret = EXIT_OK;
	} else if (ret) {
		ret = refuse(tmp, ret);
	} else if (c->list) {
		ret = list(c, &l);
	} else if (!dead_has_events(&l, c->log)) {
		message_info("%s contains no events: %s", tmp,
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

	if (c->output && c->nr > 1 && !c->list)
		return message_fail(
			EXIT_USAGE, command_name,
			"-o names one recording, but there are %zu to recover\n  Choose one (kmemx recover --list lists them), or leave out -o",
			c->nr);
	for (size_t i = 0; i < c->nr; i++) {
		int ret = handle(c, c->tmps[i], c->nr == 1);

		if (ret)
			worst = ret;
	}
	return worst;
}

/* --- streams ----------------------------------------------------------------------------- */

static int save_stream(const struct recover_command *c, const char *where,
		       const char *name)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s%s%s.dat", where,
		     *where && where[strlen(where) - 1] != '/' ? "/" : "", name) < 0)
		return message_no_memory(command_name);
	ret = save_buffers(c, name, path, "an interrupted stream");
	free(path);
	return ret;
}

/* Saves or lists the streams of all killed recorders, wherever they were written to. */
static int handle_streams(struct recover_command *c, const char *where)
{
	struct dead_content content;
	char *text __auto_mem = instance_list(), *rest = text, *name;
	int worst = EXIT_OK;

	while (rest && (name = strsep(&rest, "\n"))) {
		const char *token = instance_token(name);

		if (!token || !instance_is_stream(token) ||
		    dead_look(token, &content, c->log) || !content.events)
			continue;
		c->nr_streams++;
		if (c->list)
			printf("%s\t%" PRIu64 " event%s\tinterrupted\n", name,
			       content.events, plural(content.events));
		else if (save_stream(c, where, name))
			worst = EXIT_FAILED;
	}
	return worst;
}

/* @where: a directory, or one file. */
static int recover_all(struct recover_command *c, char *where)
{
	bool wanted;
	int streams, ret;

	/* Completion of a directory's name adds a slash. */
	for (size_t end = strlen(where); end > 1 && where[end - 1] == '/';)
		where[--end] = '\0';
	wanted = c->streams && !c->output && io_is_directory(where);
	streams = wanted ? handle_streams(c, where) : EXIT_OK;
	ret = find(c, where);
	ret = ret ?: handle_all(c);
	/* Also remove empty ring buffers of recorders that wrote to other directories. */
	if (!c->list)
		dead_sweep(NULL);
	return ret ? ret : streams;
}

static int run_recover(int argc, char **argv)
{
	struct recover_command c = { 0 };
	const struct option_entry options[] = {
		{ OPTION_STRING, 'o', "output", "FILE", &c.output,
		  "file to write (default: the interrupted one's name)" },
		{ OPTION_FLAG, 0, "list", NULL, &c.list,
		  "only list what was found: file, size, state" },
		{ OPTION_FLAG, 0, "streams", NULL, &c.streams,
		  "also save the unsent part of streams (-o -) in DIR" },
		QUIET_OPTION(c.quiet),
		{ OPTION_COUNT, 'v', "verbose", NULL, &c.verbose, "more messages" },
		OPTIONS_END,
	};
	struct message_log log_state = { .command = command_name };
	struct log log;
	int operands, ret;

	ret = options_parse(&command_recover, options, argc, argv, &operands);
	if (ret != GO_ON)
		return ret;
	if (argc - operands > 1)
		return message_fail(
			EXIT_USAGE, command_name,
			"unexpected argument '%s': one directory or file at a time",
			argv[operands + 1]);
	log_state.verbose = c.verbose;
	log_state.quiet = c.quiet;
	log = message_log(&log_state);
	c.log = &log;
	ret = recover_all(&c, operands < argc ? argv[operands] : (char[]){ "." });
	leftovers_free(c.tmps, c.nr);
	message_log_end(&log_state);
	return ret;
}

const struct command command_recover = {
	command_name,
	"recover the recording of a killed recorder",
	COMMAND_RECORD,
	run_recover,
	.seldom = true,
	.usage = "kmemx recover [options] [DIR|FILE]",
	.examples =
		"  sudo kmemx recover\n"
		"  sudo kmemx recover -o saved.dat /tmp/.kmemx.dat.90ab12cd34ef5678.tmp\n",
};
