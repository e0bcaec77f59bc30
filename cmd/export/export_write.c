// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (export): where an export goes.
 * In: a report, and options. Out: standard output, a file, or one in a directory of many.
 */
#include "cmd/export/export_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/output/output.h"
#include "cmd/output/text_output.h"

static const char command_name[] = "export";

struct writing {
	const struct exporter *exporter;
	const struct export_options *opts;
	const struct report *report;
	const char *input;
};

/* An output that remembers whether anything was written. */
struct watched {
	const struct render_out *to;
	bool any;
};

static int write_watched(void *ctx, const char *data, size_t size)
{
	struct watched *w = ctx;

	w->any |= size > 0;
	return w->to->write(w->to->ctx, data, size);
}

/* Says why the output is empty: formats of rows alone have no place for it. */
static void tell_empty(const struct writing *w)
{
	if (w->opts->weight)
		message_info(
			"--weight %s is 0 for all that was chosen of %s: the output is empty",
			w->opts->weight->name, w->input);
	else
		message_info(
			"%s has no allocations in what was chosen: the output is empty",
			w->input);
}

static int write_rows(const struct render_out *to, const void *arg)
{
	const struct writing *w = arg;
	struct watched watched = { .to = to };
	const struct render_out out = { write_watched, &watched };
	int err = export_report(w->exporter, w->opts, w->report, &out);

	if (!err && !watched.any)
		tell_empty(w);
	return err;
}

static int write_file(const struct writing *w, const char *path)
{
	struct text_output file = TEXT_OUTPUT_INIT;
	const struct render_out out = { text_output_write, &file };
	int ret = text_output_open(&file, path, w->input, command_name), err;

	if (ret != GO_ON)
		return ret;
	err = write_rows(&out, w);
	if (!err)
		err = text_output_commit(&file);
	text_output_close(&file);
	if (!err)
		return EXIT_OK;
	return message_fail(EXIT_FAILED, command_name, "cannot write %s: %s", path,
			    strerror(-err));
}

/* Hive's name of the directory for rows whose value is unknown. */
#define HIVE_NULL "__HIVE_DEFAULT_PARTITION__"

/* Appends @text as part of a file name, as Hive writes it: special characters become %xx. */
static void add_name(struct strbuf *path, const char *text, const char *unknown)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+";
	const char *p;

	for (p = text; *p; p++) {
		if (strchr(plain, *p) || (*p == '.' && p > text))
			strbuf_add(path, p, 1);
		else
			strbuf_printf(path, "%%%02x", (unsigned char)*p);
	}
	if (!*text)
		strbuf_puts(path, unknown);
}

static int make_dir(const struct strbuf *path)
{
	if (path->failed || !mkdir(strbuf_text(path), 0777) || errno == EEXIST)
		return GO_ON;
	return message_fail(EXIT_FAILED, command_name,
			    "cannot create the directory %s: %s", strbuf_text(path),
			    strerror(errno));
}

static const char *kernel_of(const struct report *report)
{
	for (size_t i = 0; i < report->nr_facts; i++) {
		if (!strcmp(report->facts[i].name, "kernel") &&
		    report->facts[i].value.type == CELL_TEXT)
			return report->facts[i].value.s;
	}
	return "";
}

/* Another user's link must not choose where root writes. */
static int check_into(const char *into)
{
	int fd = new_file_open_dir(into, new_file_sudo_id("SUDO_UID"));

	if (fd >= 0)
		close(fd);
	if (fd != -EPERM)
		return GO_ON;
	return message_fail(
		EXIT_FAILED, command_name,
		"--into: '%s' is a symbolic link of another user\n  Name the directory itself",
		into);
}

/* Makes the path DIR/dt=2026-11-22/kernel=6.1.0/HOST-ID.parquet, and its directories. */
static int make_path(struct strbuf *path, const struct writing *w, const char *into)
{
	const struct export_origin *o = w->opts->origin;
	int ret = check_into(into);

	strbuf_puts(path, into);
	if (ret == GO_ON)
		ret = make_dir(path);
	strbuf_puts(path, "/dt=");
	add_name(path, o->day, HIVE_NULL);
	if (ret == GO_ON)
		ret = make_dir(path);
	strbuf_puts(path, "/kernel=");
	add_name(path, kernel_of(w->report), HIVE_NULL);
	if (ret == GO_ON)
		ret = make_dir(path);
	strbuf_puts(path, "/");
	add_name(path, o->host, "unknown");
	strbuf_printf(path, "-%s.%s", o->id, w->exporter->suffix);
	if (ret != GO_ON || !path->failed)
		return ret;
	return message_no_memory(command_name);
}

static int write_into(const struct writing *w, const struct export_place *place)
{
	struct strbuf path = { 0 };
	int ret = make_path(&path, w, place->into);

	if (ret == GO_ON)
		ret = write_file(w, strbuf_text(&path));
	if (ret == EXIT_OK)
		printf("%s\n", strbuf_text(&path));
	strbuf_free(&path);
	return ret;
}

int export_write(const struct exporter *exporter, const struct export_options *opts,
		 const struct report *report, const struct export_place *place)
{
	const struct writing w = { exporter, opts, report, place->input };

	if (place->into)
		return write_into(&w, place);
	if (place->output && strcmp(place->output, "-") != 0)
		return write_file(&w, place->output);
	return output_write(command_name, write_rows, &w, false);
}
