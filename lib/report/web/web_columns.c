// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the numbers of a page about a recording, column by column.
 * In: its rows, cells, callchains and page frames. Out: bytes that a script reads without parsing.
 *
 * Most numbers are small and similar, so they compress well. A number that can be predicted from
 * others is written as its difference from the prediction.
 */
#include "base/bytes.h"
#include "report/web/web_report.h"

enum group { ROWS, CELLS, MARKS, STAYS, NODES, RUNS, NAMES, GROUPS };

static const char *const group_names[GROUPS] = { "rows",  "cells", "marks", "stays",
						 "nodes", "runs",  "names" };

static const struct {
	enum group group;
	const char *name;
} columns[] = {
	{ ROWS, "kind" },    { ROWS, "node" },	 { ROWS, "callsite" },
	{ ROWS, "cache" },   { ROWS, "order" },	 { ROWS, "type" },
	{ ROWS, "gfp" },     { ROWS, "peak" },	 { ROWS, "cells" },
	{ ROWS, "least" },   { ROWS, "range" },	 { ROWS, "unlikely" },
	{ ROWS, "process" }, { ROWS, "comm" },	 { ROWS, "cgroup" },
	{ ROWS, "entry" },   { ROWS, "line" },	 { ROWS, "unit" },
	{ CELLS, "bin" },    { CELLS, "hit" },	 { CELLS, "bytes" },
	{ CELLS, "waste" },  { CELLS, "net" },	 { MARKS, "bin" },
	{ MARKS, "lost" },   { MARKS, "gaps" },	 { MARKS, "failed" },
	{ STAYS, "row" },    { STAYS, "begin" }, { STAYS, "bins" },
	{ STAYS, "bytes" },  { NODES, "up" },	 { NODES, "name" },
	{ RUNS, "bins" },    { RUNS, "site" },	 { RUNS, "most" },
	{ RUNS, "pages" },   { NAMES, "dir" },
};

/* Does a part of the time have column @i? */
static bool of_part(size_t i)
{
	return columns[i].group == CELLS || columns[i].group == MARKS ||
	       (columns[i].group == ROWS &&
		(!strcmp(columns[i].name, "cells") || !strcmp(columns[i].name, "unit")));
}

static void add_name(struct json *j, size_t i)
{
	json_open(j, '[');
	json_string(j, group_names[columns[i].group]);
	json_string(j, columns[i].name);
	json_uint(j, of_part(i));
	json_close(j, ']');
}

void web_columns_names(struct json *j)
{
	JSON_KEY_ARRAY(j, "columns", i, ARRAY_SIZE(columns), add_name(j, i));
}

/* Predicts the bytes of one object: exact if all objects of the row have one size. */
static uint64_t unit_of(const struct web_report *w, const struct web_row *row)
{
	for (size_t i = row->first; i < row->first + row->nr; i++) {
		if (w->cells[i].hit)
			return w->cells[i].bytes / w->cells[i].hit;
	}
	return 0;
}

/* Figure @which of all rows. Doubles, like a script's numbers. */
static void fill_rows(const struct web_report *w, size_t which, double *to)
{
	for (size_t i = 0; i < w->nr_rows; i++) {
		const struct web_row *row = &w->rows[i];
		const uint64_t figures[] = { row->kind,
					     row->node,
					     row->callsite,
					     row->cache,
					     row->order,
					     row->migratetype,
					     row->gfp,
					     row->peak,
					     row->nr,
					     row->least,
					     row->most - row->least,
					     row->most - row->likely,
					     row->process,
					     row->comm,
					     row->cgroup,
					     row->entry,
					     row->line };

		to[i] = (double)(which < ARRAY_SIZE(figures) ? figures[which]
							     : unit_of(w, row));
	}
}

/* The same for all cells, row after row. Bytes are written as their difference from @hit times the
 * row's unit, requested and ended bytes as their difference from bytes.
 */
static void fill_cells(const struct web_report *w, size_t which, double *to)
{
	for_each(row, w->rows, w->nr_rows) {
		uint64_t unit = unit_of(w, row);

		for (size_t k = row->first; k < row->first + row->nr; k++) {
			const struct web_cell *c = &w->cells[k];
			const uint64_t figures[] = { c->bin, c->hit,
						     c->bytes - c->hit * unit,
						     c->bytes - c->bytes_req,
						     c->bytes - c->ended };

			*to++ = (double)(int64_t)figures[which];
		}
	}
}

static bool is_marked(const struct web_mark *m)
{
	return m->lost || m->gaps || m->failed;
}

/* The bins that have marks. */
static void fill_marks(const struct web_report *w, size_t which, double *to)
{
	for (uint32_t i = 0; i < w->nr_bins; i++) {
		const struct web_mark *m = &w->marks[i];
		const uint64_t figures[] = { i, m->lost, m->gaps, m->failed };

		if (is_marked(m))
			*to++ = (double)figures[which];
	}
}

