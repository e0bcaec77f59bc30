/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: user frames in callchains.
 * In: user_stack events, and which files processes had mapped. Out: callchains of the kernel
 * and the program together.
 */
#ifndef KMEMX_EVENT_USER_STACKS_H
#define KMEMX_EVENT_USER_STACKS_H

#include "event/decode.h"
#include "recording/user_maps.h"

struct cpu_events;

/**
 * struct user_stacks - the user frames of a recording that says what was mapped
 * @format: of user_stack events, which are treated as callchains
 * @stacks: numbers of the user parts
 * @joined: numbers of whole callchains, by the numbers of their parts
 */
struct user_stacks {
	struct event_format format;
	uint32_t tgid_at, frames_at, frame_size;
	struct user_maps maps;
	struct intern stacks;
	struct u64_map joined;
	uint64_t *frames;
	size_t nr_frames;
};

/* The format of user_stack events; NULL: the recording has none. */
const struct event_format *user_stacks_format(const struct event_formats *fmts);
/* 0 and @out, NULL if @rec has no user_stack events, or does not say what was mapped; -ENOMEM. */
int user_stacks_open(struct user_stacks **out, const struct recording *rec,
		     const struct event_formats *fmts) __must_check;
/* Gives a user_stack record to the event that waits at @claim, if one does. The event's kernel
 * frames come before the record (option stacktrace) or after it (a trigger). 0 or -ENOMEM.
 */
int user_stacks_take(struct cpu_events *ce, const struct raw_record *rec,
		     uintptr_t *claim, bool in_window) __must_check;
/* Joins the parts of the callchain of the event at @claim if it has both now. 0 or -ENOMEM. */
int user_stacks_complete(struct cpu_events *ce, const uintptr_t *claim) __must_check;
void user_stacks_close(struct user_stacks *us);

#endif
