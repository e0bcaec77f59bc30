// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: two sides of recordings as one page for a browser.
 * In: tables of diff_tables(), and web/diff.html with its style and script. Out: HTML.
 *
 * The data are JSON, as for one recording; web/diff/data.js reads it.
 */
#include <math.h>

#include "report/compressed.h"
#include "report/json.h"
#include "report/web/web_diff.h"
#include "report/web/web_page.h"
#include "report/web/web_report.h"

/* Arrays that make generates from web/. */
#include "diff.html.inc"
#include "diff.js.inc"
#include "report.css.inc"

/* The figures of each metric in a row. */
enum figure {
	FIGURE_OLD,
	FIGURE_NEW,
	FIGURE_UNCERTAINTY,
	FIGURE_Q,
	FIGURE_MARK,
	FIGURES
};

static const char *const figure_names[FIGURES] = { "old", "new", "uncertainty", "q",
						   "mark" };

/* JSON has no NAN and INFINITY: write "null" and -1, which is no valid figure. */
static void add_number(struct json *j, double f)
{
	if (isnan(f))
		json_null(j);
	else
		json_real(j, isinf(f) ? -1 : f);
}

static void add_figure(struct json *j, const struct web_diff_rows *r, size_t metric,
		       enum figure which)
{
	json_key_open(j, figure_names[which], '[');
	for (size_t i = 0; i < r->nr; i++) {
		const struct web_diff_value *v = &r->values[i * r->nr_metrics + metric];
		const double figures[FIGURES] = { v->old, v->new, v->uncertainty, v->q,
						  v->mark };

		add_number(j, figures[which]);
	}
	json_close(j, ']');
}

static void add_table(struct json *j, const struct table *t, const struct diff_options *o,
		      const struct web_diff_rows *r)
{
	json_open(j, '{');
	json_key_string(j, "name", t->name);
	json_key_string(j, "by", t->by);
	json_key_uint(j, "left", r->left_out);
	json_key_open(j, "of", '[');
	for (size_t i = 0; i < r->nr; i++)
		json_uint(j, r->of[i]);
	json_close(j, ']');
	json_key_open(j, "metrics", '{');
	for (size_t i = 0; i < o->nr_metrics; i++) {
		json_key_open(j, o->metrics[i].name, '{');
		for (size_t which = 0; which < FIGURES; which++)
			add_figure(j, r, i, which);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
}

static void add_metrics(struct json *j, const struct diff_options *o)
{
	json_key_open(j, "metrics", '[');
	for (size_t i = 0; i < o->nr_metrics; i++) {
		json_open(j, '{');
		json_key_string(j, "name", o->metrics[i].name);
		json_key_string(j, "title", o->metrics[i].title);
		json_key_uint(j, "bytes", o->metrics[i].unit == UNIT_BYTES);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_key_string(j, "main", o->metrics[o->shown[0]].name);
}

/* Writes a column of a run's table as an array. */
static void add_series(struct json *j, const struct table *t, const char *name)
{
	int column = table_column(t, name);

	json_key_open(j, name, '[');
	for (size_t i = 0; i < t->nr_rows && column >= 0; i++)
		json_cell(j, &t->cells[i * t->nr_columns + (size_t)column]);
	json_close(j, ']');
}

static void add_run(struct json *j, const struct web_diff_run *run)
{
	static const char *const series[] = { "end", "slab", "page", "slab_hit",
					      "page_hit" };

	json_open(j, '{');
	json_key(j, "file");
	web_text(j, run->file);
	json_key_uint(j, "side", run->is_new);
	json_key_uint(j, "ns", run->ns);
	for (size_t i = 0; run->live && i < ARRAY_SIZE(series); i++)
		add_series(j, run->live, series[i]);
	json_close(j, '}');
}

/* Writes all tables, and adds their names to @names. 0 or -ENOMEM. */
static int add_tables(struct json *j, const struct web_diff *w, struct web_report *names)
{
	int ret = 0;

	json_key_open(j, "tables", '[');
	for (size_t i = 0; i < w->nr_tables && !ret; i++) {
		struct web_diff_rows rows;

		ret = web_diff_rows_init(&rows, w->tables[i], w->options, names);
		if (!ret)
			add_table(j, w->tables[i], w->options, &rows);
		web_diff_rows_free(&rows);
	}
	json_close(j, ']');
	return ret;
}

static int write_data(void *ctx, const struct render_out *out)
{
	const struct web_diff *w = ctx;
	struct web_report names = { 0 };
	struct packed packed;
	const struct render_out to = { packed_write, &packed };
	int ret = packed_init(&packed, out), end, err;
	struct json j;

	if (ret)
		return ret;
	j = json_begin(&to);
	json_open(&j, '{');
	json_key_open(&j, "banner", '[');
	for (size_t i = 0; i < w->report->nr_banner; i++)
		web_text(&j, w->report->banner[i]);
	json_close(&j, ']');
	json_key(&j, "command");
	web_text(&j, w->command);
	json_key_uint(&j, "tested", w->tested);
	add_metrics(&j, w->options);
	json_key_open(&j, "runs", '[');
	for (size_t i = 0; i < w->nr_runs; i++)
		add_run(&j, &w->runs[i]);
	json_close(&j, ']');
	ret = add_tables(&j, w, &names);
	web_names(&j, &names);
	web_nodes(&j, &names);
	json_close(&j, '}');
	err = json_end(&j);
	end = packed_end(&packed);
	web_report_free(&names);
	return ret ?: err ?: end;
}

int web_diff_html(const struct web_diff *w, const struct render_out *out)
{
	struct strbuf __auto_free what = { 0 };
	struct web_page page = { .html = diff_html,
				 .style = WEB_TEXT(report_css),
				 .script = WEB_TEXT(diff_js),
				 .title = "kmemx diff",
				 .type = packed_type(),
				 .data = write_data,
				 .ctx = (void *)w };

	for (size_t i = 0; i < w->report->nr_banner; i++)
		strbuf_printf(&what, "%s%s", i ? " \302\267 " : "",
			      w->report->banner[i] + (*w->report->banner[i] == '!'));
	page.what = strbuf_text(&what);
	return what.failed ? -ENOMEM : web_page_write(&page, out);
}
