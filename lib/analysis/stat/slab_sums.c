// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the rows of the slab tables.
 * In: finished slab accounts. Out: account rows added up, and their ranges.
 */

#include "analysis/bounds/reclaimable.h"
#include "analysis/row/owners.h"
#include "analysis/stat/slab_report.h"
#include "base/array.h"

/* Rows by control group say what is charged to it. */
static void ask_for_charged(struct dimensions *all)
{
	int room = dimensions_find(all, DIMENSION_NONE);

	if (room >= 0)
		all->of[room] = DIMENSION_CHARGED;
}

int slab_analysis_ask(struct slab_analysis *slab, enum memory memory, bool task_sums)
{
	const struct analysis_env *env = slab->env;
	const struct analysis_options *opts = slab->opts;
	struct lives *lives;
	int ret;
	struct dimensions dimensions =
		memory == MEMORY_SLAB ? subjects_slab_dimensions(opts, env)
				      : subjects_page_dimensions(analysis_subject(opts));

	if (memory == MEMORY_SLAB && subject_rows(opts->by) & ROWS(CGROUP))
		ask_for_charged(&dimensions);
	dimensions.task_sums = task_sums;
	ret = accounts_of_memory(env->accounts, memory, &dimensions, &lives);
	slab->acc = (struct slab_account *)lives;
	if (!ret && opts->by_address)
		ret = slab_account_by_address(slab->acc);
	return ret;
}

const struct slab_words *slab_report_words(const struct slab_report *slab)
{
	static const struct slab_words words[MEMORY_KINDS] = {
		[MEMORY_SLAB] = { "Slab allocations", "Live slab objects", "slab",
				  "SUMMARY (SLAB allocator)" },
		[MEMORY_VMALLOC] = { "Areas of vmalloc", "Live areas of vmalloc",
				     "vmalloc", "SUMMARY (vmalloc)" },
		[MEMORY_PERCPU] = { "Per-CPU memory", "Live per-CPU memory", "per-CPU",
				    "SUMMARY (per-CPU memory)" },
	};

	return &words[slab_report_memory(slab)];
}

static uint64_t allocated(const void *acc, size_t row)
{
	return ((const struct slab_account *)acc)->rows[row].bytes_alloc;
}

static uint64_t living(const void *acc, size_t row)
{
	return ((const struct slab_account *)acc)->rows[row].live_alloc;
}

/* In a sample: estimates of sums of account rows, see unit_pieces_estimate(); of bytes that live,
 * or that were allocated. 0 or -ENOMEM.
 */
static int slab_report_estimate(const struct slab_report *slab, enum estimate_of what,
				const uint32_t *group_of, struct estimate *out, size_t nr)
{
	const struct row_values values = { &slab->acc->lives.any, slab->acc,
					   what == ESTIMATE_LIVING ? living : allocated };
	const struct estimate_rule rule = { &slab->env->sample, what };

	return estimate_rows(&values, &rule, group_of, out, nr);
}

/* In a sample: estimates the bytes of all rows together. */
static int estimate_all(struct slab_report *r)
{
	uint32_t *group_of __auto_mem = calloc(r->acc->nr_rows + 1, sizeof(*group_of));
	int ret = group_of ? slab_report_estimate(r, ESTIMATE_SHARED, group_of,
						  &r->allocated, 1)
			   : -ENOMEM;

	ret = ret ?: slab_report_estimate(r, ESTIMATE_LIVING, group_of, &r->living, 1);
	r->net.sampled = true;
	r->net.high = r->living.high;
	return ret;
}

int slab_analysis_view(const void *self, struct report *report,
		       int (*show)(struct slab_report *slab, struct report *report))
{
	const struct slab_analysis *slab = self;
	struct slab_report r = { .env = slab->env, .opts = slab->opts, .acc = slab->acc };
	int ret = slab->acc->lives.any.failed ? -ENOMEM : 0;

	sites_init(&r.sites, slab->env);
	ret = ret ?: slab_bounds_make(&r.bounds, slab->acc, slab->env);
	ret = ret ?: slab_bounds_total(&r.bounds, &r.net);
	if (!ret && slab_report_estimates(&r))
		ret = estimate_all(&r);
	ret = ret ?: show(&r, report);
	slab_bounds_free(&r.bounds);
	sites_free(&r.sites);
	return ret;
}

