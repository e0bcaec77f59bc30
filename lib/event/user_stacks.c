// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/user_stacks.h"

#include "base/array.h"
#include "event/cpu_events.h"

const struct event_format *user_stacks_format(const struct event_formats *fmts)
{
	return FIND(fmt, fmts->list, fmts->count,
		    !strcmp(fmt->system, "ftrace") && !strcmp(fmt->name, "user_stack"));
}

int user_stacks_open(struct user_stacks **out, const struct recording *rec,
		     const struct event_formats *fmts)
{
	const struct recording_text *maps = recording_meta(rec, RECORDING_META_USER_MAPS);
	const struct event_format *fmt = maps ? user_stacks_format(fmts) : NULL;
	struct user_stacks *us;
	int ret;

	*out = NULL;
	if (!fmt)
		return 0;
	us = calloc(1, sizeof(*us));
	if (!us)
		return -ENOMEM;
	/* struct userstack_entry: the process, and an array of the kernel's long. */
	us->tgid_at = fmts->common.min_size;
	us->frame_size = rec->layout.long_size;
	us->frames_at = us->tgid_at + us->frame_size;
	us->format = *fmt;
	us->format.type = KMEM_KERNEL_STACK;
	us->format.min_size = us->frames_at + USER_STACK_FRAMES * us->frame_size;
	ret = user_maps_parse(&us->maps, maps->text);
	if (ret)
		user_stacks_close(us);
	else
		*out = us;
	return ret;
}

static int64_t user_number(struct user_stacks *us, bool big_endian,
			   const struct raw_record *rec)
{
	const uint32_t pid = get_u32(rec->data + us->tgid_at, big_endian);
	const uint8_t *at = rec->data + us->frames_at;
	uint64_t frames[USER_STACK_FRAMES];
	uint32_t nr = 0, id;

	/* Without frame pointers, the outermost frames are nonsense: those in no mapping are left
	 * out.
	 */
	for (uint32_t i = 0; i < USER_STACK_FRAMES; i++, at += us->frame_size) {
		uint64_t address = get_uint(at, us->frame_size, big_endian);

		if (!address)
			break;
		frames[i] = user_maps_frame(&us->maps, pid, rec->ts, address);
		if (!frames[i])
			return -ENOMEM;
		if (frames[i] != USER_FRAME)
			nr = i + 1;
	}
	if (!nr)
		return 0;
	id = intern_id(&us->stacks, frames, nr * sizeof(*frames));
	return id ? (int64_t)id : -ENOMEM;
}

/* Joins the frames of both parts. Returns their bytes, or 0 if memory ran out. */
static size_t put_together(struct user_stacks *us, const struct intern *stacks,
			   uint32_t kernel, uint32_t user)
{
	size_t size = 0, more = 0;
	const void *inner = intern_get(stacks, kernel, &size);
	const void *outer = intern_get(&us->stacks, user, &more);

	if (array_reserve_size(&us->frames, &us->nr_frames, size + more, 1))
		return 0;
	memcpy(us->frames, inner, size);
	memcpy((uint8_t *)us->frames + size, outer, more);
	return size + more;
}

/* The number of the callchain @kernel followed by @user, which is not 0. -ENOMEM. */
static int64_t join_parts(struct user_stacks *us, struct decoder *dec,
			  struct intern *stacks, uint32_t kernel, uint32_t user)
{
	const uint64_t key = (uint64_t)kernel << 32 | user;
	const uint32_t *known = u64_map_find(&us->joined, key);
	size_t size;
	uint32_t id;

	if (known)
		return *known;
	size = put_together(us, stacks, kernel, user);
	id = size ? decoder_number(dec, stacks, us->frames, size) : 0;
	return id && u64_map_insert(&us->joined, key, id) ? (int64_t)id : -ENOMEM;
}

int user_stacks_complete(struct cpu_events *ce, const uintptr_t *claim)
{
	struct cpu_shared *sh = ce->shared;
	struct raw_item *item = (struct raw_item *)(*claim & ~CPU_CLAIM_BITS);
	const uint32_t user = ce->user[claim - ce->claims.owners];
	int64_t id;

	if ((*claim & CPU_CLAIM_BITS) != CPU_CLAIM_BITS || !user || !item->stack)
		return 0;
	id = join_parts(sh->users, sh->dec, &sh->stacks, item->stack, user);
	if (id < 0)
		return (int)id;
	item->stack = (uint32_t)id;
	return 0;
}

int user_stacks_take(struct cpu_events *ce, const struct raw_record *rec,
		     uintptr_t *claim, bool in_window)
{
	struct cpu_shared *sh = ce->shared;
	const size_t context = (size_t)(claim - ce->claims.owners);
	int64_t user = 0;

	if (*claim <= CPU_SILENT || *claim & CPU_HAS_USER) {
		sh->stats->nr_stacks_unclaimed += *claim != CPU_SILENT && in_window;
		return 0;
	}
	/* An interrupt's allocations are not the program's. */
	if (!context)
		user = user_number(sh->users, sh->dec->big_endian, rec);
	if (user < 0)
		return (int)user;
	ce->user[context] = (uint32_t)user;
	*claim |= CPU_HAS_USER;
	return user_stacks_complete(ce, claim);
}

void user_stacks_close(struct user_stacks *us)
{
	if (!us)
		return;
	user_maps_free(&us->maps);
	intern_free(&us->stacks);
	u64_map_free(&us->joined);
	free(us->frames);
	free(us);
}
