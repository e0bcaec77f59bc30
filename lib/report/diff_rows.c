// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff_rows.h"

#include <math.h>

#include "report/stats.h"

#define EXACT_MAX \
	9007199254740992.0 /* 2^53: doubles up to here hold every whole number */

struct cell diff_cell(double f, bool is_signed)
{
	if (isnan(f) || isinf(f))
		return (struct cell){ .type = CELL_NONE };
	if (f == floor(f) && fabs(f) <= EXACT_MAX)
		return is_signed || f < 0 ? cell_int((int64_t)f) : cell_uint((uint64_t)f);
	return cell_real(f);
}

static size_t place(const struct diff_rows *d, size_t row, size_t metric, size_t run)
{
	return (row * d->o->nr_metrics + metric) * d->sides->nr + run;
}

double diff_rows_raw(const struct diff_rows *d, size_t row, size_t metric, size_t run)
{
	return d->numbers[place(d, row, metric, run)].raw;
}

const struct diff_value *diff_rows_value(const struct diff_rows *d, size_t row,
					 size_t metric)
{
	return &d->values[row * d->o->nr_metrics + metric];
}

static double number_or_0(const struct cell *c)
{
	double f = cell_as_real(c);

	return isnan(f) ? 0 : f;
}

/* Numbers the names of all runs' rows. */
static int collect_keys(struct diff_rows *d)
{
	for (size_t run = 0; run < d->sides->nr; run++) {
		const struct table *t = d->sides->runs[run].table;
		int by = t->by ? table_column(t, t->by) : -1;

		if (by < 0)
			return -EINVAL;
		for (size_t row = 0; row < t->nr_rows; row++) {
			const struct cell *c =
				&t->cells[row * t->nr_columns + (size_t)by];

			if (c->type != CELL_TEXT)
				return -EINVAL;
			if (!intern_id(&d->keys, c->s, strlen(c->s)))
				return -ENOMEM;
		}
	}
	d->nr = d->keys.count + 1UL; /* and the sum */
	return 0;
}

static int allocate(struct diff_rows *d)
{
	size_t values, raw;

	if (__builtin_mul_overflow(d->nr, d->o->nr_metrics, &values) ||
	    __builtin_mul_overflow(values, d->sides->nr, &raw))
		return -ENOMEM;
	d->values = calloc(values, sizeof(*d->values));
	d->numbers = calloc(raw, sizeof(*d->numbers));
	d->unseen = calloc(raw / d->nr, sizeof(*d->unseen));
	d->rows = calloc(d->nr, sizeof(*d->rows));
	return d->values && d->numbers && d->unseen && d->rows ? 0 : -ENOMEM;
}

/* What a run's table says about a metric of a row: the value, the least that it can be, and its
 * interval.
 */
enum said { SAID_VALUE, SAID_LEAST, SAID_LOW, SAID_HIGH, SAID };

/* The cell of row @i in column @column of @t, or after the last row, its sum @name. */
static const struct cell *cell_of(const struct table *t, size_t i, int column,
				  const char *name)
{
	return i < t->nr_rows ? table_cell(t, i, column) : table_sum(t, name);
}

/* The joined row to which row @i of @t belongs; @by: the column with its name. */
static size_t row_of(const struct diff_rows *d, const struct table *t, size_t i, int by)
{
	const char *name = i < t->nr_rows ? table_text(t, i, by) : "";

	return i < t->nr_rows ? intern_find(&d->keys, name, strlen(name)) - 1UL
			      : d->nr - 1;
}

/* Several rows without a name may be joined to one: their uncertainties add up. */
static void add(struct diff_number *n, const struct cell *const cells[SAID],
		double divisor)
{
	double value = number_or_0(cells[SAID_VALUE]);

	n->raw += value / divisor;
	if (cells[SAID_LEAST] && cells[SAID_LEAST]->type != CELL_NONE)
		n->slack += (value - number_or_0(cells[SAID_LEAST])) / divisor;
	if (!cells[SAID_LOW] || !cells[SAID_HIGH])
		return;
	n->below += (value - number_or_0(cells[SAID_LOW])) / divisor;
	n->above += (number_or_0(cells[SAID_HIGH]) - value) / divisor;
}

