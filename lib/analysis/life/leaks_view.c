// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the tables of live memory.
 * In: finished accounts, times and growth. Out: rows of objects old enough to be a leak, their
 * growth, and what may be in flight.
 */

#include "analysis/analysis.h"
#include "analysis/life/leaks.h"
#include "analysis/stat/account_rows.h"
#include "event/tasks.h"
#include "report/text_cell.h"

#define NS_PER_S 1e9

struct leak_row {
	struct subject_row subject;
	const struct leaks_view *v;
	const struct leak *leak;
	const struct net_range *net;
	const struct estimate *bytes;
	const struct lifetime_group *ages;
};

/* --- cells ------------------------------------------------------------------------------ */

CELL(cell_age, struct leak_row, cell_uint(LARGER(r->ages->median, r->leak->least)))

/* Bytes per second, if the clock counts nanoseconds. Large blocks in a short time may overflow:
 * saturate.
 */
static struct cell slope_cell(const struct leak_row *r, bool known, double slope)
{
	double most = 0x1p63, second = slope * NS_PER_S;

	if (!known || !r->v->l->ns)
		return (struct cell){ 0 };
	if (second >= most)
		return cell_int(INT64_MAX);
	return cell_int(second <= -most ? INT64_MIN : (int64_t)second);
}

CELL(cell_growth, struct leak_row, slope_cell(r, r->leak->fit.known, r->leak->fit.slope))
CELL(cell_growth_min, struct leak_row,
     slope_cell(r, r->leak->fit.known, r->leak->fit.low))
CELL(cell_growth_max, struct leak_row,
     slope_cell(r, r->leak->fit.known, r->leak->fit.high))
CELL(cell_verdict, struct leak_row,
     cell_text(t, growth_verdict_word(r->leak->fit.verdict)))

/* Some of the bytes that must live may be those in flight. */
CELL(cell_net_min, struct leak_row,
     cell_uint(r->net->sampled ? r->net->low : less(r->net->min, r->leak->young_bytes)))
CELL(cell_net_max, struct leak_row,
     cell_uint(r->net->sampled ? r->net->high
			       : SMALLER(net_range_max(r->net), r->leak->old_bytes)))

/* "sh-123", as in the kernel's traces. */
CELL_PUT_IF(cell_task, struct leak_row, r->leak->tasks,
	    strbuf_printf(out, "%s-%" PRId32, tasks_name(&r->v->tasks, r->leak->pid),
			  r->leak->pid))

/* @things: objects or pages, of @count_unit. Rows are ordered by what the kernel cannot reclaim,
 * those that grow first, but shares are of all bytes: so these columns are marked as if they did
 * not add up.
 */
