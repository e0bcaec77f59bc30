/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what the commands that make recordings share.
 * In: argv, the environment, counts. Out: options of the library, texts for the user.
 */
#ifndef KMEMX_CMD_RECORDER_H
#define KMEMX_CMD_RECORDER_H

#include "account/lives.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "capture/session/capture.h"
#include "capture/session/flight.h"
#include "cmd/options/options.h"

/* Parses "PID[,PID]..." of each -p into a new array, which the caller frees in any case. GO_ON, or
 * an exit code after a message.
 */
int recorder_pids(const char *command, const struct option_strings *o, pid_t **pids,
		  size_t *nr);
/* The words of --stack, ending in NULL. */
extern const char *const recorder_stacks[];
/* Parses the word of --stack; NULL leaves @stack as it is. GO_ON, or EXIT_USAGE after a message. */
int recorder_stack(const char *command, const char *word, enum capture_stack *stack);
/* What to say about callchains when a recording begins, from @stacks_how of capture's result, such
 * as " (callchains on all events)": a kernel before 5.17 cannot record fewer.
 */
const char *recorder_callchains(const char *stacks_how);
/* clang-format off */
/* @of: flags by enum memory */
#define RECORDER_KIND_OPTIONS(of) \
	{ OPTION_FLAG | OPTION_EVERYDAY, 0, "slab", NULL, &(of)[MEMORY_SLAB], \
	  "slab events (default: all four kinds)" }, \
	{ OPTION_FLAG | OPTION_EVERYDAY, 0, "page", NULL, &(of)[MEMORY_PAGE], \
	  "page events" }, \
	{ OPTION_FLAG, 0, "vmalloc", NULL, &(of)[MEMORY_VMALLOC], \
	  "areas of vmalloc, from Linux 6.3 on" }, \
	{ OPTION_FLAG, 0, "percpu-memory", NULL, &(of)[MEMORY_PERCPU], \
	  "per-CPU memory" }
/* clang-format on */
/* Prints a usage error. Returns EXIT_USAGE. */
int recorder_usage_error(const char *text);
/* Chooses the events of the kinds @of, or of all kinds if none is set. */
void recorder_kinds(const bool of[MEMORY_KINDS], struct event_choice *events);
/* "68.4 MiB" */
void recorder_format_bytes(char *buf, size_t size, uint64_t bytes);
/* "3.21 s"; "8.3 ms" below 0.1 s; "9.9 us" below 0.1 ms */
void recorder_format_time(char *buf, size_t size, uint64_t ns);
/* "none lost", "8 LOST (5 overrun, 3 dropped)", "CUT SHORT, 12 still in the ring buffers" */
void recorder_format_losses(struct strbuf *sb, const struct capture_result *r);
/* Reports that a ring buffer could not be read to its end; the reason was logged. */
void recorder_say_unread(const char *command, const struct capture_result *r);
/* Makes the directory @path for recordings, unless it exists. GO_ON, or EXIT_FAILED after a
 * message: a symbolic link of another user is refused.
 */
int recorder_make_directory(const char *path);
/* Says that the command of kmemx record was not found or cannot be executed. */
void recorder_say_exec_failure(const char *command, int err);
/* The exit code if the command could not be executed. */
int recorder_exec_code(const struct capture_result *r);
/* Is the command still running after the recording? Unless @quiet, says what becomes of it. */
bool recorder_command_runs(const struct capture_result *r, bool quiet);

/**
 * struct live_line - zero-initialise it; live_line_start() before each recording
 * @off: never show the line
 * @shown: the line is on the terminal
 * @events, @ns: the last values shown, for the rate since then
 * @inner: where live_line_log() passes messages
 */
struct live_line {
	bool off, shown;
	uint64_t events, ns;
	struct log inner;
};

/* @wanted: show the line, if stderr is a terminal. */
void live_line_start(struct live_line *l, bool wanted);
/* Replaces the line with one about @so_far. */
void live_line_show(struct live_line *l, const struct capture_progress *so_far);
/* Removes the line. */
void live_line_end(struct live_line *l);
/* A log that removes the line before each message of @inner. @l must outlive it. */
struct log live_line_log(struct live_line *l, struct log inner);

/* The options. Their strings point into argv. record_filters_free() frees @cgroup_dir and @merged,
 * which has a name or NULL for each of @caches.
 */
struct record_filters {
	uint64_t min_bytes, min_order;
	struct option_strings caches, gfp, comms;
	const char *cgroup;
	char *cgroup_dir;
	char **merged;
};

/* Does an option filter allocations, so that --filter-frees applies? */
bool record_filters_any(const struct record_filters *f);
/* Checks the options and sets the criteria in @c, whose events are already chosen. @page, @areas:
 * the user asked for page events, for areas. GO_ON, or an exit code after a message.
 */
int record_filters_set(struct record_filters *f, bool page, bool areas,
		       struct capture_options *c);
/* Looks up GFP flags, merged caches and the control group on this machine. Returns as above. */
int record_filters_look_up(struct record_filters *f, struct capture_options *c);
void record_filters_free(struct record_filters *f);

/* The default directory for files. */
#define RECORD_FLIGHT_OUTPUT "kmemx-flight"

/* The options, and what is made from them. Call record_flight_free(). */
struct record_flight {
	const char *memory; /* NULL: no --flight; "": the default size */
	struct option_strings on;
	bool all_failures, quiet, cut_short;
	struct flight_options options;
	struct flight_cache *caches;
	const char **events;
	char pressure[48];
	char *output;
};

/* The words of --on, ending in NULL; some need a value after '='. */
extern const char *const record_flight_causes[];

/* Checks the options. GO_ON or an exit code after a message. */
int record_flight_set(struct record_flight *f, struct capture_options *c,
		      bool named_output);
/* Records. Returns the exit code. */
int record_flight(struct record_flight *f, struct capture_options *c, bool quiet);
void record_flight_free(struct record_flight *f);

#endif
