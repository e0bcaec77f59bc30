// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/output/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "cmd/options/message.h"

/* Lines of a screen that a report's banner, title, notes and summary take. */
#define OTHER_LINES 16
#define ROWS_MIN    8
/* Rows of a table of pairs, which may have as many as the number of CPUs squared. */
#define PAIRS_MAX   64

#define SECOND_NS 1000000000ULL

/* Only one form can be chosen, and --human only with text. */
static int check_formats(const struct output_options *opts, const char *command)
{
	const char *names[3];
	size_t nr = 0;

	if (opts->json)
		names[nr++] = "json";
	if (opts->csv)
		names[nr++] = "csv";
	if (opts->csv_dir)
		names[nr++] = "csv-dir";
	if (nr > 1)
		return message_fail(EXIT_USAGE, command,
				    "--%s and --%s cannot be used together", names[0],
				    names[1]);
	if (nr && opts->human)
		return message_fail(EXIT_USAGE, command,
				    "--human is for text: --%s has exact numbers",
				    names[0]);
	return GO_ON;
}

const char *const output_colors[] = { "auto", "always", "never", NULL };

int output_check(const struct output_options *opts, const char *command)
{
	int ret = check_formats(opts, command);

	if (ret == GO_ON && opts->csv_dir)
		ret = csv_dir_check(opts->csv_dir, command);
	if (ret == GO_ON && opts->color &&
	    option_choose("--color", opts->color, output_colors, command) < 0)
		return EXIT_USAGE;
	return ret;
}

/* A number of columns or lines from the environment; 0 if not set. */
static unsigned int size_from(const char *variable)
{
	const char *text = getenv(variable);
	uint64_t value;

	return text && *text != '0' && number_is(text, 10000, &value)
		       ? (unsigned int)value
		       : 0;
}

/* The terminal's size in columns or @lines: what the environment says, else what the terminal
 * reports, else @usual. 0 without a terminal, unless the environment says how wide lines are.
 */
static unsigned int terminal_size(bool lines, unsigned int usual)
{
	unsigned int given = size_from(lines ? "LINES" : "COLUMNS"), reported = 0;
	bool terminal = isatty(STDOUT_FILENO);
	struct winsize size;

	if (given && (terminal || !lines))
		return given;
	if (terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		reported = lines ? size.ws_row : size.ws_col;
	return !terminal ? 0 : reported ? reported : usual;
}

static bool use_color(const struct output_options *opts)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if (opts->color && strcmp(opts->color, "auto"))
		return !strcmp(opts->color, "always");
	return isatty(STDOUT_FILENO) && !(none && *none) && term && strcmp(term, "dumb");
}

/* Does the locale use UTF-8? */
static bool use_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *locale = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(variables) && !(locale && *locale); i++)
		locale = getenv(variables[i]);
	return locale && (strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8"));
}

static int write_file(void *ctx, const char *data, size_t size)
{
	errno = 0;
	if (fwrite(data, 1, size, ctx) == size)
		return 0;
	return errno ? -errno : -EIO;
}

bool program_in_path(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char file[4096];

	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (snprintf(file, sizeof(file), "%.*s/%s", (int)(end - path), path,
			     name) < (int)sizeof(file) &&
		    !access(file, X_OK))
			return true;
	}
	return false;
}

static const char *pager_command(void)
{
	static const char *const variables[] = { "KMEMX_PAGER", "PAGER" };
	const char *pager;

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		pager = getenv(variables[i]);
		if (pager)
			return *pager && strcmp(pager, "cat") ? pager : NULL;
	}
	return program_in_path("less") ? "less -FRSX" : NULL;
}

/* Starts the pager and returns a pipe to its standard input; NULL if that fails. A shell runs it,
 * as $PAGER may contain options.
 */
static FILE *start_pager(const char *pager, pid_t *pid)
{
	FILE *file = NULL;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		dup2(fds[0], STDIN_FILENO);
		signal(SIGXFSZ, SIG_DFL);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	if (*pid > 0)
		file = fdopen(fds[1], "w");
	if (!file)
		close(fds[1]);
	return file;
}

