// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: allocations of every callchain, as rows for other programs.
 * In: finished accounts, and who held memory at the peak. Out: tables "export", "export_page"
 * and so on.
 */

#include "analysis/analysis.h"
#include "analysis/rows_out/export_history.h"
#include "analysis/stat/account_report.h"
#include "analysis/stat/account_rows.h"
#include "analysis/time/peak.h"
#include "base/keyed.h"
#include "event/gfp.h"

/* @bytes_peak: at first as seen, then the best estimate; @freed: of them, those seen freed since */
struct export_sum {
	uint64_t hit, bytes, bytes_req;
	uint64_t live, bytes_live, bytes_peak, freed, bytes_charged;
	struct net_range net;
};

/* The key of a row. Slab objects only use @subject; for pages the options may merge the other
 * fields, which are 0 then.
 */
struct export_key {
	uint32_t subject;
	uint32_t order;
	uint64_t gfp_flags;
	int32_t migratetype;
	uint32_t zero; /* keys are compared as bytes */
};

/* A table under construction: row n is sum n. @sum_of: account row -> number of its sum;
 * UINT32_MAX: none.
 */
struct view {
	const struct peak *p;
	struct owners owners;
	bool knows_charged; /* the account tells what is charged to a control group */
	uint64_t charged;   /* GFP flags of such pages */
	KEYED(struct export_sum) sums; /* by struct export_key */
	uint32_t *sum_of;
};

struct view_row {
	struct subject_row subject;
	const struct view *v;
	const struct export_key *key;
	const struct export_sum *sum;
	const struct net_range *net;
};

static const struct export_rows_options *own(const struct analysis_options *opts)
{
	static const struct export_rows_options none;

	return opts->own ? opts->own : &none;
}

/* The row's number, if a history refers to it. */
CELL_IF(cell_id, struct view_row, own(r->v->p->opts)->history,
	cell_uint(own(r->v->p->opts)->history->first_row[r->v->owners.memory] +
		  (size_t)(r->sum - r->v->sums.of)))

CELL_IF(cell_order, struct view_row, !r->v->p->opts->any_order, cell_uint(r->key->order))

CELL_IF(cell_migratetype, struct view_row, !r->v->p->opts->any_migratetype,
	analysis_migratetype(r->v->p->env, r->key->migratetype, t))

CELL_PUT_IF(cell_gfp, struct view_row, !own(r->v->p->opts)->any_gfp,
	    gfp_format_long(&r->v->p->env->fmts->gfp, r->key->gfp_flags, out))

CELL_IF(cell_charged, struct view_row, r->v->knows_charged,
	cell_uint(r->sum->bytes_charged))

