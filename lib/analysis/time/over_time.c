// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/time/over_time.h"

#include "base/array.h"

void over_time_init(struct over_time *t, uint64_t first, uint64_t last, uint32_t bins,
		    size_t limit)
{
	uint64_t span = last > first ? last - first : 0;
	uint64_t width = span / OVER_TIME_BINS + 1;

	/* A coarse clock may have fewer ticks than the limit of bins. */
	*t = (struct over_time){ .first = first,
				 .nr_bins = (uint32_t)(span / width) + 1,
				 .width = width,
				 .limit = limit };
	/* Coarse bins are made of fine ones: parts of a page that have different ones agree. */
	for (; t->nr_bins > bins && t->nr_bins > 1; t->nr_bins = (t->nr_bins + 1) / 2)
		t->width *= 2;
}

static void add(struct over_time_cell *to, const struct over_time_cell *from)
{
	to->hit += from->hit;
	to->bytes_req += from->bytes_req;
	to->bytes += from->bytes;
	to->ended += from->ended;
}

/* Copies the row's cells from @old after the existing ones, with bins merged in pairs. */
static void halve_row(struct over_time *t, struct over_time_row *row,
		      const struct over_time_cell *old)
{
	uint32_t from = row->first;

	*row = (struct over_time_row){ 0 };
	for (; from; from = old[from - 1].next) {
		struct over_time_cell cell = old[from - 1];

		cell.bin /= 2;
		cell.next = 0;
		if (row->last && t->cells[row->last - 1].bin == cell.bin) {
			add(&t->cells[row->last - 1], &cell);
			continue;
		}
		t->cells[t->nr_cells++] = cell;
		if (row->last)
			t->cells[row->last - 1].next = (uint32_t)t->nr_cells;
		else
			row->first = (uint32_t)t->nr_cells;
		row->last = (uint32_t)t->nr_cells;
	}
}

/* Merges bins in pairs. The new cells need as much memory as the old ones. */
static void halve(struct over_time *t)
{
	struct over_time_cell *old = t->cells;
	size_t i, kind;

	t->cells = malloc(t->capacity * sizeof(*t->cells));
	if (!t->cells) {
		t->cells = old;
		t->failed = true;
		return;
	}
	t->nr_cells = 0;
	for (kind = 0; kind < MEMORY_KINDS; kind++)
		for (i = 0; i < t->rows[kind].nr; i++)
			halve_row(t, &t->rows[kind].rows[i], old);
	free(old);
	for (i = 0; i < OVER_TIME_BINS / 2; i++) {
		const struct over_time_marks *two = &t->marks[2 * i];

		t->marks[i] = (struct over_time_marks){ two[0].lost + two[1].lost,
							two[0].gaps + two[1].gaps,
							two[0].failed + two[1].failed };
	}
	for (; i < OVER_TIME_BINS; i++)
		t->marks[i] = (struct over_time_marks){ 0 };
	t->nr_bins = (t->nr_bins + 1) / 2;
	t->width *= 2;
	t->bin_first = t->first;
	t->bin = 0;
}

/* Times outside the range, from a damaged recording, go to the first or last bin. */
static uint32_t bin_of(struct over_time *t, uint64_t ts)
{
	uint64_t bin;

	/* The bins of neighbouring events are mostly the same, and a division takes long. */
	if (likely(ts - t->bin_first < t->width && t->bin_first >= t->first))
		return t->bin;
	bin = ts > t->first ? (ts - t->first) / t->width : 0;
	if (bin >= t->nr_bins)
		return t->nr_bins - 1;
	t->bin = (uint32_t)bin;
	t->bin_first = t->first + bin * t->width;
	return t->bin;
}