uint64_t slab_report_callsite(const struct slab_report *slab, size_t row)
{
	const struct slab_key *key = slab_lives_key(&slab->acc->lives, row);
	uint32_t stack = dimension_value(&slab->acc->lives.any.dimensions, &key->dims,
					 DIMENSION_STACK);

	return key->callsite ? sites_beyond(slab->env, key->callsite, stack)
			     : sites_of_stack(&slab->sites, stack);
}

static int slab_sums_add(struct slab_sums *s, uint32_t row, const struct slab_counts *c,
			 uint32_t times)
{
	if (row == UINT32_MAX ||
	    array_reach(&s->sums, &s->nr, &s->capacity, row + 1UL, sizeof(*s->sums)))
		return -ENOMEM;
	slab_counts_add(&s->sums[row].counts, c, times);
	return 0;
}

/* Adds to its sum @s what of account row @row is charged to a control group. */
static void add_charged(struct slab_sum *s, const struct slab_report *slab, uint32_t row)
{
	const struct lives *lives = &slab->acc->lives.any;
	const struct slab_counts *c = &slab->acc->rows[row];

	if (lives_value(lives, row, DIMENSION_CHARGED) &&
	    group_is_charged(lives_value(lives, row, DIMENSION_CGROUP)))
		s->charged += (slab->opts->live ? c->live_alloc : c->bytes_alloc) *
			      lives_weight(lives, row);
}

/* No event proves that an object must live. */
static void net_is_estimated(struct net_range *net, const struct estimate *e)
{
	net->sampled = true;
	net->low = 0;
	net->high = e->high;
}

/* In a sample: intervals of sums. */
static int slab_sums_estimate(struct slab_sums *s, const struct slab_report *slab,
			      const uint32_t *group_of)
{
	struct estimate *e __auto_mem = calloc(s->nr + 1, sizeof(*e));
	int ret = e ? slab_report_estimate(slab, ESTIMATE_LIVING, group_of, e, s->nr)
		    : -ENOMEM;

	for (size_t i = 0; i < s->nr && !ret; i++) {
		s->sums[i].bytes = e[i];
		net_is_estimated(&s->sums[i].net, &e[i]);
	}
	if (!ret && !slab->opts->live)
		ret = slab_report_estimate(slab, subjects_share(s->subjects.kind),
					   group_of, e, s->nr);
	for (size_t i = 0; i < s->nr && !ret && !slab->opts->live; i++)
		s->sums[i].bytes = e[i];
	return ret;
}

/* How much of each sum the kernel can reclaim; @group_of: account row -> sum. */
static int slab_sums_reclaim(struct slab_sums *s, const struct slab_report *slab,
			     const uint32_t *group_of)
{
	uint32_t *cached __auto_mem = malloc((slab->acc->nr_rows + 1) * sizeof(*cached));
	struct net_range *net __auto_mem = calloc(s->nr + 1, sizeof(*net));
	struct reclaimable r = { 0 };
	int ret = cached && net ? reclaimable_init(&r, slab->env) : -ENOMEM;

	ret = ret ?: reclaimable_learn(&r, &slab->acc->lives.any);
	for (size_t i = 0; i < slab->acc->nr_rows && !ret; i++)
		cached[i] = reclaimable_slab(&r, &slab->acc->lives.any, i) ? group_of[i]
									   : UINT32_MAX;
	ret = ret ?: slab_bounds_sums(&slab->bounds, cached, net, s->nr);
	for (size_t i = 0; i < s->nr && !ret; i++) {
		uint64_t all = net_range_likely(&s->sums[i].net);

		s->sums[i].cache = net_range_likely(&net[i]);
		if (s->sums[i].cache > all)
			s->sums[i].cache = all;
	}
	reclaimable_free(&r);
	return ret;
}

/* The ranges of each sum and of all together; @group_of: account row -> sum. */
static int slab_sums_bound(struct slab_sums *s, const struct slab_report *slab,
			   uint32_t *group_of)
{
	struct net_range *net __auto_mem = calloc(s->nr + 1, sizeof(*net));
	int ret = net ? slab_bounds_sums(&slab->bounds, group_of, net, s->nr) : -ENOMEM;
	struct estimate all;

	for (size_t i = 0; i < s->nr && !ret; i++)
		s->sums[i].net = net[i];
	if (!ret && slab->env->sample.one_in)
		ret = slab_sums_estimate(s, slab, group_of);
	ret = ret ?: slab_sums_reclaim(s, slab, group_of);
	for (size_t i = 0; i < slab->acc->nr_rows; i++)
		if (group_of[i] != UINT32_MAX)
			group_of[i] = 0;
	ret = ret ?: slab_bounds_sums(&slab->bounds, group_of, &s->net, 1);
	if (!ret && slab->env->sample.one_in) {
		ret = slab_report_estimate(slab, ESTIMATE_LIVING, group_of, &all, 1);
		net_is_estimated(&s->net, &all);
	}
	return ret;
}

