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

bool diff_can_tell(const struct diff_sides *sides)
{
	return sides->nr_old >= DIFF_RUNS_TO_TELL &&
	       sides->nr - sides->nr_old >= DIFF_RUNS_TO_TELL;
}

static size_t place(const struct diff_rows *d, size_t row, size_t metric, size_t run)
{
	return (row * d->o->nr_metrics + metric) * d->sides->nr + run;
}

double diff_rows_raw(const struct diff_rows *d, size_t row, size_t metric, size_t run)
{
	return d->raw[place(d, row, metric, run)];
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
	d->raw = calloc(raw, sizeof(*d->raw));
	d->slack = calloc(raw, sizeof(*d->slack));
	d->below = calloc(raw, sizeof(*d->below));
	d->above = calloc(raw, sizeof(*d->above));
	d->unseen = calloc(raw / d->nr, sizeof(*d->unseen));
	d->largest = calloc(d->nr, sizeof(*d->largest));
	d->in_old = calloc(d->nr, sizeof(*d->in_old));
	d->in_new = calloc(d->nr, sizeof(*d->in_new));
	return d->values && d->raw && d->slack && d->below && d->above && d->unseen &&
			       d->largest && d->in_old && d->in_new
		       ? 0
		       : -ENOMEM;
}

static void set(struct diff_rows *d, size_t at, const struct cell *value,
		const struct cell *least, double divisor)
{
	d->raw[at] += number_or_0(value) / divisor;
	if (least && least->type != CELL_NONE)
		d->slack[at] += (number_or_0(value) - number_or_0(least)) / divisor;
}

/* Several rows without a name may be joined to one: their uncertainties add up. */
static void set_interval(struct diff_rows *d, size_t at, const struct cell *value,
			 const struct cell *const ends[2], double divisor)
{
	if (!ends[0] || !ends[1])
		return;
	d->below[at] += (number_or_0(value) - number_or_0(ends[0])) / divisor;
	d->above[at] += (number_or_0(ends[1]) - number_or_0(value)) / divisor;
}

static const struct cell *summary_cell(const struct table *t, const char *name)
{
	for (size_t i = 0; name && i < t->nr_summary; i++) {
		if (!strcmp(t->summary[i].name, name))
			return &t->summary[i].value;
	}
	return NULL;
}

/* Reads metric @m of run @run into all rows. */
static int read_metric(struct diff_rows *d, size_t m, size_t run)
{
	const struct diff_metric *metric = &d->o->metrics[m];
	const struct diff_run *from = &d->sides->runs[run];
	const struct table *t = from->table;
	double divisor = metric->height ? 1 : from->divisor;
	int column = table_column(t, metric->name), by = table_column(t, t->by);
	int least = metric->least ? table_column(t, metric->least) : -1;
	int low = metric->low ? table_column(t, metric->low) : -1;
	int high = metric->high ? table_column(t, metric->high) : -1;
	const struct cell *sum = summary_cell(t, metric->name);
	const struct cell *missing = summary_cell(t, metric->missing);
	const struct cell *ends[2] = { summary_cell(t, metric->low),
				       summary_cell(t, metric->high) };

	if (column < 0 || !sum)
		return -EINVAL;
	if (sum->type == CELL_NONE)
		d->missing[m] = true;
	if (missing)
		d->unseen[m * d->sides->nr + run] = number_or_0(missing) / divisor;
	set(d, place(d, d->nr - 1, m, run), sum, summary_cell(t, metric->least), divisor);
	set_interval(d, place(d, d->nr - 1, m, run), sum, ends, divisor);
	for (size_t i = 0; i < t->nr_rows; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];
		size_t id = intern_id(&d->keys, row[by].s, strlen(row[by].s));

		set(d, place(d, id - 1, m, run), &row[column],
		    least < 0 ? NULL : &row[least], divisor);
		ends[0] = low < 0 ? NULL : &row[low];
		ends[1] = high < 0 ? NULL : &row[high];
		set_interval(d, place(d, id - 1, m, run), &row[column], ends, divisor);
		if (m == 0)
			++*(run < d->sides->nr_old ? &d->in_old[id - 1]
						   : &d->in_new[id - 1]);
	}
	return 0;
}

