// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (import): what all kinds of import share.
 * In: the options, and what was read. Out: the running kernel's symbols if they are needed, the
 * recording's file, and messages about it.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/safe_text.h"
#include "capture/events/instance.h"
#include "capture/facts/facts.h"
#include "cmd/import/import.h"
#include "cmd/options/command.h"
#include "import/perf_system.h"
#include "symbol/symbols.h"

/* Does @text, the content of @path, name functions? GO_ON, or the exit code after a message. */
static int check_symbols(const char *path, const struct strbuf *text)
{
	struct symbols *syms = NULL;
	int ret = GO_ON, err = symbols_new(&syms, text->data, text->size, NULL);

	if (err)
		ret = import_unreadable(path, err);
	else if (symbols_hidden(syms))
		ret = message_fail(
			EXIT_UNREADABLE, IMPORT_COMMAND,
			"all addresses in %s are 0 (kptr_restrict)\n  Copy /proc/kallsyms as root, on the recorded system",
			path);
	else if (!symbols_count(syms))
		ret = message_fail(
			EXIT_UNREADABLE, IMPORT_COMMAND,
			"%s contains no symbols\n  It should be a copy of /proc/kallsyms, or a System.map",
			path);
	symbols_free(syms);
	return ret;
}

static int read_symbols(const struct import_options *o, struct strbuf *text)
{
	const char *path = o->kallsyms ? o->kallsyms : o->system_map;
	int err = path ? text_file_read(text, path, IO_FILE_OR_PIPE) : 0;

	if (err)
		return message_fail(EXIT_FAILED, IMPORT_COMMAND,
				    "cannot read the symbols in %s: %s", path,
				    io_strerror(err));
	return path ? check_symbols(path, text) : GO_ON;
}

/* Opens an unnamed file for the pages of one CPU, on the output's file system. */
static int open_part(void *ctx, uint32_t cpu)
{
	const struct import *im = ctx;

	return new_file_unnamed(im->out.file.dir_fd, false);
}

static void tell_progress(void *ctx, uint64_t done, uint64_t total, uint64_t events)
{
	struct import *im = ctx;

	progress_show(&im->progress, done, total ? total : im->text_bytes, events);
}

/* Same release and build ID: the same kernel, but perhaps of another boot. perf record -z and -o -
 * write no build ID: then compare the host name, and leave the rest to perf_symbols_fit().
 */
static int is_running(const struct perf_system *kernel)
{
	char build_id[ELF_BUILD_ID_MAX];
	struct utsname here;
	int ret;

	if (uname(&here) || strcmp(here.release, kernel->release) != 0)
		return 0;
	if (!*kernel->build_id)
		return !strcmp(here.nodename, kernel->host);
	ret = facts_build_id(build_id);
	return ret ? ret : !strcmp(build_id, kernel->build_id);
}

/* Reads /proc/kallsyms if @kernel is the running kernel and was not rebooted since. 0 or
 * -ENOMEM.
 */
static int running_symbols(void *ctx, const struct perf_system *kernel,
			   struct strbuf *out)
{
	int ret = is_running(kernel);

	if (ret > 0)
		ret = instance_read_top("/proc/kallsyms", out);
	/* Each boot moves the kernel, and unprivileged users see no addresses. */
	if (ret || !perf_symbols_fit(strbuf_text(out), kernel))
		strbuf_reset(out);
	return ret == -ENOMEM ? ret : 0;
}

/* Opens a program that perf saw. Returns a descriptor or -errno. */
static int open_program(void *ctx, const char *path, uint32_t pid)
{
	const struct import *im = ctx;
	char full[PATH_MAX];

	(void)pid;
	if (snprintf(full, sizeof(full), "%s%s", im->opts->symfs ? im->opts->symfs : "",
		     path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return io_open_input(full, IO_FILE);
}

int import_begin(struct import *im)
{
	int ret = read_symbols(im->opts, &im->symbols);

	if (ret != GO_ON)
		return ret;
	im->known.symbols = im->symbols.data;
	im->known.symbols_size = im->symbols.size;
	im->known.open_part = open_part;
	im->known.find_symbols = running_symbols;
	im->known.open_program = open_program;
	im->known.programs_chosen = im->opts->symfs;
	im->known.progress = tell_progress;
	im->known.ctx = im;
	return new_recording_open(&im->out, im->opts->output, &im->log) ? EXIT_FAILED
									: GO_ON;
}

int import_open(const char *path)
{
	int fd;

	if (strcmp(path, "-") != 0)
		return io_open_input(path, IO_FILE_OR_PIPE);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : fd;
}

int import_unreadable(const char *input, int err)
{
	return message_fail(EXIT_UNREADABLE, IMPORT_COMMAND, "cannot read %s: %s", input,
			    io_strerror(err));
}

static int cannot_write(const struct import *im, int err)
{
	return message_fail(EXIT_FAILED, IMPORT_COMMAND,
			    "cannot write %s: %s\n  Choose another place: -o FILE",
			    im->opts->output, strerror(-err));
}

int import_failed(const struct import *im, const char *input, int err)
{
	/* Temporary files are on the output's file system: it is full, not that of the input. */
	if (err == -ENOSPC || err == -EDQUOT || err == -EFBIG)
		return cannot_write(im, err);
	message_error(IMPORT_COMMAND, "cannot import %s: %s", input, strerror(-err));
	return err == -ENOMEM ? EXIT_FAILED : EXIT_UNREADABLE;
}

static void say(const struct import *im, const struct imported *made, uint64_t nr_events)
{
	const char *output = im->opts->output, *notes = strbuf_text(&made->notes);
	bool named = strcmp(output, IMPORT_DEFAULT_OUTPUT) != 0;
	bool raw = im->opts->raw_pages;
	uint64_t bytes = 0;

	if (im->opts->quiet)
		return;
	for (size_t i = 0; i < made->nr_parts; i++)
		bytes += made->parts[i].size;
	message_info("%" PRIu64 " %s%s of %zu CPU%s -> %s", raw ? bytes : nr_events,
		     raw ? "bytes of raw pages" : "event", raw ? "" : plural(nr_events),
		     made->nr_parts, plural(made->nr_parts), output);
	while (*notes) {
		size_t len = strcspn(notes, "\n");

		message_info("note: %.*s", (int)len, notes);
		notes += len + (notes[len] == '\n');
	}
	message_info("next: kmemx summary%s%s", named ? " -i " : "",
		     named ? SHELL_NAME(output) : "");
}

int import_finish(struct import *im, const struct imported *made, uint64_t nr_events,
		  const char *warning, const char *line)
{
	struct writer_out out = { .fd = im->out.file.fd, .log = &im->log };
	int ret = writer_write(&out, &made->facts, made->parts, made->nr_parts);

	if (ret)
		return cannot_write(im, ret);
	if (new_recording_commit(&im->out, false, &im->log))
		return EXIT_FAILED;
	if (*warning)
		log_msg(&im->log, LOG_WARN, "%s\n  %s", warning, line);
	say(im, made, nr_events);
	return EXIT_OK;
}
