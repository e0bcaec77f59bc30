// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx record --label.
 * In: "key=value" of each option. Out: the text that a recording keeps.
 */
#include "cmd/options/label_options.h"

#include <string.h>

#include "cmd/options/command.h"
#include "cmd/options/message.h"

#define KEY_MAX	  64
#define VALUE_MAX 1024

static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

/* The length of a label's key: characters that SQL and file names take without quotes. */
static size_t key_size(const char *label)
{
	return strspn(
		label,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
}

/* Does an earlier label have the key of label @i? */
static bool is_repeated(const struct option_strings *labels, size_t i, size_t size)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (!strncmp(labels->items[j], labels->items[i], size + 1))
			return true;
	return false;
}

int record_labels(const struct option_strings *labels, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < labels->count; i++) {
		const char *label = labels->items[i];
		size_t size = key_size(label);

		if (!size || size > KEY_MAX || label[size] != '=' ||
		    strlen(label + size + 1) > VALUE_MAX || has_control(label)) {
			message_error(
				"record",
				"--label takes key=value, not '%s'\n  The key has letters, digits and _ . -; for example --label rack=a12",
				label);
			return EXIT_USAGE;
		}
		if (is_repeated(labels, i, size)) {
			message_error("record", "--label %.*s is given twice", (int)size,
				      label);
			return EXIT_USAGE;
		}
		strbuf_puts(out, label);
		strbuf_puts(out, "\n");
	}
	if (!out->failed)
		return GO_ON;
	message_error("record", "out of memory");
	return EXIT_FAILED;
}
