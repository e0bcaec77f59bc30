// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/row/estimate.h"

#include <math.h>

#include "analysis/columns.h"

#define PART_BELOW     0.025
#define PART_ABOVE     0.975
/* For larger shapes, Wilson and Hilferty's formula is off by less than 0.01 %. */
#define SHAPE_MANY     50
/* With fewer equally full units than this, often another row has the most. */
#define EVEN_FEW       10
/* The variance within a row of the logarithm of a unit's weight, as assumed in advance; the
 * assumption counts like this many pairs of units.
 */
#define PRIOR_VARIANCE 0.25
#define PRIOR_PAIRS    8
/* The least variance between rows: a table of few rows may show none. */
#define LEAST_BETWEEN  0.1

/* Fewer rows say little about how rows differ. */
#define ROWS_FEW 4

/* How much a unit outside the sample may weigh. @deviations: standard errors above the weight that
 * the table's rows suggest; @least: the minimum, as a multiple of the row's heaviest unit; @alone:
 * the same in a table of few rows; also, as a multiple of any row's heaviest unit, for a row
 * without units. Documentation/sampling.md says how they were found.
 */
static const struct {
	double deviations, least, alone;
} heavy[ESTIMATE_NR] = {
	[ESTIMATE_PAGES] = { 0, 1, 3 },	   [ESTIMATE_LIVING] = { 1.5, 1, 3 },
	[ESTIMATE_OWN] = { 2, 1, 32 },	   [ESTIMATE_CACHES] = { 3, 1, 32 },
	[ESTIMATE_SHARED] = { 2, 80, 80 },
};

struct unit_key {
	uint64_t unit;
	uint32_t row, zero; /* no padding: its bytes are compared */
};

int unit_pieces_add(struct unit_pieces *p, uint32_t row, uint64_t unit, uint64_t value)
{
	const struct unit_key key = { unit, row, 0 };
	struct unit_piece *piece = KEYED_ITEM(&p->items, &key);

	if (!piece)
		return -ENOMEM;
	piece->unit = unit;
	piece->row = row;
	if (__builtin_add_overflow(piece->value, value, &piece->value))
		piece->value = UINT64_MAX;
	return 0;
}

void unit_pieces_free(struct unit_pieces *p)
{
	KEYED_FREE(&p->items);
	*p = (struct unit_pieces){ 0 };
}

/* --- one sum ------------------------------------------------------------------------------- */

/* Moments of a sum over its units, except for those that are always recorded. @logs, @log_squares:
 * sums of the logarithms of the units' weights, and of their squares.
 */
struct moments {
	double sum, squares, max;
	double logs, log_squares;
	uint64_t seen, units, certain;
};

/* The logarithms of the units' weights in all rows: @within: their variance in a row; @between:
 * that of the rows' means; @mean: of those means; @rows: how many rows have units.
 */
struct spread {
	double within, between, mean;
	size_t rows;
};

/* The probability that a gamma variable of shape @a, at least 1, is below @x: its power series (M.
 * Abramowitz and I. A. Stegun, "Handbook of mathematical functions", 6.5.29). For large shapes: E.
 * B. Wilson and M. M. Hilferty, "The distribution of chi-square", 1931.
 */
static double gamma_below(double a, double x)
{
	double term = 1 / a, sum = term, c = 1 / (9 * a);

	if (a > SHAPE_MANY || x > 10 * SHAPE_MANY)
		return erfc((1 - c - cbrt(x / a)) / sqrt(2 * c)) / 2;
	for (unsigned int i = 1; term > sum * 1e-15; i++) {
		term *= x / (a + i);
		sum += term;
	}
	return x > 0 ? sum * exp(a * log(x) - x) / tgamma(a) : 0;
}

/* A mixture of two gamma distributions, half of each. @shape 0: always 0. @not_zero: divided by the
 * probability that a Poisson variable with that mean is not zero.
 */
struct halves {
	double shape[2], scale[2];
	bool not_zero;
};

static double halves_below(const struct halves *h, double x)
{
	double sum = 0;

	for (int i = 0; i < 2; i++)
		sum += h->shape[i] > 0 ? gamma_below(h->shape[i], x / h->scale[i]) : 1;
	return sum / 2 / (h->not_zero ? -expm1(-x) : 1);
}

