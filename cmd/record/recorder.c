// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/recorder.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/new_file.h"
#include "base/number.h"
#include "cmd/options/message.h"

int recorder_pids(const char *command, const struct option_strings *o, pid_t **pids,
		  size_t *nr)
{
	for (size_t i = 0; i < o->count; i++) {
		const char *p = o->items[i];

		do {
			uint64_t pid;

			if (number_read(&p, NULL, 10, INT32_MAX, &pid) || !pid ||
			    (*p && *p != ','))
				return message_fail(
					EXIT_USAGE, command,
					"-p takes process IDs, not '%s'\n  Several: -p 12,34",
					o->items[i]);
			if (ARRAY_ADD(*pids, *nr, (pid_t)pid))
				return message_no_memory(command);
			p += *p == ',';
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

int recorder_usage_error(const char *text)
{
	message_text("record", text);
	return EXIT_USAGE;
}

void recorder_kinds(const bool of[MEMORY_KINDS], struct event_choice *events)
{
	const bool all = !ANY(i, MEMORY_KINDS, of[i]);

	events->slab = of[MEMORY_SLAB] || all;
	events->page = of[MEMORY_PAGE] || all;
	events->vmalloc = of[MEMORY_VMALLOC] || all;
	events->percpu_memory = of[MEMORY_PERCPU] || all;
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
	int fd __auto_fd =
		mkdir(path, 0777) && errno != EEXIST
			? -errno
			: new_file_open_dir(path, new_file_sudo_id("SUDO_UID"));

	if (fd >= 0)
		return GO_ON;
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

int recorder_exec_code(const struct capture_result *r)
{
	return r->exec_errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

bool recorder_command_runs(const struct capture_result *r, bool quiet)
{
	bool running = r->child.pid > 0 && !r->child.ended && r->child.go_fd < 0;

	if (running && !quiet)
		message_info("%s", r->timed_out ? "time limit reached; sending SIGTERM"
						: "waiting for the command to end");
	return running;
}

/* --- the progress of a recording ----------------------------------------------------- */

/* The terminal's width; 0 if unknown. A line that wraps could not be removed. */
static unsigned int terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

void live_line_start(struct live_line *l, bool wanted)
{
	*l = (struct live_line){ .off = !wanted || !isatty(STDERR_FILENO),
				 .inner = l->inner };
}

/* "99999", "1.34 M": at most five digits, so that the line stays readable while it changes. */
static void add_count(struct strbuf *sb, double n)
{
	if (n < 99999.5)
		strbuf_printf(sb, "%.0f", n);
	else if (n < 999.995e6)
		strbuf_printf(sb, "%.2f M", n / 1e6);
	else
		strbuf_printf(sb, "%.2f G", n / 1e9);
}

static void add_line(struct strbuf *sb, const struct live_line *l,
		     const struct capture_progress *p)
{
	uint64_t ns = p->ns > l->ns ? p->ns - l->ns : 1;
	/* Another program may have reset the kernel's counters. */
	uint64_t events = less(p->events, l->events);
	char bytes[32];

	recorder_format_bytes(bytes, sizeof(bytes), p->bytes);
	strbuf_printf(sb, "recording %.0f s: ", (double)p->ns / 1e9);
	add_count(sb, (double)p->events);
	strbuf_puts(sb, " events, ");
	add_count(sb, (double)events * 1e9 / (double)ns);
	strbuf_printf(sb, "/s, %s, ", bytes);
	if (p->lost)
		strbuf_printf(sb, "%" PRIu64 " LOST", p->lost);
	else
		strbuf_puts(sb, "none lost");
}

void live_line_show(struct live_line *l, const struct capture_progress *so_far)
{
	struct strbuf __auto_free text = { 0 };
	unsigned int columns;

	if (l->off)
		return;
	add_line(&text, l, so_far);
	l->events = so_far->events;
	l->ns = so_far->ns;
	columns = terminal_columns();
	/* A single write, so that the terminal never shows half a line. */
	if (!text.failed && (!columns || text.size < columns)) {
		fprintf(stderr, "\r\033[K%s", strbuf_text(&text));
		fflush(stderr);
		l->shown = true;
	}
}

void live_line_end(struct live_line *l)
{
	if (l->shown)
		fprintf(stderr, "\r\033[K");
	l->shown = false;
}

static void pass_on(void *ctx, enum log_level level, const char *kind,
		    const char *message)
{
	struct live_line *l = ctx;

	live_line_end(l);
	l->inner.fn(l->inner.ctx, level, kind, message);
}

struct log live_line_log(struct live_line *l, struct log inner)
{
	l->inner = inner;
	return (struct log){ pass_on, l };
}
