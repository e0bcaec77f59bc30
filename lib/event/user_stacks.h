/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the frames of programs in callchains.
 * In: user_stack events, and which files processes had mapped. Out: callchains of the kernel
 * and the program together.
 */
#ifndef KMEMX_EVENT_USER_STACKS_H
#define KMEMX_EVENT_USER_STACKS_H

#include "event/decode.h"
#include "recording/user_maps.h"

/**
 * struct user_stacks - of a recording that says what was mapped
 * @format: of user_stack events, which are taken for callchains
 * @stacks: the programs' parts, each with a number of its own
 * @joined: numbers of whole callchains, by those of their parts
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
/* The number in @us->stacks of a user_stack record's frames; 0: all are unknown, or there are none;
 * -ENOMEM.
 */
int64_t user_stacks_number(struct user_stacks *us, bool big_endian,
			   const struct raw_record *rec) __must_check;
/* The number in @stacks of the callchain @kernel, of the same table, followed by @user, which is
 * not 0. -ENOMEM.
 */
int64_t user_stacks_join(struct user_stacks *us, struct decoder *dec,
			 struct intern *stacks, uint32_t kernel,
			 uint32_t user) __must_check;
void user_stacks_close(struct user_stacks *us);

#endif
