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

void over_time_init_parts(struct over_time *t, uint64_t first, uint64_t last,
			  uint32_t parts)
{
	uint64_t span = less(last, first);

	*t = (struct over_time){ .first = first,
				 .nr_bins = parts,
				 .width = parts ? span / parts + 1 : 0,
				 .limit = SIZE_MAX };
}

/* Adds @cell to the latest one of its row if that is of the same bin, else puts it at the end.
 * There is room.
 */
static void put(struct over_time *t, const struct over_time_cell *cell)
{
	uint32_t *latest = &t->rows[cell->row].latest;

	if (*latest && t->cells[*latest - 1].bin == cell->bin) {
		add(&t->cells[*latest - 1], cell);
		return;
	}
	t->cells[t->nr_cells++] = *cell;
	t->rows[cell->row].nr++;
	*latest = (uint32_t)t->nr_cells;
}

void over_time_halve(struct over_time *t)
{
	const size_t nr = t->nr_cells;
	size_t i;

	t->nr_cells = 0;
	for (i = 0; i < t->nr_rows; i++)
		t->rows[i].latest = t->rows[i].nr = 0;
	/* A cell is put at its own place or before it. */
	for (i = 0; i < nr; i++) {
		struct over_time_cell cell = t->cells[i];

		cell.bin /= 2;
		put(t, &cell);
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

static inline uint32_t bin_of(struct over_time *t, uint64_t ts)
{
	t->bin = over_time_bin(ts, t->first, t->width, t->nr_bins, t->bin);
	return t->bin;
}

ORDER(by_bin, struct over_time_cell, UP(bin))

/* Puts the cells of a row in order, adds up those of one bin, and moves them to @to, which is not
 * after them. Returns their end.
 */
static struct over_time_cell *sort_row(struct over_time *t, struct over_time_row *row,
				       struct over_time_cell *to)
{
	struct over_time_cell *of = t->cells + row->first, *end = to;

	qsort(of, row->nr, sizeof(*of), by_bin);
	for (uint32_t i = 0; i < row->nr; i++) {
		if (end > to && of[i].bin == end[-1].bin)
			add(&end[-1], &of[i]);
		else
			*end++ = of[i];
	}
	row->first = (uint32_t)(to - t->cells);
	row->nr = (uint32_t)(end - to);
	row->latest = row->nr ? (uint32_t)(end - t->cells) : 0;
	return end;
}

void over_time_end(struct over_time *t)
{
	struct over_time_cell *sorted = NULL, *end;
	size_t capacity = 0;
	uint32_t first = 0;

	if (array_reserve(&sorted, &capacity, t->nr_cells + 1)) {
		t->failed = true;
		return;
	}
	for_each(row, t->rows, t->nr_rows) {
		row->first = first;
		first += row->nr;
		row->nr = 0;
	}
	for_each(cell, t->cells, t->nr_cells) {
		struct over_time_row *row = &t->rows[cell->row];

		sorted[row->first + row->nr++] = *cell;
	}
	free(t->cells);
	t->cells = end = sorted;
	t->capacity = t->nr_cells;
	if (!t->backwards)
		return;
	for_each(row, t->rows, t->nr_rows)
		end = sort_row(t, row, end);
	t->nr_cells = (size_t)(end - sorted);
	t->backwards = false;
}

/* A new cell of @row in @bin, or a further one. NULL: no memory. */
static struct over_time_cell *new_cell(struct over_time *t, uint32_t row, uint32_t bin)
{
	struct over_time_cell *cell;
	uint32_t latest = t->rows[row].latest;

	t->backwards |= latest && t->cells[latest - 1].bin > bin;
	if (unlikely(t->backwards && t->nr_cells == t->capacity)) {
		over_time_end(t); /* adds up cells of one bin instead of growing */
		t->failed |= array_reserve(&t->cells, &t->capacity, 2 * t->nr_cells) != 0;
	}
	if (t->failed || array_reserve(&t->cells, &t->capacity, t->nr_cells + 1)) {
		t->failed = true;
		return NULL;
	}
	cell = &t->cells[t->nr_cells++];
	*cell = (struct over_time_cell){ .row = row, .bin = bin };
	t->rows[row].latest = (uint32_t)t->nr_cells;
	t->rows[row].nr++;
	return cell;
}

/* The cell of row @number at @ts. NULL: no time, or no memory. */
static inline struct over_time_cell *cell_at(struct over_time *t, uint32_t number,
					     uint64_t ts)
{
	uint32_t bin, latest;

	if (unlikely(number >= t->nr_rows)) {
		if (!t->nr_bins)
			return NULL;
		if (array_reach(&t->rows, &t->nr_rows, &t->rows_capacity, number + 1UL)) {
			t->failed = true;
			return NULL;
		}
	}
	bin = bin_of(t, ts);
	latest = t->rows[number].latest;
	if (likely(latest && t->cells[latest - 1].bin == bin))
		return &t->cells[latest - 1];
	if (unlikely(t->nr_cells >= t->limit) && t->nr_bins > 1) {
		over_time_halve(t);
		return cell_at(t, number, ts);
	}
	return new_cell(t, number, bin);
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
	return *nr ? &t->cells[t->rows[row].first] : NULL;
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
	free(t->cells);
	free(t->rows);
	*t = (struct over_time){ 0 };
}
