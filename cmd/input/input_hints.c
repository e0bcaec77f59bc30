// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: where to get missing debug information.
 * In: an open study. Out: sentences with the package or option, and the message that lists them.
 */
#include "cmd/input/input_hints.h"

#include <stdio.h>
#include <string.h>

#include "base/safe_text.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/command.h"

/* @word if it is safe in a command that the user copies, else @instead: a recording may hold any
 * text.
 */
static const char *copyable(const char *word, const char *instead)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._+~-";

	return *word && !word[strspn(word, plain)] ? word : instead;
}

void input_hints(const struct input *in, struct strbuf hints[INPUT_HINTS])
{
	const struct recording *rec = in->study.rec;
	char release[128];

	recording_release(rec, release, sizeof(release));
	if (!recording_meta(rec, "build_id"))
		strbuf_puts(
			&hints[0],
			"the recording has no build ID, which kmemx record keeps: --vmlinux FILE, --kernel TREE or --symfs DIR is needed");
	strbuf_printf(&hints[1], "Debian, Ubuntu: apt install linux-image-%s-dbg",
		      copyable(release, "RELEASE"));
	strbuf_printf(&hints[2], "Fedora: dnf debuginfo-install kernel-core-%s",
		      copyable(release, "RELEASE"));
	strbuf_puts(
		&hints[3],
		"Arch: export DEBUGINFOD_URLS=https://debuginfod.archlinux.org, and use --debuginfod");
}

int input_hints_missing(const struct input *in, const char *what, bool dirs)
{
	const struct debug_found *found = &in->study.found;
	struct strbuf hints[INPUT_HINTS] = { 0 }, text = { 0 }, verdict = { 0 };
	size_t i;

	strbuf_printf(&text, "%s; none are given, and none were found\n", what);
	for (i = 0; i < found->nr; i++) {
		strbuf_puts(&text, "  ");
		safe_text_puts(&text, found->places[i].path);
		strbuf_puts(&text, ": ");
		strbuf_reset(&verdict);
		input_place_text(in, &found->places[i], &verdict);
		safe_text_puts(&text, strbuf_text(&verdict));
		strbuf_puts(&text, "\n");
	}
	strbuf_free(&verdict);
	input_hints(in, hints);
	for (i = 0; i < INPUT_HINTS; i++) {
		if (hints[i].size)
			strbuf_printf(&text, "  %s\n", strbuf_text(&hints[i]));
		strbuf_free(&hints[i]);
	}
	if (dirs)
		strbuf_puts(
			&text,
			"  Or give the kernel's source: --source DIR, or, for modules, --modules /lib/modules/VERSION");
	else
		strbuf_puts(
			&text,
			"  Or give the file: --vmlinux FILE; for modules, --modules DIR");
	message_text(in->command, strbuf_text(&text));
	strbuf_free(&text);
	return EXIT_USAGE;
}
