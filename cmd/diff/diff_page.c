// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the page of kmemx diff.
 * In: what was compared. Out: a file for a browser, or a message and an exit code.
 */

#include "base/safe_text.h"
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

static bool is_wanted(const struct diff *d, const char *name)
{
	return strncmp(name, "page", 4) ? d->args.of[MEMORY_SLAB]
					: d->args.of[MEMORY_PAGE];
}

/* Compares all rows of each table: unchanged rows take their width in the page, too. */
static int compare(struct diff *d, struct page *p)
{
	struct diff_options all = d->args.diff;
	int err = 0;

	all.all = true;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		struct diff_sides sides;

		if (!is_wanted(d, names[i]) || !diff_gather(d, names[i], &sides))
			continue;
		err = diff_tables(&sides, &all, &p->tables[p->nr]);
		if (!err && p->tables[p->nr++]->failed)
			err = -ENOMEM;
	}
	return err;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int find_runs(const struct diff *d, struct page *p)
{
	const struct diff_paths *paths = &d->args.paths;

	p->runs = calloc(paths->nr + 1, sizeof(*p->runs));
	if (!p->runs)
		return -ENOMEM;
	for (size_t i = 0; i < paths->nr; i++) {
		const struct report *r = d->recordings[i].report;

		p->runs[i] = (struct web_diff_run){ .file = base_name(paths->items[i]),
						    .is_new = i >= paths->nr_old,
						    .ns = d->recordings[i].ns };
		for (size_t k = 0; k < r->nr_tables; k++) {
			if (!strcmp(r->tables[k]->name, "live_over_time"))
				p->runs[i].live = r->tables[k];
		}
	}
	return 0;
}

void diff_page_command(struct diff *d, int argc, char **argv)
{
	strbuf_puts(&d->command, "kmemx diff");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--html"))
			i++;
		if (i == argc || !strncmp(argv[i], "--html", 6) ||
		    !strcmp(argv[i - 1], "--html"))
			continue;
		strbuf_puts(&d->command, " ");
		shell_word(&d->command, argv[i], strlen(argv[i]));
	}
}

static int write_page(struct diff *d, struct text_output *file)
{
	const struct render_out out = { text_output_write, file };
	struct page p = { 0 };
	struct web_diff web = { .tables = (const struct table *const *)p.tables,
				.options = &d->args.diff,
				.report = d->report };
	int err = compare(d, &p);

	if (!err)
		err = find_runs(d, &p);
	if (!err && d->command.failed)
		err = -ENOMEM;
	web.nr_tables = p.nr;
	web.runs = p.runs;
	web.nr_runs = d->args.paths.nr;
	web.tested = d->args.paths.nr_old >= DIFF_RUNS_TO_TELL &&
		     d->args.paths.nr - d->args.paths.nr_old >= DIFF_RUNS_TO_TELL;
	web.command = strbuf_text(&d->command);
	if (!err)
		err = web_diff_html(&web, &out);
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
	for (size_t i = 0; i < d->args.paths.nr && ret == GO_ON; i++) {
		text_output_close(&file);
		ret = text_output_open(&file, path, d->args.paths.items[i], command_name);
	}
	if (ret != GO_ON)
		return ret;
	text_output_share(&file); /* a page is made to be sent to others */
	ret = text_output_end(&file, write_page(d, &file), path, command_name);
	if (ret != EXIT_OK)
		return ret;
	text_output_say_page(path);
	return GO_ON;
}
