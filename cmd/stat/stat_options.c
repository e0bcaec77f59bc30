// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the options of every command that shows tables of one recording.
 * In: argv, the command's own options. Out: a struct stat_options, or the exit code.
 */
#include "cmd/stat/stat_options.h"

#include "cmd/options/command.h"

int stat_options_parse(struct stat_options *o, const struct option_usage *usage,
		       const struct option_entry *options, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
	const struct analysis *analysis;
	int operands, ret;
	size_t i;

	for (i = 0; (analysis = analysis_at(i)); i++)
		a->asked[i] = analysis->use == ANALYSIS_COMMAND &&
			      stat_analyses_of(usage->command, analysis);
	ret = options_parse(usage, options, argc, argv, &operands);
	if (ret == GO_ON)
		ret = filter_words_deep(&o->filter, &o->skip, usage->command);
	o->usual_sort = options_is_setting(argc, argv, o->sort);
	if (ret == GO_ON && (operands < argc || !o->no_default))
		ret = input_path(usage->command, argc, argv, operands, &o->path);
	return ret;
}

uint32_t stat_kinds_needed(const bool of[MEMORY_KINDS])
{
	uint32_t needs = 0;
	int i;

	for (i = 0; i < MEMORY_KINDS; i++)
		needs |= of[i] ? analysis_memory((enum memory)i) : 0;
	return needs;
}