/* The value below which @part of @h lies; @guess: more than 0. */
static double quantile(const struct halves *h, double part, double guess)
{
	double low = 0, high = guess;

	while (halves_below(h, high) < part) {
		low = high;
		high *= 2;
	}
	while (high - low > 1e-7 * high) {
		double middle = (low + high) / 2;

		if (halves_below(h, middle) < part)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The lower end for @a equally full units, in units: the mean of a Poisson distribution, without
 * its zeros, that reaches @a in PART_BELOW of cases, where cases of exactly @a count half. Zeros
 * are left out because a row without a unit in the sample has no interval that could be wrong.
 */
static double lower_units(double a)
{
	const struct halves h = { { a, a + 1 }, { 1, 1 }, true };

	/* For less, it is below 1e-25. */
	return a < 1.05 ? 0 : quantile(&h, PART_BELOW, a);
}

/* Rounds @value; returns at least @least. */
static uint64_t rounded(double value, uint64_t least)
{
	return value < 0x1p63 ? LARGER((uint64_t)llround(value), least) : UINT64_MAX;
}

/* The upper end of the interval for a weighted count of events: @y is the sum of the weights seen,
 * @v the sum of their squares, @w the weight of the next event. With none seen it is 3.00 w: if
 * 3.00 are expected, none is seen in 5 % of cases.
 */
static double upper_end(double y, double v, double w)
{
	const struct halves h = { { v > 0 ? y * y / v : 0,
				    (y + w) * (y + w) / (v + w * w) },
				  { v > 0 ? v / y : 1, (v + w * w) / (y + w) },
				  false };

	return quantile(&h, PART_ABOVE, y + w);
}

/* How heavy a unit outside the sample may be. A row with few units may have light ones only, so
 * the table's other rows count as well: the mean of the row's logarithms is estimated as in a model
 * with random rows (G. K. Robinson, "That BLUP is a good thing", 1991), and standard errors are
 * added; "within / 2" makes a mean of weights from a mean of logarithms.
 */
static double unseen_weight(const struct moments *m, const struct estimate_rule *rule,
			    const struct spread *s)
{
	double units = (double)m->units, variance, mean;
	double least = s->rows < ROWS_FEW ? heavy[rule->of].alone : heavy[rule->of].least;

	if (s->rows < 2)
		return least * m->max;
	variance = 1 / (units / s->within + 1 / s->between);
	mean = variance * (m->logs / s->within + s->mean / s->between);
	mean += heavy[rule->of].deviations * sqrt(variance) + s->within / 2;
	return fmax(least * m->max, exp(mean));
}

/* Units get into the sample like rare events, each with its own weight: the interval of M. P. Fay
 * and S. Kim, "Confidence intervals for directly standardized rates using mid-p gamma intervals",
 * 2017. @unseen: the weight of the next unit, not yet times N; @empty: the same for a sum without
 * units.
 */
static void estimate_sum(const struct moments *m, uint32_t one_in, double unseen,
			 double empty, struct estimate *e)
{
	double n = one_in, y = n * m->sum, v = n * n * m->squares;
	double low = 0, high;

	*e = (struct estimate){ .seen = m->seen, .units = m->units };
	e->missing = rounded(upper_end(0, 0, n * empty), 1);
	if (m->sum > 0) {
		low = v / y * lower_units(y * y / v);
		e->even = y * y / v;
		e->largest = m->max / m->sum;
	}
	high = upper_end(y, v, n * (m->sum > 0 ? unseen : empty));
	e->value = rounded(y + (double)m->certain, m->seen);
	e->low = SMALLER(rounded(low + (double)m->certain, m->seen), e->value);
	e->high = rounded(high + (double)m->certain, e->value);
}

/* --- all of them --------------------------------------------------------------------------- */

/* Compares pieces by row, which holds the number of the sum here, then by unit. */
ORDER_BY(compare_pieces, struct unit_piece, row, unit)

/* Adds the leading @pieces with the same sum and unit; returns how many. */
static size_t add_unit(struct moments *m, const struct unit_piece *pieces, size_t nr)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < nr && !compare_pieces(&pieces[i], pieces); i++) {
		if (__builtin_add_overflow(value, pieces[i].value, &value))
			value = UINT64_MAX;
	}
	if (__builtin_add_overflow(m->seen, value, &m->seen))
		m->seen = UINT64_MAX;
	if (pieces->unit == SAMPLE_CERTAIN) {
		m->certain = value;
		return i;
	}
	if (value) {
		double weight = log((double)value);

		m->units++;
		m->logs += weight;
		m->log_squares += weight * weight;
	}
	m->sum += (double)value;
	m->squares += (double)value * (double)value;
	m->max = fmax(m->max, (double)value);
	return i;
}

/* The most that one unit has of a sum. If the sample has no unit, assume a full one: as many bytes
 * as a unit has, which also bounds the number of objects or pages.
 */
static double heaviest_of(const struct moments *sums, size_t nr,
			  const struct estimate_rule *rule)
{
	double most = 0;

	for (size_t i = 0; i < nr; i++)
		most = fmax(most, sums[i].max);
	return most > 0 ? most : ldexp(1, (int)rule->sample->object_shift);
}

static struct spread spread_of(const struct moments *sums, size_t nr)
{
	double squares = PRIOR_VARIANCE * PRIOR_PAIRS, pairs = PRIOR_PAIRS, apart = 0;
	struct spread s = { 0 };