/* By task: adds the sums of tasks without live objects. */
static int slab_sums_spent(struct slab_sums *s, const struct slab_report *slab)
{
	const struct lives *lives = &slab->acc->lives.any;
	uint32_t *rows __auto_mem = owners_spent(&s->subjects, lives, slab->opts->live);
	int ret = rows ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < lives->spent->keys.count && !ret; i++) {
		const struct slab_counts c =
			slab_tally_counts(spent_sum(lives->spent, i));

		if (rows[i] != UINT32_MAX)
			ret = slab_sums_add(s, rows[i], &c, 1);
	}
	return ret;
}

int slab_sums_collect(struct slab_sums *s, struct slab_report *slab,
		      enum subject_kind kind, enum account_part rows)
{
	const struct dimensions *dimensions = &slab->acc->lives.any.dimensions;
	uint32_t *group_of __auto_mem = calloc(slab->acc->nr_rows + 1, sizeof(*group_of));
	int ret = subjects_init(&s->subjects, slab->env, kind, &slab->sites, dimensions);
	bool spent = slab->acc->lives.any.spent && subjects_of_tasks(kind);
	bool by_group = subject_rows(kind) & ROWS(CGROUP);

	if (!group_of)
		ret = -ENOMEM;
	if (!ret && spent)
		ret = slab_sums_spent(s, slab);
	for (uint32_t i = 0; i < slab->acc->nr_rows && !ret; i++) {
		const struct slab_key *key = slab_lives_key(&slab->acc->lives, i);
		const struct subject who = subject_of_row(&slab->acc->lives.any, i,
							  slab_report_callsite(slab, i));
		const struct slab_counts *c = &slab->acc->rows[i];

		group_of[i] = UINT32_MAX;
		if (spent && key->all_tasks)
			continue;
		if (rows != ACCOUNT_ALL && key->kmalloc != (rows == ACCOUNT_KMALLOC))
			continue;
		group_of[i] = subjects_row(&s->subjects, &who);
		ret = slab_sums_add(s, group_of[i], c,
				    lives_weight(&slab->acc->lives.any, i));
		if (!ret && by_group)
			add_charged(&s->sums[group_of[i]], slab, i);
	}
	return ret ?: slab_sums_bound(s, slab, group_of);
}

void slab_sums_free(struct slab_sums *s)
{
	subjects_free(&s->subjects);
	free(s->sums);
}

void slab_report_note_unnamed(const struct slab_account *acc, size_t nr, struct table *t)
{
	for (size_t i = 0; i < nr; i++) {
		const struct slab_key *key = slab_lives_key(&acc->lives, i);

		if (key->kmalloc || key->cache)
			continue;
		table_add_note(
			t,
			"[unnamed]: this kernel's kmem_cache_alloc event does not name the cache.");
		return;
	}
}

void slab_report_note_unskipped(const struct slab_report *slab, struct table *t)
{
	bool stacks =
		dimensions_find(&slab->acc->lives.any.dimensions, DIMENSION_STACK) >= 0;
	uint64_t stay = 0;

	if (!callsite_rule_extended(slab->env->rule) ||
	    slab_report_memory(slab) != MEMORY_SLAB)
		return;
	for (size_t i = 0; i < slab->acc->nr_rows; i++) {
		if (sites_skipped(slab->env, slab_report_callsite(slab, i)))
			stay += slab->acc->rows[i].hit;
	}
	if (stay)
		table_add_note(
			t,
			"!%" PRIu64
			" slab allocation%s listed under a skipped function: %s",
			stay, stay == 1 ? " is" : "s are",
			stacks ? "no callchain leads beyond it. Record callchains with: kmemx record --slab --stack all"
			       : "callchains are not used when rows are by anything else too. Use --caller alone.");
}
