// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: finds the kernel whose footprint is shown.
 * In: a recording, or the running kernel. Out: paths of its files, or a message and an exit code.
 */
#include "cmd/footprint/footprint_search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/facts/build_ids.h"
#include "cmd/input/input.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "symbol/debug_search.h"

/* A kernel's notes take a few hundred bytes. */
#define NOTES_MAX 65536

static int out_of_memory(const char *command)
{
	message_error(command, "%s", strerror(ENOMEM));
	return EXIT_FAILED;
}

/* Keeps what was found. */
static int take(struct footprint_files *files, const struct debug_found *found,
		const char *command)
{
	files->found = strdup(found->vmlinux);
	if (!files->found)
		return out_of_memory(command);
	files->vmlinux = files->found;
	if (files->modules || !found->modules)
		return GO_ON;
	files->found_modules = strdup(found->modules);
	files->modules = files->found_modules;
	return files->modules ? GO_ON : out_of_memory(command);
}

/* @of: the kernel; @packages: a line that says which package has its debug information. */
static int not_found(const char *command, const char *of, const char *packages)
{
	message_error(
		command,
		"no debug information found for %s\n  Give its --vmlinux FILE, or its build tree: --kernel TREE\n  %s",
		of, packages);
	return EXIT_UNREADABLE;
}

static int find_recorded(struct footprint_files *files, const struct study_options *study,
			 unsigned int verbose, const char *command)
{
	struct input in = { 0 };
	char release[64];
	int ret = input_open(&in, study, command, verbose);

	if (ret == GO_ON && in.study.found.vmlinux) {
		ret = take(files, &in.study.found, command);
	} else if (ret == GO_ON) {
		struct strbuf of = { 0 };

		recording_release(in.study.rec, release, sizeof(release));
		strbuf_printf(&of, "Linux %s", *release ? release : "(unknown)");
		if (!recording_meta(in.study.rec, "build_id"))
			strbuf_puts(&of, " (the recording has no build ID)");
		ret = not_found(
			command, strbuf_text(&of),
			"kmemx info --symbols -i RECORDING says which package has it");
		strbuf_free(&of);
	}
	input_close(&in);
	return ret;
}

/* Reads the build ID of the running kernel; empty if it has none. 0 or -ENOMEM. */
static int read_build_id(struct strbuf *hex)
{
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC), ret;
	char *notes = fd < 0 ? NULL : malloc(NOTES_MAX);
	ssize_t size = notes ? read(fd, notes, NOTES_MAX) : 0;

	ret = size > 0 ? build_id_of_notes(notes, (size_t)size, hex) : 0;
	free(notes);
	if (fd >= 0)
		close(fd);
	return ret == -ENOMEM ? ret : 0;
}

/* debug_search(), with a server if --debuginfod was given. 0 or -ENOMEM. */
static int ask(struct debug_found *found, struct debug_wanted *wanted)
{
	struct fetching file;
	const struct debug_fetching fetching = input_fetching(&file);
	int ret = wanted->places.debuginfod
			  ? debug_server_open(&wanted->server, &fetching)
			  : 0;

	/* Ignore other errors: debug_places_check() made sure that servers can be asked. */
	ret = ret == -ENOMEM ? ret : debug_search(found, wanted);
	debug_server_close(wanted->server);
	return ret;
}

static int find_running(struct footprint_files *files, const struct debug_places *places,
			const char *command)
{
	struct debug_found found = { .nr = 0 };
	struct strbuf id = { 0 }, of = { 0 }, package = { 0 };
	struct utsname host;
	int ret = read_build_id(&id);

	if (uname(&host))
		host.release[0] = '\0';
	if (!ret)
		ret = ask(&found, &(struct debug_wanted){ .places = *places,
							  .release = host.release,
							  .build_id = strbuf_text(&id),
							  .build_id_len = id.size });
	strbuf_printf(&of, "the running kernel, Linux %s", host.release);
	strbuf_printf(&package, "Debian, Ubuntu: apt install linux-image-%s-dbg",
		      host.release);
	if (ret || of.failed || package.failed)
		ret = out_of_memory(command);
	else
		ret = found.vmlinux ? take(files, &found, command)
				    : not_found(command, strbuf_text(&of),
						strbuf_text(&package));
	debug_found_free(&found);
	strbuf_free(&id);
	strbuf_free(&of);
	strbuf_free(&package);
	return ret;
}

int footprint_search(struct footprint_files *files, const char *recording,
		     const struct debug_places *places, unsigned int verbose,
		     const char *command)
{
	const struct study_options study = {
		.path = recording,
		.want_symbols = true,
		.places = *places,
		.search = true,
		.no_inline = true,
	};

	if (files->vmlinux || files->kernel)
		return GO_ON;
	if (!recording)
		return find_running(files, places, command);
	if (strcmp(recording, "-") != 0)
		return find_recorded(files, &study, verbose, command);
	message_error(
		command,
		"for a recording from standard input, the kernel must be given\n  Give its --vmlinux FILE, or its build tree: --kernel TREE");
	return EXIT_USAGE;
}