/* Returns false, with nothing shown, if the pager cannot be run. */
static bool write_paged(output_fn fn, const void *arg, const char *pager, int *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old_pipe, old_int;
	struct render_out out = { write_file, NULL };
	pid_t pid = -1, waited;
	int status = 0;
	FILE *file;

	fflush(stdout);
	file = start_pager(pager, &pid);
	/* Quitting the pager is no error, and Ctrl-C is for the pager. */
	sigaction(SIGPIPE, &ignore, &old_pipe);
	sigaction(SIGINT, &ignore, &old_int);
	if (file) {
		out.ctx = file;
		*err = fn(&out, arg);
		if (fclose(file) && !*err)
			*err = -errno;
		if (*err == -EPIPE)
			*err = 0;
	}
	if (pid > 0) {
		do
			waited = waitpid(pid, &status, 0);
		while (waited < 0 && errno == EINTR);
	}
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
	return file && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

int output_write(const char *command, output_fn fn, const void *arg, bool pager)
{
	const struct render_out out = { write_file, stdout };
	const char *program = pager && isatty(STDOUT_FILENO) ? pager_command() : NULL;
	int err = 0;

	if (!program || !write_paged(fn, arg, program, &err))
		err = fn(&out, arg);
	if (!err || ferror(stdout))
		return EXIT_OK;
	return message_fail(EXIT_FAILED, command, "cannot write the report: %s",
			    strerror(-err));
}

struct rendering {
	const struct report *report;
	struct render_options options;
	render_fn render;
};

static int write_report(const struct render_out *out, const void *arg)
{
	const struct rendering *r = arg;

	return r->render(r->report, &r->options, out);
}

static enum summary_view summary_view(const struct output_options *opts)
{
	if (opts->summary == SWITCH_OFF)
		return SUMMARY_NONE;
	return opts->summary == SWITCH_ON || opts->verbose ? SUMMARY_ALL : SUMMARY_SHORT;
}

int output_report(const struct output_options *opts, const char *command,
		  const struct report *r, render_fn text)
{
	const struct cell *start = report_fact(r, "first_ts");
	struct rendering rendering = {
		.report = r,
		.options = { .width = terminal_size(false, 80),
			     .wide = opts->wide,
			     .color = use_color(opts),
			     .human = opts->human,
			     .terminal = isatty(STDOUT_FILENO),
			     .since_start = isatty(STDOUT_FILENO) && !opts->clock_time &&
					    start->type == CELL_UINT,
			     .start = start->u,
			     .utf8 = use_utf8(),
			     .summary = summary_view(opts),
			     .all_notes = opts->verbose },
		.render = opts->json  ? render_json
			  : opts->csv ? render_csv
				      : text,
	};
	bool pager = !opts->json && !opts->csv && !opts->no_pager;

	if (opts->csv_dir)
		return csv_dir_write(opts->csv_dir, r, command);
	return output_write(command, write_report, &rendering, pager);
}

void row_limit_apply(uint64_t lines, struct table *t)
{
	unsigned int screen = terminal_size(true, 24);

	if (lines) {
		table_limit(t, lines);
		return;
	}
	if (!screen && t->cross)
		table_limit_text(t, PAIRS_MAX);
	if (screen)
		table_limit_text(t, screen > OTHER_LINES + ROWS_MIN ? screen - OTHER_LINES
								    : ROWS_MIN);
}

void progress_start(struct progress *p, const char *what)
{
	*p = (struct progress){ .what = what, .off = !isatty(STDERR_FILENO) };
	p->start_ns = p->last_ns = clock_ns(CLOCK_MONOTONIC);
}

void progress_show(struct progress *p, uint64_t done, uint64_t total, uint64_t events)
{
	double seconds, part = 0;
	struct strbuf __auto_free line = { 0 };
	uint64_t now;

	if (p->off)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now - p->start_ns < SECOND_NS ||
	    (p->shown && now - p->last_ns < SECOND_NS / 5))
		return;
	seconds = (double)(now - p->start_ns) / 1e9;
	if (done && done <= total)
		part = (double)done / (double)total;
	strbuf_printf(&line, "\r\033[K%s", p->what);
	if (part > 0)
		strbuf_printf(&line, "  %2.0f %%", 100 * part);
	if (events)
		strbuf_printf(&line, "  %.1f M events/s", (double)events / seconds / 1e6);
	if (part > 0)
		strbuf_printf(&line, "  %.0f s left", seconds * (1 - part) / part);
	fputs(strbuf_text(&line), stderr); /* one write: never half a line */
	fflush(stderr);
	p->shown = true;
	p->last_ns = now;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}