#define SUM(member) MEMBER_OF(struct view_row, sum, member)
#define NET(cell)   POINTEE(struct view_row, net, struct net_range, cell)
#define ALL_COLUMNS                                                                     \
	{ COLUMN("bytes", "Total_alloc", UNIT_BYTES, "Bytes allocated."), SUM(bytes) }, \
		{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations."), SUM(hit) },         \
		{ COLUMN("bytes_live", "Live_bytes", UNIT_BYTES,                        \
			 "Of the bytes, those not seen freed.", .live = true),          \
		  SUM(bytes_live) },                                                    \
		{ COLUMN("live", "Live", UNIT_COUNT,                                    \
			 "Allocations of which something was not seen freed.",          \
			 .live = true),                                                 \
		  SUM(live) },                                                          \
		{ COLUMN("bytes_peak", "Peak_bytes", UNIT_BYTES,                        \
			 "The best estimate of the bytes that were live at the "        \
			 "peak: kmemx-peak(1).",                                        \
			 .live = true),                                                 \
		  SUM(bytes_peak) },                                                    \
		{ COLUMN("net_min", "Net_min", UNIT_BYTES,                              \
			 "Bytes that must be live at the end.", .live = true),          \
		  NET(net_range_min_cell) },                                            \
		{ COLUMN("net_max", "Net_max", UNIT_BYTES,                              \
			 "Bytes that can be live at the end.", .live = true),           \
		  NET(net_range_max_cell) },                                            \
		{ COLUMN("net_estimate", "Net", UNIT_BYTES,                             \
			 "The best estimate of these.", .live = true),                  \
		  NET(net_range_likely_cell) },                                         \
	{                                                                               \
		COLUMN("bytes_charged", "Charged", UNIT_BYTES,                          \
		       "Of the bytes, those charged to the control group; "             \
		       "none: not known."),                                             \
			.fill = cell_charged                                            \
	}

#define ID_COLUMN                                                     \
	{                                                             \
		COLUMN("id", "ID", UNIT_NONE,                         \
		       "The row's number, where there is a history; " \
		       "none: there is none."),                       \
			.fill = cell_id                               \
	}

static const struct column_type slab_columns[] = {
	ALL_COLUMNS,
	ID_COLUMN,
	{ COLUMN("bytes_req", "Total_req", UNIT_BYTES, "Bytes asked for."),
	  SUM(bytes_req) },
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_CACHE,
	COLUMNS_END,
};

static const struct column_type page_columns[] = {
	ALL_COLUMNS,
	ID_COLUMN,
	{ COLUMN("order", "Order", UNIT_NONE,
		 "Of the blocks: 2 to that power pages; none: of all orders."),
	  .fill = cell_order },
	{ COLUMN("migratetype", "Migrate type", UNIT_NONE,
		 "Of the blocks; none: of all migratetypes."),
	  .fill = cell_migratetype },
	{ COLUMN("gfp", "GFP flags", UNIT_NONE,
		 "The flags' names; none: whatever they are.", .list = true),
	  .fill = cell_gfp },
	SUBJECT_COLUMNS,
	COLUMNS_END,
};

static const struct column_type area_columns[] = {
	ALL_COLUMNS,
	ID_COLUMN,
	{ COLUMN("bytes_req", "Total_req", UNIT_BYTES, "Bytes asked for."),
	  SUM(bytes_req) },
	SUBJECT_COLUMNS,
	COLUMNS_END,
};

#define TYPE(table, of, its_columns)                                               \
	{                                                                          \
		.name = table,                                                     \
		.help = of " by callchain, or callsite, as the format needs them", \
		.sort = "bytes,hit", .columns = its_columns                        \
	}

static const struct table_type types[MEMORY_KINDS] = {
	TYPE("export", "slab objects", slab_columns),
	TYPE("export_page", "pages", page_columns),
	TYPE("export_vmalloc", "areas of vmalloc", area_columns),
	TYPE("export_percpu_memory", "per-CPU memory", area_columns),
};
static const struct table_type *const tables[] = MEMORY_TABLES(types);

/* The sum that account row @i belongs to. NULL: no memory. */
static struct export_sum *sum_of(struct view *v, size_t i)
{
	const struct analysis_options *opts = v->p->opts;
	struct export_key key = { .subject = v->owners.of[i] };

	if (v->owners.pages) {
		const struct page_key *page = lives_key(v->owners.lives, i);

		key.order = opts->any_order ? 0 : page->order;
		key.migratetype = opts->any_migratetype ? 0 : page->migratetype;
		key.gfp_flags = own(opts)->any_gfp ? 0 : page->gfp_flags;
	}
	return KEYED_ITEM(&v->sums, &key);
}

/* In a sample: the 95 % interval and the estimate of what was not seen freed, of all memory,
 * divided by one_in like all figures of rows.
 */
static int find_intervals(struct view *v)
{
	const struct owners *o = &v->owners;
	const uint32_t one_in = o->env->sample.one_in;
	uint64_t *live __auto_mem = calloc(o->nr_rows + 1, sizeof(*live));
	struct estimate *e __auto_mem = calloc(v->sums.nr + 1, sizeof(*e));
	int ret = live && e ? 0 : -ENOMEM;

	for (size_t i = 0; i < o->nr_rows && !ret; i++)
		live[i] = lives_sums(o->lives, i).live_alloc;
	ret = ret ?: owners_estimate(o, live, v->sum_of, e, v->sums.nr);
	for (size_t i = 0; i < v->sums.nr && !ret; i++) {
		struct net_range *net = &v->sums.of[i].net;

		net->sampled = true;
		net->low = e[i].low / one_in;
		net->net = e[i].value / one_in + (e[i].value % one_in >= one_in / 2);
		net->high = e[i].high / one_in + (e[i].high % one_in != 0);
	}
	return ret;
}

/* Adds up account rows, and computes how many of the bytes that seem live must and can live. */
static int collect(struct view *v)
{
	const struct owners *o = &v->owners;
	const struct peak *p = v->p;
	struct net_range *net;
	int ret;

	v->sum_of = calloc(o->nr_rows + 1, sizeof(*v->sum_of));
	if (!v->sum_of)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_rows; i++) {
		const struct lives_sums c = lives_sums(o->lives, i);
		const struct peak_row then = peak_row_then(&p->sides[o->memory], i);
		struct export_sum *sum = sum_of(v, i);

		if (!sum)
			return -ENOMEM;
		v->sum_of[i] = (uint32_t)(sum - v->sums.of);
		sum->bytes_peak += then.bytes;
		sum->freed += then.bytes_freed;
		sum->hit += c.hit;
		sum->bytes += c.bytes_alloc;
		sum->bytes_req += c.bytes_req;
		sum->live += c.live_hit;
		sum->bytes_live += c.live_alloc;
		if (v->knows_charged && account_is_charged(o->lives, i, v->charged))
			sum->bytes_charged += c.bytes_alloc;
	}
	if (owners_estimated(o))
		return find_intervals(v);
	net = calloc(v->sums.nr + 1, sizeof(*net));
	ret = net ? account_rows_bounds(o, v->sum_of, net, v->sums.nr) : -ENOMEM;
	for (size_t i = 0; i < v->sums.nr && !ret; i++) {
		struct export_sum *sum = &v->sums.of[i];

		sum->net = net[i];
		sum->bytes_peak = peak_likely(&net[i], sum->bytes_peak, sum->freed);
	}
	free(net);
	return ret;
}

