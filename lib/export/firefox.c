// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: the Firefox Profiler's processed profile, version 57.
 * In: rows by callchain, and their history. Out: JSON, as firefox-devtools/profiler
 * docs-developer/CHANGELOG-formats.md and src/types/profile.ts describe it.
 *
 * The profiler matches frees and allocations by address. Kernel addresses exceed the range of JSON
 * numbers, so objects are numbered; a block that was freed in pieces becomes several objects.
 */

#include "export/replay.h"

/**
 * struct firefox - a file being written
 * @nodes: pairs of the caller's node and a frame; @leaf: the innermost node of each row
 * @first: number of each object's first piece; @gone: how many of its pieces were freed
 * @times, @weights, @stacks, @objects: columns of the allocations; @nr of them
 */
struct firefox {
	struct replay rows;
	struct intern nodes;
	uint32_t *leaf;
	uint32_t *first, *gone;
	uint64_t nr_objects, nr;
	struct strbuf times, weights, stacks, objects;
};

/* Numbers the nodes of all callchains, callers before callees. */
static void make_nodes(struct export_job *job)
{
	struct firefox *f = job->state;

	f->leaf = calloc(f->rows.rows.nr + 1, sizeof(*f->leaf));
	export_fail(job, f->leaf ? 0 : -ENOMEM);
	for (size_t i = 0; f->leaf && i < f->rows.rows.nr; i++) {
		const struct replay_row *row = &f->rows.rows.of[i];
		uint32_t node = 0;

		for (size_t j = row->nr; j--;) {
			uint32_t pair[2] = { node, row->frames[j] };

			node = intern_id(&f->nodes, pair, sizeof(pair));
			export_fail(job, node ? 0 : -ENOMEM);
		}
		f->leaf[i] = node;
	}
}

static void add_change(struct export_job *job, const struct replay_change *c)
{
	const uint32_t object = c->of->object;
	struct firefox *f = job->state;
	const char *comma = f->nr ? "," : "";
	uint64_t number;

	if (c->row == UINT32_MAX)
		return;
	if (c->of->more && !c->piece) {
		f->first[object] = (uint32_t)f->nr_objects;
		f->gone[object] = 0;
	}
	number = c->of->more ? f->nr_objects++
			     : (uint64_t)f->first[object] + f->gone[object]++;
	f->nr++;
	strbuf_puts(&f->times, comma);
	strbuf_printf(&f->times, "%" PRIu64 ".%06u", c->ns / 1000000,
		      (unsigned int)(c->ns % 1000000));
	strbuf_printf(&f->weights, "%s%s%" PRIu64, comma, c->of->more ? "" : "-",
		      c->bytes);
	strbuf_printf(&f->stacks, "%s%u", comma, f->leaf[c->row] - 1);
	strbuf_printf(&f->objects, "%s%" PRIu64, comma, number);
	if (f->times.failed || f->weights.failed || f->stacks.failed || f->objects.failed)
		export_fail(job, -ENOMEM);
}

static void add_history(struct export_job *job)
{
	struct firefox *f = job->state;
	size_t nr = job->opts->history->objects.nr + 1UL;

	f->first = calloc(nr, sizeof(*f->first));
	f->gone = calloc(nr, sizeof(*f->gone));
	export_fail(job, f->first && f->gone ? 0 : -ENOMEM);
	replay_changes(job, add_change);
}

/* "name":[@what @nr times, or the numbers from 0 if @what is NULL] */
static void put_same(struct export_job *job, const char *name, const char *what,
		     size_t nr)
{
	export_put(job, "\"%s\":[", name);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			outbuf_char(&job->out, ',');
		if (what)
			outbuf_puts(&job->out, what);
		else
			outbuf_dec(&job->out, i);
	}
	outbuf_puts(&job->out, "],");
}

static void put_length(struct export_job *job, uint64_t length)
{
	export_put(job, "\"length\":%" PRIu64 "}", length);
}

/* "name":[@first, then @sb] */
static void put_column(struct export_job *job, const char *name, const char *first,
		       const struct strbuf *sb)
{
	export_put(job, "\"%s\":[%s%s", name, first, *first && sb->size ? "," : "");
	outbuf_add(&job->out, strbuf_text(sb), sb->size);
	outbuf_puts(&job->out, "],");
}

/* Frames and functions have the same numbers as their names, from 0. */
static void put_frames(struct export_job *job)
{
	size_t nr = job->frames.count;

	outbuf_puts(&job->out, ",\n\"frameTable\":{");
	put_same(job, "address", "-1", nr);
	put_same(job, "inlineDepth", "0", nr);
	put_same(job, "category", "0", nr);
	put_same(job, "subcategory", "0", nr);
	put_same(job, "func", NULL, nr);
	put_same(job, "nativeSymbol", "null", nr);
	put_same(job, "innerWindowID", "0", nr);
	put_same(job, "line", "null", nr);
	put_same(job, "column", "null", nr);
	put_length(job, nr);
	outbuf_puts(&job->out, ",\n\"funcTable\":{");
	put_same(job, "isJS", "false", nr);
	put_same(job, "relevantForJS", "false", nr);
	put_same(job, "name", NULL, nr);
	put_same(job, "resource", "-1", nr);
	put_same(job, "fileName", "null", nr);
	put_same(job, "lineNumber", "null", nr);
	put_same(job, "columnNumber", "null", nr);
	put_length(job, nr);
}

