// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/cpu_events.h"

#include "base/array.h"

/* Adds a batch for the next sub-buffer to the end of the list. */
static int append_batch(struct cpu_events *ce)
{
	struct cpu_batch *batch = ce->spare ? ce->spare : calloc(1, sizeof(*batch));

	ce->spare = NULL;
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
	*ce = (struct cpu_events){
		.shared = shared,
		.stats = stats,
		.cut = rec->buffers[stats->buffer].cpus[cpu_index].cut,
	};
	return append_batch(ce)
		       ?: cpu_cursor_open(&ce->cursor, rec, stats->buffer, cpu_index,
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

/* Counts a gap before @batch, at @ts, and makes it the batch's first item, if any part of it lies
 * in the time window. No stack is attached across it.
 */
static void add_loss(struct cpu_events *ce, struct cpu_batch *batch, uint64_t ts,
		     uint64_t missed)
{
	const struct cpu_shared *sh = ce->shared;

	stack_claims_clear(&ce->claims);
	ts = LARGER(ts, ce->last_ts);
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
	ts = SMALLER(ts, sh->stop_ts);
	batch->items[batch->nr++] = (struct raw_item){ .ts = ts };
}

/* Looks up the stack in the table of all stacks, with frames widened to 64-bit words. */
static int64_t stack_number_slow(struct cpu_shared *sh, const struct event_format *fmt,
				 const uint8_t *data, uint32_t size)
{
	uint32_t nr = size / 4, id;

	if (array_reserve(&sh->frames, &sh->nr_frames, nr))
		return -ENOMEM;
	nr = decode_stack(sh->dec, fmt, &(struct raw_record){ 0, data, size }, sh->frames,
			  nr);
	if (!nr)
		return 0;
	id = decoder_number(sh->dec, &sh->stacks, sh->frames, nr * sizeof(*sh->frames));
	return id ? (int64_t)id : -ENOMEM;
}

/* Are these @size bytes the frames of stack @id? */
static inline bool is_stack(const struct cpu_shared *sh, uint32_t id,
			    const uint8_t *frames, size_t size)
{
	size_t known_size = 0;
	const void *known = intern_get(&sh->stacks, id, &known_size);

	return known && known_size == size && !memcmp(known, frames, size);
}

/* The number of a stack that is not the last one of @recent, which is NULL if the frames cannot be
 * compared in place.
 */
static int64_t stack_number_other(struct cpu_shared *sh, const struct event_format *fmt,
				  const struct raw_record *rec, uint32_t *recent)
{
	uint32_t nr = 0;
	const uint8_t *here = decode_stack_here(fmt, rec->data, rec->size, &nr);
	int64_t id;

	if (!recent)
		return stack_number_slow(sh, fmt, rec->data, rec->size);
	id = is_stack(sh, recent[1], here, nr * 8UL)
		     ? recent[1]
		     : stack_number_slow(sh, fmt, rec->data, rec->size);
	if (id >= 0) {
		recent[1] = recent[0];
		recent[0] = (uint32_t)id;
	}
	return id;
}

/* The number of a kernel_stack record's content; 0 if it has no frames; -ENOMEM. Stacks repeat all
 * the time: one with the same words as a recent one needs no decoding.
 */
static __always_inline int64_t stack_number(struct cpu_shared *sh,
					    const struct event_format *fmt,
					    const struct raw_record *rec)
{
	uint32_t nr = 0, *recent;
	const uint8_t *here = decode_stack_here(fmt, rec->data, rec->size, &nr);

	if (unlikely(!here || nr < 4))
		return stack_number_other(sh, fmt, rec, NULL);
	recent = sh->recent_stacks[recent_stack_slot(here, nr)];
	if (likely(is_stack(sh, recent[0], here, nr * 8UL)))
		return recent[0];
	return stack_number_other(sh, fmt, rec, recent);
}

/* Gives a kernel_stack record, whose number becomes the shared .stack, to the event that waits at
 * @claim, if one does. Return: 1 if the record becomes an item itself, because no event waits or
 * the caller wants all records; 0; -ENOMEM.
 */
static __always_inline int attach_stack(struct cpu_events *ce,
					const struct event_format *fmt,
					const struct raw_record *rec, uintptr_t *claim,
					bool in_window)
{
	struct cpu_shared *sh = ce->shared;
	uintptr_t owner = *claim;
	int64_t id = 0;

	if (likely(in_window || owner > CPU_SILENT))
		id = stack_number(sh, fmt, rec);
	if (unlikely(id < 0))
		return (int)id;
	sh->stack = (uint32_t)id;
	*claim = 0;
	if (likely(owner > CPU_SILENT))
		((struct raw_item *)owner)->stack = (uint32_t)id;
	else if (!owner && in_window)
		sh->stats->nr_stacks_unclaimed++;
	return in_window && (!owner || sh->keep_stacks);
}

/* As attach_stack(), in a recording with user frames. */
static int attach_part(struct cpu_events *ce, const struct event_format *fmt,
		       const struct raw_record *rec, uintptr_t *claim, bool in_window)
{
	const uintptr_t owner = *claim;
	int ret;

	if (fmt == &ce->shared->users->format)
		return user_stacks_take(ce, rec, claim, in_window);
	*claim = owner & CPU_HAS_KERNEL ? 0 : owner & ~CPU_CLAIM_BITS;
	ret = attach_stack(ce, fmt, rec, claim, in_window);
	if (ret < 0 || owner <= CPU_SILENT || owner & CPU_HAS_KERNEL)
		return ret;
	*claim = owner | CPU_HAS_KERNEL;
	return user_stacks_complete(ce, claim) ? -ENOMEM : ret;
}

static __always_inline int scan_stack(struct cpu_events *ce,
				      const struct event_format *fmt,
				      const struct raw_record *rec, uintptr_t *claim,
				      bool in_window)
{
	return likely(!ce->shared->users) ? attach_stack(ce, fmt, rec, claim, in_window)
					  : attach_part(ce, fmt, rec, claim, in_window);
}

static void count_backwards(struct event_stream_stats *stats, uint64_t step)
{
	stats->nr_backwards++;
	stats->largest_step_back = LARGER(stats->largest_step_back, step);
}

/* The events of one sub-buffer scanned so far. @before: the time of the last one. Without a window
 * it starts at the maximum, so that the first event is looked at, which sets @begun.
 */
struct scan_times {
	uint64_t nr, first, last, before;
	bool begun;
};

/* Takes the time of an event. Without @windowed, every event is in the window, and time is looked
 * at only at the first event and where it steps back.
 */
static __always_inline void scan_time(struct cpu_events *ce, struct scan_times *t,
				      uint64_t ts, bool in_window, bool windowed)
{
	if (windowed || unlikely(ts < t->before)) {
		uint64_t before = windowed || t->begun ? t->before : ce->last_ts;

		if (ts < before)
			count_backwards(ce->shared->stats, before - ts);
		if (in_window && ts < t->first)
			t->first = ts;
		if (windowed && in_window && ts > t->last)
			t->last = ts;
		if (!windowed && t->begun && t->before > t->last)
			t->last = t->before;
		t->begun = true;
	}
	t->before = ts;
	if (windowed)
		t->nr += in_window;
}

/* Counts the events of one batch. */
static void count_batch(struct cpu_events *ce, const struct scan_times *t, bool windowed)
{
	struct event_stream_stats *stats = ce->shared->stats;
	uint64_t last = !windowed && t->before > t->last ? t->before : t->last;

	if (windowed || t->nr)
		ce->last_ts = t->before;
	if (!t->nr)
		return;
	if (!stats->nr_events || t->first < stats->first_ts)
		stats->first_ts = t->first;
	stats->last_ts = LARGER(stats->last_ts, last);
	stats->nr_events += t->nr;
	ce->stats->nr_events += t->nr;
}

/* Ends the batch before item @end. Without a window, only events that are not items were counted so
 * far.
 */
static inline void end_batch(struct cpu_events *ce, struct cpu_batch *batch,
			     const struct raw_item *end, struct scan_times *t,
			     bool windowed)
{
	if (!windowed)
		t->nr += (uint32_t)(end - batch->items) - batch->nr;
	batch->nr = (uint32_t)(end - batch->items);
	count_batch(ce, t, windowed);
}

/* Layout of records: the common fields where nearly every kernel has them, in this machine's byte
 * order; or any, in either byte order.
 */
enum scan_as { SCAN_USUAL, SCAN_LITTLE_ENDIAN, SCAN_BIG_ENDIAN };

/* The format id of a record, and the task and context that wrote it. */
static __always_inline uint16_t scan_common(const struct event_common *common,
					    const uint8_t *data, enum scan_as as,
					    uint64_t *place)
{
	bool be = as == SCAN_BIG_ENDIAN;
	uint64_t word;

	if (as == SCAN_USUAL && !HOST_BIG_ENDIAN) {
		memcpy(&word, data, 8);
		*place = word & STACK_PLACE_BITS;
		return (uint16_t)word;
	}
	if (as == SCAN_USUAL)
		be = HOST_BIG_ENDIAN;
	*place = stack_place(data[common->flags_offset],
			     get_u32(data + common->pid_offset, be));
	return get_u16(data + common->type_offset, be);
}

static __always_inline bool is_in_window(const struct cpu_shared *sh, uint64_t ts)
{
	return ts >= sh->start_ts && ts <= sh->stop_ts;
}

/* Makes items of a sub-buffer's events. Every event passes here, so the compiler makes a separate
 * loop for each @as and @windowed. Without @windowed, every event is in the window. 0; -EBADMSG
 * where the rest is unreadable; -ENOMEM.
 */
static __always_inline int scan_events_as(struct cpu_events *ce, struct cpu_batch *batch,
					  const struct subbuf *sb, enum scan_as as,
					  const bool windowed)
{
	struct cpu_shared *const sh = ce->shared;
	const struct event_common common = sh->dec->common;
	const struct event_format *const *const formats = sh->formats;
	uint64_t *const by_id = sh->by_id;
	struct subbuf_iter it = subbuf_iter(sb, as == SCAN_USUAL ? HOST_BIG_ENDIAN
								 : as == SCAN_BIG_ENDIAN);
	struct scan_times times = { .first = UINT64_MAX,
				    .before = windowed ? ce->last_ts : UINT64_MAX };
	struct raw_item *item = batch->items + batch->nr;
	struct raw_record rec;
	int ret;

	while ((ret = subbuf_iter_next(&it, &rec)) > 0) {
		bool in_window = !windowed || is_in_window(sh, rec.ts);
		const struct event_format *fmt;
		uintptr_t *claim;
		uint64_t place;
		uint32_t size;
		uint16_t id;

		if (unlikely(rec.size < (as == SCAN_USUAL ? 8 : common.min_size))) {
			sh->stats->nr_undecodable += in_window;
			continue;
		}
		scan_time(ce, &times, rec.ts, in_window, windowed);
		id = scan_common(&common, rec.data, as, &place);
		by_id[id] += in_window;
		fmt = formats[id];
		claim = stack_claims_at_place(&ce->claims, place);
		size = rec.size;
		if (unlikely(!fmt || size < fmt->min_size)) {
			sh->stats->nr_undecodable += in_window;
			size |= RAW_BAD;
		} else if (fmt->type == KMEM_KERNEL_STACK) {
			ret = scan_stack(ce, fmt, &rec, claim, in_window);
			if (unlikely(ret < 0))
				break;
			if (unlikely(ret))
				*item++ = (struct raw_item){ rec.ts, rec.data, size,
							     sh->stack };
			else if (!windowed)
				times.nr++;
			continue;
		}
		if (windowed && unlikely(rec.ts > sh->stop_ts)) {
			ce->past_stop = true;
			break;
		}
		*claim = in_window ? (uintptr_t)item : CPU_SILENT;
		if (in_window)
			*item++ = (struct raw_item){ rec.ts, rec.data, size, 0 };
	}
	end_batch(ce, batch, item, &times, windowed);
	return ret < 0 ? ret : 0;
}

static int scan_events(struct cpu_events *ce, struct cpu_batch *batch,
		       const struct subbuf *sb)
{
	const struct cpu_shared *sh = ce->shared;
	bool be = sh->dec->big_endian;

	if (unlikely(sh->start_ts || sh->stop_ts != UINT64_MAX))
		return be ? scan_events_as(ce, batch, sb, SCAN_BIG_ENDIAN, true)
			  : scan_events_as(ce, batch, sb, SCAN_LITTLE_ENDIAN, true);
	if (be == HOST_BIG_ENDIAN && event_common_usual(&sh->dec->common))
		return scan_events_as(ce, batch, sb, SCAN_USUAL, false);
	return be ? scan_events_as(ce, batch, sb, SCAN_BIG_ENDIAN, false)
		  : scan_events_as(ce, batch, sb, SCAN_LITTLE_ENDIAN, false);
}

/* Fills the empty @batch from @sb. 0 or -ENOMEM. */
static int scan_subbuf(struct cpu_events *ce, struct cpu_batch *batch,
		       const struct subbuf *sb)
{
	struct event_stream_stats *stats = ce->shared->stats;
	/* Eight bytes is the shortest event with a header; one more item for a loss. */
	int ret = array_renew(&batch->items, &batch->capacity, sb->size / 8 + 2);

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
			"CPU %u: an event extends beyond its page at file offset %" PRIu64
			"; the rest of the page is skipped",
			ce->stats->cpu, sb->file_offset);
		ce->damaged = true;
		ret = 0;
	}
	stats->nr_pages++;
	stats->nr_bad_pages += ce->damaged;
	return ret;
}

