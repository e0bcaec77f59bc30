// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: the events of one CPU in their own order, each with its stack.
 * In: one CPU's sub-buffers. Out: small items, a sub-buffer's worth at a time.
 */
#include "event/cpu_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/subbuf.h"

/* Memory for the next sub-buffer's items, at the end of the list. */
static int append_batch(struct cpu_events *ce)
{
	struct cpu_batch *batch = ce->spare;

	ce->spare = NULL;
	if (!batch)
		batch = calloc(1, sizeof(*batch));
	if (!batch)
		return -ENOMEM;
	if (ce->last)
		ce->last->next = batch;
	else
		ce->now = batch;
	ce->last = batch;
	return 0;
}

static void free_batch(struct cpu_batch *batch)
{
	if (!batch)
		return;
	free(batch->items);
	free(batch->copy);
	free(batch);
}

int cpu_events_open(struct cpu_events *ce, struct cpu_shared *shared,
		    struct event_stream_cpu *stats, const struct recording *rec,
		    uint32_t cpu_index)
{
	int ret;

	*ce = (struct cpu_events){
		.shared = shared,
		.stats = stats,
		.cut = rec->buffers[stats->buffer].cpus[cpu_index].cut,
	};
	ret = append_batch(ce);
	return ret ? ret
		   : cpu_cursor_open(&ce->cursor, rec, stats->buffer, cpu_index,
				     shared->ahead);
}

void cpu_events_close(struct cpu_events *ce)
{
	cpu_cursor_close(ce->cursor);
	while (ce->now) {
		struct cpu_batch *next = ce->now->next;

		free_batch(ce->now);
		ce->now = next;
	}
	free_batch(ce->spare);
	*ce = (struct cpu_events){ 0 };
}

/* Room for @nr items in an empty batch. */
static int batch_reserve(struct cpu_batch *batch, uint32_t nr)
{
	if (batch->capacity >= nr)
		return 0;
	free(batch->items);
	batch->items = malloc(nr * sizeof(*batch->items));
	batch->capacity = batch->items ? nr : 0;
	return batch->items ? 0 : -ENOMEM;
}

/* A gap before @batch, at @ts: counts it and makes it the batch's first item if any part of
 * it lies in the time window. No stack is attached across it.
 */
static void add_loss(struct cpu_events *ce, struct cpu_batch *batch, uint64_t ts,
		     uint64_t missed)
{
	const struct cpu_shared *sh = ce->shared;

	stack_claims_clear(&ce->claims);
	if (ts < ce->last_ts)
		ts = ce->last_ts;
	if (ts < sh->start_ts || ce->last_ts > sh->stop_ts)
		return;
	ce->stats->nr_gaps++;
	if (missed && missed != SUBBUF_MISSED_UNKNOWN)
		ce->stats->nr_lost += missed;
	if (!missed || missed == SUBBUF_MISSED_UNKNOWN || ce->damaged)
		ce->stats->nr_unknown++;
	batch->missed = !missed || ce->damaged || missed == SUBBUF_MISSED_UNKNOWN
				? KMEM_LOSS_UNKNOWN
				: missed;
	batch->since_ts = ce->last_ts;
	if (ts > sh->stop_ts)
		ts = sh->stop_ts;
	batch->items[batch->nr++] = (struct raw_item){ .ts = ts };
}

/* By way of the table of all stacks: the record's frames are widened to 64-bit words. */
static int stack_number_slow(struct cpu_shared *sh, const struct event_format *fmt,
			     const struct raw_record *rec, uint32_t *id)
{
	/* Whose address is taken while @rec stays in registers, where events are scanned. */
	const struct raw_record copy = *rec;
	uint32_t nr = copy.size / 4;

	if (nr > sh->nr_frames) {
		uint64_t *frames = realloc(sh->frames, nr * sizeof(*frames));

		if (!frames)
			return -ENOMEM;
		sh->frames = frames;
		sh->nr_frames = nr;
	}
	*id = 0;
	nr = decode_stack(sh->dec, fmt, &copy, sh->frames, sh->nr_frames);
	if (!nr)
		return 0;
	*id = intern_id(&sh->stacks, sh->frames, nr * sizeof(*sh->frames));
	return *id ? 0 : -ENOMEM;
}

