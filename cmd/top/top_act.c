// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx top: its actions, for tables and the screen.
 * In: a monitor and its session. Out: reports, a pause, a recording.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/new_file.h"
#include "capture/session/session.h"
#include "cmd/top/top.h"
#include "live/top_table.h"

/* Rows in the metrics: each is a time series for the collector. */
#define METRICS_ROWS 50

static const char default_output[] = "kmemx-top.dat";

bool top_fail(struct top *top, int err)
{
	if (err)
		log_msg(&top->log, LOG_ERROR, "cannot go on: %s", strerror(-err));
	top->exit_code = err ? EXIT_FAILED : top->exit_code;
	return err != 0;
}

struct report *top_make_report(struct top *top)
{
	struct report *r;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	top->view.run_ns = now - top->begin;
	r = top_report(&top->monitor, &top->view);
	if (!r)
		top_fail(top, -ENOMEM);
	return r;
}

static int write_metrics(struct top *top)
{
	struct new_file file = NEW_FILE_INIT;
	struct strbuf __auto_free text = { 0 };
	struct top_view view = top->view;
	int ret;

	view.run_ns = clock_ns(CLOCK_MONOTONIC) - top->begin;
	view.lines = top->opts.lines ? top->view.lines : METRICS_ROWS;
	ret = top_metrics(&top->monitor, &view, &text);
	ret = ret ?: new_file_open(&file, top->opts.metrics);
	if (!ret)
		ret = io_pwrite_all(file.fd, strbuf_text(&text),
				    strlen(strbuf_text(&text)), 0);
	/* The metrics collector may run as another user. */
	if (!ret && fchmod(file.fd, 0644) < 0)
		ret = -errno;
	ret = ret ?: new_file_commit(&file);
	new_file_close(&file);
	return ret;
}

void top_write_metrics(struct top *top)
{
	int ret = write_metrics(top);

	if (ret && ret != top->metrics_err)
		log_msg(&top->log, LOG_ERROR, "cannot write %s: %s", top->opts.metrics,
			strerror(-ret));
	top->metrics_err = ret;
}

int top_write_end(struct top *top)
{
	int ret = live_write_end(top->session);

	if (close(top->write_fd) < 0 && !ret)
		ret = -errno;
	top->write_fd = -1;
	return ret;
}

int top_shown_alone(const struct top *top)
{
	const bool *hidden = top->view.side_hidden;
	int shown = 0, last = 0;

	for (int i = 0; i < MEMORY_KINDS; i++) {
		shown += !hidden[i];
		last = hidden[i] ? last : i;
	}
	return shown == 1 ? last : -1;
}

bool top_set_by(struct top *top, enum subject_kind by)
{
	bool anew = false;
	int ret = monitor_regroup(&top->monitor, by, &anew);

	if (anew)
		top->view.since_ns = clock_ns(CLOCK_MONOTONIC) - top->begin;
	if (anew)
		top->view.paused_ns = 0;
	return !top_fail(top, ret);
}

int top_pause(struct top *top, bool paused)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int ret = live_pause(top->session, paused);

	if (ret)
		return ret;
	if (!paused)
		top->view.paused_ns += now - top->paused_at;
	top->paused_at = paused ? now : 0;
	return 0;
}

/* Creates the first of FILE, FILE.1, FILE.2, ... that does not exist. */
static int new_file(struct top *top)
{
	const char *name = top->opts.output ? top->opts.output : default_output;
	int fd = -1;

	for (unsigned int i = 0; fd < 0 && i < 1000; i++) {
		int n = i ? snprintf(top->path, sizeof(top->path), "%s.%u", name, i)
			  : snprintf(top->path, sizeof(top->path), "%s", name);

		if (n >= (int)sizeof(top->path))
			return -ENAMETOOLONG;
		fd = open(top->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			  0600);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	return fd < 0 ? -EEXIST : fd;
}

int top_write(struct top *top)
{
	int ret;

	if (top->write_fd >= 0)
		return top_write_end(top);
	ret = new_file(top);
	if (ret < 0)
		return ret;
	top->write_fd = ret;
	ret = new_file_give(top->write_fd);
	ret = ret ?: live_write(top->session, top->write_fd);
	if (ret) {
		unlink(top->path);
		io_close(&top->write_fd);
	}
	return ret;
}