/* For each stay: its row's distance from the previous one's; its begin; how many bins later it
 * ends; its bytes.
 */
static void fill_stays(const struct web_report *w, size_t which, double *to)
{
	uint32_t row = 0;

	for (size_t i = 0; i < w->nr_stays; row = w->stays[i++].row) {
		const struct web_stay *s = &w->stays[i];
		const uint64_t figures[] = { s->row - row, s->begin, s->end - s->begin,
					     s->bytes };

		to[i] = (double)figures[which];
	}
}

/* The distance to the node above, 0: none; or the node's name. */
static void fill_nodes(const struct web_report *w, size_t which, double *to)
{
	for (uint32_t i = 0; i < w->nr_nodes; i++) {
		const struct web_node *n = &w->nodes[i];

		to[i] = which ? n->name : n->up == UINT32_MAX ? 0 : i - n->up;
	}
}

static void fill_runs(const struct web_report *w, size_t which, double *to)
{
	for (size_t i = 0; i < w->frames.nr_runs; i++) {
		const struct web_run *run = &w->frames.runs[i];
		const uint64_t figures[] = { run->bins, run->callsite, run->most,
					     run->pages };

		to[i] = (double)figures[which];
	}
}

/* The directory of each name except number 0, which is unused. */
static void fill_names(const struct web_report *w, size_t which, double *to)
{
	for (size_t i = 0; w->dir_of && i < w->names.count; i++)
		to[i] = w->dir_of[i + 1];
}

static size_t group_size(const struct web_report *w, enum group group)
{
	const size_t sizes[GROUPS] = {
		[ROWS] = w->nr_rows,	    [CELLS] = w->nr_cells,
		[STAYS] = w->nr_stays,	    [NODES] = w->nr_nodes,
		[RUNS] = w->frames.nr_runs, [NAMES] = w->dir_of ? w->names.count : 0
	};
	size_t nr = sizes[group];

	for (uint32_t i = 0; group == MARKS && i < w->nr_bins; i++)
		nr += is_marked(&w->marks[i]);
	return nr;
}

/* The smallest type that holds all figures between @least and @most. */
static enum web_figure figure_of(double least, double most)
{
	if (least >= 0)
		return most <= UINT8_MAX    ? WEB_U8
		       : most <= UINT16_MAX ? WEB_U16
		       : most <= UINT32_MAX ? WEB_U32
					    : WEB_F64;
	return least >= INT8_MIN && most <= INT8_MAX	 ? WEB_S8
	       : least >= INT16_MIN && most <= INT16_MAX ? WEB_S16
	       : least >= INT32_MIN && most <= INT32_MAX ? WEB_S32
							 : WEB_F64;
}

static uint64_t bits_of(double figure, enum web_figure type)
{
	uint64_t bits;

	if (type != WEB_F64)
		return (uint64_t)(int64_t)figure;
	memcpy(&bits, &figure, sizeof(bits));
	return bits;
}

static int write_column(const double *figures, size_t nr, const struct render_out *out)
{
	static const unsigned char sizes[] = { 1, 2, 4, 1, 2, 4, 8 };
	double least = 0, most = 0;
	uint8_t *bytes __auto_mem = NULL;
	enum web_figure type;
	size_t size;

	for (size_t i = 0; i < nr; i++) {
		least = SMALLER(figures[i], least);
		most = LARGER(figures[i], most);
	}
	type = figure_of(least, most);
	size = (8 + nr * sizes[type] + 7) & ~(size_t)7;
	bytes = calloc(1, size);
	if (!bytes)
		return -ENOMEM;
	set_uint(bytes, nr, 4, false);
	set_uint(bytes + 4, type, 4, false);
	for (size_t i = 0; i < nr; i++)
		set_uint(bytes + 8 + i * sizes[type], bits_of(figures[i], type),
			 sizes[type], false);
	return out->write(out->ctx, (const char *)bytes, size);
}

int web_columns_write(const struct web_report *w, bool part, const struct render_out *out)
{
	static void (*const fill[GROUPS])(
		const struct web_report *w, size_t which,
		double *to) = { fill_rows,  fill_cells, fill_marks, fill_stays,
				fill_nodes, fill_runs,	fill_names };
	size_t which = 0;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(columns) && !ret; i++) {
		enum group group = columns[i].group;
		size_t nr = group_size(w, group);
		double *figures;

		which = i && columns[i - 1].group == group ? which + 1 : 0;
		if (part && !of_part(i))
			continue;
		figures = malloc((nr + 1) * sizeof(*figures));
		if (!figures)
			return -ENOMEM;
		fill[group](w, which, figures);
		/* Most such columns are all zeros, as a row's objects usually have one size and no
		 * waste.
		 */
		if (group == CELLS && !ANY(k, nr, figures[k]))
			nr = 0;
		ret = write_column(figures, nr, out);
		free(figures);
	}
	return ret;
}
