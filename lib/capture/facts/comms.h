/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: task names.
 * In: events of tasks, /proc and the kernel's saved_cmdlines. Out: "PID COMM" lines.
 *
 * saved_cmdlines alone has few tasks, and often the old name of a task that ended soon after it was
 * renamed: the kernel saves names when it switches tasks, unless its list is locked.
 */
#ifndef KMEMX_CAPTURE_COMMS_H
#define KMEMX_CAPTURE_COMMS_H

#include "base/keyed.h"
#include "base/strbuf.h"
#include "capture/events/instance.h"
#include "event/fields.h"
#include "recording/subbuf.h"

/**
 * struct comm - a task's name
 * @ts: time of the last event that named it; 0: none did
 * @renamed: that was task_rename, so the name is right
 */
struct comm {
	uint64_t ts;
	uint32_t pid;
	bool renamed;
	char name[16];
};

/* An event that names a task. @id 0: the kernel lacks it. @pid.size 0: it names the current task.
 */
struct comm_event {
	uint16_t id;
	struct raw_field pid, name;
};

/* Names by pid; zero-initialise it. A later name of a pid replaces the earlier one. */
struct comms {
	INDEXED(struct comm) by_pid;
	struct comm_event starts, renames;
};

/* Reads the formats for comms_see(): those of task_newtask and task_rename. 0 or -ENOMEM. */
int comms_watch(struct comms *c, const struct instance *in) __must_check;
/* Learns from a record of the instance; records may come in any order. @comms: struct comms. 0 or
 * -ENOMEM.
 */
int comms_see(void *comms, const struct raw_record *rec) __must_check;

/* Adds every live thread. @proc is "/proc". Tasks that vanish meanwhile are left out. */
int comms_add_proc(struct comms *c, const char *proc) __must_check;
/* Adds "PID COMM" lines, the format of saved_cmdlines; skips "<...>", and keeps names of
 * task_rename.
 */
int comms_add_text(struct comms *c, const char *text) __must_check;
void comms_format(const struct comms *c, struct strbuf *out);
/* Forgets all names but keeps what comms_watch() has read. */
void comms_free(struct comms *c);

#endif
