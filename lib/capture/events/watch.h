/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: finds other processes that use this recording's tracing instance.
 * In: inotify(7) of the instance's files. Out: what they did, as text.
 */
#ifndef KMEMX_CAPTURE_WATCH_H
#define KMEMX_CAPTURE_WATCH_H

#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events/events.h"
#include "capture/events/instance.h"
#include "capture/events/ring_reader.h"

struct watch_file;

/* What other processes did. */
struct watch_verdict {
	const char *meddled; /* why uncounted events are missing; NULL: none are */
	bool read;	     /* somebody opened a file that consumes events */
};

/**
 * struct watch - zero-initialise it; call watch_close() in any case
 * @own_pids: this process itself writes to set_event_pid; set before watch_start()
 * @stopped: tracing may be off at the end; set before watch_end()
 * @enabled: the instance's events at the start
 * @earlier: what watch_switched() found, or what was found before a pause
 */
struct watch {
	struct watch_file *files;
	size_t nr_files;
	int fd;
	bool own_pids, stopped;
	struct strbuf enabled;
	struct watch_verdict earlier;
};

#define WATCH_INIT ((struct watch){ .fd = -1 })

/**
 * watch_start() - begin to watch
 *
 * This process must have opened its pipes, and must not write to the instance until watch_end().
 * Without inotify, only changes that are still visible at the end are found.
 */
void watch_start(struct watch *w, const struct instance *in,
		 const struct event_list *events, const struct ring_reader *r,
		 const struct log *log);
/* Call it right after this process itself has written to tracing_on. */
void watch_switched(struct watch *w, const struct log *log);
/* Ends watching; each change is logged as LOG_WARN. */
struct watch_verdict watch_end(struct watch *w, const struct instance *in,
			       const struct log *log);
void watch_close(struct watch *w);

#endif
