// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: a page about a recording.
 * In: its data, and web/report.html with its style and script. Out: HTML.
 *
 * The data are JSON and columns of numbers. A page needs the columns later than the rest.
 * web/report/data.js reads both.
 */

#include "report/compressed.h"
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
	json_key_open(j, "banner", '[');
	for (size_t i = 0; i < r->nr_banner; i++)
		web_text(j, r->banner[i]);
	json_close(j, ']');
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
	json_key_open(j, "peaks", '[');
	for (uint32_t i = 0; i < WEB_KINDS; i++)
		add_wide_item(j, w->peak[i]);
	json_close(j, ']');
	json_key_open(j, "live", '[');
	for (uint32_t i = 0; i < WEB_KINDS; i++)
		json_uint(j, w->live_at_peak[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void add_events(struct json *j, const struct web_report *w)
{
	json_key_open(j, "events", '[');
	for (size_t i = 0; i < w->nr_events; i++) {
		json_open(j, '[');
		add_wide_item(j, w->events[i].ts);
		json_uint(j, w->events[i].kind);
		json_uint(j, w->events[i].name);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_key_open(j, "left", '[');
	for (uint32_t i = 0; i < WEB_EVENT_KINDS; i++)
		json_uint(j, w->left_out[i]);
	json_close(j, ']');
}

static void add_flags(struct json *j, const struct web_report *w)
{
	json_key_open(j, "flags", '[');
	for (size_t i = 0; i < w->nr_flags; i++) {
		json_open(j, '[');
		json_uint(j, w->flags[i].name);
		json_uint(j, w->flags[i].brief);
		add_wide_item(j, w->flags[i].mask);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void add_ends(struct json *j, const struct web_report *w)
{
	json_key_open(j, "ends", '[');
	for (size_t i = 0; i < w->nr_ends; i++) {
		const struct web_end *e = &w->ends[i];

		json_open(j, '[');
		json_uint(j, e->kind);
		json_uint(j, e->cache);
		json_uint(j, e->name);
		json_uint(j, e->least);
		json_uint(j, e->most);
		json_uint(j, e->likely);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void add_frames(struct json *j, const struct web_frames *f)
{
	json_key_open(j, "frames", '{');
	json_key_uint(j, "pages", f->pages);
	json_key_uint(j, "bins", f->nr_bins);
	add_wide(j, "width", f->width);
	json_key_uint(j, "left", f->left_out);
	json_key(j, "first"); /* as text: a damaged recording may have any number */
	json_open(j, '[');
	for (size_t i = 0; i < f->nr; i++) {
		char text[24];

		snprintf(text, sizeof(text), "0x%" PRIx64, f->first[i]);
		json_string(j, text);
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void add_curves(struct json *j, const struct web_report *w)
{
	json_key_open(j, "moments", '[');
	for (size_t i = 0; i < w->nr_moments; i++) {
		char text[24];

		snprintf(text, sizeof(text), "%" PRIu64, w->moments[i]);
		json_string(j, text);
	}
	json_close(j, ']');
	json_key_open(j, "curves", '[');
	for (size_t i = 0; i < w->nr_curves; i++) {
		json_open(j, '[');
		json_uint(j, w->curves[i].name);
		json_uint(j, w->curves[i].bytes);
		for (size_t k = 0; k < w->nr_moments; k++)
			json_uint(j, w->counts[i * w->nr_moments + k]);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_key_open(j, "lines", '[');
	for (size_t i = 0; i < w->nr_lines; i++) {
		json_open(j, '[');
		json_uint(j, w->lines[i].name);
		for (size_t k = 0; k < w->nr_moments; k++)
			json_int(j, w->lines[i].bytes[k]);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static int write_data(void *ctx, const struct render_out *out)
{
	const struct source *s = ctx;
	struct packed packed;
	const struct render_out to = { packed_write, &packed };
	int ret = packed_init(&packed, out), end;
	struct json j;

	if (ret)
		return ret;
	j = json_begin(&to);
	json_open(&j, '{');
	json_key(&j, "file");
	web_text(&j, s->o->file);
	json_key_string(&j, "summary", s->o->summary);
	json_key(&j, "input");
	web_text(&j, s->o->input);
	json_key(&j, "window");
	web_text(&j, s->o->window);
	json_key_uint(&j, "served", s->o->served);
	json_key_uint(&j, "parts", s->o->served && s->w->parts);
	json_key_uint(&j, "merged", s->w->merged);
	add_facts(&j, s->report);
	add_time(&j, s->w);
	web_names(&j, s->w);
	web_columns_names(&j);
	add_events(&j, s->w);
	add_flags(&j, s->w);
	add_ends(&j, s->w);
	add_frames(&j, &s->w->frames);
	add_curves(&j, s->w);
	json_close(&j, '}');
	ret = json_end(&j);
	end = packed_end(&packed);
	return ret ?: end;
}

static int write_columns(void *ctx, const struct render_out *out)
{
	const struct source *s = ctx;
	struct packed packed;
	const struct render_out to = { packed_write, &packed };
	int ret = packed_init(&packed, out), end;

	ret = ret ?: web_columns_write(s->w, &to);
	end = packed_end(&packed);
	return ret ?: end;
}

int web_report_html(const struct web_report *w, const struct report *report,
		    const struct web_report_options *o, const struct render_out *out)
{
	struct source source = { w, report, o };
	struct strbuf __auto_free trust = { 0 };
	struct web_page page = { .html = report_html,
				 .style = WEB_TEXT(report_css),
				 .script = WEB_TEXT(report_js),
				 .title = o->file,
				 .connect = o->served ? "'self'" : "'none'",
				 .type = packed_type(),
				 .data = write_data,
				 .columns = write_columns,
				 .ctx = &source };

	for (size_t i = 0; i < report->nr_banner; i++)
		strbuf_printf(&trust, "%s%s", i ? " \302\267 " : "",
			      report->banner[i] + (*report->banner[i] == '!'));
	page.what = strbuf_text(&trust);
	return trust.failed || w->failed ? -ENOMEM : web_page_write(&page, out);
}
