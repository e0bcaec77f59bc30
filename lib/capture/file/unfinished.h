/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the beginning of an unfinished recording, from which it can be joined if its recorder is
 * killed.
 * In: the facts known before the first event, the location of the pages. Out: the beginning of the
 * unfinished file, a stream that breaks off (recording/wire.h).
 */
#ifndef KMEMX_CAPTURE_UNFINISHED_H
#define KMEMX_CAPTURE_UNFINISHED_H

#include "capture/events/ring_reader.h"
#include "capture/facts/facts.h"
#include "recording/recording.h"
#include "recording/wire.h"

/* The metadata item that says where pages are; only an unfinished file has it. */
#define UNFINISHED_LAYOUT "layout"

/**
 * struct unfinished_layout - where an unfinished file's pages are
 * @regions: stride 0: each CPU has its own file
 * @cpus: the CPU of each region; free() it
 */
struct unfinished_layout {
	struct cpu_regions regions;
	uint32_t *cpus;
	size_t nr_cpus;
};

/**
 * unfinished_write() - write @facts and @reader's layout to the beginning of an empty file
 * @w: zeroed, except @fd
 *
 * Return: 0; -errno, -ENOMEM: the file is then empty again, and cannot be joined if the recorder is
 * killed.
 */
int unfinished_write(struct wire *w, const struct writer_facts *facts,
		     const struct ring_reader *reader) __must_check;
/* Adds later facts and the end of the stream; @w as unfinished_write() left it. Errors as above. */
int unfinished_add(struct wire *w, const struct writer_facts *facts) __must_check;

/* Reads the layout. 0; -ENOENT if the file has none; -EBADMSG, -ENOMEM. */
int unfinished_read_layout(const struct recording *rec,
			   struct unfinished_layout *out) __must_check;

#endif
