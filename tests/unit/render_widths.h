/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: renders a report as text of several widths.
 */
#ifndef KMEMX_TESTS_RENDER_WIDTHS_H
#define KMEMX_TESTS_RENDER_WIDTHS_H

#include <check.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/render.h"

static inline int widths_write(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

/* Renders @r as text with @opts into @sb, after emptying it. */
static inline void widths_render(const struct report *r, struct render_options opts,
				 struct strbuf *sb)
{
	const struct render_out out = { widths_write, sb };

	strbuf_reset(sb);
	ck_assert_int_eq(render_text(r, &opts, &out), 0);
}

/* The names of all rows must be in the text, and no line may be longer than the terminal. */
static inline void ck_widths(const struct report *r, const char *table, const char *name)
{
	static const unsigned int widths[] = { 60, 80, 100, 140 };
	struct strbuf sb = { 0 };
	size_t i, k, row;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		const char *line, *end;

		widths_render(r, (struct render_options){ .width = widths[i] }, &sb);
		for (line = strbuf_text(&sb); *line; line = end + 1) {
			end = strchr(line, '\n');
			ck_assert_ptr_nonnull(end);
			ck_assert_msg(end - line <= (long)widths[i],
				      "longer than %u: %.*s", widths[i],
				      (int)(end - line), line);
		}
		for (k = 0; k < r->nr_tables; k++) {
			const struct table *t = r->tables[k];
			int column = table_column(t, name);

			if (strcmp(t->name, table))
				continue;
			ck_assert_int_ge(column, 0);
			for (row = 0; row < t->nr_rows; row++)
				ck_assert_ptr_nonnull(strstr(
					strbuf_text(&sb),
					t->cells[row * t->nr_columns + (size_t)column]
						.s));
		}
	}
	strbuf_free(&sb);
}

#endif
