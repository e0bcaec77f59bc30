/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what a perf.data file lacked, for readers of the recording.
 * In: counts made while reading it. Out: notes, one per line.
 */
#ifndef KMEMX_IMPORT_PERF_NOTES_H
#define KMEMX_IMPORT_PERF_NOTES_H

#include "base/strbuf.h"
#include "import/perf_attr.h"
#include "import/perf_import.h"
#include "import/perf_system.h"

/* The source of symbols: none, the user, or the machine that kmemx runs on. */
enum perf_symbols {
	PERF_SYMBOLS_NONE,
	PERF_SYMBOLS_GIVEN,
	PERF_SYMBOLS_FOUND,
};

/**
 * struct perf_facts - facts besides the events
 * @period: the largest period of a tracepoint; 1: every event; 0: perf chose it
 * @counted: tracepoints without samples, as perf only counted them
 * @moved: how far the symbols were moved, modulo 2^64
 * @clock: clock of the recording
 */
struct perf_facts {
	const struct perf_system *system;
	const struct perf_import_result *result;
	uint64_t period;
	unsigned int counted;
	enum perf_symbols symbols;
	uint64_t moved;
	const char *clock;
};

void perf_notes(struct strbuf *out, const struct perf_facts *facts);

#endif
