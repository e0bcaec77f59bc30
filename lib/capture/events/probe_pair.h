/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: an array that a function fills, on kernels that do not know a function's arguments when
 * it returns: Linux 5.15 to 6.8.
 * In: a function. Out: an event in the group, as that of one probe would be.
 *
 * A probe at its beginning keeps the arguments as variables of a histogram, whose key is the
 * thread's stack; one at its return looks them up and makes a synthetic event of them, and a probe
 * of that event fetches the array. The histograms are triggers of the group's own events in the
 * top-level instance, because they would keep another instance from being removed; nothing is
 * recorded there.
 */
#ifndef KMEMX_CAPTURE_PROBE_PAIR_H
#define KMEMX_CAPTURE_PROBE_PAIR_H

#include "base/compiler.h"

/**
 * struct probe_pair - one such function
 * @group, @name: of the event
 * @function: of the kernel
 * @entry: how to fetch its arguments as nr, p and stack
 * @args: what the event has, of nr, p, ret and the caller's address ip
 */
struct probe_pair {
	const char *group, *name, *function;
	const char *entry, *args;
};

/* The event of the group @group at the function's beginning. */
#define PROBE_PAIR_ENTRY "alloc_in"

/* Creates the event. 0 or -errno, and then there is none; -ENOENT: no such function. */
int probe_pair_create(const struct probe_pair *pair) __must_check;
/* Removes what probe_pair_create() has made in @group, except probes: call it after the event is
 * gone, and before the others are removed.
 */
void probe_pair_end(const char *group);

#endif