/* Reads the most that one event of each row added, in run @run. */
static int read_largest(struct diff_rows *d, size_t run)
{
	const struct table *t = d->sides->runs[run].table;
	const struct cell *sum = summary_cell(t, d->o->largest);
	int column = table_column(t, d->o->largest), by = table_column(t, t->by);

	if (column < 0 || !sum)
		return -EINVAL;
	d->largest[d->nr - 1] = fmax(d->largest[d->nr - 1], number_or_0(sum));
	for (size_t i = 0; i < t->nr_rows; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];
		size_t id = intern_id(&d->keys, row[by].s, strlen(row[by].s));

		d->largest[id - 1] = fmax(d->largest[id - 1], number_or_0(&row[column]));
	}
	return 0;
}

/* How far each side may be off: the worst of its runs. */
static void uncertainty(const struct diff_rows *d, size_t row, size_t m, double worst[2])
{
	double size = m == d->o->count ? 1 : d->largest[row];

	worst[0] = worst[1] = 0;
	for (size_t run = 0; run < d->sides->nr; run++) {
		const struct diff_run *r = &d->sides->runs[run];
		double divisor = d->o->metrics[m].height ? 1 : r->divisor;
		double off = d->slack[place(d, row, m, run)];
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
 * sample may have as much as the sample's table says may be missing, or as another run has at most:
 * the upper uncertainty of an estimate, or the value of a run that is no estimate.
 */
static void sampling(const struct diff_rows *d, size_t row, size_t m, double below[2],
		     double above[2])
{
	double most = 0;

	for (size_t run = 0; run < d->sides->nr; run++) {
		size_t at = place(d, row, m, run);

		most = fmax(most, run_sampled(d, m, run) ? d->above[at] : d->raw[at]);
	}
	below[0] = below[1] = above[0] = above[1] = 0;
	for (size_t run = 0; run < d->sides->nr; run++) {
		size_t at = place(d, row, m, run);
		bool new = run >= d->sides->nr_old;
		bool absent = run_sampled(d, m, run) && !(d->above[at] > 0);
		double unseen = d->unseen[m * d->sides->nr + run];

		below[new] = fmax(below[new], d->below[at]);
		above[new] = fmax(above[new], absent ? fmax(most, unseen) : d->above[at]);
	}
}

/* Derives the interval of a difference of two estimates from their intervals (G. Y. Zou and A.
 * Donner, "Construction of confidence limits about effect measures", 2008): this is the distance
 * from the difference to the end closer to zero.
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
	const double *raw = &d->raw[place(d, row, m, 0)];
	size_t nr_old = d->sides->nr_old, nr_new = d->sides->nr - nr_old;
	struct runs_summary old, new;
	struct mann_whitney test;
	double off[2];
	int err;

	uncertainty(d, row, m, off);
	memcpy(scratch, raw, d->sides->nr * sizeof(*raw));
	old = runs_summarise(scratch, nr_old);
	new = runs_summarise(scratch + nr_old, nr_new);
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
	err = mann_whitney_test(raw, nr_old, raw + nr_old, nr_new, &test);
	if (!err)
		v->p = v->q = test.p;
	return err;
}

/* Corrects for the number of rows. The sum's test is not one of them. */
static int correct(struct diff_rows *d, size_t m)
{
	size_t rows = d->nr ? d->nr - 1 : 0;
	double *q = calloc(d->nr, sizeof(*q));
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
	free(q);
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
	free(d->raw);
	free(d->slack);
	free(d->below);
	free(d->above);
	free(d->unseen);
	free(d->largest);
	free(d->in_old);
	free(d->in_new);
	free(d->values);
	*d = (struct diff_rows){ 0 };
}
