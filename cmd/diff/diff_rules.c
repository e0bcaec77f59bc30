// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the rules of kmemx diff.
 * In: --fail-on and --budget, as given. Out: rules, or a message and an exit code.
 */
#include "cmd/diff/diff_options.h"

#include "base/io.h"
#include "cmd/options/message.h"

static const char command_name[] = "diff";

static int read_budget(struct diff_args *a, struct strbuf *text)
{
	int err = text_file_read(text, a->budget, IO_FILE_OR_PIPE);

	if (err)
		return message_fail(EXIT_USAGE, command_name,
				    "cannot read the budget %s: %s", a->budget,
				    io_strerror(err));
	/* Rules after a NUL would be ignored. */
	if (strlen(strbuf_text(text)) == text->size)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command_name,
		"%s: not a text file\n  Example of a line: 'kmalloc-64 waste < 10%%'; see kmemx-diff(1)",
		a->budget);
}

int diff_rules_parse(struct diff_args *a)
{
	struct strbuf __auto_free error = { 0 }, text = { 0 };
	int err = 0, ret = GO_ON;

	for (size_t i = 0; i < a->fail_on.count && !err; i++) {
		err = gate_add(&a->rules, a->fail_on.items[i], &error);
		if (err)
			message_error(
				command_name,
				"--fail-on '%s': %s\n  Example: 'net>+5%%&+64K' or 'page.bytes>+1M'; see kmemx-diff(1)",
				a->fail_on.items[i],
				err == -EINVAL ? strbuf_text(&error) : strerror(-err));
	}
	if (!err && a->budget)
		ret = read_budget(a, &text);
	if (!err && ret == GO_ON && a->budget) {
		err = gate_add_budget(&a->rules, strbuf_text(&text), &error);
		if (err)
			message_error(
				command_name,
				"%s: %s\n  Example of a line: 'kmalloc-64 waste < 10%%'; see kmemx-diff(1)",
				a->budget,
				err == -EINVAL ? strbuf_text(&error) : strerror(-err));
	}
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : ret;
}
