/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the loop of a running recording.
 * In: ring buffers, signals, the command's end, a deadline. Out: full parts.
 */
#ifndef KMEMX_CAPTURE_PUMP_H
#define KMEMX_CAPTURE_PUMP_H

#include "base/log.h"
#include "capture/events/ring_reader.h"
#include "capture/session/child.h"

/**
 * struct pump_live - read pages in rounds; each round reads everything that all CPUs have
 * @round: called every @round_ms, or sooner if buffers fill up; @input: called when @input_fd is
 *	readable. True: the loop ends
 * @input_fd: -1: none
 */
struct pump_live {
	bool (*round)(void *ctx);
	unsigned int round_ms;
	bool (*input)(void *ctx);
	int input_fd;
	void *ctx;
};

/**
 * struct pump_options - what to wait for
 * @child: its end ends the loop; NULL: none
 * @stop_fd: a signalfd; a signal that only this process got is passed on to @child
 * @has_watermark: pipes become readable at buffer_percent, not with each event
 * @tick, @tick_ms, @ctx: called every @tick_ms while recording, true: nothing is left to record;
 *	NULL: not called
 * @live: NULL: buffers are read as they fill
 * @stop_signal, @write_error, @timed_out: results: why the loop ended, 0 otherwise
 */
struct pump_options {
	struct ring_reader *reader;
	struct child *child;
	int stop_fd;
	uint64_t duration_ns;
	bool has_watermark;
	bool (*tick)(void *ctx);
	unsigned int tick_ms;
	void *ctx;
	const struct pump_live *live;
	const struct log *log;
	int stop_signal;
	int write_error;
	bool timed_out;
};

/**
 * pump_run() - move pages until the command ends, a signal comes, the time is over, or the
 * disk is full
 *
 * Return: 0 for any of these; -errno if it cannot wait or read.
 */
int pump_run(struct pump_options *p) __must_check;

/* Waits for @child and passes signals on to it. */
void pump_wait_child(struct child *child, int stop_fd);

#endif
