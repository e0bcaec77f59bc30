// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/time/over_time.h"

#include "base/array.h"

void over_time_init(struct over_time *t, uint64_t first, uint64_t last, uint32_t bins,
		    size_t limit)
{
	uint64_t span = less(last, first);
	uint64_t width = span / OVER_TIME_BINS + 1;

	/* A coarse clock may have fewer ticks than the limit of bins. */
	*t = (struct over_time){ .first = first,
				 .nr_bins = (uint32_t)(span / width) + 1,
				 .width = width,
				 .limit = limit };
	/* Coarse bins are made of fine ones, so that parts of a page with different bins agree. */
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

void over_time_init_parts(struct over_time *t, uint64_t first, uint64_t last,
			  uint32_t parts)
{
	uint64_t span = less(last, first);

	*t = (struct over_time){ .first = first,
				 .nr_bins = parts,
				 .width = parts ? span / parts + 1 : 0,
				 .limit = SIZE_MAX };
}

ORDER(by_bin, struct over_time_cell, UP(bin))

/* Adds up neighbouring cells of the row that have the same bin. */
static void merge(struct over_time *t, struct over_time_row *row)
{
	const uint32_t nr = row->nr;
	struct over_time_cell *end = row->cells;

	for (uint32_t i = 0; i < nr; i++) {
		if (end > row->cells && row->cells[i].bin == end[-1].bin)
			add(&end[-1], &row->cells[i]);
		else
			*end++ = row->cells[i];
	}
	row->nr = (uint32_t)(end - row->cells);
	t->nr_cells -= nr - row->nr;
	if (row->nr)
		row->latest = end[-1];
}

/* Puts all cells of the row in order of time. */
static void sort(struct over_time *t, struct over_time_row *row)
{
	if (row->nr)
		row->cells[row->nr - 1] = row->latest;
	if (likely(!row->backwards))
		return;
	qsort(row->cells, row->nr, sizeof(*row->cells), by_bin);
	merge(t, row);
	row->backwards = false;
}

void over_time_halve(struct over_time *t)
{
	uint32_t i;

	for_each(row, t->rows, t->nr_rows) {
		sort(t, row);
		for (i = 0; i < row->nr; i++)
			row->cells[i].bin /= 2;
		merge(t, row);
	}
	for (i = 0; i < OVER_TIME_BINS / 2; i++) {
		const struct web_mark *two = &t->marks[2 * i];

		t->marks[i] = (struct web_mark){ two[0].lost + two[1].lost,
						 two[0].gaps + two[1].gaps,
						 two[0].failed + two[1].failed };
	}
	for (; i < OVER_TIME_BINS; i++)
		t->marks[i] = (struct web_mark){ 0 };
	t->nr_bins = (t->nr_bins + 1) / 2;
	t->width *= 2;
	t->bin = 0;
}

void over_time_end(struct over_time *t)
{
	for_each(row, t->rows, t->nr_rows)
		sort(t, row);
}

static inline uint32_t bin_of(struct over_time *t, uint64_t ts)
{
	t->bin = over_time_bin(ts, t->first, t->width, t->nr_bins, t->bin);
	return t->bin;
}

/* Makes room for one more cell of the row. It starts with one, as many rows have few, and merges
 * cells of the same bin before it grows. 0 or -ENOMEM.
 */
static int make_room(struct over_time *t, struct over_time_row *row)
{
	const uint32_t capacity = row->capacity ? 2 * row->capacity : 1;
	struct over_time_cell *cells;

	if (row->nr < row->capacity)
		return 0;
	sort(t, row);
	if (row->nr < (row->capacity + 1) / 2)
		return 0;
	cells = reallocarray(row->cells, capacity, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	row->cells = cells;
	row->capacity = capacity;
	return 0;
}

/* Adds a cell in @bin to @row, even if there is one already. NULL: no memory. */
static struct over_time_cell *new_cell(struct over_time *t, struct over_time_row *row,
				       uint32_t bin)
{
	if (make_room(t, row)) {
		t->failed = true;
		return NULL;
	}
	if (row->nr) {
		row->cells[row->nr - 1] = row->latest;
		row->backwards |= row->latest.bin > bin;
	}
	row->latest = (struct over_time_cell){ .bin = bin };
	row->nr++;
	t->nr_cells++;
	return &row->latest;
}

/* The cell of row @number at @ts. NULL: no time, or no memory. */
static inline struct over_time_cell *cell_at(struct over_time *t, uint32_t number,
					     uint64_t ts)
{
	struct over_time_row *row;
	uint32_t bin;

	if (unlikely(number >= t->nr_rows)) {
		if (!t->nr_bins)
			return NULL;
		if (array_reach(&t->rows, &t->nr_rows, &t->capacity, number + 1UL)) {
			t->failed = true;
			return NULL;
		}
	}
	bin = bin_of(t, ts);
	row = &t->rows[number];
	if (likely(row->nr && row->latest.bin == bin))
		return &row->latest;
	if (unlikely(t->nr_cells >= t->limit) && t->nr_bins > 1) {
		over_time_halve(t);
		return cell_at(t, number, ts);
	}
	return new_cell(t, row, bin);
}

void over_time_add(struct over_time *t, uint32_t number, uint64_t ts,
		   const struct over_time_cell *what)
{
	struct over_time_cell *cell = cell_at(t, number, ts);

	if (cell)
		add(cell, what);
}

void over_time_add_life(struct over_time *t, uint32_t number, const struct life *life)
{
	struct over_time_cell *cell = cell_at(t, number, over_time_of(life));

	if (!cell)
		return;
	if (life->what != LIFE_BORN) {
		cell->ended += life->bytes;
		return;
	}
	cell->hit++;
	cell->bytes_req += life->bytes_req;
	cell->bytes += life->bytes;
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	for (const struct life *end = life + nr; life < end; life++)
		if (life_changes(life))
			over_time_add_life(ctx, life->row, life);
}

int over_time_observe(struct over_time *t, struct lives *of)
{
	return lives_observe(of, lived, t);
}

void over_time_events(struct over_time *t, const struct kmem_event *evs, size_t nr)
{
	const struct kmem_event *ev, *end = evs + nr;

	for (ev = evs; ev < end; ev++) {
		struct web_mark *marks;
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

const struct over_time_cell *over_time_cells(const struct over_time *t, size_t row,
					     uint32_t *nr)
{
	*nr = row < t->nr_rows ? t->rows[row].nr : 0;
	return *nr ? t->rows[row].cells : NULL;
}

void over_time_live(const struct over_time *t, size_t row, uint64_t *bins)
{
	uint64_t live = 0;
	uint32_t bin = 0, nr;
	const struct over_time_cell *c = over_time_cells(t, row, &nr);

	for (; bin < t->nr_bins; bin++) {
		if (nr && c->bin == bin) {
			live += c->bytes - c->ended;
			nr--;
			c++;
		}
		bins[bin] += live;
	}
}

void over_time_free(struct over_time *t)
{
	for_each(row, t->rows, t->nr_rows)
		free(row->cells);
	free(t->rows);
	*t = (struct over_time){ 0 };
}
