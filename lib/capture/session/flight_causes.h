/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the causes that a flight recorder waits for.
 * In: the kernel's events and counters. Out: the cause that occurred.
 *
 * If the cause is a kernel event, a trigger on it stops tracing at once, only in this instance;
 * whether this works is tested first. Counters are checked periodically.
 */
#ifndef KMEMX_CAPTURE_FLIGHT_CAUSES_H
#define KMEMX_CAPTURE_FLIGHT_CAUSES_H

#include "base/log.h"
#include "capture/events/instance.h"

/* A slab cache, and the limit for the bytes of its objects in use. */
struct flight_cache {
	const char *name;
	uint64_t bytes;
};

/**
 * struct flight_causes - what to wait for
 * @oom: the kernel kills a process because memory is short
 * @failure: an allocation fails and the kernel would warn; @no_warn: the GFP flag that suppresses
 *	the warning; 0: every failure counts
 * @min_order: pages of this order or more are requested; 0: not a cause
 * @sunreclaim: SUnreclaim in /proc/meminfo exceeds this many bytes; 0: not a cause
 * @caches: a slab cache exceeds its limit
 * @pressure: the trigger written to /proc/pressure/memory, "some 300000 2000000"; NULL: none
 * @exit: the command ends with a status other than 0; @exit_status: with this one; -1: any
 */
struct flight_causes {
	bool oom, failure;
	uint64_t no_warn;
	unsigned int min_order;
	uint64_t sunreclaim;
	const struct flight_cache *caches;
	size_t nr_caches;
	const char *pressure;
	bool exit;
	int exit_status;
};

enum flight_cause {
	FLIGHT_NOTHING,
	FLIGHT_OOM,
	FLIGHT_PAGE,	/* an event of the page allocator: a failure, an order */
	FLIGHT_FAILURE, /* of the slab allocator */
	FLIGHT_SUNRECLAIM,
	FLIGHT_CACHE,
	FLIGHT_PRESSURE,
	FLIGHT_SIGNAL,
	FLIGHT_EXIT,
	FLIGHT_STOPPED, /* somebody switched tracing off */
	NR_FLIGHT_CAUSES,
};

/**
 * struct flight_watch - zero-initialise it, with @pressure_fd and @kmsg_fd -1
 * @again_at: when each cause counts again, in ns of CLOCK_MONOTONIC
 * @set: the cause's triggers are set
 * @pressure_fd: signals POLLPRI under memory pressure
 * @kmsg_fd: the kernel's log since the watch was opened; -1: not readable
 * @kernel_stops: triggers work
 */
struct flight_watch {
	const struct flight_causes *on;
	const struct instance *in;
	const struct log *log;
	uint64_t again_at[NR_FLIGHT_CAUSES];
	bool set[NR_FLIGHT_CAUSES];
	int pressure_fd, kmsg_fd;
	bool kernel_stops, narrow;
	uint64_t nr_oom;
};

/**
 * flight_watch_open() - find out what the kernel supports
 * @narrow: the kernel's long is 4 bytes
 *
 * Call it before anything is recorded: it empties the instance's buffers.
 * Return: 0; -ENOTSUP or -errno after a LOG_ERROR message.
 */
int flight_watch_open(struct flight_watch *w, const struct instance *in,
		      const struct flight_causes *on, bool narrow,
		      const struct log *log) __must_check;
/* Sets the triggers of the causes that count at the time @now. 0; -errno after a LOG_ERROR
 * message.
 */
int flight_watch_arm(struct flight_watch *w, uint64_t now) __must_check;
/* Does a cause count again whose trigger was not set at the last flight_watch_arm()? */
bool flight_watch_due(const struct flight_watch *w, uint64_t now);
/* Has the kernel stopped tracing, and which trigger was it? */
enum flight_cause flight_watch_stopped(struct flight_watch *w);
/* The kernel's count of OOM kills, to compare with a later one; 0: the kernel has none. */
uint64_t flight_oom_kills(void);
/* Room for a task's name, each byte of which the kernel's log may escape, and the NUL. */
#define FLIGHT_VICTIM_NAME 64

/* The first process that the OOM killer has killed since the last call, by the kernel's log. */
bool flight_watch_victim(struct flight_watch *w, char name[FLIGHT_VICTIM_NAME], int *pid);
/* How often counters must be checked. */
uint64_t flight_watch_period_ns(const struct flight_watch *w);
/* Checks the counters: the first cause that counts at @now. */
enum flight_cause flight_watch_counters(struct flight_watch *w, uint64_t now);
/* The cause's name in file names: "oom", "failure". */
const char *flight_cause_name(const struct flight_watch *w, enum flight_cause cause);
void flight_watch_close(struct flight_watch *w);

#endif