/* Where a stack of these frames would be among the recent ones: stacks differ in the
 * middle, if they do not in the first frames.
 */
static uint32_t recent_slot(const uint8_t *frames, uint32_t nr)
{
	uint64_t h = nr;
	uint32_t i, step = nr / 4;

	for (i = 1; i <= 4; i++) {
		uint64_t frame;

		memcpy(&frame, frames + (i * step - (i == 4)) * 8UL, 8);
		h = (h ^ frame) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	return (uint32_t)h % CPU_RECENT_STACKS;
}

/* The number of a kernel_stack record's content: 0 if it has no frames. Stacks repeat
 * endlessly: one whose words are those of a recent one needs no decoding.
 */
static int stack_number(struct cpu_shared *sh, const struct event_format *fmt,
			const struct raw_record *rec, uint32_t *id)
{
	uint32_t nr = 0, slot;
	const uint8_t *here = decode_stack_here(sh->dec, fmt, rec->data, rec->size, &nr);
	const void *known;
	size_t size = 0;
	int ret;

	if (!here || nr < 4)
		return stack_number_slow(sh, fmt, rec, id);
	slot = recent_slot(here, nr);
	*id = sh->recent_stacks[slot];
	known = intern_get(&sh->stacks, *id, &size);
	if (likely(known && size == nr * 8UL && !memcmp(known, here, size)))
		return 0;
	ret = stack_number_slow(sh, fmt, rec, id);
	if (!ret)
		sh->recent_stacks[slot] = *id;
	return ret;
}

/* A kernel_stack record: gives its stack to the event that it belongs to. It becomes an item
 * itself if there is no such event, or if the caller wants to see them all.
 */
static int scan_stack(struct cpu_events *ce, struct cpu_batch *batch,
		      const struct event_format *fmt, const struct raw_record *rec,
		      bool in_window)
{
	struct cpu_shared *sh = ce->shared;
	const struct event_common *common = &sh->dec->common;
	uint32_t pid = get_u32(rec->data + common->pid_offset, sh->dec->big_endian);
	uintptr_t owner =
		stack_claims_take(&ce->claims, rec->data[common->flags_offset], pid);
	uint32_t id = 0;
	int ret = 0;

	if (in_window || owner > CPU_SILENT)
		ret = stack_number(sh, fmt, rec, &id);
	if (ret < 0)
		return ret;
	if (owner > CPU_SILENT)
		((struct raw_item *)owner)->stack = id;
	else if (!owner && in_window)
		sh->stats->nr_stacks_unclaimed++;
	if (in_window && (!owner || sh->keep_stacks))
		batch->items[batch->nr++] =
			(struct raw_item){ rec->ts, rec->data, rec->size, id };
	return 0;
}

static void count_backwards(struct event_stream_stats *stats, uint64_t step)
{
	stats->nr_backwards++;
	if (step > stats->largest_step_back)
		stats->largest_step_back = step;
}

/* Counts the events of one batch from @first_ts to @last_ts. */
static void count_batch(struct cpu_events *ce, uint64_t nr, uint64_t first_ts,
			uint64_t last_ts)
{
	struct event_stream_stats *stats = ce->shared->stats;

	if (!nr)
		return;
	if (!stats->nr_events || first_ts < stats->first_ts)
		stats->first_ts = first_ts;
	if (last_ts > stats->last_ts)
		stats->last_ts = last_ts;
	stats->nr_events += nr;
	ce->stats->nr_events += nr;
}

/* Returns @item as what a stack may follow. */
static __always_inline uintptr_t fill_item(struct raw_item *item,
					   const struct raw_record *rec)
{
	*item = (struct raw_item){ rec->ts, rec->data, rec->size, 0 };
	return (uintptr_t)item;
}

/* Makes items of a sub-buffer's events. The compiler makes a loop of its own for each @be
 * and for @windowed, without which every event is in the window: this is where every event
 * passes. 0; -EBADMSG where the rest is unreadable; -ENOMEM.
 */
static __always_inline int scan_events_as(struct cpu_events *ce, struct cpu_batch *batch,
					  const struct subbuf *sb, const bool be,
					  const bool windowed)
{
	struct cpu_shared *sh = ce->shared;
	const struct event_common common = sh->dec->common;
	const struct event_format *const *formats = sh->formats;
	uint64_t *by_id = sh->by_id, before = ce->last_ts;
	struct subbuf_iter it = subbuf_iter(sb, be);
	uint64_t nr = 0, first_ts = UINT64_MAX, last_ts = 0;
	struct raw_item *items = batch->items;
	struct raw_record rec;
	int ret;

	while ((ret = subbuf_iter_next(&it, &rec)) > 0) {
		bool in_window =
			!windowed || (rec.ts >= sh->start_ts && rec.ts <= sh->stop_ts);
		const struct event_format *fmt;
		uintptr_t *owner;
		uint16_t id;

		if (unlikely(rec.size < common.min_size)) {
			sh->stats->nr_undecodable += in_window;
			continue;
		}
		if (unlikely(rec.ts < before))
			count_backwards(sh->stats, before - rec.ts);
		before = rec.ts;
		id = get_u16(rec.data + common.type_offset, be);
		fmt = formats[id];
		if (likely(in_window)) {
			nr++;
			by_id[id]++;
			first_ts = rec.ts < first_ts ? rec.ts : first_ts;
			last_ts = rec.ts > last_ts ? rec.ts : last_ts;
		}
		if (unlikely(!fmt || rec.size < fmt->min_size)) {
			sh->stats->nr_undecodable += in_window;
		} else if (fmt->type == KMEM_KERNEL_STACK) {
			ret = scan_stack(ce, batch, fmt, &rec, in_window);
			if (ret < 0)
				break;
			continue;
		}
		if (windowed && unlikely(rec.ts > sh->stop_ts)) {
			ce->past_stop = true;
			ret = 0;
			break;
		}
		owner = stack_claims_at(&ce->claims, rec.data[common.flags_offset],
					get_u32(rec.data + common.pid_offset, be));
		*owner = CPU_SILENT;
		if (in_window)
			*owner = fill_item(&items[batch->nr++], &rec);
	}
	ce->last_ts = before;
	count_batch(ce, nr, first_ts, last_ts);
	return ret;
}

static int scan_events(struct cpu_events *ce, struct cpu_batch *batch,
		       const struct subbuf *sb)
{
	const struct cpu_shared *sh = ce->shared;

	if (unlikely(sh->start_ts || sh->stop_ts != UINT64_MAX))
		return sh->dec->big_endian ? scan_events_as(ce, batch, sb, true, true)
					   : scan_events_as(ce, batch, sb, false, true);
	return sh->dec->big_endian ? scan_events_as(ce, batch, sb, true, false)
				   : scan_events_as(ce, batch, sb, false, false);
}

/* Fills the empty @batch from @sb. 0 or -ENOMEM. */
static int scan_subbuf(struct cpu_events *ce, struct cpu_batch *batch,
		       const struct subbuf *sb)
{
	struct event_stream_stats *stats = ce->shared->stats;
	/* Eight bytes is the shortest event with a header; one more item for a loss. */
	int ret = batch_reserve(batch, sb->size / 8 + 2);

	if (ret < 0)
		return ret;
	batch->data = sb->data;
	batch->size = sb->size;
	if (sb->missed || ce->damaged)
		add_loss(ce, batch, sb->ts, sb->missed);
	ce->damaged = sb->truncated;
	ret = scan_events(ce, batch, sb);
	if (ret == -EBADMSG) {
		log_msg(ce->shared->log, LOG_WARN,
			"CPU %u: an event leaves its page at file offset %" PRIu64
			"; the rest of the page is skipped",
			ce->stats->cpu, sb->file_offset);
		ce->damaged = true;
		ret = 0;
	}
	stats->nr_pages++;
	stats->nr_bad_pages += ce->damaged;
	return ret;
}

/* One step of the cursor, into a batch at the end of the list. A damaged part makes a step
 * of its own, without items, as it too ends the life of older sub-buffers. 0; -EIO, -ENOMEM.
 */
static int read_batch(struct cpu_events *ce)
{
	struct subbuf sb;
	int ret = append_batch(ce);

	if (!ret)
		ret = cpu_cursor_next(ce->cursor, &sb);
	if (ret > 0) {
		ret = scan_subbuf(ce, ce->last, &sb);
		ce->ended = ce->past_stop;
		return ret;
	}
	if (ret == -EBADMSG) {
		ce->shared->stats->nr_pages++;
		ce->shared->stats->nr_bad_pages++;
		ce->damaged = true;
		return 0;
	}
	if (ret < 0)
		return ret;
	ce->ended = true;
	if (!ce->damaged && !ce->cut)
		return 0;
	ret = batch_reserve(ce->last, 1);
	if (!ret)
		add_loss(ce, ce->last, ce->last_ts, 0);
	return ret;
}

/* The claim of one of @batch's items, from @i on; STACK_CONTEXTS: none. */
static unsigned int claim_in(const struct cpu_events *ce, const struct cpu_batch *batch,
			     unsigned int i)
{
	const uintptr_t *owners = ce->claims.owners;
	uintptr_t first = (uintptr_t)batch->items;

	while (i < STACK_CONTEXTS &&
	       (owners[i] <= CPU_SILENT || owners[i] < first ||
		owners[i] >= first + batch->nr * sizeof(*batch->items)))
		i++;
	return i;
}

/* Nothing of the batch being given out gets a stack any more. */
static void drop_claims(struct cpu_events *ce)
{
	unsigned int i = 0;

	while ((i = claim_in(ce, ce->now, i)) < STACK_CONTEXTS)
		ce->claims.owners[i] = 0;
}

/* Data that the cursor's next two steps must not end. */
static int keep_data(struct cpu_batch *batch)
{
	uint32_t i;

	if (batch->copy || !batch->size)
		return 0;
	batch->copy = malloc(batch->size);
	if (!batch->copy)
		return -ENOMEM;
	memcpy(batch->copy, batch->data, batch->size);
	for (i = 0; i < batch->nr; i++) {
		struct raw_item *item = &batch->items[i];

		if (item->data)
			item->data = batch->copy + (item->data - batch->data);
	}
	return 0;
}

/* Interrupts filled whole sub-buffers since an item at hand, whose stack may come yet: reads
 * on until it does, or cannot any more, or CPU_AHEAD_BYTES are read.
 */
static int await_stacks(struct cpu_events *ce)
{
	uint64_t *bytes = &ce->shared->ahead_bytes;
	struct cpu_batch *batch;
	int ret = 0;

	while (!ret && !ce->ended && *bytes < CPU_AHEAD_BYTES &&
	       claim_in(ce, ce->now, 0) < STACK_CONTEXTS) {
		for (batch = ce->now; batch->next != ce->last;)
			batch = batch->next;
		ret = keep_data(batch);
		if (!ret)
			ret = read_batch(ce);
		batch = ce->last;
		batch->ahead_bytes =
			batch->capacity * sizeof(*batch->items) + batch->size;
		*bytes += batch->ahead_bytes;
	}
	return ret;
}

/* Takes the batch that has been given out off the list. */
static void drop_batch(struct cpu_events *ce)
{
	struct cpu_batch *done = ce->now;

	drop_claims(ce);
	ce->shared->ahead_bytes -= done->ahead_bytes;
	ce->now = done->next;
	if (!ce->now)
		ce->last = NULL;
	free(done->copy);
	*done = (struct cpu_batch){ .items = done->items, .capacity = done->capacity };
	free_batch(ce->spare);
	ce->spare = done;
}

int cpu_events_refill(struct cpu_events *ce)
{
	int ret = 0;

	while (ce->now) {
		drop_batch(ce);
		while (!ret && !ce->ended && !(ce->now && ce->now->next))
			ret = read_batch(ce);
		if (!ret && ce->now)
			ret = await_stacks(ce);
		if (ret < 0)
			return ret;
		if (ce->now && ce->now->nr)
			return 1;
	}
	return 0;
}