/* Reads one step of the cursor into a batch at the end of the list. A damaged part is a step of its
 * own, without items, because it invalidates older sub-buffers, too. 0; -EIO, -ENOMEM.
 */
static int read_batch(struct cpu_events *ce)
{
	struct subbuf sb;
	int ret = append_batch(ce) ?: cpu_cursor_next(ce->cursor, &sb);

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
	ret = array_renew(&ce->last->items, &ce->last->capacity, 1);
	if (!ret)
		add_loss(ce, ce->last, ce->last_ts, 0);
	return ret;
}

/* The first claim from @i on that an item of @batch holds; STACK_CONTEXTS: none. */
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

/* Drops the claims of the batch being handed out: its events get no more stacks. */
static void drop_claims(struct cpu_events *ce)
{
	unsigned int i = 0;

	while ((i = claim_in(ce, ce->now, i)) < STACK_CONTEXTS)
		ce->claims.owners[i] = 0;
}

/* Copies data that the cursor's next two steps would invalidate. */
static int keep_data(struct cpu_batch *batch)
{
	if (batch->copy || !batch->size)
		return 0;
	batch->copy = malloc(batch->size);
	if (!batch->copy)
		return -ENOMEM;
	memcpy(batch->copy, batch->data, batch->size);
	for_each(item, batch->items, batch->nr) {
		if (item->data)
			item->data = batch->copy + (item->data - batch->data);
	}
	return 0;
}

