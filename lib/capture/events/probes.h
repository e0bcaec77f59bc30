/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: dynamic probes, for allocations and frees of slab objects that have no event.
 * In: the kernel's release and machine, tracefs. Out: events of a group of this recorder's own.
 *
 * Which functions have no event: Documentation/internals/bounds.md.
 */
#ifndef KMEMX_CAPTURE_PROBES_H
#define KMEMX_CAPTURE_PROBES_H

#include <sys/types.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "capture/events/events.h"

enum probe_kind { PROBE_RCU_FREE, PROBE_ALLOC_BULK, PROBE_FREE_BULK, PROBES };

/* Are probes wanted? With PROBES_ASKED, warnings say what is not possible. */
enum probes_wish { PROBES_IF_POSSIBLE, PROBES_ASKED, PROBES_NONE };

/**
 * struct probes_choice - which probes to set
 * @self: the kernel's number of this process, which is in the name of the group
 * @some: only some allocations are recorded, chosen by fields that probes do not have
 */
struct probes_choice {
	pid_t self;
	enum probes_wish wish;
	bool some;
};

/**
 * struct probe - a probe, set or not
 * @name: the event's name
 * @function: the kernel's function; @other: its name in other releases, or NULL
 * @at_return: probe the function's return, not its entry
 * @args: what to fetch, in the kernel's syntax
 * @entry: for a pair of probes: how to fetch nr, p and stack at the function's entry; @args may
 *	then use these, ret, and ip, the caller's address; else ""
 * @set: the event exists
 * @why: why it is not set
 */
struct probe {
	const char *name, *function, *other;
	bool at_return;
	char args[160], entry[96];
	bool set;
	char why[160];
};

/**
 * struct probes - zero-initialise it; probes_remove() at the end
 * @group: the system of the events; "": nothing was tried
 */
struct probes {
	char group[32];
	struct probe all[PROBES];
};

/* How the kernel is told which arguments to fetch: by number, or by the machine's registers. */
enum probe_args { PROBE_ARGS_NUMBER, PROBE_ARGS_REGISTER };

/**
 * probes_define() - the probes of a kernel; a pure function
 * @release, @machine: as in uname(2)
 *
 * A probe that the release or the machine cannot have gets its @why, and no @args.
 */
void probes_define(struct probe all[PROBES], const char *release, const char *machine,
		   enum probe_args how);

/**
 * probes_set() - create the probes that this kernel can have, and add them to @list
 *
 * A probe that is not possible gets its @why, and is logged. No failure prevents a recording. Hold
 * instance_lock_all() until the events are enabled. Return: 0 or -ENOMEM.
 */
int probes_set(struct probes *p, struct event_list *list,
	       const struct probes_choice *choice, const struct log *log) __must_check;
/* Appends the recording's item (RECORDING_META_PROBES); nothing if nothing was tried. */
void probes_format(const struct probes *p, struct strbuf *out);
/* Removes the probes, after the instances that recorded them are gone: removing an event clears the
 * buffers that have it. May be called again.
 */
void probes_remove(struct probes *p, const struct log *log);
/* Is @system the group of a recorder's probes? */
bool probes_is_group(const char *system);
/* Removes the probes of recorders that were killed. Those that an instance records stay: the kernel
 * refuses to remove them.
 */
void probes_sweep(const struct log *log);

#endif
