/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what a kernel's text log lacked or hid, for readers of the recording.
 * In: counts made while reading it. Out: notes, one per line.
 */
#ifndef KMEMX_IMPORT_TEXT_NOTES_H
#define KMEMX_IMPORT_TEXT_NOTES_H

#include "base/strbuf.h"
#include "import/text_events.h"
#include "import/text_import.h"

/**
 * struct text_traits - how the log was written
 * @seconds, @counter, @latency: how its times are printed; several if logs were concatenated
 * @nanoseconds: some times are not whole microseconds
 * @no_flags: a line had no interrupt context
 * @overwritten: overwritten events before the first one, as its headers say
 * @header_cpus: the highest number of CPUs in a header; 0: none
 * @lowest_cpu: the lowest CPU with an event
 */
struct text_traits {
	bool seconds, counter, latency, nanoseconds, no_flags;
	uint64_t overwritten;
	uint32_t header_cpus, lowest_cpu;
};

/* The first note is shown at the top of every report. */
void text_notes(struct strbuf *out, const struct text_traits *traits,
		const struct text_events *events, const struct text_import_result *r);

#endif
