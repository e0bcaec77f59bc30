/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: task names. saved_cmdlines alone is too small on old kernels.
 * In: /proc and the kernel's saved_cmdlines. Out: "PID COMM" lines.
 */
#ifndef KMEMX_CAPTURE_COMMS_H
#define KMEMX_CAPTURE_COMMS_H

#include "base/hash.h"
#include "base/strbuf.h"

struct comm {
	uint32_t pid;
	char name[16];
};

/* Names by pid; zero-initialise it. A later name of a pid replaces the earlier one. */
struct comms {
	struct comm *items;
	size_t count;
	size_t capacity;
	struct u64_map by_pid;
};

int comms_add(struct comms *c, uint32_t pid, const char *name) __must_check;
/* Adds every live thread. @proc is "/proc". Tasks that vanish meanwhile are left out. */
int comms_add_proc(struct comms *c, const char *proc) __must_check;
/* Adds "PID COMM" lines, the format of saved_cmdlines; "<...>" is no name. */
int comms_add_text(struct comms *c, const char *text) __must_check;
void comms_format(const struct comms *c, struct strbuf *out);
void comms_free(struct comms *c);

#endif