/* The cell of @row in @bin. Clocks may run backwards: then the row's cells are searched. */
static struct over_time_cell *cell_of(struct over_time *t, struct over_time_row *row,
				      uint32_t bin)
{
	uint32_t before = row->last;

	if (likely(before && t->cells[before - 1].bin == bin))
		return &t->cells[before - 1];
	if (unlikely(before && t->cells[before - 1].bin > bin)) {
		uint32_t at = row->first;

		for (before = 0; t->cells[at - 1].bin < bin; at = t->cells[at - 1].next)
			before = at;
		if (t->cells[at - 1].bin == bin)
			return &t->cells[at - 1];
	}
	if (array_reserve(&t->cells, &t->capacity, t->nr_cells + 1, sizeof(*t->cells))) {
		t->failed = true;
		return NULL;
	}
	t->cells[t->nr_cells] = (struct over_time_cell){
		.bin = bin, .next = before ? t->cells[before - 1].next : row->first
	};
	t->nr_cells++;
	if (before == row->last)
		row->last = (uint32_t)t->nr_cells;
	if (before)
		t->cells[before - 1].next = (uint32_t)t->nr_cells;
	else
		row->first = (uint32_t)t->nr_cells;
	return &t->cells[t->nr_cells - 1];
}

/* Adds @what to row @number at @ts. */
static void take(struct over_time *t, struct over_time_rows *rows, uint32_t number,
		 uint64_t ts, const struct over_time_cell *what)
{
	struct over_time_cell *cell;

	if (unlikely(number >= rows->nr) &&
	    array_reach(&rows->rows, &rows->nr, &rows->capacity, number + 1UL,
			sizeof(*rows->rows))) {
		t->failed = true;
		return;
	}
	if (unlikely(t->nr_cells >= t->limit) && t->nr_bins > 1)
		halve(t);
	cell = t->failed ? NULL : cell_of(t, &rows->rows[number], bin_of(t, ts));
	if (cell)
		add(cell, what);
}

/* Lives without an end event end at the very end, as their time is unknown. */
static uint64_t when(const struct kmem_event *ev)
{
	return ev ? ev->ts : UINT64_MAX;
}

void over_time_add(struct over_time *t, enum memory memory, uint32_t number,
		   const struct kmem_event *ev, const struct over_time_cell *what)
{
	take(t, &t->rows[memory], number, when(ev), what);
}

void over_time_add_life(struct over_time *t, enum memory memory, uint32_t number,
			const struct life *life)
{
	const struct over_time_cell born = { .hit = 1,
					     .bytes_req = life->bytes_req,
					     .bytes = life->bytes };
	const struct over_time_cell ended = { .ended = life->bytes };

	take(t, &t->rows[memory], number, when(life->event),
	     life->what == LIFE_BORN ? &born : &ended);
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	for (const struct life *end = life + nr; life < end; life++)
		if (life_changes(life))
			over_time_add_life(ctx, of->kind->memory, life->row, life);
}

int over_time_observe(struct over_time *t, struct lives *const of[MEMORY_KINDS])
{
	int ret = 0, i;

	for (i = 0; i < MEMORY_KINDS && !ret; i++)
		ret = of[i] ? lives_observe(of[i], lived, t) : 0;
	return ret;
}

void over_time_events(struct over_time *t, const struct kmem_event *evs, size_t nr)
{
	const struct kmem_event *ev, *end = evs + nr;

	for (ev = evs; ev < end; ev++) {
		struct over_time_marks *marks;
		bool failed = kmem_alloc_failed(ev);

		if (likely(ev->type != KMEM_LOSS && !failed))
			continue;
		marks = &t->marks[bin_of(t, ev->ts)];
		if (ev->type != KMEM_LOSS)
			marks->failed += !ev->hidden;
		else if (ev->loss.count == KMEM_LOSS_UNKNOWN)
			marks->gaps++;
		else
			marks->lost += ev->loss.count;
	}
}

const struct over_time_cell *over_time_first(const struct over_time *t,
					     enum memory memory, size_t row)
{
	const struct over_time_rows *rows = &t->rows[memory];
	uint32_t first = row < rows->nr ? rows->rows[row].first : 0;

	return first ? &t->cells[first - 1] : NULL;
}

const struct over_time_cell *over_time_next(const struct over_time *t,
					    const struct over_time_cell *cell)
{
	return cell->next ? &t->cells[cell->next - 1] : NULL;
}

void over_time_free(struct over_time *t)
{
	free(t->cells);
	for (int i = 0; i < MEMORY_KINDS; i++)
		free(t->rows[i].rows);
	*t = (struct over_time){ 0 };
}
