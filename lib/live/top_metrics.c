// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live: a monitor's data as metrics.
 * In: a monitor. Out: text for the textfile collector of node_exporter: the format of kmemx export
 * prometheus, with the same names for the same figures.
 */
#include "live/top_table.h"

#include "analysis/analysis.h"
#include "base/safe_text.h"

static void put_family(struct strbuf *out, const char *name, const char *type,
		       const char *help)
{
	strbuf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Appends a label. Names of tasks and groups may have any bytes. */
static void put_label(struct strbuf *out, const char *name, const char *text)
{
	struct strbuf __auto_free safe = { 0 };

	safe_text_puts(&safe, text);
	strbuf_printf(out, ",%s=\"", name);
	for (const char *c = strbuf_text(&safe); *c; c++) {
		if (*c == '"' || *c == '\\')
			strbuf_puts(out, "\\");
		strbuf_add(out, c, 1);
	}
	strbuf_puts(out, "\"");
	out->failed |= safe.failed;
}

/* Appends a sample of a row; @cells NULL: of the rows that are left out. */
static void put_row(struct strbuf *out, const char *family, const char *memory,
		    const struct table *t, const struct cell *cells)
{
	strbuf_printf(out, "%s{allocator=\"%s\"", family, memory);
	for (size_t i = 0; i < t->nr_columns; i++) {
		char number[32];
		const char *text = number;

		if (!top_is_name(&t->columns[i]))
			continue;
		if (!cells)
			text = "[other]";
		else if (cells[i].type == CELL_TEXT)
			text = cells[i].s;
		else
			snprintf(number, sizeof(number), "%" PRId64, cells[i].i);
		put_label(out, t->columns[i].name, text);
	}
	strbuf_puts(out, "} ");
}

static void put_value(struct strbuf *out, uint64_t value)
{
	strbuf_printf(out, "%" PRIu64 "\n", value);
}

/* Appends what a gauge's rows leave out, so that its samples add up. */
static void put_rest(struct strbuf *out, const char *family, const struct monitor *m,
		     const struct table *t, size_t column)
{
	const int memory = table_column(t, "memory");
	const bool bytes = !strcmp(t->columns[column].name, "live");

	for (int i = 0; i < MEMORY_KINDS; i++) {
		const char *word = memory_words((enum memory)i)->word;
		const struct window_sums *sums = &m->sides[i].windows.step;
		uint64_t rest = bytes ? sums->live_bytes : sums->live_hit;

		if (!m->sides[i].wanted)
			continue;
		for (size_t row = 0; row < t->nr_rows; row++) {
			const struct cell *cells = t->cells + row * t->nr_columns;

			if (!strcmp(cells[memory].s, word))
				rest -= cells[column].u;
		}
		put_row(out, family, word, t, NULL);
		put_value(out, rest);
	}
}

static void put_rows(struct strbuf *out, const struct monitor *m, const struct table *t)
{
	static const struct {
		const char *column, *name, *type, *help;
	} families[] = {
		{ "live", "kmemx_live_bytes", "gauge",
		  "Bytes allocated since kmemx top started and not seen freed." },
		{ "live_hit", "kmemx_live_allocs", "gauge",
		  "Allocations since kmemx top started that were not seen freed." },
		{ "bytes", "kmemx_alloc_bytes_total", "counter", "Bytes allocated." },
		{ "hit", "kmemx_allocs_total", "counter", "Allocations." },
	};
	const int memory = table_column(t, "memory");

	for (size_t f = 0; f < ARRAY_SIZE(families) && memory >= 0; f++) {
		const size_t column = (size_t)table_column(t, families[f].column);

		put_family(out, families[f].name, families[f].type, families[f].help);
		for (size_t row = 0; row < t->nr_rows; row++) {
			const struct cell *cells = t->cells + row * t->nr_columns;

			put_row(out, families[f].name, cells[memory].s, t, cells);
			put_value(out, cells[column].u);
		}
		if (!strcmp(families[f].type, "gauge"))
			put_rest(out, families[f].name, m, t, column);
	}
}

/* Appends the sums of all allocations, also of rows that are not shown or were dropped. */
static void put_totals(struct strbuf *out, const struct monitor *m)
{
	static const char *const names[] = { "kmemx_allocator_bytes_total",
					     "kmemx_allocator_allocs_total" };
	static const char *const helps[] = { "Bytes allocated from an allocator.",
					     "Allocations from an allocator." };

	for (unsigned int n = 0; n < ARRAY_SIZE(names); n++) {
		put_family(out, names[n], "counter", helps[n]);
		for (int i = 0; i < MEMORY_KINDS; i++) {
			const struct window_sums *sums = &m->sides[i].windows.total;

			if (!m->sides[i].wanted)
				continue;
			strbuf_printf(out, "%s{allocator=\"%s\"} ", names[n],
				      memory_words((enum memory)i)->word);
			put_value(out, n ? sums->hit : sums->bytes);
		}
	}
}

static void put_facts(struct strbuf *out, const struct monitor *m,
		      const struct top_view *v)
{
	const struct {
		const char *name, *type, *help;
		uint64_t value;
	} facts[] = {
		{ "kmemx_events_total", "counter", "Recorded events.", m->events },
		{ "kmemx_lost_events_total", "counter", "Events known to be lost.",
		  m->lost },
		{ "kmemx_gaps_total", "counter", "Gaps in the events of a CPU.",
		  m->gaps },
		{ "kmemx_sample_one_in", "gauge",
		  "One in so many objects and pages is recorded, and figures are scaled up; 1: all are.",
		  m->env.sample.one_in ? m->env.sample.one_in : 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		put_family(out, facts[i].name, facts[i].type, facts[i].help);
		strbuf_printf(out, "%s ", facts[i].name);
		put_value(out, facts[i].value);
	}
	put_family(out, "kmemx_run_seconds", "gauge",
		   "How long kmemx top has been recording.");
	strbuf_printf(out, "kmemx_run_seconds %.3f\n", (double)v->run_ns / 1e9);
}

int top_metrics(const struct monitor *m, const struct top_view *view, struct strbuf *out)
{
	static const struct sort_key live[] = { { .name = "live" }, { .name = "bytes" } };
	struct top_view v = *view;
	struct report *r;

	if (!v.nr_sort) {
		v.sort = live;
		v.nr_sort = ARRAY_SIZE(live);
	}
	r = top_report(m, &v);
	if (r) {
		put_rows(out, m, r->tables[0]);
		put_totals(out, m);
		put_facts(out, m, &v);
	}
	report_free(r);
	return r && !out->failed ? 0 : -ENOMEM;
}
