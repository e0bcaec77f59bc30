// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/web/web_page.h"

#include "report/web/rings.h"

static int write_text(const struct render_out *out, const struct web_text *t)
{
	return out->write(out->ctx, t->text, t->size);
}

static int write_hash(const struct render_out *out, const struct web_text *t)
{
	return out->write(out->ctx, t->hash, strlen(t->hash));
}

static int write_escaped(const struct render_out *out, const char *text)
{
	struct strbuf __auto_free sb = { 0 };

	rings_text(&sb, text);
	return sb.failed ? -ENOMEM : out->write(out->ctx, sb.data, sb.size);
}

/* Writes what replaces the mark of @size bytes at @mark. */
static int write_part(const struct web_page *p, const char *mark, size_t size,
		      const struct render_out *out)
{
	static const char *const marks[] = { "STYLE-HASH", "SCRIPT-HASH", "STYLE",
					     "SCRIPT",	   "DATA",	  "TITLE",
					     "WHAT",	   "TYPE",	  "COLUMNS",
					     "CONNECT" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks) &&
		    (strlen(marks[i]) != size || strncmp(mark, marks[i], size));)
		i++;
	switch (i) {
	case 0:
		return write_hash(out, &p->style);
	case 1:
		return write_hash(out, &p->script);
	case 2:
		return write_text(out, &p->style);
	case 3:
		return write_text(out, &p->script);
	case 4:
		return p->data(p->ctx, out);
	case 5:
		return write_escaped(out, p->title);
	case 6:
		return write_escaped(out, p->what);
	case 7:
		return write_escaped(out, p->type);
	case 8:
		return p->columns(p->ctx, out);
	case 9:
		return out->write(out->ctx, p->connect, strlen(p->connect));
	default:
		return -EINVAL;
	}
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
