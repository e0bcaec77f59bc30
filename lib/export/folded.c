// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: folded stacks, one per line: "slab;outermost caller;...;callsite 4096".
 * In: rows by callchain, of one recording or of two. Out: the format of flamegraph.pl and its
 * successors; with two numbers per line, difffolded.pl's.
 */

#include "export/export.h"

/**
 * struct folded - lines being written
 * @left: remainders of earlier lines that did not fill a unit of the weight, so that the sums are
 *	right
 * @text: the current callchain
 */
struct folded {
	uint64_t left[2];
	struct strbuf text;
};

static const struct export_weight *weight_of(const struct export_job *job)
{
	return job->opts->weight ? job->opts->weight : &export_weights[0];
}

/* @value plus the remainder of earlier lines, in units of the weight. */
static uint64_t to_units(const struct export_job *job, uint64_t value, unsigned int side)
{
	struct folded *f = job->state;
	uint64_t unit = weight_of(job)->unit, units;

	value += f->left[side];
	units = value / unit;
	f->left[side] = value - units * unit;
	return units;
}

static void make_text(struct export_job *job, const struct export_row *row)
{
	struct folded *f = job->state;

	strbuf_reset(&f->text);
	strbuf_puts(&f->text, row->allocator);
	for (size_t i = row->nr_frames; i--;) {
		strbuf_add(&f->text, ";", 1);
		strbuf_puts(&f->text, export_frame(job, row->frames[i]));
	}
}

static void keep(struct export_job *job, const struct strbuf *text, uint64_t value)
{
	struct export_pairs *pairs = job->opts->pairs;
	struct export_pair *pair =
		KEYED_ITEM_OF(&pairs->stacks, strbuf_text(text), text->size);

	export_fail(job, pair ? 0 : -ENOMEM);
	if (pair)
		pair->of[pairs->second] += value;
}

static void folded_row(struct export_job *job, const struct export_row *row)
{
	uint64_t value = row->values[weight_of(job)->metric], units;
	struct folded *f = job->state;

	make_text(job, row);
	export_fail(job, f->text.failed ? -ENOMEM : 0);
	if (job->opts->pairs) {
		keep(job, &f->text, value);
		return;
	}
	units = to_units(job, value, 0);
	if (!units)
		return;
	outbuf_add(&job->out, strbuf_text(&f->text), f->text.size);
	outbuf_char(&job->out, ' ');
	outbuf_dec(&job->out, units);
	outbuf_char(&job->out, '\n');
}

/* Writes the callchains of both recordings, after the second one was read. */
static void folded_end(struct export_job *job)
{
	const struct export_pairs *pairs = job->opts->pairs;

	for (size_t i = 0; pairs && pairs->second && i < pairs->stacks.nr; i++) {
		const struct export_pair *pair = &pairs->stacks.of[i];
		uint64_t before = to_units(job, pair->of[0], 0);
		uint64_t after = to_units(job, pair->of[1], 1);

		if (!before && !after)
			continue;
		export_put(job, "%s %" PRIu64 " %" PRIu64 "\n",
			   (const char *)KEYED_KEY(&pairs->stacks, i), before, after);
	}
}

static void folded_free(void *state)
{
	struct folded *f = state;

	strbuf_free(&f->text);
}

void export_pairs_free(struct export_pairs *pairs)
{
	KEYED_FREE(&pairs->stacks);
}

const struct exporter exporter_folded = {
	.name = "folded",
	.help = "a line per callchain, with one number (--weight)",
	.opened_by = "flamegraph.pl, inferno, speedscope, Perfetto",
	.by = EXPORT_BY_STACK,
	.estimates = true,
	.weighs = true,
	.pairs = true,
	.state_size = sizeof(struct folded),
	.row = folded_row,
	.end = folded_end,
	.free = folded_free,
};
