// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/browse/report_log.h"

#include "base/keyed.h"
#include "base/number.h"

#define ROW_BITS 30
/* Enough for REPORT_PART_BINS. */
#define BIN_BITS 13

_Static_assert(REPORT_PART_BINS <= 1U << BIN_BITS, "a bin does not fit into its bits");
_Static_assert(MEMORY_KINDS <= 1U << (32 - ROW_BITS), "a kind does not fit beside a row");

/* Rows of events that are not memory; their "bytes" count the events. A page does not show them as
 * rows.
 */
#define ROW_FAILED (UINT32_MAX - 2)
#define ROW_GAP	   (UINT32_MAX - 1)
#define ROW_LOST   UINT32_MAX
#define ROWS_END   ((1U << ROW_BITS) - 3)

static void drop(struct report_log *log)
{
	free(log->changes);
	log->changes = NULL;
	log->nr = 0;
	log->full = true;
}

static void keep(struct report_log *log, const struct report_change *change)
{
	size_t limit = log->limit ? log->limit : REPORT_LOG_MAX;

	if (log->full)
		return;
	if (log->nr >= limit || array_grow(&log->changes, log->nr)) {
		drop(log);
		return;
	}
	log->changes[log->nr] = *change;
	if (change->ts < log->first || change->ts > log->last)
		log->changes[log->nr].ts =
			change->ts < log->first ? log->first : log->last;
	log->nr++;
}

/* A life without an end event ends at the very end, as its time is unknown. */
static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;
	struct report_log *log = ctx;

	pthread_mutex_lock(&log->lock);
	for (; life < end; life++) {
		uint64_t waste = life->bytes - life->bytes_req;
		bool born = life->what == LIFE_BORN;
		struct report_change change = {
			.ts = life->event ? life->event->ts : UINT64_MAX,
			.bytes = born ? (int64_t)life->bytes : ~(int64_t)life->bytes,
			.row = (uint32_t)of->kind->memory << ROW_BITS | life->row,
		};

		if (!life_changes(life))
			continue;
		if (life->row >= ROWS_END || (int64_t)life->bytes < 0)
			drop(log); /* a damaged recording */
		if (born && life->bytes_req < life->bytes)
			change.waste = waste < UINT32_MAX ? (uint32_t)waste : UINT32_MAX;
		keep(log, &change);
	}
	pthread_mutex_unlock(&log->lock);
}

int report_log_observe(struct report_log *log, struct lives *const of[MEMORY_KINDS],
		       uint64_t first, uint64_t last)
{
	int ret = 0;

	pthread_mutex_init(&log->lock, NULL);
	log->first = first;
	log->last = LARGER(first, last);
	for (int i = 0; i < MEMORY_KINDS && !ret; i++)
		ret = of[i] ? lives_observe(of[i], lived, log) : 0;
	return ret;
}

void report_log_events(struct report_log *log, const struct kmem_event *evs, size_t nr)
{
	const struct kmem_event *ev, *end = evs + nr;

	for (ev = evs; ev < end; ev++) {
		struct report_change change = { .ts = ev->ts, .bytes = 1 };
		bool failed = kmem_alloc_failed(ev);

		if (likely(ev->type != KMEM_LOSS && !failed))
			continue;
		change.row = ROW_FAILED;
		if (ev->type == KMEM_LOSS) {
			bool unknown = ev->loss.count == KMEM_LOSS_UNKNOWN;

			change.row = unknown ? ROW_GAP : ROW_LOST;
			change.bytes =
				unknown ? 1 : (int64_t)(ev->loss.count & INT64_MAX);
		}
		if (ev->type != KMEM_LOSS && ev->hidden)
			continue;
		pthread_mutex_lock(&log->lock);
		keep(log, &change);
		pthread_mutex_unlock(&log->lock);
	}
}

void report_log_rows(struct report_log *log, enum memory memory, uint32_t *of, size_t nr)
{
	free(log->of[memory]);
	log->of[memory] = of;
	log->nr_of[memory] = nr;
}

void report_log_end(struct report_log *log, size_t nr_rows)
{
	for_each(c, log->changes, log->nr) {
		uint32_t memory = c->row >> ROW_BITS,
			 row = c->row & ((1U << ROW_BITS) - 1);

		if (c->row < ROW_FAILED)
			c->row = row < log->nr_of[memory] ? log->of[memory][row]
							  : (uint32_t)nr_rows;
	}
	for (int i = 0; i < MEMORY_KINDS; i++)
		report_log_rows(log, (enum memory)i, NULL, 0);
	log->nr_rows = (uint32_t)nr_rows;
}

static bool parse_number(const char **text, char end, uint64_t *number)
{
	if (number_read(text, NULL, 10, INT64_MAX, number) ||
	    (**text != end && (**text || end != ';')))
		return false;
	*text += **text != '\0';
	return true;
}

