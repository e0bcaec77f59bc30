// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: a tree as rings, in an interactive page.
 * In: rows, and web/rings.html with its style and script. Out: HTML.
 */

#include "report/json.h"
#include "report/web/rings.h"
#include "report/web/web_page.h"

/* Arrays that make generates from web/. */
#include "page.html.inc"
#include "rings.css.inc"
#include "rings.js.inc"

struct page {
	const struct rings_rows *r;
	const struct rings_options *o;
};

/* Appends a JSON string that cannot end the enclosing element. */
static void add_string(struct strbuf *sb, const char *text)
{
	struct strbuf __auto_free quoted = { 0 };
	const char *p;

	json_quote(&quoted, text);
	for (p = strbuf_text(&quoted); *p; p++) {
		if (*p == '<')
			strbuf_puts(sb, "\\u003c");
		else
			strbuf_add(sb, p, 1);
	}
	sb->failed |= quoted.failed;
}

static int write_data(void *ctx, const struct render_out *out)
{
	const struct page *p = ctx;
	const struct rings_rows *r = p->r;
	struct strbuf __auto_free sb = { 0 };

	strbuf_puts(&sb, "{\"title\":");
	add_string(&sb, p->o->title);
	strbuf_puts(&sb, ",\"what\":");
	add_string(&sb, p->o->what);
	strbuf_printf(&sb, ",\"total\":%llu,\"rows\":[\n", (unsigned long long)r->total);
	for (uint32_t i = 0; i < r->nr; i++) {
		strbuf_printf(&sb, "%s[%u,%llu,", i ? ",\n" : "", r->rows[i].depth,
			      (unsigned long long)r->rows[i].size);
		add_string(&sb, r->rows[i].name);
		strbuf_puts(&sb, "]");
	}
	strbuf_puts(&sb, "]}");
	return render_flush(&sb, out, 0);
}

int rings_html(const struct table *t, const struct rings_options *o,
	       const struct render_out *out)
{
	struct rings_rows rows;
	struct page p = { &rows, o };
	const struct web_page page = {
		.html = page_html,
		.style = WEB_TEXT(rings_css),
		.script = WEB_TEXT(rings_js),
		.title = o->title,
		.what = o->what,
		.data = write_data,
		.ctx = &p,
	};
	int ret = rings_rows_init(&rows, t, o) ?: web_page_write(&page, out);

	rings_rows_free(&rows);
	return ret;
}