/* Adds a part to @kind, which has @nr. */
static void add_part(unsigned int *kind, unsigned int *nr, enum subject_kind part)
{
	*kind |= (unsigned int)part << (*nr)++ * SUBJECT_PART_BITS;
}

/* The kind of rows. Those by callchain and task are by all that the recording says about tasks. */
static enum subject_kind rows_by(const struct analysis_env *env,
				 const struct analysis_options *opts, bool cache)
{
	unsigned int kind = opts->by	      ? opts->by
			    : opts->by_caller ? SUBJECT_CALLSITE
					      : SUBJECT_STACK;
	unsigned int nr = subject_part((enum subject_kind)kind, 1) ? 2 : 1;

	if (nr == 2) {
		add_part(&kind, &nr, SUBJECT_ENTRY);
		if (processes_known(env->rec))
			add_part(&kind, &nr, SUBJECT_PROCESS);
		if (processes_groups_known(env->rec))
			add_part(&kind, &nr, SUBJECT_CGROUP);
	}
	if (cache)
		add_part(&kind, &nr, SUBJECT_CACHE);
	return (enum subject_kind)kind;
}

/* If rows are by control group, is it known what is charged to it? */
static void know_charged(struct view *v, enum subject_kind kind)
{
	if (!(subject_rows(kind) & ROWS(CGROUP)))
		return;
	v->charged = gfp_charged(&v->p->env->fmts->gfp);
	if (v->owners.memory == MEMORY_PAGE)
		v->knows_charged = v->charged != 0;
	else if (v->owners.memory == MEMORY_SLAB)
		v->knows_charged = dimensions_find(&v->owners.lives->dimensions,
						   DIMENSION_CHARGED) >= 0;
}

static void add_rows(const struct view *v, struct table *t)
{
	struct view_row row = { .v = v };

	for (uint32_t i = 0; i < v->sums.nr; i++) {
		row.key = KEYED_KEY(&v->sums, i);
		row.sum = &v->sums.of[i];
		row.net = &row.sum->net;
		row.subject =
			(struct subject_row){ &v->owners.subjects, row.key->subject };
		if (row.sum->hit)
			table_put_row(t, &row);
	}
}

static int show(const struct peak *p, enum memory memory, struct report *report)
{
	const enum subject_kind kind =
		rows_by(p->env, p->opts, p->opts->by_cache && memory == MEMORY_SLAB);
	struct table *t = table_begin(report, &types[memory], memory_words(memory)->title,
				      kind, false);
	struct view v = { .p = p };
	char words[SUBJECT_WORDS];
	int ret = owners_init(&v.owners, p->env, p->of[memory], kind);

	know_charged(&v, kind);
	ret = ret ?: collect(&v);
	if (!ret && own(p->opts)->history) {
		export_history_end(own(p->opts)->history);
		export_history_rows(own(p->opts)->history, memory, v.sum_of,
				    v.owners.nr_rows, (uint32_t)v.sums.nr);
		v.sum_of = NULL;
	}
	if (!ret)
		add_rows(&v, t);
	table_set_by(t, subjects_words(kind, words));
	owners_free(&v.owners);
	KEYED_FREE(&v.sums);
	free(v.sum_of);
	return ret;
}

