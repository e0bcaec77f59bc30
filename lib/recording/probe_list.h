/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the dynamic probes of a recording.
 * In: what a recorder set, or the text of a recording's item, untrusted. Out: the item's text; one
 * probe after the other.
 *
 * The item has a line for each probe that the recorder knows: its name, the kernel's function, and
 * "set" or why it was not set:
 *
 *	rcu_free kvfree_call_rcu set
 *	alloc_bulk kmem_cache_alloc_bulk Linux 6.9 is needed
 */
#ifndef KMEMX_RECORDING_PROBE_LIST_H
#define KMEMX_RECORDING_PROBE_LIST_H

#include "base/strbuf.h"

/* The metadata item. */
#define RECORDING_META_PROBES "probes"
/* The system of a recording's probes is this and the recorder's process number. */
#define RECORDING_PROBES      "kmemx_"

/* One of them. @why: why it is not set. */
struct probe_line {
	char name[32], function[64], why[160];
	bool set;
};

/* Appends a probe. @why NULL: it is set. */
void probe_list_add(struct strbuf *out, const char *name, const char *function,
		    const char *why);
/* Reads the next probe of the item's text and moves *@text on. Names that are too long are cut.
 * False: there are no more; damaged lines are left out.
 */
bool probe_list_next(const char **text, struct probe_line *line);

#endif
