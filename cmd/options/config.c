// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx config.
 * In: the user's configuration file. Out: its settings, and where each comes from.
 */

#include "base/safe_text.h"
#include "cmd/options/config_file.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"

static const char command_name[] = "config";

/* Prints a line or a part of it; the arguments are made safe for a terminal. */
static void __printf_fmt(1, 2) print_safe(const char *fmt, ...)
{
	struct strbuf __auto_free text = { 0 };
	va_list args;

	va_start(args, fmt);
	safe_text_vprintf(&text, fmt, args);
	va_end(args);
	fputs(strbuf_text(&text), stdout);
}

/* Must @value be quoted in the file to be read back unchanged? */
static bool needs_quotes(const char *value)
{
	size_t size = strlen(value);

	return !size || strpbrk(value, "#;\"\\\n\t\b") || value[0] == ' ' ||
	       value[size - 1] == ' ';
}

/* Prints @value as a line of the file would have it, made safe for a terminal. */
static void print_value(const char *value)
{
	static const char meant[] = "\\\"\n\t\b", spelled[] = "\\\"ntb";
	size_t left = strlen(value), len;
	struct strbuf __auto_free text = { 0 };
	const char *at;
	uint32_t c;

	if (!needs_quotes(value)) {
		print_safe("%s", value);
		return;
	}
	for (; left; value += len, left -= len) {
		len = safe_text_char(value, left, &c);
		len = len ? len : 1;
		at = strchr(meant, *value);
		if (at)
			strbuf_printf(&text, "\\%c", spelled[at - meant]);
		else
			safe_text_add(&text, value, len);
	}
	printf("\"%s\"", strbuf_text(&text));
}

/* The output is a valid configuration file: everything but the settings is a comment. */
static int list(const struct config *c)
{
	switch (c->state) {
	case CONFIG_NONE:
		puts("# no configuration file: --no-config is given, KMEMX_CONFIG is empty or /dev/null, or HOME is not set");
		break;
	case CONFIG_ABSENT:
		print_safe("# no configuration file: %s\n", c->path);
		break;
	case CONFIG_IGNORED:
		print_safe("# not read: %s: %s\n", c->path, c->why);
		break;
	case CONFIG_READ:
		if (!c->settings.nr)
			print_safe("# no settings in %s\n", c->path);
		break;
	}
	for_each(s, c->settings.items, c->settings.nr) {
		printf("%s.%s", s->section, s->name);
		if (s->value) {
			fputs(" = ", stdout);
			print_value(s->value);
		}
		print_safe("  # %s:%u\n", c->path, s->line);
	}
	return EXIT_OK;
}

static int get(const struct config *c, const char *key)
{
	const char *dot = strchr(key, '.');
	const struct setting *found;
	char section[SETTINGS_NAME_MAX + 1];

	if (!dot || dot - key > SETTINGS_NAME_MAX)
		return message_fail(
			EXIT_USAGE, command_name,
			"'%s' is not the name of a setting\n  Write COMMAND.OPTION, such as stat.sort",
			key);
	snprintf(section, sizeof(section), "%.*s", (int)(dot - key), key);
	found = settings_find(&c->settings, section, dot + 1);
	if (!found)
		return message_fail(EXIT_FAILED, command_name,
				    "%s is not set\n  List all settings: kmemx config",
				    key);
	print_safe("%s\n", found->value ? found->value : "true");
	return EXIT_OK;
}

/* Runs the action that the operands name. */
static int show(const struct config *c, int nr, char **words)
{
	static const char *const actions[] = { "list", "get", NULL };
	int action = 0;

	if (nr) {
		action = option_choose("action", words[0], actions, command_name);
		if (action < 0)
			return EXIT_USAGE;
	}
	if (action == 0 && nr > 1)
		return message_fail(EXIT_USAGE, command_name, "unexpected argument '%s'",
				    words[1]);
	if (action == 0)
		return list(c);
	if (nr != 2)
		return message_fail(
			EXIT_USAGE, command_name,
			"get needs the name of one setting\n  Try: kmemx config get stat.sort");
	return get(c, words[1]);
}

static int run_config(int argc, char **argv)
{
	const struct option_entry options[] = { OPTIONS_END };
	struct config config = { 0 };
	int operands, ret;

	ret = options_parse(&command_config, options, argc, argv, &operands);
	ret = ret ?: config_load(&config);
	ret = ret ?: show(&config, argc - operands, argv + operands);
	config_free(&config);
	return ret;
}

const struct command command_config = {
	"config",
	"show the settings of the configuration file",
	COMMAND_OTHER,
	run_config,
	.seldom = true,
	.usage = "kmemx config [list]\nkmemx config get COMMAND.OPTION",
	.examples = "  kmemx config\n  kmemx config get stat.sort\n",
};
