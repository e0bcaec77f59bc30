// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what all memory holds, estimated from a sample of it.
 * In: what each unit of the sample holds of each row. Out: estimates with intervals.
 */
#include "analysis/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

/* Of the normal distribution: 2.5 % are beyond it on each side. */
#define NORMAL_975 1.959964
/* The heaviest unit outside of the sample may be heavier than the heaviest one in it: so many
 * times. With 1 the intervals of real recordings hold the truth less often than they say.
 */
#define HEAVIER	   2

struct unit_key {
	uint64_t unit;
	uint32_t row, zero; /* no padding: its bytes are compared */
};

int unit_pieces_add(struct unit_pieces *p, uint32_t row, uint64_t unit, uint64_t value)
{
	const struct unit_key key = { unit, row, 0 };
	uint32_t id = intern_id(&p->index, &key, sizeof(key));
	struct unit_piece *piece;

	if (!id || array_reserve(&p->items, &p->capacity, id, sizeof(*p->items)))
		return -ENOMEM;
	piece = &p->items[id - 1];
	if (id > p->nr) {
		*piece = (struct unit_piece){ .unit = unit, .row = row };
		p->nr = id;
	}
	if (__builtin_add_overflow(piece->value, value, &piece->value))
		piece->value = UINT64_MAX;
	return 0;
}

void unit_pieces_free(struct unit_pieces *p)
{
	free(p->items);
	intern_free(&p->index);
	*p = (struct unit_pieces){ 0 };
}

/* --- one sum ------------------------------------------------------------------------------- */

/* A sum's units, without those that are recorded in any case. */
struct moments {
	double sum, squares, max;
	uint64_t seen, units, certain;
};

/* The point that a chi-square variable of @df degrees of freedom is below as often as a normal
 * one is below @z (E. B. Wilson and M. M. Hilferty, "The distribution of chi-square", 1931).
 */
static double chi_square(double df, double z)
{
	double c = 2 / (9 * df), root = 1 - c + z * sqrt(c);

	return root > 0 ? df * root * root * root : 0;
}

/* At least @least, rounded. */
static uint64_t rounded(double value, uint64_t least)
{
	uint64_t whole = value < 0x1p63 ? (uint64_t)llround(value) : UINT64_MAX;

	return whole < least ? least : whole;
}

/* Units are in the sample as often as rare events happen, each with a weight of its own: the
 * interval of M. P. Fay and E. J. Feuer, "Confidence intervals for directly standardized rates: a
 * method based on the gamma distribution", 1997.
 */
static void estimate_sum(const struct moments *m, uint32_t one_in, struct estimate *e)
{
	double n = one_in, y = n * m->sum, v = n * n * m->squares;
	double w = HEAVIER * n * m->max;
	double low, high;

	*e = (struct estimate){ .seen = m->seen, .units = m->units };
	e->value = e->low = e->high = m->seen;
	if (!(m->sum > 0))
		return;
	low = v / (2 * y) * chi_square(2 * y * y / v, -NORMAL_975);
	high = (v + w * w) / (2 * (y + w)) *
	       chi_square(2 * (y + w) * (y + w) / (v + w * w), NORMAL_975);
	e->value = rounded(y + (double)m->certain, m->seen);
	e->low = rounded(low + (double)m->certain, m->seen);
	e->high = rounded(high + (double)m->certain, e->value);
	if (e->low > e->value)
		e->low = e->value;
}

/* --- all of them --------------------------------------------------------------------------- */

/* A piece of a sum: @group, which stands for the row. */
static int compare_pieces(const void *a, const void *b)
{
	const struct unit_piece *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Adds pieces of one sum and unit, the first ones of @pieces; returns how many. */
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
	m->units += value > 0;
	m->sum += (double)value;
	m->squares += (double)value * (double)value;
	m->max = fmax(m->max, (double)value);
	return i;
}

int unit_pieces_estimate(const struct unit_pieces *p, uint32_t one_in,
			 const uint32_t *group_of, struct estimate *out, size_t nr)
{
	struct unit_piece *pieces = malloc((p->nr + 1) * sizeof(*pieces));
	size_t nr_pieces = 0, at = 0;

	if (!pieces)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr; i++) {
		struct unit_piece piece = p->items[i];

		piece.row = group_of[piece.row];
		if (piece.row < nr)
			pieces[nr_pieces++] = piece;
	}
	qsort(pieces, nr_pieces, sizeof(*pieces), compare_pieces);
	for (size_t g = 0; g < nr; g++) {
		struct moments m = { 0 };

		while (at < nr_pieces && pieces[at].row == g)
			at += add_unit(&m, pieces + at, nr_pieces - at);
		estimate_sum(&m, one_in, &out[g]);
	}
	free(pieces);
	return 0;
}

int estimate_rows(const struct row_values *values, uint32_t one_in,
		  const uint32_t *group_of, struct estimate *out, size_t nr)
{
	struct unit_pieces p = { .nr = values->nr_rows };
	int ret;

	p.items = calloc(p.nr + 1, sizeof(*p.items));
	if (!p.items)
		return -ENOMEM;
	for (size_t i = 0; i < p.nr; i++) {
		uint32_t unit = values->unit(values->of, i);

		p.items[i] = (struct unit_piece){
			.unit = unit ? unit : SAMPLE_CERTAIN,
			.value = values->value(values->of, i),
			.row = (uint32_t)i,
		};
	}
	ret = unit_pieces_estimate(&p, one_in, group_of, out, nr);
	unit_pieces_free(&p);
	return ret;
}
