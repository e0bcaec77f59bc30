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
#include "report/compressed.h"

/* One size of a row's allocations. */
struct info_key {
	uint64_t bytes;
	uint64_t row;
};

/**
 * struct heaptrack - a file being written
 * @out: buffer before @zstd
 * @nodes: pairs of the caller's node and a frame; @leaf: the innermost node of each row
 * @written: for each frame the number of its line; 0: none yet
 * @modules: their names, with the file's string numbers
 */
struct heaptrack {
	struct replay rows;
	struct compressed *zstd;
	struct outbuf out;
	struct intern nodes, infos;
	uint32_t *leaf, *written;
	uint32_t nr_written, nr_strings;
	struct u64_map modules;
	struct intern module_names;
	struct replay_pieces pieces;
};

/* Writes a line: a letter, and up to three numbers. */
static void put_line(struct outbuf *out, char letter, const uint64_t *numbers, size_t nr)
{
	outbuf_char(out, letter);
	for (size_t i = 0; i < nr; i++) {
		outbuf_char(out, ' ');
		outbuf_hex(out, numbers[i], 1);
	}
	outbuf_char(out, '\n');
}

/* Writes a string. Returns its number in the file. */
static uint32_t put_string(struct heaptrack *h, const char *text, size_t size)
{
	outbuf_puts(&h->out, "s ");
	outbuf_hex(&h->out, size, 1);
	outbuf_char(&h->out, ' ');
	outbuf_add(&h->out, text, size);
	outbuf_char(&h->out, '\n');
	return ++h->nr_strings;
}

/* The string of a frame's module: "module" of "function [module]"; 0: no memory. */
static uint32_t put_module(struct heaptrack *h, const char *frame, size_t function)
{
	const char *name = frame[function] ? frame + function + 2 : "kernel";
	size_t size = strcspn(name, "]");
	uint32_t id = intern_id(&h->module_names, name, size), *known;

	known = id ? u64_map_find(&h->modules, id) : NULL;
	if (known || !id)
		return known ? *known : 0;
	known = u64_map_insert(&h->modules, id, put_string(h, name, size));
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
	numbers[1] = put_module(h, name, function);
	numbers[2] = put_string(h, name, function);
	if (!numbers[1])
		return 0;
	put_line(&h->out, 'i', numbers, 3);
	h->written[frame] = ++h->nr_written;
	return h->nr_written;
}

/* Writes the part of a row's callchain that is new. */
static int put_callchain(struct export_job *job, size_t row)
{
	struct heaptrack *h = job->state;
	const struct replay_row *kept = &h->rows.rows[row];
	uint32_t node = 0;

	for (size_t i = kept->nr; i--;) {
		uint64_t numbers[2] = { put_frame(job, h->rows.frames[kept->first + i]),
					node };
		uint32_t before = h->nodes.count;

		node = numbers[0] ? intern_id(&h->nodes, numbers, sizeof(numbers)) : 0;
		if (!node)
			return -ENOMEM;
		if (node > before)
			put_line(&h->out, 't', numbers, 2);
	}
	h->leaf[row] = node;
	return h->out.err;
}

/* @letter: '+' or '-'; @bytes of row @row. */
static int put_change(struct export_job *job, char letter, uint32_t row, uint64_t bytes)
{
	const struct info_key key = { bytes, row };
	struct heaptrack *h = job->state;
	uint32_t before = h->infos.count, id;
	uint64_t numbers[2] = { bytes, 0 };
	int err = h->leaf[row] ? 0 : put_callchain(job, row);

	if (err)
		return err;
	id = intern_id(&h->infos, &key, sizeof(key));
	if (!id)
		return -ENOMEM;
	if (id > before) {
		numbers[1] = h->leaf[row];
		put_line(&h->out, 'a', numbers, 2);
	}
	numbers[0] = id - 1;
	put_line(&h->out, letter, numbers, 1);
	return h->out.err;
}

/* Writes an allocation, split into the pieces in which it will be freed. */
static int put_birth(struct export_job *job, const struct history_change *c, uint32_t row)
{
	const struct heaptrack *h = job->state;
	uint64_t left = c->bytes;
	uint32_t piece = h->pieces.heads[c->object];
	int err = 0;

	while (piece && left && !err) {
		const struct replay_piece *p = &h->pieces.pieces[piece - 1];
		uint64_t bytes = p->bytes < left ? p->bytes : left;

		err = put_change(job, '+', row, bytes);
		left -= bytes;
		piece = p->next;
	}
	return (left || !c->bytes) && !err ? put_change(job, '+', row, left) : err;
}

static int put_history(struct export_job *job)
{
	const struct export_history *history = job->opts->history;
	struct replay_clock clock = replay_clock(job);
	struct heaptrack *h = job->state;
	uint64_t ms = 0, now;
	int err = 0;

	for (size_t i = 0; history && i < history->nr && !err; i++) {
		const struct history_change *c = &history->changes[i];
		uint32_t row = replay_row(&h->rows, job, c);

		now = replay_ns(&clock, c->ts) / 1000000;
		if (now > ms) {
			put_line(&h->out, 'c', &now, 1);
			ms = now;
		}
		if (row != UINT32_MAX)
			err = c->more ? put_birth(job, c, row)
				      : put_change(job, '-', row, c->bytes);
	}
	return err;
}

/* Writes what the file is, and how far to trust it. */
static int put_head(struct export_job *job)
{
	struct heaptrack *h = job->state;
	const struct cell *kernel = export_fact(job, "kernel");
	const struct cell *page_size = export_fact(job, "kernel_page_size");
	uint64_t numbers[2] = { page_size ? page_size->u : 4096, 0 };
	struct strbuf __auto_free text = { 0 };

	export_banner(job, "# ", &text);
	strbuf_puts(&text, "X Linux ");
	safe_text_puts(&text, kernel && kernel->type == CELL_TEXT ? kernel->s : "");
	outbuf_puts(&h->out, "v 10400 3\n");
	outbuf_puts(&h->out, strbuf_text(&text));
	outbuf_char(&h->out, '\n');
	put_line(&h->out, 'I', numbers, 2);
	return text.failed ? -ENOMEM : h->out.err;
}

static int heaptrack_end(struct export_job *job)
{
	static const struct export_history none;
	struct heaptrack *h = job->state;
	const struct export_history *history =
		job->opts->history ? job->opts->history : &none;
	int err = compressed_new(&h->zstd, COMPRESSED_ZSTD, job->to)
			  ?: outbuf_init(&h->out, compressed_write, h->zstd);

	h->leaf = calloc(h->rows.nr_rows + 1, sizeof(*h->leaf));
	h->written = calloc(job->frames.count + 1UL, sizeof(*h->written));
	if (!err && (!h->leaf || !h->written))
		err = -ENOMEM;
	err = err ?: replay_pieces_init(&h->pieces, history);
	err = err ?: put_head(job);
	err = err ?: put_history(job);
	err = err ?: outbuf_flush(&h->out);
	return err ?: compressed_finish(h->zstd);
}

static void heaptrack_free(void *state)
{
	struct heaptrack *h = state;

	replay_free(&h->rows);
	replay_pieces_free(&h->pieces);
	compressed_free(h->zstd);
	outbuf_free(&h->out);
	intern_free(&h->nodes);
	intern_free(&h->infos);
	intern_free(&h->module_names);
	u64_map_free(&h->modules);
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
	.state_size = sizeof(struct heaptrack),
	.row = replay_add,
	.end = heaptrack_end,
	.free = heaptrack_free,
};