/* Reads metric @m of run @run into all rows. */
static int read_metric(struct diff_rows *d, size_t m, size_t run)
{
	const struct diff_metric *metric = &d->o->metrics[m];
	const char *const names[SAID] = { metric->name, metric->least, metric->low,
					  metric->high };
	const struct diff_run *from = &d->sides->runs[run];
	const struct table *t = from->table;
	double divisor = metric->height ? 1 : from->divisor;
	const struct cell *sum = table_sum(t, metric->name);
	const struct cell *missing = table_sum(t, metric->missing);
	int columns[SAID], by = table_column(t, t->by);

	for (int k = 0; k < SAID; k++)
		columns[k] = names[k] ? table_column(t, names[k]) : -1;
	if (columns[SAID_VALUE] < 0 || !sum)
		return -EINVAL;
	d->missing[m] |= sum->type == CELL_NONE;
	if (missing)
		d->unseen[m * d->sides->nr + run] = number_or_0(missing) / divisor;
	for (size_t i = 0; i <= t->nr_rows; i++) {
		size_t row = row_of(d, t, i, by);
		const struct cell *cells[SAID];

		for (int k = 0; k < SAID; k++)
			cells[k] = cell_of(t, i, columns[k], names[k]);
		add(&d->numbers[place(d, row, m, run)], cells, divisor);
		*(run < d->sides->nr_old ? &d->rows[row].in_old : &d->rows[row].in_new) =
			true;
	}
	return 0;
}

/* Reads the most that one event of each row added, in run @run. */
static int read_largest(struct diff_rows *d, size_t run)
{
	const struct table *t = d->sides->runs[run].table;
	const char *name = d->o->largest;
	int column = table_column(t, name), by = table_column(t, t->by);

	if (column < 0 || !table_sum(t, name))
		return -EINVAL;
	for (size_t i = 0; i <= t->nr_rows; i++) {
		double *largest = &d->rows[row_of(d, t, i, by)].largest;

		*largest = fmax(*largest, number_or_0(cell_of(t, i, column, name)));
	}
	return 0;
}

/* How far each side may be off: the worst of its runs. */
static void uncertainty(const struct diff_rows *d, size_t row, size_t m, double worst[2])
{
	double size = m == d->o->count ? 1 : d->rows[row].largest;

	worst[0] = worst[1] = 0;
	for (size_t run = 0; run < d->sides->nr; run++) {
		const struct diff_run *r = &d->sides->runs[run];
		double divisor = d->o->metrics[m].height ? 1 : r->divisor;
		double off = d->numbers[place(d, row, m, run)].slack;
		bool new = run >= d->sides->nr_old;

		if (r->lost > 0 && size > 0)
			off += r->lost * size / divisor;
		worst[new] = fmax(worst[new], off);
	}
}

/* Is the table of @run estimated from a sample? */
static bool run_sampled(const struct diff_rows *d, size_t m, size_t run)
{
	const char *low = d->o->metrics[m].low;

	return low && table_column(d->sides->runs[run].table, low) >= 0;
}

/* How far each side's estimate may be off: the worst of its runs. A row that is absent from a
 * sample may have as much as the sample can miss, or as much as another run shows: the upper
 * uncertainty of an estimate, or the value of an exact run. The larger one counts.
 */
static void sampling(const struct diff_rows *d, size_t row, size_t m, double below[2],
		     double above[2])
{
	double most = 0;

	for (size_t run = 0; run < d->sides->nr; run++) {
		size_t at = place(d, row, m, run);

		most = fmax(most, run_sampled(d, m, run) ? d->numbers[at].above
							 : d->numbers[at].raw);
	}
	below[0] = below[1] = above[0] = above[1] = 0;
	for (size_t run = 0; run < d->sides->nr; run++) {
		size_t at = place(d, row, m, run);
		bool new = run >= d->sides->nr_old;
		bool absent = run_sampled(d, m, run) && !(d->numbers[at].above > 0);
		double unseen = d->unseen[m * d->sides->nr + run];

		below[new] = fmax(below[new], d->numbers[at].below);
		above[new] = fmax(above[new],
				  absent ? fmax(most, unseen) : d->numbers[at].above);
	}
}