int report_pieces_parse(const char *text, struct report_piece *pieces)
{
	uint64_t nr, left = REPORT_PART_BINS, past = 0, bins;
	unsigned int i;

	for (i = 0; *text; i++) {
		struct report_piece *p = &pieces[i];

		if (i == REPORT_PART_PIECES || !parse_number(&text, ',', &p->start) ||
		    !parse_number(&text, ',', &p->length) ||
		    !parse_number(&text, ',', &p->width) ||
		    !parse_number(&text, ';', &nr))
			return -EINVAL;
		if (!nr || !p->width || p->width > p->length || p->start < past ||
		    p->length > (INT64_MAX - p->start) / nr)
			return -EINVAL;
		bins = (p->length - 1) / p->width + 1;
		if (bins > left / nr)
			return -EINVAL;
		p->nr = (uint32_t)nr;
		p->bins = (uint32_t)bins;
		left -= bins * nr;
		past = p->start + p->length * nr;
	}
	return i ? (int)i : -EINVAL;
}

/* A part under construction. @cells: by row and bin. */
struct making {
	const struct report_piece *pieces;
	size_t nr_pieces;
	INDEXED(struct web_cell) cells;
	struct web_report *part;
};

/* The bin of @offset; UINT32_MAX: it is in no piece. */
static uint32_t bin_of(const struct making *m, uint64_t offset)
{
	uint32_t before = 0;

	for_each(p, m->pieces, m->nr_pieces) {
		uint64_t in = offset - p->start;

		if (offset < p->start)
			break;
		if (in < p->length * p->nr)
			return before + (uint32_t)(in / p->length) * p->bins +
			       (uint32_t)(in % p->length / p->width);
		before += p->nr * p->bins;
	}
	return UINT32_MAX;
}

static int add(struct making *m, const struct report_change *c, uint32_t bin)
{
	uint64_t key = (uint64_t)c->row << BIN_BITS | bin;
	struct web_cell *cell = INDEXED_ITEM(&m->cells, key);

	if (!cell)
		return -ENOMEM;
	if (m->cells.nr > REPORT_PART_CELLS)
		return -E2BIG;
	cell->bin = bin;
	if (c->bytes < 0) {
		cell->ended += (uint64_t)~c->bytes;
		return 0;
	}
	cell->hit++;
	cell->bytes += (uint64_t)c->bytes;
	cell->bytes_req += (uint64_t)c->bytes - c->waste;
	return 0;
}

static void add_mark(struct web_mark *mark, const struct report_change *c)
{
	if (c->row == ROW_LOST)
		mark->lost += (uint64_t)c->bytes;
	else if (c->row == ROW_GAP)
		mark->gaps++;
	else
		mark->failed++;
}

/* Puts the cells in order of rows and time. */
static int sort_cells(struct making *m)
{
	struct web_report *part = m->part;
	struct u64_map_slot *sorted = u64_map_sorted(&m->cells.index);

	part->nr_cells = m->cells.nr;
	part->cells = calloc(part->nr_cells + 1, sizeof(*part->cells));
	for (size_t i = 0; sorted && part->cells && i < part->nr_cells; i++) {
		struct web_row *row = &part->rows[sorted[i].key >> BIN_BITS];

		part->cells[i] = m->cells.of[sorted[i].value];
		row->first = row->nr++ ? row->first : i;
	}
	free(sorted);
	return sorted && part->cells ? 0 : -ENOMEM;
}

int report_log_part(const struct report_log *log, const struct report_piece *pieces,
		    size_t nr, struct web_report *part)
{
	struct making m = { .pieces = pieces, .nr_pieces = nr, .part = part };
	int ret = 0;

	if (log->full || !log->nr)
		return -ENODATA;
	for (size_t i = 0; i < nr; i++)
		part->nr_bins += pieces[i].nr * pieces[i].bins;
	part->nr_rows = log->nr_rows;
	part->rows = calloc(part->nr_rows + 1UL, sizeof(*part->rows));
	part->marks = calloc(part->nr_bins, sizeof(*part->marks));
	if (!part->rows || !part->marks)
		return -ENOMEM;
	for (size_t i = 0; i < log->nr && !ret; i++) {
		const struct report_change *c = &log->changes[i];
		uint32_t bin = bin_of(&m, c->ts - log->first);

		if (bin == UINT32_MAX)
			continue;
		if (c->row >= ROW_FAILED)
			add_mark(&part->marks[bin], c);
		else if (c->row < part->nr_rows)
			ret = add(&m, c, bin);
	}
	ret = ret ?: sort_cells(&m);
	INDEXED_FREE(&m.cells);
	return ret;
}

void report_log_free(struct report_log *log)
{
	for (int i = 0; i < MEMORY_KINDS; i++)
		free(log->of[i]);
	free(log->changes);
	pthread_mutex_destroy(&log->lock);
	*log = (struct report_log){ 0 };
}
