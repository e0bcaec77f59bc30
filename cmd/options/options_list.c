// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the typed option table as the shells' completion reads it, and which settings were given.
 * In: a table. Out: a line for each option, fields separated by tabs.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/options/options.h"

void options_list(const struct option_entry *options, bool help_all, FILE *out)
{
	for (const struct option_entry *opt = options; opt->type != OPTION_END; opt++) {
		if (opt->type == OPTION_GROUP)
			continue;
		if (opt->short_name)
			fprintf(out, "-%c", opt->short_name);
		if (opt->name)
			fprintf(out, "%s--%s", opt->short_name ? "," : "", opt->name);
		fprintf(out, "\t%s%s\t%s\n", opt->type == OPTION_OPTIONAL ? "=" : "",
			opt->arg ? opt->arg : "-", opt->help);
		if (opt->type == OPTION_SWITCH)
			fprintf(out, "--no-%s\t-\tthe opposite of --%s\n", opt->name,
				opt->name);
	}
	if (help_all)
		fputs("--help-all\t-\tshow all options\n", out);
}

bool options_is_setting(int argc, char *const *argv, const char *value)
{
	int i;

	for (i = 1; argc - i >= 3 && !strcmp(argv[i], OPTIONS_SETTING); i += 3) {
		const char *equals = strchr(argv[i + 2], '=');

		if (equals && equals + 1 == value)
			return true;
	}
	return false;
}

bool options_have_setting(int argc, char *const *argv, const char *name)
{
	size_t size = strlen(name);
	int i;

	for (i = 1; argc - i >= 3 && !strcmp(argv[i], OPTIONS_SETTING); i += 3) {
		if (!strncmp(argv[i + 2], name, size) &&
		    (argv[i + 2][size] == '=' || !argv[i + 2][size]))
			return true;
	}
	return false;
}