static void changed(const struct peak *p, const struct peak_change *c)
{
	const struct history_change change = {
		.ts = c->event ? c->ts : p->env->last_ts,
		.bytes = c->bytes,
		.row = c->row & HISTORY_ROW_MAX,
		.memory = c->memory & 3, /* its two bits */
		.more = c->more,
	};

	export_history_add(own(p->opts)->history, &change, c->at, c->begin);
	if (c->event)
		own(p->opts)->history->nr_told = own(p->opts)->history->nr;
}

/* Saturates at UINT64_MAX. */
static void add_free(uint64_t *sum, uint64_t blocks, uint64_t bytes)
{
	if (__builtin_mul_overflow(blocks, bytes, &bytes) ||
	    __builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
}

/* Notes the free bytes of buddyinfo; unknown for a part of the recording's time. */
static void note_free(struct export_history *h, const struct analysis_env *env)
{
	static const char *const items[] = { "buddyinfo.before", "buddyinfo.after" };

	memset(h->free_bytes, 0, sizeof(h->free_bytes));
	for (size_t i = 0; i < ARRAY_SIZE(items) && !env->window; i++) {
		const char *text = recording_meta_text(env->rec, items[i]);
		struct buddy_line line;

		while (buddyinfo_next(&text, &line)) {
			h->nr_orders[i] = LARGER(line.nr, h->nr_orders[i]);
			for (unsigned int order = 0; order < line.nr; order++)
				add_free(&h->free_bytes[i][order], line.blocks[order],
					 (uint64_t)env->page_size << order);
		}
	}
}

static int create(void *self, const struct analysis_env *env,
		  const struct analysis_options *opts)
{
	struct analysis_options all = *opts;
	struct peak *p = self;
	int ret, i;

	all.by = rows_by(env, opts, false);
	all.by_program = true;
	ret = peak_create(p, env, &all);
	if (ret)
		return ret;
	p->show = show;
	p->unweighted = true;
	/* Objects freed since the peak were live then. Every free of a page has an event. */
	p->of[MEMORY_SLAB]->live.times = true;
	if (own(opts)->history) {
		note_free(own(opts)->history, env);
		p->changed = changed;
		for (i = 0; i < MEMORY_KINDS; i++)
			p->of[i]->live.times = true;
	}
	return 0;
}

/* Notes losses and failed page allocations. */
static void note_moments(struct export_history *h, const struct kmem_event *evs,
			 size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct kmem_event *ev = &evs[i];
		struct history_moment moment = { .ts = ev->ts, .cpu = ev->cpu };

		if (ev->type == KMEM_LOSS) {
			moment.nr =
				ev->loss.count == KMEM_LOSS_UNKNOWN ? 0 : ev->loss.count;
		} else if (ev->type == KMEM_PAGE_ALLOC && !ev->hidden &&
			   ev->page_alloc.pfn == KMEM_NO_PFN) {
			moment.what = HISTORY_FAILED;
			moment.nr = ev->page_alloc.order;
		} else {
			continue;
		}
		export_history_moment(h, &moment);
	}
}

static void observe(void *self, const struct kmem_event *evs, size_t nr)
{
	const struct peak *p = self;

	if (own(p->opts)->history)
		note_moments(own(p->opts)->history, evs, nr);
	peak_observe(self, evs, nr);
}

const struct analysis analysis_export = {
	.name = "export",
	.help = "what every callchain allocated, for other programs",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_MEMORY,
	.rows = ROWS(CALLSITE) | ROWS(STACK) | ROWS(COMM) | ROWS(ENTRY) | ROWS(PROCESS) |
		ROWS(CGROUP),
	.tables = tables,
	ANALYSIS_SELF_OPTIONS(struct peak),
	.create = create,
	.observe = observe,
	.joins = NEEDS_SLAB | NEEDS_PAGE,
	.end = peak_end,
	.view = peak_view,
	.destroy = peak_destroy,
};