static void put_stacks(struct export_job *job)
{
	const struct firefox *f = job->state;

	outbuf_puts(&job->out, ",\n\"stackTable\":{\"frame\":[");
	for (uint32_t i = 1; i <= f->nodes.count; i++) {
		const uint32_t *pair = intern_get(&f->nodes, i, NULL);

		outbuf_puts(&job->out, i > 1 ? "," : "");
		outbuf_dec(&job->out, pair[1] - 1);
	}
	outbuf_puts(&job->out, "],\"prefix\":[");
	for (uint32_t i = 1; i <= f->nodes.count; i++) {
		const uint32_t *pair = intern_get(&f->nodes, i, NULL);

		outbuf_puts(&job->out, i > 1 ? "," : "");
		if (pair[0])
			outbuf_dec(&job->out, pair[0] - 1);
		else
			outbuf_puts(&job->out, "null");
	}
	outbuf_puts(&job->out, "],");
	put_length(job, f->nodes.count);
}

static void put_thread(struct export_job *job)
{
	const struct firefox *f = job->state;

	outbuf_puts(
		&job->out,
		"\"threads\":[{\"processType\":\"default\",\"processStartupTime\":0,"
		"\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
		"\"pausedRanges\":[],\"name\":\"kernel memory\",\"isMainThread\":true,"
		"\"pid\":\"0\",\"tid\":0,\n"
		"\"samples\":{\"stack\":[],\"time\":[],\"weight\":null,"
		"\"weightType\":\"samples\",\"length\":0},\n\"nativeAllocations\":{");
	put_column(job, "time", "", &f->times);
	put_column(job, "weight", "", &f->weights);
	outbuf_puts(&job->out, "\"weightType\":\"bytes\",");
	put_column(job, "stack", "", &f->stacks);
	put_column(job, "memoryAddress", "", &f->objects);
	put_same(job, "threadId", "0", f->nr);
	put_length(job, f->nr);
	outbuf_puts(&job->out,
		    ",\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],"
		    "\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0}");
	put_stacks(job);
	put_frames(job);
	outbuf_puts(&job->out,
		    ",\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],"
		    "\"type\":[],\"length\":0},\n\"nativeSymbols\":{\"libIndex\":[],"
		    "\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0}}]");
}

/* The memory track: the same changes after an initial 0. Without it, the lowest point that the
 * profiler draws would be the first allocation.
 */
static void put_counter(struct export_job *job)
{
	const struct firefox *f = job->state;

	outbuf_puts(&job->out,
		    ",\n\"counters\":[{\"name\":\"live\",\"category\":\"Memory\","
		    "\"description\":\"Bytes that live\",\"pid\":\"0\","
		    "\"mainThreadIndex\":0,\"samples\":{");
	put_column(job, "time", "0", &f->times);
	put_column(job, "count", "0", &f->weights);
	put_length(job, f->nr + 1);
	outbuf_puts(&job->out, "}]}\n");
}

static void put_head(struct export_job *job)
{
	const struct export_origin *o = job->opts->origin;

	export_put(job, "{\"meta\":{\"interval\":1,\"startTime\":%" PRIu64,
		   o ? (uint64_t)o->start * 1000 : 0);
	outbuf_puts(&job->out, ",\"processType\":0,\"product\":");
	export_json_banner(job, '\n');
	outbuf_puts(&job->out,
		    ",\"stackwalk\":1,\"version\":28,\"preprocessedProfileVersion\":57,"
		    "\"symbolicated\":true,\"markerSchema\":[],\"categories\":[{\"name\":"
		    "\"Kernel\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]},\n"
		    "\"libs\":[],\"pages\":[],\n\"shared\":{\"stringArray\":[");
	export_json_frames(job, "", ",\n", "");
	outbuf_puts(&job->out, "]},\n");
}

static void firefox_end(struct export_job *job)
{
	make_nodes(job);
	if (job->opts->history)
		add_history(job);
	put_head(job);
	put_thread(job);
	put_counter(job);
}

static void firefox_free(void *state)
{
	struct firefox *f = state;

	replay_free(&f->rows);
	intern_free(&f->nodes);
	free(f->leaf);
	free(f->first);
	free(f->gone);
	strbuf_free(&f->times);
	strbuf_free(&f->weights);
	strbuf_free(&f->stacks);
	strbuf_free(&f->objects);
}

const struct exporter exporter_firefox = {
	.name = "firefox",
	.help = "JSON with all allocations and frees, for any time range",
	.opened_by = "Firefox Profiler (profiler.firefox.com)",
	.by = EXPORT_BY_STACK,
	.timed = true,
	.state_size = sizeof(struct firefox),
	.row = replay_add,
	.end = firefox_end,
	.free = firefox_free,
};
