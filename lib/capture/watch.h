/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: does another process use this recording's tracing instance?
 * In: inotify(7) of the instance's files. Out: what was done, as text.
 */
#ifndef KMEMX_CAPTURE_WATCH_H
#define KMEMX_CAPTURE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events.h"
#include "capture/instance.h"
#include "capture/ring_reader.h"

struct watch_file;

/* What other processes did. */
struct watch_verdict {
	const char *
		meddled; /* why events are missing that nobody counts; NULL: they are not */
	bool read;	 /* somebody opened a file that takes events out */
};

/**
 * struct watch - zero-initialise it; watch_close() in any case
 * @own_pids: this process itself writes to set_event_pid; set before watch_start()
 * @stopped: tracing may be off when it ends; set before watch_end()
 * @enabled: the instance's events when it began
 * @earlier: what watch_switched() found
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
 * watch_start() - from now on
 *
 * This process has opened its pipes, and will not write to the instance until watch_end().
 * Without inotify only changes that remain at the end are seen.
 */
void watch_start(struct watch *w, const struct instance *in,
		 const struct event_list *events, const struct ring_reader *r,
		 const struct log *log);
/* This process itself has just written to tracing_on: not another process. */
void watch_switched(struct watch *w, const struct log *log);
/* Until now; each change is logged as LOG_WARN. */
struct watch_verdict watch_end(struct watch *w, const struct instance *in,
			       const struct log *log);
void watch_close(struct watch *w);

#endif
