// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the typed option table, as the shells' completion reads it.
 * In: a table. Out: a line for each option, fields separated by tabs.
 */
#include <stdio.h>

#include "options.h"

void options_list(const struct option_entry *options, bool help_all, FILE *out)
{
	for (const struct option_entry *opt = options; opt->type != OPTION_END; opt++) {
		if (opt->type == OPTION_GROUP)
			continue;
		if (opt->short_name)
			fprintf(out, "-%c", opt->short_name);
		if (opt->name)
			fprintf(out, "%s--%s", opt->short_name ? "," : "", opt->name);
		fprintf(out, "\t%s\t%s\n", opt->arg ? opt->arg : "-", opt->help);
		if (opt->type == OPTION_SWITCH)
			fprintf(out, "--no-%s\t-\tthe opposite of --%s\n", opt->name,
				opt->name);
	}
	if (help_all)
		fputs("--help-all\t-\tshow all options\n", out);
}
