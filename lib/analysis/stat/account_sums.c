// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the rows of the tables of an account.
 * In: finished accounts. Out: account rows added up, and their ranges.
 */

#include "analysis/row/owners.h"
#include "analysis/stat/account_report.h"

/* Does the account have per-task sums that the rows need? */
static bool sums_tasks(const struct account_sums *s)
{
	return s->report->lives->spent && subjects_of_tasks(s->subjects.kind);
}

/* By task: adds the sums of tasks without live memory. Numbers of sums are those of their subjects.
 */
static int add_spent(struct account_sums *s)
{
	const struct lives *lives = s->report->lives;
	uint32_t *rows __auto_mem = owners_spent(&s->subjects, lives, s->report->live);
	struct account_key key = { 0 };

	if (!rows)
		return -ENOMEM;
	for (; key.subject < subjects_count(&s->subjects); key.subject++)
		if (!KEYED_ID(&s->sums, &key))
			return -ENOMEM;
	for (uint32_t i = 0; i < lives->spent->keys.count; i++) {
		const struct lives_sums c =
			lives->kind->sums(lives, spent_sum(lives->spent, i));

		if (rows[i] != UINT32_MAX)
			lives_sums_add(&s->sums.of[rows[i]].counts, &c, 1);
	}
	return 0;
}

/* The figures of account row @row that count. */
static struct lives_sums row_counts(const struct account_sums *s, uint32_t row)
{
	const struct lives *lives = s->report->lives;
	const struct page_key *key;
	struct lives_sums c = { 0 };

	if (s->part != ACCOUNT_FAILED)
		return lives->rows[row];
	key = lives_key(lives, row);
	c.hit = lives->rows[row].failed;
	c.bytes_alloc = (c.hit << key->order) * lives->page_size;
	return c;
}

/* Does account row @row, with @c, have a sum? */
static bool has_sum(const struct account_sums *s, uint32_t row,
		    const struct lives_sums *c)
{
	const struct lives *lives = s->report->lives;
	const struct slab_key *key;

	if (sums_tasks(s) && row_tail_of(&lives->keys, row)->all_tasks)
		return false;
	if (account_report_of_pages(s->report))
		return s->report->live && s->part != ACCOUNT_FAILED ? c->live_alloc
								    : c->hit;
	key = lives_key(lives, row);
	return s->part == ACCOUNT_ALL || key->kmalloc == (s->part == ACCOUNT_KMALLOC);
}

/* The key of account row @row's sum; false: no memory. */
static bool key_of(struct account_sums *s, uint32_t row, struct account_key *key)
{
	const struct lives *lives = s->report->lives;
	const struct subject who = subject_of_row(lives, row, s->report->callsites[row]);
	const struct page_key *from = lives_key(lives, row);

	*key = (struct account_key){ .subject = subjects_row(&s->subjects, &who) };
	if (s->by_gfp)
		key->gfp_flags = from->gfp_flags;
	if (s->by_order)
		key->order = from->order;
	if (s->by_migratetype)
		key->migratetype = from->migratetype;
	return key->subject != UINT32_MAX;
}

static int add_row(struct account_sums *s, uint32_t row)
{
	const struct account_report *r = s->report;
	const struct lives_sums c = row_counts(s, row);
	uint64_t times = s->part == ACCOUNT_FAILED ? 1 : lives_weight(r->lives, row);
	struct account_key key;
	struct account_sum *sum;

	if (!has_sum(s, row, &c))
		return 0;
	sum = key_of(s, row, &key) ? KEYED_ITEM(&s->sums, &key) : NULL;
	if (!sum)
		return -ENOMEM;
	s->of[row] = (uint32_t)(sum - s->sums.of);
	lives_sums_add(&sum->counts, &c, times);
	if (r->knows_charged && account_is_charged(r->lives, row, r->charged))
		sum->charged += (r->live ? c.live_alloc : c.bytes_alloc) * times;
	return 0;
}

/* For a table of live pages: adds untraced frees of account rows without live pages, to sums that
 * exist.
 */
static int add_untraced(struct account_sums *s)
{
	const struct lives *lives = s->report->lives;

	for (uint32_t i = 0; i < lives_rows(lives); i++) {
		const struct lives_sums *c = &lives->rows[i];
		struct account_key key;
		uint32_t id;

		if (s->of[i] != UINT32_MAX || !c->implicit ||
		    (sums_tasks(s) && row_tail_of(&lives->keys, i)->all_tasks))
			continue;
		if (!key_of(s, i, &key))
			return -ENOMEM;
		id = intern_find(&s->sums.keys, &key, sizeof(key));
		if (id)
			lives_sums_add(&s->sums.of[id - 1].counts, c,
				       lives_weight(lives, i));
	}
	return 0;
}

