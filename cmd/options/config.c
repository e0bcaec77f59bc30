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

static void print_safe(const char *text)
{
	struct strbuf __auto_free safe = { 0 };

	safe_text_puts(&safe, text);
	fputs(strbuf_text(&safe), stdout);
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
		print_safe(value);
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

static void print_path(const struct config *c, const char *lead, const char *tail)
{
	fputs(lead, stdout);
	print_safe(c->path);
	fputs(tail, stdout);
}

/* The output is a valid configuration file: all that is not a setting is a comment. */
static int list(const struct config *c)
{
	switch (c->state) {
	case CONFIG_NONE:
		puts("# no configuration file: --no-config is given, KMEMX_CONFIG is empty or /dev/null, or HOME is not set");
		break;
	case CONFIG_ABSENT:
		print_path(c, "# no configuration file: ", "\n");
		break;
	case CONFIG_IGNORED:
		print_path(c, "# not read: ", ": ");
		puts(c->why);
		break;
	case CONFIG_READ:
		if (!c->settings.nr)
			print_path(c, "# no settings in ", "\n");
		break;
	}
	for (size_t i = 0; i < c->settings.nr; i++) {
		const struct setting *s = &c->settings.items[i];

		printf("%s.%s", s->section, s->name);
		if (s->value) {
			fputs(" = ", stdout);
			print_value(s->value);
		}
		print_path(c, "  # ", "");
		printf(":%u\n", s->line);
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
	print_safe(found->value ? found->value : "true");
	putchar('\n');
	return EXIT_OK;
}

static const struct option_usage usage = {
	.command = command_name,
	.purpose = "Show the settings of the configuration file.",
	.usage = "kmemx config [list]\nkmemx config get COMMAND.OPTION",
	.examples = "  kmemx config\n  kmemx config get stat.sort\n",
};

/* Runs the action that the operands name. */
static int show(const struct config *c, int nr, char **words)
{
	static const char *const actions[] = { "list", "get" };
	int action = 0;

	if (nr) {
		action = option_choose("action", words[0], actions, ARRAY_SIZE(actions),
				       command_name);
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

	ret = options_parse(&usage, options, argc, argv, &operands);
	if (ret == GO_ON)
		ret = config_load(&config);
	if (ret == GO_ON)
		ret = show(&config, argc - operands, argv + operands);
	config_free(&config);
	return ret;
}

const struct command command_config = { "config",
					"show the settings of the configuration file",
					COMMAND_OTHER, run_config, .seldom = true };
