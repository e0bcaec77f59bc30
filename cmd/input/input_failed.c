// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: what went wrong with a study.
 * In: what failed, and how. Out: a message and an exit code.
 */

#include "base/io.h"
#include "cmd/input/input.h"
#include "cmd/input/input_dirs.h"
#include "cmd/input/input_symbols.h"

static int file_failed(const struct input *in, int err)
{
	if (err == -EISDIR && strcmp(in->study.path, "-") != 0) {
		input_directory_tell(in->command, in->study.path);
		return EXIT_UNREADABLE;
	}
	if (err == -ENOENT)
		return message_fail(
			EXIT_UNREADABLE, in->command,
			"cannot open %s: %s\n  Record one: sudo kmemx record -- CMD    or name one: kmemx %s %s",
			in->study.path, strerror(-err), in->command,
			strcmp(in->command, "diff") ? "-i FILE" : "OLD NEW");
	if (err == -ENOSPC)
		return message_fail(
			EXIT_UNREADABLE, in->command,
			"no space for a copy of %s, which is a pipe\n  Choose a directory with enough space: TMPDIR=DIR",
			in->study.path);
	if (err == -EACCES)
		return message_fail(
			EXIT_UNREADABLE, in->command,
			"cannot open %s: %s\n  A recording made by root is readable only by root. Try sudo, or chown it.",
			in->study.path, strerror(-err));
	return message_fail(EXIT_UNREADABLE, in->command, "cannot open %s: %s",
			    in->study.path, io_strerror(err));
}

static int recording_failed(const struct input *in, int err)
{
	switch (err) {
	case -EPROTO:
		if (input_kind_tell(in->command, in->study.path))
			break;
		message_error(
			in->command,
			"%s is not a recording (bad magic)\n  kmemx reads what 'kmemx record' and 'trace-cmd record' write",
			strcmp(in->study.path, "-") ? in->study.path : "standard input");
		break;
	case -EBADMSG:
		message_error(in->command, "%s is too damaged to read", in->study.path);
		break;
	case -ENOTSUP:
		message_error(
			in->command,
			"%s has a version or compression that this build cannot read\n  Supported here: kmemx version --build-options",
			in->study.path);
		break;
	default:
		message_error(in->command, "cannot read %s: %s", in->study.path,
			      strerror(-err));
	}
	return EXIT_UNREADABLE;
}

static int formats_failed(const struct input *in, int err)
{
	if (err == -ENODATA && in->study.rec->nr_damaged)
		return message_fail(
			EXIT_UNREADABLE, in->command,
			"%s is damaged: the formats of the kmem events are lost, so the events cannot be decoded",
			in->study.path);
	if (err == -ENODATA)
		return message_fail(
			EXIT_FAILED, in->command,
			"%s contains no kmem events\n  Record them with: sudo kmemx record -- CMD",
			in->study.path);
	message_error(in->command, "cannot read the event formats of %s: %s",
		      in->study.path, strerror(-err));
	return err == -ENOMEM ? EXIT_FAILED : EXIT_UNREADABLE;
}

static int rule_failed(const struct input *in, const struct study_failure *f)
{
	message_error(in->command, "--skip-func: %s",
		      f->err == -EINVAL ? strbuf_text(&f->text) : strerror(-f->err));
	return f->err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

static int window_failed(const struct input *in, int err)
{
	const struct window *w = &in->study.window;
	const char *option = w->at ? "at" : "time", *value = w->at ? w->at : w->time;

	if (err == -EOPNOTSUPP)
		return message_fail(
			EXIT_USAGE, in->command,
			"--%s in seconds: the clock '%s' does not count seconds\n  Use clock units (whole numbers) or percent",
			option, recording_clock(in->study.rec, w->buffer));
	if (err == -EOVERFLOW)
		return message_fail(
			EXIT_USAGE, in->command,
			"--%s '%s' is beyond 584 years, and the clock '%s' counts nanoseconds\n  Give seconds as trace-cmd prints them (%s)",
			option, value, recording_clock(in->study.rec, w->buffer),
			w->at ? "81.5" : "81.5,82");
	return message_fail(EXIT_USAGE, in->command, "--time '%s' ends before it begins",
			    w->time);
}

int input_no_instance(const struct input *in, const char *instance)
{
	struct strbuf __auto_free names = { 0 };

	for (uint32_t i = 0; i < in->study.rec->nr_buffers; i++)
		strbuf_printf(&names, " '%s'", in->study.rec->buffers[i].name);
	message_error(in->command, "%s has no ring buffer named '%s'\n  Ring buffers:%s",
		      in->study.path, instance, strbuf_text(&names));
	return EXIT_FAILED;
}

int input_stream_failed(const struct input *in, int err)
{
	if (err == -EOVERFLOW)
		return message_fail(
			EXIT_USAGE, in->command,
			"cannot make these tables in one pass: their rows differ by too many things\n  Ask for fewer tables, or for less with --by");
	message_error(in->command, "cannot read the events of %s: %s", in->study.path,
		      err == -E2BIG ? "too many for the size of the file"
				    : strerror(-err));
	return err == -ENOMEM ? EXIT_FAILED : EXIT_UNREADABLE;
}

int input_failed(const struct input *in)
{
	const struct study_failure *f = &in->study.failure;

	switch (f->part) {
	case STUDY_FILE:
		return file_failed(in, f->err);
	case STUDY_RECORDING:
		return recording_failed(in, f->err);
	case STUDY_FORMATS:
		return formats_failed(in, f->err);
	case STUDY_SYMBOL_FILE:
		if (f->symbols.problem == SYMBOLS_NO_CALLSITES)
			break;
		return input_symbols_failed(in);
	case STUDY_SEARCH:
		return input_search_failed(in);
	case STUDY_RULE:
		return rule_failed(in, f);
	case STUDY_DIR_FILE:
		return input_dirs_failed(in->command, &f->dirs, f->err);
	case STUDY_WINDOW:
		return window_failed(in, f->err);
	case STUDY_INSTANCE:
		return input_no_instance(in, in->study.window.instance);
	case STUDY_SYMBOLS:
		return message_fail(EXIT_FAILED, in->command,
				    "cannot read the symbols: %s", strerror(-f->err));
	case STUDY_DIRS:
		return message_fail(EXIT_FAILED, in->command, "%s", strerror(-f->err));
	case STUDY_EVENTS:
		break;
	}
	return input_stream_failed(in, f->err);
}
