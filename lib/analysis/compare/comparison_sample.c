// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: intervals of a comparison's figures, which are estimated from a sample.
 * In: figures of each group, by unit of the sample. Out: intervals.
 */
#include "analysis/compare/comparison.h"

#include <errno.h>
#include <stdlib.h>

struct sampled_row sampled_row(const struct lives *of, uint32_t row)
{
	uint32_t unit = lives_value(of, row, DIMENSION_UNIT);

	return (struct sampled_row){ lives_weight(of, row),
				     unit ? unit : SAMPLE_CERTAIN };
}

int comparison_sample_add(struct comparison_sample *s, uint32_t group, uint64_t unit,
			  uint64_t bytes)
{
	int ret = unit_pieces_add(&s->bytes, group, unit, bytes);

	return ret ? ret : unit_pieces_add(&s->hits, group, unit, 1);
}

/* Computes the intervals of @nr groups; @groups maps the added pieces to them. @flows: the rule for
 * allocated bytes.
 */
static int find(const struct comparison_sample *s, const struct estimate_rule *flows,
		const uint32_t *groups, struct comparison_intervals *to, size_t nr)
{
	const struct estimate_rule lives = { flows->sample, flows->of == ESTIMATE_PAGES
								    ? ESTIMATE_PAGES
								    : ESTIMATE_LIVING };
	struct estimate *e = calloc(nr + 1, sizeof(*e));
	int ret = e ? unit_pieces_estimate(&s->bytes, flows, groups, e, nr) : -ENOMEM;
	size_t i;

	for (i = 0; i < nr && !ret; i++)
		to[i].bytes = e[i];
	if (!ret)
		ret = unit_pieces_estimate(&s->hits, flows, groups, e, nr);
	for (i = 0; i < nr && !ret; i++)
		to[i].hit = e[i];
	if (!ret)
		ret = unit_pieces_estimate(&s->net, &lives, groups, e, nr);
	for (i = 0; i < nr && !ret; i++)
		to[i].net = e[i];
	free(e);
	return ret;
}

int comparison_sample_end(struct comparison_sample *s, const struct sample *sample,
			  enum estimate_of what, size_t nr)
{
	const struct estimate_rule rows = { sample, what };
	const struct estimate_rule all = { sample, what == ESTIMATE_PAGES
							   ? ESTIMATE_PAGES
							   : ESTIMATE_SHARED };
	uint32_t *groups = calloc(nr + 1, sizeof(*groups));
	int ret;
	size_t i;

	s->of = calloc(nr + 1, sizeof(*s->of));
	ret = groups && s->of ? find(s, &all, groups, &s->all, 1) : -ENOMEM;
	for (i = 0; i < nr && !ret; i++)
		groups[i] = (uint32_t)i;
	if (!ret)
		ret = find(s, &rows, groups, s->of, nr);
	free(groups);
	return ret;
}

void comparison_sample_free(struct comparison_sample *s)
{
	unit_pieces_free(&s->bytes);
	unit_pieces_free(&s->hits);
	unit_pieces_free(&s->net);
	free(s->of);
}