/* Derives the interval of the difference of two estimates from their intervals (G. Y. Zou and A.
 * Donner, "Construction of confidence limits about effect measures", 2008): the uncertainty is the
 * distance from the difference to the end closer to zero.
 */
static void add_sampling(const struct diff_rows *d, size_t row, size_t m,
			 struct diff_value *v)
{
	double below[2], above[2];

	sampling(d, row, m, below, above);
	v->uncertainty +=
		v->new > v->old ? hypot(below[1], above[0]) : hypot(above[1], below[0]);
	v->new_uncertainty += fmax(below[1], above[1]);
}

static int work_out(struct diff_rows *d, size_t row, size_t m, double *scratch)
{
	struct diff_value *v = &d->values[row * d->o->nr_metrics + m];
	double *new_values = scratch + d->sides->nr_old;
	size_t nr_old = d->sides->nr_old, nr_new = d->sides->nr - nr_old;
	struct runs_summary old, new;
	double off[2];
	int err;

	uncertainty(d, row, m, off);
	for (size_t run = 0; run < d->sides->nr; run++)
		scratch[run] = diff_rows_raw(d, row, m, run);
	old = runs_summarise(scratch, nr_old);
	new = runs_summarise(new_values, nr_new);
	*v = (struct diff_value){ .old = old.median,
				  .new = new.median,
				  .old_spread = old.spread,
				  .new_spread = new.spread,
				  .p = NAN,
				  .q = NAN,
				  .uncertainty = off[0] + off[1],
				  .new_uncertainty = off[1] };
	add_sampling(d, row, m, v);
	v->same = old.min == old.max && new.min == new.max &&old.min == new.min;
	/* If all runs agree there is nothing to test. */
	if (!diff_can_tell(d->sides) || v->same)
		return 0;
	err = mann_whitney_test(scratch, nr_old, new_values, nr_new, &v->p);
	v->q = v->p;
	return err;
}

/* Corrects @q for the number of rows tested. The sum is not one of them. */
static int correct(struct diff_rows *d, size_t m)
{
	size_t rows = d->nr ? d->nr - 1 : 0;
	double *q __auto_mem = calloc(d->nr, sizeof(*q));
	long nr;

	if (!q)
		return -ENOMEM;
	for (size_t row = 0; row < rows; row++)
		q[row] = diff_rows_value(d, row, m)->p;
	nr = adjust_benjamini_hochberg(q, rows);
	for (size_t row = 0; row < rows && nr >= 0; row++)
		d->values[row * d->o->nr_metrics + m].q = q[row];
	if (m == d->o->shown[0] && nr > 0)
		d->nr_tests = (size_t)nr;
	return nr < 0 ? (int)nr : 0;
}

int diff_rows_init(struct diff_rows *d, const struct diff_sides *sides,
		   const struct diff_options *o)
{
	double *scratch __auto_mem = calloc(sides->nr ? sides->nr : 1, sizeof(*scratch));
	int err;

	*d = (struct diff_rows){ .sides = sides, .o = o };
	err = scratch ? collect_keys(d) : -ENOMEM;
	if (!err && (!sides->nr_old || sides->nr_old >= sides->nr))
		err = -EINVAL;
	err = err ?: allocate(d);
	for (size_t run = 0; run < sides->nr && !err; run++)
		err = read_largest(d, run);
	for (size_t m = 0; m < o->nr_metrics && !err; m++) {
		for (size_t run = 0; run < sides->nr && !err; run++)
			err = read_metric(d, m, run);
	}
	for (size_t m = 0; m < o->nr_metrics && !err; m++) {
		for (size_t row = 0; row < d->nr && !err; row++)
			err = work_out(d, row, m, scratch);
		err = err ?: correct(d, m);
	}
	return err;
}

void diff_rows_free(struct diff_rows *d)
{
	intern_free(&d->keys);
	free(d->numbers);
	free(d->rows);
	free(d->unseen);
	free(d->values);
	*d = (struct diff_rows){ 0 };
}