#define LEAK_COLUMNS(things, count_unit)                                                \
	{ COLUMN("bytes", "Live_bytes", UNIT_BYTES,                                     \
		 "The best estimate of live bytes, without those that may be "          \
		 "in flight.",                                                          \
		 .share = true),                                                        \
	  MEMBER_OF(struct leak_row, leak, likely_bytes) },                             \
		{ COLUMN("objects", "Live", count_unit, "The same in " things ".",      \
			 .drop = 20),                                                   \
		  MEMBER_OF(struct leak_row, leak, likely) },                           \
		{ COLUMN("verdict", "Verdict", UNIT_NONE,                               \
			 "grows: live bytes grow until the end; filled: they "          \
			 "grew at first; steady, in text no proven growth: neither; "   \
			 "cache: the kernel gives them back when it needs memory; "     \
			 "too short to tell.",                                          \
			 .spell = growth_verdict_spell),                                \
		  .fill = cell_verdict },                                               \
		{ COLUMN("growth", "Growth/s", UNIT_BYTES,                              \
			 "Bytes a second by which live bytes grow: the median "         \
			 "slope of all pairs of windows.",                              \
			 .change = true, .level = true, .drop = 10),                    \
		  .fill = cell_growth },                                                \
		{ COLUMN("growth_min", "From/s", UNIT_BYTES,                            \
			 "Its interval (95 %): at least.", .change = true,              \
			 .level = true, .drop = 60),                                    \
		  .fill = cell_growth_min },                                            \
		{ COLUMN("growth_max", "To/s", UNIT_BYTES, "The same: at most.",        \
			 .change = true, .level = true, .drop = 60),                    \
		  .fill = cell_growth_max },                                            \
		{ COLUMN("age_min", "Youngest", UNIT_NS,                                \
			 "The least age of them, from the allocation to the "           \
			 "last event.",                                                 \
			 .level = true, .drop = 70),                                    \
		  MEMBER_OF(struct leak_row, leak, least) },                            \
		{ COLUMN("age", "Age", UNIT_NS, "Their median age; at most 1/32 off.",  \
			 .level = true, .drop = 30),                                    \
		  .fill = cell_age },                                                   \
		{ COLUMN("age_max", "Oldest", UNIT_NS, "Their largest age.",            \
			 .level = true, .drop = 65),                                    \
		  MEMBER_OF(struct leak_row, ages, row.longest) },                      \
		{ COLUMN("outlived", "Outlived", UNIT_BYTES,                            \
			 "Of these bytes, those of " things " that have lived "         \
			 "longer than any that the row freed.",                         \
			 .drop = 8),                                                    \
		  MEMBER_OF(struct leak_row, leak, outlived) },                         \
		{ COLUMN("young", "In_flight", count_unit,                              \
			 "Live " things " so young that they may be in "                \
			 "flight, as seen, not estimated; they are in no other "        \
			 "column.",                                                     \
			 .drop = 80),                                                   \
		  MEMBER_OF(struct leak_row, leak, young) },                            \
		{ COLUMN("young_bytes", "In_flight_bytes", UNIT_BYTES, "Their bytes.",  \
			 .hidden = true, .drop = 85),                                   \
		  MEMBER_OF(struct leak_row, leak, young_bytes) },                      \
		{ COLUMN("bytes_seen", "Seen", UNIT_BYTES,                              \
			 "Bytes allocated and not seen freed, but for those that "      \
			 "may be in flight.",                                           \
			 .live = true, .drop = 57),                                     \
		  MEMBER_OF(struct leak_row, leak, old_bytes) },                        \
		{ COLUMN("objects_seen", "Live_seen", count_unit,                       \
			 "The same in " things ".", .hidden = true, .live = true),      \
		  MEMBER_OF(struct leak_row, leak, old) },                              \
		{ COLUMN("bytes_cache", "Reclaim", UNIT_BYTES,                          \
			 "Of the bytes, those that the kernel gives back when it "      \
			 "needs memory.",                                               \
			 .live = true, .drop = 58),                                     \
		  MEMBER_OF(struct leak_row, leak, cache_bytes) },                      \
		{ COLUMN("bytes_kept", "Kept", UNIT_BYTES, "Of the bytes, the others.", \
			 .hidden = true, .live = true, .level = true,                   \
			 .sort_title = "bytes that the kernel cannot reclaim"),         \
		  MEMBER_OF(struct leak_row, leak, kept_bytes) },                       \
		{ COLUMN("bytes_grows", "Grows", UNIT_BYTES,                            \
			 "The same in rows that grow.", .hidden = true, .live = true,   \
			 .level = true, .sort_title = "bytes that grow"),               \
		  MEMBER_OF(struct leak_row, leak, grows_bytes) },                      \
		{ COLUMN("net_min", "At_least", UNIT_BYTES,                             \
			 "Of the bytes seen, those that must be live.", .live = true,   \
			 .drop = 50),                                                   \
		  .fill = cell_net_min },                                               \
		{ COLUMN("net_max", "At_most", UNIT_BYTES,                              \
			 "Of the bytes seen, those that may be live.", .live = true,    \
			 .drop = 55),                                                   \
		  .fill = cell_net_max },                                               \
		{ COLUMN("net_reason", "Why", UNIT_NONE,                                \
			 "Why the bounds differ: events were lost, frees were "         \
			 "not traced, or a free was just not seen.",                    \
			 .spell = net_range_reason_spell, .live = true, .drop = 40),    \
		  POINTEE(struct leak_row, net, struct net_range,                       \
			  net_range_reason_cell) },                                     \
		{ COLUMN("task", "Task", UNIT_NONE,                                     \
			 "The task that allocated most of these bytes.", .drop = 35),   \
		  .rows = ROWS_ALL & ~(ROWS(PID) | ROWS(COMM)), .fill = cell_task },    \
	{                                                                               \
		COLUMN("tasks", "Tasks", UNIT_COUNT, "How many tasks allocated them.",  \
		       .drop = 75),                                                     \
			.rows = ROWS_ALL & ~ROWS(PID), .none_if_0 = true,               \
			MEMBER_OF(struct leak_row, leak, tasks)                         \
	}

#define LAST_COLUMNS                                                                    \
	INTERVAL_COLUMNS(struct leak_row, bytes), BLOCK_COLUMN(struct leak_row, bytes), \
		SHARE_COLUMNS
MEMORY_COLUMNS(LEAK_COLUMNS, LAST_COLUMNS, LAST_COLUMNS)

#define TYPE(table, what, its_columns)                                                 \
	{                                                                              \
		.name = table,                                                         \
		.help = what " still live, by callsite, or what --by says",            \
		.sort = "bytes_grows,bytes_kept,bytes,objects", .columns = its_columns \
	}

