// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: a page about a recording.
 * In: its data, and web/report.html with its style and script. Out: HTML.
 *
 * The data are JSON, and columns of numbers that the page needs later. web/report/data.js reads
 * both.
 */

#include "report/json.h"
#include "report/web/web_page.h"
#include "report/web/web_report.h"

/* Arrays that make generates from web/. */
#include "report.css.inc"
#include "report.html.inc"
#include "report.js.inc"

struct source {
	const struct web_report *w;
	const struct report *report;
	const struct web_report_options *o;
};

/* Writes a number that a script cannot represent exactly, as text. */
static void add_wide_item(struct json *j, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	json_string(j, text);
}

static void add_wide(struct json *j, const char *key, uint64_t number)
{
	json_key(j, key);
	add_wide_item(j, number);
}

static void add_facts(struct json *j, const struct report *r)
{
	json_key_open(j, "facts", '{');
	for (size_t i = 0; i < r->nr_facts; i++) {
		json_key(j, r->facts[i].name);
		if (r->facts[i].value.type == CELL_TEXT)
			web_text(j, r->facts[i].value.s);
		else
			json_cell(j, &r->facts[i].value);
	}
	json_close(j, '}');
	JSON_KEY_ARRAY(j, "banner", i, r->nr_banner, web_text(j, r->banner[i]));
}

static void add_time(struct json *j, const struct web_report *w)
{
	json_key_open(j, "time", '{');
	add_wide(j, "first", w->first);
	add_wide(j, "last", w->last);
	add_wide(j, "width", w->width);
	json_key_uint(j, "bins", w->nr_bins);
	json_key_uint(j, "stay", w->stay_bins);
	json_key_uint(j, "ns", w->ns);
	JSON_KEY_ARRAY(j, "peaks", i, WEB_KINDS, add_wide_item(j, w->peak[i]));
	JSON_KEY_ARRAY(j, "live", i, WEB_KINDS, json_uint(j, w->live_at_peak[i]));
	json_close(j, '}');
}

static void add_event(struct json *j, const struct web_event *e)
{
	json_open(j, '[');
	add_wide_item(j, e->ts);
	json_uint(j, e->kind);
	json_uint(j, e->name);
	json_close(j, ']');
}

static void add_flag(struct json *j, const struct web_flag *f)
{
	json_open(j, '[');
	json_uint(j, f->name);
	json_uint(j, f->brief);
	add_wide_item(j, f->mask);
	json_close(j, ']');
}

static void add_end(struct json *j, const struct web_end *e)
{
	const uint64_t figures[] = { e->kind,  e->cache, e->name,
				     e->least, e->most,	 e->likely };

	JSON_ARRAY(j, i, ARRAY_SIZE(figures), json_uint(j, figures[i]));
}

static void add_frames(struct json *j, const struct web_frames *f)
{
	json_key_open(j, "frames", '{');
	json_key_uint(j, "pages", f->pages);
	json_key_uint(j, "bins", f->nr_bins);
	add_wide(j, "width", f->width);
	json_key_uint(j, "left", f->left_out);
	/* As text, because a damaged recording may have any number. */
	JSON_KEY_ARRAY(j, "first", i, f->nr,
		       json_cell(j, &(struct cell){ CELL_ADDRESS, { f->first[i] } }));
	json_close(j, '}');
}

static void add_curve(struct json *j, const struct web_report *w, size_t curve)
{
	json_open(j, '[');
	json_uint(j, w->curves[curve].name);
	json_uint(j, w->curves[curve].bytes);
	for (size_t i = 0; i < w->nr_moments; i++)
		json_uint(j, w->counts[curve * w->nr_moments + i]);
	json_close(j, ']');
}

static void add_line(struct json *j, const struct web_report *w, size_t line)
{
	json_open(j, '[');
	json_uint(j, w->lines[line].name);
	for (size_t i = 0; i < w->nr_moments; i++)
		json_int(j, w->lines[line].bytes[i]);
	json_close(j, ']');
}

static int write_data(void *ctx, const struct render_out *out)
{
	const struct source *s = ctx;
	const struct web_report *w = s->w;
	struct json j = json_begin(out);

	json_open(&j, '{');
	web_key_text(&j, "file", s->o->file);
	json_key_string(&j, "summary", s->o->summary);
	web_key_text(&j, "input", s->o->input);
	web_key_text(&j, "window", s->o->window);
	json_key_uint(&j, "served", s->o->served);
	json_key_uint(&j, "parts", s->o->served && w->parts);
	json_key_uint(&j, "merged", w->merged);
	add_facts(&j, s->report);
	add_time(&j, w);
	web_names(&j, w);
	web_columns_names(&j);
	JSON_KEY_ARRAY(&j, "events", i, w->nr_events, add_event(&j, &w->events[i]));
	JSON_KEY_ARRAY(&j, "left", i, WEB_EVENT_KINDS, json_uint(&j, w->left_out[i]));
	JSON_KEY_ARRAY(&j, "flags", i, w->nr_flags, add_flag(&j, &w->flags[i]));
	JSON_KEY_ARRAY(&j, "ends", i, w->nr_ends, add_end(&j, &w->ends[i]));
	add_frames(&j, &w->frames);
	JSON_KEY_ARRAY(&j, "moments", i, w->nr_moments, add_wide_item(&j, w->moments[i]));
	JSON_KEY_ARRAY(&j, "curves", i, w->nr_curves, add_curve(&j, w, i));
	JSON_KEY_ARRAY(&j, "lines", i, w->nr_lines, add_line(&j, w, i));
	json_close(&j, '}');
	return json_end(&j);
}

static int write_columns(void *ctx, const struct render_out *out)
{
	const struct source *s = ctx;

	return web_columns_write(s->w, false, out);
}

int web_report_html(const struct web_report *w, const struct report *report,
		    const struct web_report_options *o, const struct render_out *out)
{
	struct source source = { w, report, o };
	const struct web_page page = { .html = report_html,
				       .style = WEB_TEXT(report_css),
				       .script = WEB_TEXT(report_js),
				       .title = o->file,
				       .connect = o->served ? "'self'" : "'none'",
				       .report = report,
				       .data = write_data,
				       .columns = write_columns,
				       .is_packed = true,
				       .ctx = &source };

	return w->failed ? -ENOMEM : web_page_write(&page, out);
}
