// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/web/web_page.h"

#include "report/compressed.h"
#include "report/web/rings.h"

static int write_escaped(const struct render_out *out, const char *text)
{
	struct strbuf __auto_free sb = { 0 };

	rings_text(&sb, text);
	return render_flush(&sb, out, 0);
}

/* Writes the lines of the banner, with a dot between them. */
static int write_banner(const struct render_out *out, const struct report *r)
{
	struct strbuf __auto_free what = { 0 };

	for (size_t i = 0; i < r->nr_banner; i++)
		strbuf_printf(&what, "%s%s", i ? " \302\267 " : "",
			      r->banner[i] + (*r->banner[i] == '!'));
	return what.failed ? -ENOMEM : write_escaped(out, strbuf_text(&what));
}

/* Writes what @data writes, packed if the page says so. */
static int write_data(const struct web_page *p, const struct render_out *out,
		      int (*data)(void *ctx, const struct render_out *out))
{
	struct packed packed;
	const struct render_out to = { packed_write, &packed };
	int ret, end;

	if (!p->is_packed)
		return data(p->ctx, out);
	ret = packed_init(&packed, out);
	ret = ret ?: data(p->ctx, &to);
	end = packed_end(&packed);
	return ret ?: end;
}

/* Writes what replaces the mark of @size bytes at @mark. */
static int write_part(const struct web_page *p, const char *mark, size_t size,
		      const struct render_out *out)
{
	const struct {
		const char *mark, *markup, *text;
		int (*data)(void *ctx, const struct render_out *out);
	} parts[] = {
		{ "STYLE", p->style.text },   { "STYLE-HASH", p->style.hash },
		{ "SCRIPT", p->script.text }, { "SCRIPT-HASH", p->script.hash },
		{ "CONNECT", p->connect },    { "TITLE", .text = p->title },
		{ "WHAT", .text = p->what },  { "TYPE", .text = packed_type() },
		{ "DATA", .data = p->data },  { "COLUMNS", .data = p->columns },
	};

	for_each(part, parts, ARRAY_SIZE(parts)) {
		if (strlen(part->mark) != size || strncmp(mark, part->mark, size) != 0)
			continue;
		if (part->data)
			return write_data(p, out, part->data);
		if (part->markup)
			return out->write(out->ctx, part->markup, strlen(part->markup));
		return part->text ? write_escaped(out, part->text)
				  : write_banner(out, p->report);
	}
	return -EINVAL;
}

int web_page_write(const struct web_page *page, const struct render_out *out)
{
	const char *text = page->html, *mark, *end;
	int ret = 0;

	while (!ret && (mark = strchr(text, '@')) && (end = strchr(mark + 1, '@'))) {
		ret = out->write(out->ctx, text, (size_t)(mark - text));
		ret = ret ?: write_part(page, mark + 1, (size_t)(end - mark - 1), out);
		text = end + 1;
	}
	return ret ?: out->write(out->ctx, text, strlen(text));
}
