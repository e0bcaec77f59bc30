// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/recorder.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"

/* Appends @word, quoted for a shell if needed. */
static void add_quoted(struct strbuf *sb, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./,:@%";

	if (*word && !word[strspn(word, plain)]) {
		strbuf_puts(sb, word);
		return;
	}
	strbuf_puts(sb, "'");
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_puts(sb, "'\\''");
		else
			strbuf_add(sb, word, 1);
	}
	strbuf_puts(sb, "'");
}

void recorder_command_line(struct strbuf *sb, int argc, char **argv)
{
	int i = 0;

	strbuf_puts(sb, "kmemx");
	if (argc) {
		strbuf_puts(sb, " ");
		add_quoted(sb, argv[i++]);
	}
	/* Write a setting as an option: its file and line mean nothing elsewhere. */
	for (; argc - i >= 3 && !strcmp(argv[i], OPTIONS_SETTING); i += 3) {
		strbuf_puts(sb, " --");
		add_quoted(sb, argv[i + 2]);
	}
	for (; i < argc; i++) {
		strbuf_puts(sb, " ");
		add_quoted(sb, argv[i]);
	}
}

int recorder_pids(const char *command, const struct option_strings *o, pid_t **pids,
		  size_t *nr)
{
	for (size_t i = 0; i < o->count; i++) {
		const char *p = o->items[i];

		do {
			char *end;
			unsigned long v;
			pid_t *more;

			errno = 0;
			v = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : 0;
			if (!v || errno || v > INT32_MAX || (*end && *end != ','))
				return message_fail(
					EXIT_USAGE, command,
					"-p takes process IDs, not '%s'\n  Several: -p 12,34",
					o->items[i]);
			more = reallocarray(*pids, *nr + 1, sizeof(**pids));
			if (!more)
				return message_no_memory(command);
			*pids = more;
			(*pids)[(*nr)++] = (pid_t)v;
			p = *end ? end + 1 : end;
		} while (*p);
	}
	return GO_ON;
}

const char *const recorder_stacks[] = {
	[CAPTURE_STACK_PAGE] = "page",
	[CAPTURE_STACK_ALL] = "all",
	[CAPTURE_STACK_NONE] = "none",
	NULL,
};

int recorder_stack(const char *command, const char *word, enum capture_stack *stack)
{
	if (!word)
		return GO_ON;
	for (size_t i = 0; recorder_stacks[i]; i++) {
		if (strcmp(word, recorder_stacks[i]) != 0)
			continue;
		*stack = (enum capture_stack)i;
		return GO_ON;
	}
	return message_fail(
		EXIT_USAGE, command,
		"--stack takes page, all or none, not '%s'\n  page: callchains of page allocations; all: of every event",
		word);
}

const char *recorder_callchains(const char *stacks_how)
{
	return strstr(stacks_how, "(trigger)")	? " (callchains on page allocations)"
	       : strstr(stacks_how, "(option)") ? " (callchains on all events)"
						: "";
}

void recorder_kinds(const bool of[MEMORY_KINDS], struct event_choice *events)
{
	bool all = true;

	for (int i = 0; i < MEMORY_KINDS; i++)
		all &= !of[i];
	events->slab = of[MEMORY_SLAB] || all;
	events->page = of[MEMORY_PAGE] || all;
	events->vmalloc = of[MEMORY_VMALLOC] || all;
	events->percpu_memory = of[MEMORY_PERCPU] || all;
}

void recorder_set_owner(struct capture_options *c)
{
	c->owner_uid = new_file_sudo_id("SUDO_UID");
	c->owner_gid = new_file_sudo_id("SUDO_GID");
}

void recorder_format_bytes(char *buf, size_t size, uint64_t bytes)
{
	if (bytes < 1024 * 1024)
		snprintf(buf, size, "%.1f KiB", (double)bytes / 1024);
	else if (bytes < 1024ULL * 1024 * 1024)
		snprintf(buf, size, "%.1f MiB", (double)bytes / (1024 * 1024));
	else
		snprintf(buf, size, "%.2f GiB", (double)bytes / (1024 * 1024 * 1024));
}

void recorder_format_time(char *buf, size_t size, uint64_t ns)
{
	if (ns >= 100000000)
		snprintf(buf, size, "%.2f s", (double)ns / 1e9);
	else if (ns >= 100000)
		snprintf(buf, size, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(buf, size, "%.1f us", (double)ns / 1e3);
}

void recorder_format_losses(struct strbuf *sb, const struct capture_result *r)
{
	const struct {
		uint64_t count;
		const char *name;
	} losses[] = {
		{ r->overrun, "overrun" },
		{ r->dropped, "dropped" },
		{ r->commit_overrun, "commit overrun" },
		{ r->taken, "taken by another reader" },
	};
	uint64_t total = r->overrun + r->dropped + r->commit_overrun + r->taken;
	const char *sep = "";

	if (r->write_error) {
		strbuf_puts(sb, "CUT SHORT");
		if (r->missing)
			strbuf_printf(sb, ", %" PRIu64 " still in the ring buffers",
				      r->missing);
		if (!total)
			return;
		strbuf_puts(sb, ", ");
	}
	if (!total) {
		if (r->meddled)
			strbuf_printf(sb, "an unknown number LOST (%s)", r->meddled);
		else
			strbuf_puts(sb, "none lost");
		return;
	}
	strbuf_printf(sb, "%s%" PRIu64 " LOST (", r->meddled ? "at least " : "", total);
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		if (!losses[i].count)
			continue;
		strbuf_printf(sb, "%s%" PRIu64 " %s", sep, losses[i].count,
			      losses[i].name);
		sep = ", ";
	}
	if (r->meddled)
		strbuf_printf(sb, "; %s", r->meddled);
	strbuf_puts(sb, ")");
}

void recorder_say_unread(const char *command, const struct capture_result *r)
{
	message_error(
		command,
		"events are missing: cannot read a ring buffer to its end: %s\n  The recording is marked as truncated",
		strerror(r->read_error));
}

int recorder_make_directory(const char *path)
{
	int fd = mkdir(path, 0777) && errno != EEXIST
			 ? -errno
			 : new_file_open_dir(path, new_file_sudo_id("SUDO_UID"));

	if (fd >= 0) {
		close(fd);
		return GO_ON;
	}
	if (fd == -EPERM)
		message_error(
			"record",
			"'%s' is a symbolic link of another user\n  Name the directory itself",
			path);
	else
		message_error("record", "cannot create directory %s: %s", path,
			      strerror(-fd));
	return EXIT_FAILED;
}

void recorder_say_exec_failure(const char *command, int err)
{
	if (err == ENOENT)
		message_error(
			"record",
			"command not found: %s\n  Nothing was recorded. Check the spelling, or give its path.",
			command);
	else
		message_error(
			"record",
			"cannot execute %s: %s\n  Nothing was recorded. Check its permissions and format.",
			command, strerror(err));
}
