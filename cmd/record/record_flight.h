/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx record --flight.
 * In: options. Out: a recording in a directory each time that something happens.
 */
#ifndef KMEMX_CMD_RECORD_FLIGHT_H
#define KMEMX_CMD_RECORD_FLIGHT_H

#include "capture/session/flight.h"
#include "cmd/options/options.h"

/* The default directory for files. */
#define RECORD_FLIGHT_OUTPUT "kmemx-flight"

/* The options, and what is made from them. Call record_flight_free(). */
struct record_flight {
	const char *memory; /* NULL: no --flight; "": the default size */
	struct option_strings on;
	uint64_t keep, again_ns;
	bool once, all_failures, quiet, cut_short;
	struct flight_options options;
	struct flight_cache *caches;
	char **names; /* of @caches */
	const char **events;
	char pressure[48];
	char *output;
};

/* What --on waits for, ending in NULL; some need a value after a '='. */
extern const char *const record_flight_causes[];

#define RECORD_FLIGHT_INIT \
	((struct record_flight){ .keep = 10, .again_ns = UINT64_C(60000000000) })

#define RECORD_FLIGHT_OPTIONS(f)                                                     \
	{ OPTION_GROUP, .help = "Flight recorder" },                                 \
		{ OPTION_OPTIONAL | OPTION_EVERYDAY,                                 \
		  0,                                                                 \
		  "flight",                                                          \
		  "SIZE|TIME",                                                       \
		  &(f).memory,                                                       \
		  "save the last events when something happens" },                   \
		{ OPTION_STRINGS | OPTION_EVERYDAY,                                  \
		  0,                                                                 \
		  "on",                                                              \
		  "CAUSE",                                                           \
		  &(f).on,                                                           \
		  "oom, failure, order=N, pressure, sunreclaim=SIZE, ..." },         \
		{ OPTION_POSITIVE, 0,                                                \
		  "keep",	   "N",                                              \
		  &(f).keep,	   "keep the last N files (default: 10)" },          \
		{ OPTION_DURATION, 0,                                                \
		  "again",	   "TIME",                                           \
		  &(f).again_ns,   "ignore the same cause for TIME (default: 1m)" }, \
	{                                                                            \
		OPTION_FLAG, 0, "once", NULL, &(f).once, "end after one file"        \
	}

/* Checks the options. GO_ON or an exit code after a message. */
int record_flight_set(struct record_flight *f, struct capture_options *c,
		      bool named_output);
/* Records. Returns the exit code. */
int record_flight(struct record_flight *f, struct capture_options *c, bool quiet);
void record_flight_free(struct record_flight *f);

#endif