static const struct table_type types[MEMORY_KINDS] = {
	TYPE("leaks", "slab objects that were allocated and are", slab_columns),
	TYPE("leaks_page", "pages that were allocated and are", page_columns),
	TYPE("leaks_vmalloc", "areas of vmalloc that were allocated and are",
	     area_columns),
	TYPE("leaks_percpu_memory", "per-CPU memory that was allocated and is",
	     area_columns),
};
const struct table_type *const leaks_tables[] = MEMORY_TABLES(types);

static void add_rows(const struct leaks_view *v, struct table *t)
{
	for (uint32_t i = 0; i < v->owners.nr; i++) {
		const struct leak_row row = { .subject = { &v->owners.subjects, i },
					      .v = v,
					      .leak = &v->leaks[i],
					      .net = &v->leaks[i].net,
					      .bytes = &v->leaks[i].bytes,
					      .ages = &v->age_groups.groups[i] };

		if (row.leak->old)
			table_put_row(t, &row);
	}
}

/* "Suppressed: 12 objects, 4096 bytes (leak:foo 4000, leak:bar 96)" */
static void note_suppressed(const struct leaks_view *v, struct table *t)
{
	const struct suppressions *s = v->l->own.suppress;
	const char *space = " (";
	struct strbuf __auto_free lines = { 0 };

	for (size_t i = 0; s && i < s->nr; i++) {
		if (!v->suppressed[i])
			continue;
		strbuf_printf(&lines, "%sleak:%s %" PRIu64, space, s->patterns[i],
			      v->suppressed[i]);
		space = ", ";
	}
	table_note_if(t, lines.size, "Suppressed: %" PRIu64 " %s%s, %" PRIu64 " bytes%s)",
		      v->nr_suppressed, memory_words(v->memory)->one,
		      plural(v->nr_suppressed), v->bytes_suppressed, strbuf_text(&lines));
	t->failed |= lines.failed;
}

/* A leak that happened all at once does not grow, either. */
static void note_outlived(const struct leaks_view *v, struct table *t)
{
	uint64_t rows = 0, bytes = 0;

	for_each(leak, v->leaks, v->owners.nr) {
		if (!leak->outlived || leak->outlived < leak->likely_bytes / 2 ||
		    (leak->fit.verdict != GROWTH_STEADY &&
		     leak->fit.verdict != GROWTH_FILLED))
			continue;
		rows++;
		bytes += leak->outlived;
	}
	table_note_if(t, rows,
		      "Outlived: older than anything that the row freed. %" PRIu64
		      " row%s no proven growth, but mostly such bytes (%" PRIu64
		      "): a leak that happened all at once looks like this, too.",
		      rows, rows == 1 ? " has" : "s have", bytes);
}

/* Memory that a program leaked is freed when it ends, so it is not in the rows then. */
static void note_ends(const struct leaks_view *v, struct table *t)
{
	struct freed_at_end freed = task_ends_freed(&v->l->ends, &v->side->frees);
	uint64_t us;

	if (!freed.nr || !v->l->ns || freed.begin <= v->first)
		return;
	us = (freed.begin - v->first - 1) / 1000;
	table_add_note(t,
		       "%" PRIu64 " task%s ended and freed %" PRIu64
		       " bytes then, most of them %s-%" PRId32 " (%" PRIu64
		       "). Live before that: --time ,+%" PRIu64 ".%06" PRIu64 "s.",
		       freed.nr, plural(freed.nr), freed.bytes,
		       tasks_name(&v->tasks, freed.pid), freed.pid, freed.most,
		       us / 1000000, us % 1000000);
}

/* The best estimate of the bytes in flight: with those of the row, all that probably live. */
static uint64_t young_likely(const struct leak *leak)
{
	return net_range_scale(&leak->net, leak->old_bytes + leak->young_bytes) -
	       leak->likely_bytes;
}

