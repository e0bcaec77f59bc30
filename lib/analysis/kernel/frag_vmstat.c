// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the kernel's counters that would confirm that a larger min_free_kbytes helps.
 * In: vmstat before and after, from the recording. Out: table "frag_vmstat".
 */
#include <errno.h>

#include "account/snapshot.h"
#include "analysis/kernel/frag.h"

/**
 * struct counter - a line of vmstat
 * @all: sum up all counters with this prefix: some are per zone, some were on older kernels
 * @price: a cost: a larger min_free_kbytes can only make it grow faster
 */
struct counter {
	const char *name;
	bool all, price;
};

static const struct counter counters[] = {
	{ "allocstall", true, false },
	{ "compact_stall", false, false },
	{ "compact_fail", false, false },
	{ "thp_fault_fallback", false, false },
	{ "thp_collapse_alloc_failed", false, false },
	{ "pgscan_kswapd", true, true },
};

struct counter_row {
	const struct counter *counter;
	uint64_t before, after;
};

static struct cell cell_growth(const void *row, struct table *t)
{
	const struct counter_row *r = row;

	return cell_uint(r->after > r->before ? r->after - r->before : 0);
}

static struct cell cell_expected(const void *row, struct table *t)
{
	const struct counter_row *r = row;

	return cell_text(t, r->counter->price ? "more" : "less");
}

static const struct column_type columns[] = {
	{ COLUMN("before", "Before", UNIT_COUNT, "Its value before the recording.",
		 .leaves = 60),
	  MEMBER(struct counter_row, before) },
	{ COLUMN("after", "After", UNIT_COUNT, "Its value after the recording.",
		 .leaves = 50),
	  MEMBER(struct counter_row, after) },
	{ COLUMN("growth", "Growth", UNIT_COUNT, "How much it grew meanwhile."),
	  .fill = cell_growth },
	{ COLUMN("expected", "Expected", UNIT_NONE,
		 "With a larger min_free_kbytes, if that helps: less: it grows less; more: it may grow more, which is the price.",
		 .leaves = 30),
	  .fill = cell_expected },
	{ COLUMN("counter", "Counter", UNIT_NONE,
		 "Its name in vmstat; allocstall and pgscan_kswapd: of all zones."),
	  MEMBER_OF(struct counter_row, counter, name) },
	COLUMNS_END,
};

const struct table_type frag_vmstat_type = {
	.name = "frag_vmstat",
	.help = "counters of vmstat that would confirm that a larger min_free_kbytes helps",
	.columns = columns,
};

static bool value_of(const struct frag *f, const struct counter *c, const char *item,
		     uint64_t *value)
{
	const struct recording_text *meta = recording_meta(f->env->rec, item);

	if (!meta)
		return false;
	return c->all ? vmstat_sum(meta->text, c->name, value)
		      : vmstat_value(meta->text, c->name, value);
}

int frag_show_vmstat(const struct frag *f, struct report *report)
{
	struct table *t = table_type_new(&frag_vmstat_type,
					 "Counters that more free memory would change",
					 SUBJECT_NONE, false);

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		struct counter_row row = { .counter = &counters[i] };

		if (!value_of(f, row.counter, "vmstat.before", &row.before) ||
		    !value_of(f, row.counter, "vmstat.after", &row.after))
			continue;
		if (!table_type_add_row(&frag_vmstat_type, SUBJECT_NONE, t, &row))
			break;
	}
	if (!t->nr_rows && table_ok(t)) {
		table_free(t);
		return 0;
	}
	if (f->env->window)
		table_add_note(t, "Before and after the whole recording.");
	report_add_table(report, t);
	return 0;
}
