// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: a whole file, from its first byte to the reports.
 * In: arbitrary bytes as trace.dat. Out: nothing; a crash is a finding.
 */
#include <stdint.h>
#include <stdlib.h>

#include "analysis/registry.h"
#include "recording/recording.h"

static void fuzz_analyses(const struct recording *rec, const struct event_formats *fmts,
			  struct event_stream *stream, const struct symbols *syms,
			  struct callsite_rule *rule)
{
	const struct analysis *const chosen[] = { analysis_find("slab"),
						  analysis_find("page") };
	const struct analysis_options opts = { .by_caller = true,
					       .by_address = true,
					       .by_cache = true,
					       .tree = { .roots = TREE_CALLER } };
	const struct analysis_set set = { .analyses = chosen, .nr = 2, .opts = &opts };
	struct migratetypes types;
	struct analysis_env env = { .rec = rec,
				    .fmts = fmts,
				    .stream = stream,
				    .syms = syms,
				    .rule = rule,
				    .migratetypes = &types,
				    .page_size = 4096 };
	struct report *report = report_new();
	char release[64];
	int ret;

	recording_release(rec, release, sizeof(release));
	migratetypes_init(&types, NULL, release);
	/* Damage is an answer too; only memory errors are findings. */
	ret = report ? analyze_run(&env, &set, stream, report, NULL) : 0;
	(void)ret;
	report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct event_formats *fmts = NULL;
	struct event_stream *stream = NULL;
	struct callsite_rule *rule = NULL;
	struct symbols *syms = NULL;
	struct strbuf error = { 0 };
	struct recording *rec;
	struct source src;

	source_open_memory(&src, data, size);
	if (recording_open(&rec, &src, "fuzz", NULL))
		return 0;
	if (!event_formats_new(&fmts, rec, NULL) &&
	    !symbols_new(&syms, rec->kallsyms, rec->kallsyms_size, NULL) &&
	    !callsite_rule_new(&rule, NULL, 0, &error) &&
	    !event_stream_open(&stream, rec, fmts, &opts, NULL))
		fuzz_analyses(rec, fmts, stream, syms, rule);
	event_stream_close(stream);
	callsite_rule_free(rule);
	symbols_free(syms);
	event_formats_free(fmts);
	recording_close(rec);
	strbuf_free(&error);
	return 0;
}