static void add_notes(const struct leaks_view *v, uint64_t losses, struct table *t)
{
	uint64_t older = v->l->own.older_ns;
	struct strbuf __auto_free age = { 0 };
	bool differ = ANY(i, v->owners.nr,
			  young_likely(&v->leaks[i]) != v->leaks[i].young_bytes);
	const char *seen = differ ? "; the column In_flight is of what was seen" : "";

	owners_note_stackless(&v->owners, t);
	text_duration(&age, older ? older : (v->last - v->first) / LEAKS_YOUNG_PART, " ");
	if (older)
		table_add_note(t, "In flight: live for less than %s%s.",
			       strbuf_text(&age), seen);
	else if (v->l->ns)
		table_add_note(
			t,
			"In flight: live for less than %s, or for no longer than 99 %% of what the row freed (--older)%s.",
			strbuf_text(&age), seen);
	else
		table_add_note(
			t,
			"!The recording's clock does not count nanoseconds: ages are in its units, and growth has none.");
	note_ends(v, t);
	note_outlived(v, t);
	note_suppressed(v, t);
	table_note_if(
		t, v->old_of,
		"Growth is that of the estimates; From/s and To/s are widened like the interval of the bytes. Youngest, Age and Oldest are those of the sample.");
	table_note_if(
		t, v->guessed,
		"The tasks of %" PRIu64
		" bytes are guesses: by the clock, several tasks allocated at one time on a CPU.",
		v->guessed);
	table_note_if(
		t, losses,
		"!Events were lost: what seems to live may have been freed. See the column Why.");
	t->failed |= age.failed;
}

static void add_summary(const struct leaks_view *v, uint64_t losses, struct table *t)
{
	const struct memory_words *words = memory_words(v->memory);
	struct strbuf __auto_free live = { 0 };
	enum column_unit unit = words->unit;
	uint64_t grows = 0, young = 0, seen = v->bytes_suppressed;
	struct leak all = { 0 };

	for_each(leak, v->leaks, v->owners.nr) {
		seen += leak->old_bytes + leak->young_bytes;
		all.likely += leak->likely;
		all.likely_bytes += leak->likely_bytes;
		all.cache_bytes += leak->cache_bytes;
		young += leak->young_bytes;
		all.young += net_range_scale(&leak->net, leak->young);
		all.young_bytes += young_likely(leak);
		if (leak->fit.verdict == GROWTH_GROWS)
			grows += leak->likely_bytes;
	}
	strbuf_printf(&live, "%s that are still live", words->things);
	table_set_summary_title(t, "SUMMARY (live %s)", words->many);
	t->failed |= live.failed;
	TABLE_SUMMARY(t, losses != 0,
		      { "live", strbuf_text(&live), unit,
			all.likely + all.young + v->nr_suppressed, SUMMARY_USUAL, true },
		      { "bytes_seen", "Bytes allocated, and not seen freed", UNIT_BYTES,
			seen, SUMMARY_DETAIL, true },
		      { "bytes_live", "Bytes still live", UNIT_BYTES,
			all.likely_bytes + all.young_bytes + v->bytes_suppressed,
			SUMMARY_TOTAL, true },
		      { "bytes_old", "  in the rows", UNIT_BYTES, all.likely_bytes,
			SUMMARY_TOTAL, true },
		      { "bytes_grows", "    of those that grow", UNIT_BYTES, grows,
			SUMMARY_TOTAL, true },
		      { "bytes_cache", "    that the kernel can reclaim", UNIT_BYTES,
			all.cache_bytes, SUMMARY_TOTAL, true },
		      { "bytes_young",
			all.young_bytes < young ? "  may be in flight (the best estimate)"
						: "  may be in flight",
			UNIT_BYTES, all.young_bytes, SUMMARY_USUAL, true });
	if (v->l->own.suppress)
		TABLE_SUMMARY(t, losses != 0,
			      { "bytes_suppressed", "  suppressed", UNIT_BYTES,
				v->bytes_suppressed, SUMMARY_DOUBT, true });
	if (v->old_of) {
		estimate_ends(&v->all, "bytes_old", "  in the rows", true, t);
		estimate_summary(&v->all, true, t);
	}
}

static struct table *new_table(const struct leaks_view *v, enum subject_kind kind,
			       struct report *report)
{
	struct table *t = account_rows_table(
		report, &types[v->memory],
		subject_estimated(kind, v->l->env->sample.one_in),
		"%s that are still live,", memory_words(v->memory)->title);

	analysis_plain_times(v->l->env, t);
	/* In a sample nothing is certain to live: the interval of the bytes says more. */
	if (v->l->env->sample.one_in) {
		table_hide_column(t, "net_min");
		table_hide_column(t, "net_max");
	}
	return t;
}

int leaks_show(const void *self, enum memory memory, enum subject_kind kind,
	       struct report *report)
{
	const struct leaks *l = self;
	struct leaks_view v = { .l = l,
				.side = &l->sides[memory],
				.lives = l->of[memory],
				.memory = memory };
	struct table *t = new_table(&v, kind, report);
	int ret = leaks_view_make(&v, kind);

	if (!ret) {
		add_rows(&v, t);
		add_notes(&v, v.lives->losses, t);
		add_summary(&v, v.lives->losses, t);
	}
	leaks_view_free(&v);
	return ret;
}