/* Are blocks of the sum's order always recorded? Not all frees of their pages are. */
static bool all_recorded(const struct account_sums *s, size_t i)
{
	const struct account_key *key = KEYED_KEY(&s->sums, i);

	return s->by_order && key->order >= s->report->env->sample.certain_order;
}

/* In a sample: intervals of the sums. No event proves that an object must live. */
static int estimate_sums(struct account_sums *s)
{
	const struct account_report *r = s->report;
	const struct account_groups groups = { s->subjects.kind, s->of, s->sums.nr };
	struct estimate *e __auto_mem = calloc(s->sums.nr + 1, sizeof(*e));
	int ret = e ? 0 : -ENOMEM;

	if (!ret && account_report_of_pages(r))
		ret = account_report_estimate(r, ACCOUNT_SURE, &groups, e);
	for (size_t i = 0; i < s->sums.nr && !ret; i++)
		s->sums.of[i].net.low = e[i].low;
	ret = ret ?: account_report_estimate(r, ACCOUNT_LIVING, &groups, e);
	for (size_t i = 0; i < s->sums.nr && !ret; i++) {
		s->sums.of[i].bytes = e[i];
		s->sums.of[i].net.high = e[i].high;
		s->sums.of[i].net.sampled = true;
	}
	if (!ret && !r->live)
		ret = account_report_estimate(r, ACCOUNT_ALLOCATED, &groups, e);
	for (size_t i = 0; i < s->sums.nr && !ret && !r->live; i++) {
		s->sums.of[i].bytes = e[i];
		if (all_recorded(s, i))
			s->sums.of[i].bytes.high = e[i].low;
	}
	return ret;
}

/* How much of each sum the kernel can reclaim. */
static int find_reclaimable(struct account_sums *s)
{
	const struct account_report *r = s->report;
	size_t nr = lives_rows(r->lives), i;
	uint32_t *cached __auto_mem = malloc((nr + 1) * sizeof(*cached));
	struct net_range *net __auto_mem = calloc(s->sums.nr + 1, sizeof(*net));
	int ret = cached && net ? 0 : -ENOMEM;

	for (i = 0; i < nr && !ret; i++)
		cached[i] = s->of[i] != UINT32_MAX &&
					    reclaimable_row(&r->reclaimable, r->lives, i,
							    r->callsites[i])
				    ? s->of[i]
				    : UINT32_MAX;
	ret = ret ?: slab_bounds_sums(&r->bounds, cached, net, s->sums.nr);
	for (i = 0; i < s->sums.nr && !ret; i++) {
		struct account_sum *sum = &s->sums.of[i];

		sum->cache =
			SMALLER(net_range_likely(&net[i]), net_range_likely(&sum->net));
	}
	return ret;
}

/* The range of each sum. */
static int find_bounds(struct account_sums *s)
{
	struct net_range *net __auto_mem = calloc(s->sums.nr + 1, sizeof(*net));
	int ret = net ? slab_bounds_sums(&s->report->bounds, s->of, net, s->sums.nr)
		      : -ENOMEM;

	for (size_t i = 0; i < s->sums.nr && !ret; i++)
		s->sums.of[i].net = net[i];
	if (!ret && s->report->env->sample.one_in)
		ret = estimate_sums(s);
	return ret ?: find_reclaimable(s);
}

int account_sums_collect(struct account_sums *s, struct account_report *r,
			 enum subject_kind kind)
{
	size_t nr = lives_rows(r->lives);
	int ret = subjects_init(&s->subjects, r->env, kind, &r->sites,
				&r->lives->dimensions);

	s->report = r;
	s->of = malloc((nr + 1) * sizeof(*s->of));
	if (ret || !s->of)
		return -ENOMEM;
	memset(s->of, 0xff, nr * sizeof(*s->of));
	if (sums_tasks(s))
		ret = add_spent(s);
	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = add_row(s, i);
	if (s->part == ACCOUNT_FAILED)
		return ret;
	if (!ret && r->live && account_report_of_pages(r))
		ret = add_untraced(s);
	return ret ?: find_bounds(s);
}

int account_sums_net(const struct account_sums *s, struct net_range *net)
{
	const struct account_report *r = s->report;
	size_t nr = lives_rows(r->lives), i;
	uint32_t *all __auto_mem = malloc((nr + 1) * sizeof(*all));
	const struct account_groups groups = { SUBJECT_NONE, all, 1 };
	struct estimate e;
	int ret;

	if (!all)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		all[i] = s->of[i] == UINT32_MAX ? UINT32_MAX : 0;
	ret = slab_bounds_sums(&r->bounds, all, net, 1);
	if (!ret && r->env->sample.one_in) {
		ret = account_report_estimate(r, ACCOUNT_LIVING, &groups, &e);
		net->sampled = true;
		net->high = e.high;
	}
	return ret;
}

void account_sums_free(struct account_sums *s)
{
	subjects_free(&s->subjects);
	KEYED_FREE(&s->sums);
	free(s->of);
}
