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
	struct strbuf sb;
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

static void add_data(struct page *p)
{
	const struct rings_rows *r = p->r;

	strbuf_puts(&p->sb, "{\"title\":");
	add_string(&p->sb, p->o->title);
	strbuf_puts(&p->sb, ",\"what\":");
	add_string(&p->sb, p->o->what);
	strbuf_printf(&p->sb, ",\"total\":%llu,\"rows\":[\n",
		      (unsigned long long)r->total);
	for (uint32_t i = 0; i < r->nr; i++) {
		strbuf_printf(&p->sb, "%s[%u,%llu,", i ? ",\n" : "", r->rows[i].depth,
			      (unsigned long long)r->rows[i].size);
		add_string(&p->sb, r->rows[i].name);
		strbuf_puts(&p->sb, "]");
	}
	strbuf_puts(&p->sb, "]}");
}

static int write_data(void *ctx, const struct render_out *out)
{
	struct page *p = ctx;

	add_data(p);
	return p->sb.failed ? -ENOMEM : out->write(out->ctx, p->sb.data, p->sb.size);
}

int rings_html(const struct table *t, const struct rings_options *o,
	       const struct render_out *out)
{
	struct rings_rows rows;
	struct page p = { &rows, o, { 0 } };
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

	strbuf_free(&p.sb);
	rings_rows_free(&rows);
	return ret;
}
