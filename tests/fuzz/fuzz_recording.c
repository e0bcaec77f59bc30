// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: a whole file, from its first byte to the reports; then its pages again, a few
 * at a time, as a live stream.
 * In: arbitrary bytes as trace.dat. Out: nothing; a crash is a finding.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pass/analyze.h"
#include "event/stream.h"
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
	int ret;

	migratetypes_init(&types, NULL, recording_release(rec).text);
	/* An error is a valid result; only memory errors are findings. */
	ret = report ? analyze_run(&env, &set, stream, report, NULL) : 0;
	(void)ret;
	report_free(report);
}

#define LIVE_CPUS   8
#define LIVE_ROUNDS 64

/* The pages of each CPU that have not been fed yet. */
struct live_cpus {
	const uint8_t *pages[LIVE_CPUS];
	uint64_t left[LIVE_CPUS];
	uint32_t cpu[LIVE_CPUS];
	uint32_t nr, page_size;
};

/* Takes the pages of the first buffer from the recording. */
static void live_take(struct live_cpus *live, struct recording *rec, const uint8_t *data,
		      size_t size)
{
	struct recording_buffer *buffer = &rec->buffers[0];
	uint32_t i;

	live->page_size = buffer->page_size;
	for (i = 0; i < buffer->nr_cpus; i++) {
		struct recording_cpu *cpu = &buffer->cpus[i];

		if (live->nr < LIVE_CPUS && cpu->offset <= size &&
		    cpu->size <= size - cpu->offset) {
			live->cpu[live->nr] = cpu->cpu;
			live->pages[live->nr] = data + cpu->offset;
			live->left[live->nr++] = cpu->size;
		}
		cpu->size = 0;
	}
}

/* Makes the stream drop all callchains but every third. */
static int forget_stacks(struct event_stream *stream)
{
	uint32_t nr = event_stream_nr_stacks(stream) + 1, i;
	uint32_t *to = calloc(nr, sizeof(*to));
	int ret = to ? 0 : -ENOMEM;

	for (i = 0; !ret && i < nr; i += 3)
		to[i] = 1;
	if (!ret)
		ret = event_stream_forget_stacks(stream, to);
	free(to);
	return ret;
}

/* Feeds a page of every CPU. The stream's new horizon is the time of one of them. */
static int live_round(struct event_stream *stream, struct live_cpus *live, uint64_t *ts)
{
	int ret = event_stream_keep(stream);
	uint32_t i;

	if (!ret)
		ret = forget_stacks(stream);
	*ts = UINT64_MAX;
	for (i = 0; i < live->nr && !ret; i++) {
		if (live->left[i] < live->page_size)
			continue;
		memcpy(ts, live->pages[i], sizeof(*ts));
		ret = event_stream_feed(stream, live->cpu[i], live->pages[i],
					live->page_size);
		live->pages[i] += live->page_size;
		live->left[i] -= live->page_size;
	}
	return ret;
}

static void fuzz_live(struct recording *rec, const struct event_formats *fmts,
		      const uint8_t *data, size_t size)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX, .live = true };
	struct event_stream *stream = NULL;
	struct live_cpus live = { .nr = 0 };
	struct kmem_event ev;
	uint64_t ts;
	int i, ret;

	if (!rec->nr_buffers || rec->buffers[0].compressed ||
	    rec->buffers[0].page_size < 16)
		return;
	live_take(&live, rec, data, size);
	ret = event_stream_open(&stream, rec, fmts, &opts, NULL);
	if (!ret)
		ret = event_stream_go_live(stream);
	for (i = 0; i < LIVE_ROUNDS && !ret; i++) {
		while (event_stream_next(stream, &ev) == 1)
			;
		ret = live_round(stream, &live, &ts);
		if (!ret)
			ret = event_stream_advance(stream, ts);
	}
	event_stream_close(stream);
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
	if (fmts)
		fuzz_live(rec, fmts, data, size);
	callsite_rule_free(rule);
	symbols_free(syms);
	event_formats_free(fmts);
	recording_close(rec);
	strbuf_free(&error);
	return 0;
}