/* If interrupts have filled whole sub-buffers after an item, reads on until its stack comes, can no
 * longer come, or enough is read.
 */
static int await_stacks(struct cpu_events *ce)
{
	uint64_t *bytes = &ce->shared->ahead_bytes;
	struct cpu_batch *batch;
	int ret = 0;

	while (!ret && !ce->ended && claim_in(ce, ce->now, 0) < STACK_CONTEXTS) {
		if (*bytes >= ce->shared->ahead_max) {
			ce->shared->stopped = true;
			break;
		}
		for (batch = ce->now; batch->next != ce->last;)
			batch = batch->next;
		ret = keep_data(batch) ?: read_batch(ce);
		batch = ce->last;
		batch->ahead_bytes =
			batch->capacity * sizeof(*batch->items) + batch->size;
		*bytes += batch->ahead_bytes;
	}
	return ret;
}

/* Removes the batch that was handed out from the list. */
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

int cpu_events_keep(struct cpu_events *ce)
{
	struct cpu_batch *batch;
	int ret = 0;

	while (!ret && !ce->ended)
		ret = read_batch(ce);
	for (batch = ce->now; batch && !ret; batch = batch->next)
		ret = keep_data(batch);
	return ret;
}

int cpu_events_feed(struct cpu_events *ce, const void *pages, size_t size)
{
	int ret = ce->now ? 0 : append_batch(ce);

	if (ret)
		return ret;
	cpu_cursor_feed(ce->cursor, pages, size);
	ce->ended = false;
	while (!ret && !ce->ended && !ce->now->next)
		ret = read_batch(ce);
	return ret ?: await_stacks(ce);
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
