// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the page of kmemx diff.
 * In: what was compared. Out: a file for a browser, or a message and an exit code.
 */

#include "cmd/diff/diff.h"
#include "cmd/options/message.h"
#include "cmd/output/text_output.h"
#include "report/web/web_diff.h"

static const char command_name[] = "diff";

/* The tables of a page, if their kind of event is compared. */
static const char *const names[] = { "slab", "slab_cache", "page", "slab_stack",
				     "page_stack" };

struct page {
	struct table *tables[ARRAY_SIZE(names)];
	size_t nr;
	struct web_diff_run *runs;
};

/* Compares all rows of each table: the page also draws unchanged rows, at their width. */
static int compare(struct diff *d, struct page *p)
{
	const char *wanted[ARRAY_SIZE(names)];
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (d->args.of[strncmp(names[i], "page", 4) ? MEMORY_SLAB : MEMORY_PAGE])
			wanted[nr++] = names[i];
	}
	return diff_whole_tables(d, wanted, nr, p->tables, &p->nr);
}

static int find_runs(const struct diff *d, struct page *p)
{
	const struct diff_paths *paths = &d->args.paths;

	p->runs = calloc(paths->nr + 1, sizeof(*p->runs));
	if (!p->runs)
		return -ENOMEM;
	for (size_t i = 0; i < paths->nr; i++) {
		const struct report *r = d->recordings[i].report;

		p->runs[i] =
			(struct web_diff_run){ .file = text_after_slash(paths->items[i]),
					       .live = report_table(r, "live_over_time"),
					       .is_new = i >= paths->nr_old,
					       .ns = d->recordings[i].ns };
	}
	return 0;
}

static int write_page(struct diff *d, struct text_output *file)
{
	const struct render_out out = { text_output_write, file };
	struct page p = { 0 };
	struct web_diff web = { .tables = (const struct table *const *)p.tables,
				.options = &d->args.diff,
				.report = d->report };
	int err = compare(d, &p);

	err = err ?: find_runs(d, &p);
	err = err ?: (d->command.failed ? -ENOMEM : 0);
	web.nr_tables = p.nr;
	web.runs = p.runs;
	web.nr_runs = d->args.paths.nr;
	web.tested = diff_can_tell(&d->sides);
	web.command = strbuf_text(&d->command);
	err = err ?: web_diff_html(&web, &out);
	for (size_t i = 0; i < p.nr; i++)
		table_free(p.tables[i]);
	free(p.runs);
	return err;
}

int diff_page(struct diff *d)
{
	struct text_output file = TEXT_OUTPUT_INIT;
	const char *path = d->args.page_file;
	int ret = GO_ON;

	if (!path)
		return GO_ON;
	if (!d->args.of[MEMORY_SLAB] && !d->args.of[MEMORY_PAGE])
		return message_fail(
			EXIT_FAILED, command_name,
			"--html shows slab objects and pages, and neither is compared\n  Leave out --html, or compare recordings that have them: kmemx record --slab --page");
	for (size_t i = 0; i < d->args.paths.nr && ret == GO_ON; i++) {
		text_output_close(&file);
		ret = text_output_open(&file, path, d->args.paths.items[i], command_name);
	}
	if (ret != GO_ON)
		return ret;
	text_output_share(&file); /* a page is meant to be shared */
	ret = text_output_end(&file, write_page(d, &file), path, command_name);
	if (ret == EXIT_OK)
		text_output_say_page(path);
	return ret;
}
