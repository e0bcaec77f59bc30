// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: heaptrack's interpreted text, version 3 of the file.
 * In: rows by callchain, and their history. Out: its lines, compressed with zstd.
 *
 * KDE/heaptrack src/analyze/accumulatedtracedata.cpp reads it: numbers are hexadecimal, strings,
 * frames and nodes of callchains are numbered from 1, sizes at a node from 0. A free refers to a
 * size at a node, so a block that was freed in pieces becomes several allocations.
 */

#include "base/safe_text.h"
#include "export/replay.h"

/* One size of a row's allocations. */
struct info_key {
	uint64_t bytes;
	uint64_t row;
};

/**
 * struct heaptrack - a file being written
 * @nodes: pairs of the caller's node and a frame; @leaf: the innermost node of each row
 * @written: for each frame the number of its line; 0: none yet
 * @modules: the file's string numbers, by their names
 * @ms: the time so far
 */
struct heaptrack {
	struct replay rows;
	struct intern nodes, infos;
	uint32_t *leaf, *written;
	uint32_t nr_written, nr_strings;
	KEYED(uint32_t) modules;
	uint64_t ms;
};

/* Writes a line: a letter, and up to three numbers. */
static void put_line(struct export_job *job, char letter, const uint64_t *numbers,
		     size_t nr)
{
	struct outbuf *out = &job->out;

	outbuf_char(out, letter);
	for (size_t i = 0; i < nr; i++) {
		outbuf_char(out, ' ');
		outbuf_hex(out, numbers[i], 1);
	}
	outbuf_char(out, '\n');
}

/* Writes a string. Returns its number in the file. */
static uint32_t put_string(struct export_job *job, const char *text, size_t size)
{
	struct heaptrack *h = job->state;

	outbuf_puts(&job->out, "s ");
	outbuf_hex(&job->out, size, 1);
	outbuf_char(&job->out, ' ');
	outbuf_add(&job->out, text, size);
	outbuf_char(&job->out, '\n');
	return ++h->nr_strings;
}

/* The string of a frame's module: "module" of "function [module]"; 0: no memory. */
static uint32_t put_module(struct export_job *job, const char *frame, size_t function)
{
	const char *name = frame[function] ? frame + function + 2 : "kernel";
	size_t size = strcspn(name, "]");
	struct heaptrack *h = job->state;
	uint32_t *known = KEYED_ITEM_OF(&h->modules, name, size);

	if (known && !*known)
		*known = put_string(job, name, size);
	return known ? *known : 0;
}

/* The number of a frame's line; 0: no memory. */
static uint32_t put_frame(struct export_job *job, uint32_t frame)
{
	struct heaptrack *h = job->state;
	const char *name = export_frame(job, frame);
	size_t function = export_frame_function(name);
	uint64_t numbers[3] = { frame };

	if (h->written[frame])
		return h->written[frame];
	numbers[1] = put_module(job, name, function);
	numbers[2] = put_string(job, name, function);
	if (!numbers[1])
		return 0;
	put_line(job, 'i', numbers, 3);
	h->written[frame] = ++h->nr_written;
	return h->nr_written;
}

/* Writes the part of a row's callchain that is new. */
static void put_callchain(struct export_job *job, size_t row)
{
	struct heaptrack *h = job->state;
	const struct replay_row *kept = &h->rows.rows.of[row];
	uint32_t node = 0;

	for (size_t i = kept->nr; i--;) {
		uint64_t numbers[2] = { put_frame(job, kept->frames[i]), node };
		uint32_t before = h->nodes.count;

		node = numbers[0] ? intern_id(&h->nodes, numbers, sizeof(numbers)) : 0;
		if (node > before)
			put_line(job, 't', numbers, 2);
		export_fail(job, node ? 0 : -ENOMEM);
	}
	h->leaf[row] = node;
}

static void put_change(struct export_job *job, const struct replay_change *c)
{
	const struct info_key key = { c->bytes, c->row };
	struct heaptrack *h = job->state;
	uint32_t before = h->infos.count, id;
	uint64_t now = c->ns / 1000000, numbers[2] = { c->bytes, 0 };

	if (now > h->ms) {
		put_line(job, 'c', &now, 1);
		h->ms = now;
	}
	if (c->row == UINT32_MAX)
		return;
	if (!h->leaf[c->row])
		put_callchain(job, c->row);
	id = intern_id(&h->infos, &key, sizeof(key));
	export_fail(job, id ? 0 : -ENOMEM);
	if (id > before) {
		numbers[1] = h->leaf[c->row];
		put_line(job, 'a', numbers, 2);
	}
	numbers[0] = id - 1;
	put_line(job, c->of->more ? '+' : '-', numbers, 1);
}

/* Writes what the file is, and how far to trust it. */
static void put_head(struct export_job *job)
{
	const struct cell *kernel = export_fact(job, "kernel");
	const struct cell *page_size = export_fact(job, "kernel_page_size");
	uint64_t numbers[2] = { page_size ? page_size->u : 4096, 0 };
	struct strbuf __auto_free text = { 0 };

	export_banner(job, "# ", &text);
	strbuf_puts(&text, "X Linux ");
	safe_text_puts(&text, kernel && kernel->type == CELL_TEXT ? kernel->s : "");
	export_fail(job, text.failed ? -ENOMEM : 0);
	outbuf_puts(&job->out, "v 10400 3\n");
	outbuf_puts(&job->out, strbuf_text(&text));
	outbuf_char(&job->out, '\n');
	put_line(job, 'I', numbers, 2);
}

static void heaptrack_end(struct export_job *job)
{
	struct heaptrack *h = job->state;

	h->leaf = calloc(h->rows.rows.nr + 1, sizeof(*h->leaf));
	h->written = calloc(job->frames.count + 1UL, sizeof(*h->written));
	export_fail(job, h->leaf && h->written ? 0 : -ENOMEM);
	put_head(job);
	replay_changes(job, put_change);
}

static void heaptrack_free(void *state)
{
	struct heaptrack *h = state;

	replay_free(&h->rows);
	intern_free(&h->nodes);
	intern_free(&h->infos);
	KEYED_FREE(&h->modules);
	free(h->leaf);
	free(h->written);
}

const struct exporter exporter_heaptrack = {
	.name = "heaptrack",
	.help = "all allocations and frees in order, compressed: name it FILE.zst",
	.opened_by = "heaptrack_gui, heaptrack_print",
	.by = EXPORT_BY_STACK,
	.timed = true,
	.binary = true,
	.lacks = ZSTD_LACKS,
	.compression = COMPRESSED_ZSTD,
	.state_size = sizeof(struct heaptrack),
	.row = replay_add,
	.end = heaptrack_end,
	.free = heaptrack_free,
};
