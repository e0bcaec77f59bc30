// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: two sides of recordings as one page for a browser.
 * In: tables of diff_tables(), and web/diff.html with its style and script. Out: HTML.
 *
 * The data are JSON, as for one recording; web/diff/data.js reads it.
 */
#include <math.h>

#include "report/json.h"
#include "report/web/web_diff.h"
#include "report/web/web_page.h"
#include "report/web/web_report.h"

/* Arrays that make generates from web/. */
#include "diff.html.inc"
#include "diff.js.inc"
#include "report.css.inc"

/* JSON has no NAN and INFINITY: write "null" and -1, which is not a valid figure. */
static void add_number(struct json *j, double f)
{
	if (isnan(f))
		json_null(j);
	else
		json_real(j, isinf(f) ? -1 : f);
}

static void add_table(struct json *j, const struct table *t, const struct diff_options *o,
		      const struct web_diff_rows *r)
{
	json_open(j, '{');
	json_key_string(j, "name", t->name);
	json_key_string(j, "by", t->by);
	json_key_uint(j, "left", r->left_out);
	JSON_KEY_ARRAY(j, "of", i, r->nr, json_uint(j, r->of[i]));
	json_key_open(j, "metrics", '{');
	for (size_t m = 0; m < o->nr_metrics; m++) {
		json_key_open(j, o->metrics[m].name, '{');
		for (size_t k = 0; k < WEB_DIFF_FIGURES; k++)
			JSON_KEY_ARRAY(
				j, web_diff_figures[k], i, r->nr,
				add_number(j, r->values[i * r->nr_metrics + m].of[k]));
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
}

static void add_metric(struct json *j, const struct diff_metric *m)
{
	json_open(j, '{');
	json_key_string(j, "name", m->name);
	json_key_string(j, "title", m->title);
	json_key_uint(j, "bytes", m->unit == UNIT_BYTES);
	json_close(j, '}');
}

static void add_run(struct json *j, const struct web_diff_run *run)
{
	static const char *const series[] = { "end", "slab", "page", "slab_hit",
					      "page_hit" };

	json_open(j, '{');
	web_key_text(j, "file", run->file);
	json_key_uint(j, "side", run->is_new);
	json_key_uint(j, "ns", run->ns);
	for (size_t i = 0; run->live && i < ARRAY_SIZE(series); i++) {
		int column = table_column(run->live, series[i]);

		JSON_KEY_ARRAY(j, series[i], row, column < 0 ? 0 : run->live->nr_rows,
			       json_cell(j, table_cell(run->live, row, column)));
	}
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
	struct json j = json_begin(out);
	int ret, err;

	json_open(&j, '{');
	JSON_KEY_ARRAY(&j, "banner", i, w->report->nr_banner,
		       web_text(&j, w->report->banner[i]));
	web_key_text(&j, "command", w->command);
	json_key_uint(&j, "tested", w->tested);
	JSON_KEY_ARRAY(&j, "metrics", i, w->options->nr_metrics,
		       add_metric(&j, &w->options->metrics[i]));
	json_key_string(&j, "main", w->options->metrics[w->options->shown[0]].name);
	JSON_KEY_ARRAY(&j, "runs", i, w->nr_runs, add_run(&j, &w->runs[i]));
	ret = add_tables(&j, w, &names);
	web_names(&j, &names);
	web_nodes(&j, &names);
	json_close(&j, '}');
	err = json_end(&j);
	web_report_free(&names);
	return ret ?: err;
}

int web_diff_html(const struct web_diff *w, const struct render_out *out)
{
	const struct web_page page = { .html = diff_html,
				       .style = WEB_TEXT(report_css),
				       .script = WEB_TEXT(diff_js),
				       .title = "kmemx diff",
				       .report = w->report,
				       .data = write_data,
				       .is_packed = true,
				       .ctx = (void *)w };

	return web_page_write(&page, out);
}