	for_each(m, sums, nr) {
		if (!m->units)
			continue;
		squares += m->log_squares - m->logs * m->logs / (double)m->units;
		pairs += (double)(m->units - 1);
		s.mean += m->logs / (double)m->units;
		s.rows++;
	}
	s.within = squares / pairs;
	if (s.rows < 2)
		return s;
	s.mean /= (double)s.rows;
	for_each(m, sums, nr) {
		double units = (double)m->units, from;

		if (!m->units)
			continue;
		from = m->logs / units - s.mean;
		apart += from * from - s.within / units;
	}
	s.between = fmax(apart / (double)(s.rows - 1), fmax(s.within / 4, LEAST_BETWEEN));
	return s;
}

static void estimate_sums(const struct moments *sums, const struct estimate_rule *rule,
			  struct estimate *out, size_t nr)
{
	const struct spread spread = spread_of(sums, nr);
	double empty = heavy[rule->of].alone * heaviest_of(sums, nr, rule);

	for (size_t i = 0; i < nr; i++) {
		estimate_sum(&sums[i], rule->sample->one_in,
			     unseen_weight(&sums[i], rule, &spread), empty, &out[i]);
		out[i].shared = rule->of == ESTIMATE_SHARED;
	}
}

int unit_pieces_estimate(const struct unit_pieces *p, const struct estimate_rule *rule,
			 const uint32_t *group_of, struct estimate *out, size_t nr)
{
	struct unit_piece *pieces __auto_mem =
		malloc((p->items.nr + 1) * sizeof(*pieces));
	struct moments *sums __auto_mem = calloc(nr + 1, sizeof(*sums));
	size_t nr_pieces = 0, at = 0;

	if (!pieces || !sums)
		return -ENOMEM;
	for (size_t i = 0; i < p->items.nr; i++) {
		struct unit_piece piece = p->items.of[i];

		piece.row = group_of ? group_of[piece.row] : 0;
		if (piece.row < nr)
			pieces[nr_pieces++] = piece;
	}
	qsort(pieces, nr_pieces, sizeof(*pieces), compare_pieces);
	while (at < nr_pieces)
		at += add_unit(&sums[pieces[at].row], pieces + at, nr_pieces - at);
	estimate_sums(sums, rule, out, nr);
	return 0;
}

int estimate_rows(const struct row_values *values, const struct estimate_rule *rule,
		  const uint32_t *group_of, struct estimate *out, size_t nr)
{
	struct unit_pieces p = { .items = { .nr = lives_rows(values->lives) } };
	int ret;

	p.items.of = calloc(p.items.nr + 1, sizeof(*p.items.of));
	if (!p.items.of)
		return -ENOMEM;
	for (size_t i = 0; i < p.items.nr; i++)
		p.items.of[i] = (struct unit_piece){
			.unit = estimate_unit(values->lives, i),
			.value = values->of[i],
			.row = (uint32_t)i,
		};
	ret = unit_pieces_estimate(&p, rule, group_of, out, nr);
	unit_pieces_free(&p);
	return ret;
}

SHARED_CELL(estimate_block, struct estimate,
	    r->units ? cell_real(100 * r->largest) : (struct cell){ 0 })

void estimate_ends(const struct estimate *e, const char *name, const char *title,
		   bool live, struct table *t)
{
	static const char *const words[2][2] = { { "low", "least" }, { "high", "most" } };

	for (int i = 0; i < 2; i++) {
		struct strbuf __auto_free key = { 0 }, text = { 0 };

		strbuf_printf(&key, "%s_%s", name, words[i][0]);
		strbuf_printf(&text, "%s, at %s (95 %%)", title, words[i][1]);
		TABLE_SUMMARY(t, false,
			      { strbuf_text(&key), strbuf_text(&text), UNIT_BYTES,
				i ? e->high : e->low, SUMMARY_USUAL, live });
		t->failed |= key.failed || text.failed;
	}
}

void estimate_summary(const struct estimate *all, bool live, struct table *t)
{
	struct strbuf __auto_free note = { 0 };

	TABLE_SUMMARY(t, false,
		      { "bytes_missing", "A row not in the sample, at most (95 %)",
			UNIT_BYTES, all->missing, SUMMARY_USUAL, live });
	if (!all->units)
		strbuf_puts(&note, "!The sample has only what is always recorded. ");
	else if (all->shared || all->even < EVEN_FEW)
		strbuf_printf(
			&note,
			"!Few addresses can have most of these bytes, and a sample has these or not: other rows may lead in all memory. This one says as much as %.1f equally full blocks of memory. ",
			all->even);
	strbuf_printf(&note,
		      "A row that is not in the sample may have up to %" PRIu64
		      " bytes (95 %%).",
		      all->missing);
	table_add_note(t, "%s", strbuf_text(&note));
	t->failed |= note.failed;
}
