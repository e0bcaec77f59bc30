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
	struct replay_pieces pieces;
	uint32_t *first, *gone;
	uint64_t nr_objects, nr;
	struct strbuf times, weights, stacks, objects;
};

/* A change with its time and row. */
struct timed {
	const struct history_change *change;
	uint64_t ns;
	uint32_t row;
};

/* Numbers the nodes of all callchains, callers before callees. */
static int make_nodes(struct firefox *f)
{
	f->leaf = calloc(f->rows.nr_rows + 1, sizeof(*f->leaf));
	for (size_t i = 0; f->leaf && i < f->rows.nr_rows; i++) {
		const struct replay_row *row = &f->rows.rows[i];
		uint32_t node = 0;

		for (size_t j = row->nr; j--;) {
			uint32_t pair[2] = { node, f->rows.frames[row->first + j] };

			node = intern_id(&f->nodes, pair, sizeof(pair));
			if (!node)
				return -ENOMEM;
		}
		f->leaf[i] = node;
	}
	return f->leaf ? 0 : -ENOMEM;
}

/* Adds the change @c, with @bytes of its piece @object. */
static void add_change(struct firefox *f, const struct timed *c, uint64_t bytes,
		       uint64_t object)
{
	const char *comma = f->nr++ ? "," : "";

	strbuf_puts(&f->times, comma);
	strbuf_printf(&f->times, "%" PRIu64 ".%06u", c->ns / 1000000,
		      (unsigned int)(c->ns % 1000000));
	strbuf_printf(&f->weights, "%s%s%" PRIu64, comma, c->change->more ? "" : "-",
		      bytes);
	strbuf_printf(&f->stacks, "%s%u", comma, f->leaf[c->row] - 1);
	strbuf_printf(&f->objects, "%s%" PRIu64, comma, object);
}

/* Adds an allocation, split into the pieces in which it will be freed. */
static void add_birth(struct firefox *f, const struct timed *c)
{
	uint64_t left = c->change->bytes;
	uint32_t piece = f->pieces.heads[c->change->object];

	f->first[c->change->object] = (uint32_t)f->nr_objects;
	f->gone[c->change->object] = 0;
	while (piece && left) {
		const struct replay_piece *p = &f->pieces.pieces[piece - 1];
		uint64_t bytes = p->bytes < left ? p->bytes : left;

		add_change(f, c, bytes, f->nr_objects++);
		left -= bytes;
		piece = p->next;
	}
	if (left || !c->change->bytes)
		add_change(f, c, left, f->nr_objects++);
}

static int add_history(struct export_job *job)
{
	const struct export_history *h = job->opts->history;
	struct replay_clock clock = replay_clock(job);
	struct firefox *f = job->state;
	size_t nr = h->objects.count + 1UL;

	f->first = calloc(nr, sizeof(*f->first));
	f->gone = calloc(nr, sizeof(*f->gone));
	if (!f->first || !f->gone || replay_pieces_init(&f->pieces, h))
		return -ENOMEM;
	for (size_t i = 0; i < h->nr; i++) {
		const struct history_change *c = &h->changes[i];
		const struct timed timed = { c, replay_ns(&clock, c->ts),
					     replay_row(&f->rows, job, c) };

		if (timed.row == UINT32_MAX)
			continue;
		if (c->more)
			add_birth(f, &timed);
		else
			add_change(f, &timed, c->bytes,
				   (uint64_t)f->first[c->object] + f->gone[c->object]++);
	}
	return f->times.failed || f->weights.failed || f->stacks.failed ||
			       f->objects.failed
		       ? -ENOMEM
		       : 0;
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

static int put_head(struct export_job *job)
{
	const struct export_origin *o = job->opts->origin;
	int err;

	export_put(job, "{\"meta\":{\"interval\":1,\"startTime\":%" PRIu64,
		   o ? (uint64_t)o->start * 1000 : 0);
	outbuf_puts(&job->out, ",\"processType\":0,\"product\":");
	err = export_json_banner(job, '\n');
	outbuf_puts(&job->out,
		    ",\"stackwalk\":1,\"version\":28,\"preprocessedProfileVersion\":57,"
		    "\"symbolicated\":true,\"markerSchema\":[],\"categories\":[{\"name\":"
		    "\"Kernel\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]},\n"
		    "\"libs\":[],\"pages\":[],\n\"shared\":{\"stringArray\":[");
	for (uint32_t i = 1; i <= job->frames.count && !err; i++) {
		outbuf_puts(&job->out, i > 1 ? ",\n" : "");
		err = export_json_text(job, export_frame(job, i));
	}
	outbuf_puts(&job->out, "]},\n");
	return err;
}

static int firefox_end(struct export_job *job)
{
	struct firefox *f = job->state;
	int err = make_nodes(f);

	if (!err && job->opts->history)
		err = add_history(job);
	err = err ?: put_head(job);
	put_thread(job);
	put_counter(job);
	return err ?: job->out.err;
}

static void firefox_free(void *state)
{
	struct firefox *f = state;

	replay_free(&f->rows);
	replay_pieces_free(&f->pieces);
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
