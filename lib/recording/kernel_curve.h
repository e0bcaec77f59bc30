/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the kernel's own counts at moments of a recording.
 * In: counts as a recorder reads them, or the text of a recording's item, untrusted. Out: the
 * item's text; for each counter a series with a value at each moment.
 *
 * The item is lines of text. The first has the times, each relative to the one before; the others
 * have a counter's source, its name and its values in the same way: '+N' and '-N' change the value
 * (0 before the first), '=N' keeps it N times, '.N' is N times without a count:
 *
 *	times +84512000111+250003004+250002993
 *	s dentry +20412-9+312
 *	m MemFree +1923412-512=1
 */
#ifndef KMEMX_RECORDING_KERNEL_CURVE_H
#define KMEMX_RECORDING_KERNEL_CURVE_H

#include "base/keyed.h"
#include "base/strbuf.h"
#include "recording/recording.h"

/* The metadata item. */
#define RECORDING_META_CURVE "kernel_curve"

/* The most moments, and the most counters: 4 MiB. */
#define KERNEL_CURVE_MOMENTS 64U
#define KERNEL_CURVE_SERIES  8192U
/* A larger count is damage. */
#define KERNEL_CURVE_MAX     (1ULL << 48)
/* The counter had no value then. */
#define KERNEL_CURVE_NONE    UINT64_MAX

/* Where a counter comes from. */
enum kernel_counter {
	KERNEL_SLAB = 's',     /* slabinfo: active objects of a cache, by its name */
	KERNEL_MEMINFO = 'm',  /* meminfo, in KiB */
	KERNEL_VMSTAT = 'v',   /* vmstat: a counter, or "pgalloc": the sum of all zones */
	KERNEL_ZONEINFO = 'z', /* zoneinfo: "count": pages on per-CPU lists */
	KERNEL_BUDDY = 'b',    /* buddyinfo: "pages": page frames in its lists */
};

/* A counter's values at the curve's moments. */
struct kernel_series {
	uint64_t at[KERNEL_CURVE_MOMENTS];
};

/**
 * struct kernel_curve - zero-initialise it; kernel_curve_free() at the end
 * @nr: moments; @times: when they were, ascending, in the units of the trace clock
 * @series: by counter, "s dentry"
 * @damaged: lines that are not a counter's, or are one too many
 */
struct kernel_curve {
	unsigned int nr;
	uint64_t times[KERNEL_CURVE_MOMENTS];
	KEYED(struct kernel_series) series;
	size_t damaged;
};

/* Adds a moment, later than the others and without values, after kernel_curve_halve() if there is
 * no room. False: it is not later, and nothing is added.
 */
bool kernel_curve_begin(struct kernel_curve *c, uint64_t time);
/* Adds @value to the counter's value at the last moment. Names have no blank. More counters than
 * KERNEL_CURVE_SERIES are left out. 0 or -ENOMEM.
 */
int kernel_curve_add(struct kernel_curve *c, enum kernel_counter from, const char *name,
		     size_t name_len, uint64_t value) __must_check;
/* Drops every second moment; the first stays. */
void kernel_curve_halve(struct kernel_curve *c);
/* Drops moment @i, below @c->nr. */
void kernel_curve_drop(struct kernel_curve *c, unsigned int i);
/* Drops the moments before @first and after @last. */
void kernel_curve_clip(struct kernel_curve *c, uint64_t first, uint64_t last);
/* Appends the item's text. */
void kernel_curve_format(const struct kernel_curve *c, struct strbuf *out);

/* The source and the name of @c->series.of[@i], "s dentry". */
static inline const char *kernel_curve_name(const struct kernel_curve *c, size_t i)
{
	return KEYED_KEY(&c->series, i);
}

/**
 * kernel_curve_read() - read an item's text
 * @c: zero; call kernel_curve_free() in any case
 *
 * Lines that are not a counter's, or come after KERNEL_CURVE_SERIES others, are counted in
 * @c->damaged and left out. Return: 0; -EBADMSG: not such a text, it has no times or too many;
 * -ENOMEM.
 */
int kernel_curve_read(struct kernel_curve *c, const char *text) __must_check;
/* Reads the curve of @rec, or of the part that it is. Errors as above; -ENOENT: it has none. */
int kernel_curve_of(struct kernel_curve *c, const struct recording *rec) __must_check;
/* The counter's values; NULL: there is no such counter. */
const struct kernel_series *kernel_curve_find(const struct kernel_curve *c,
					      enum kernel_counter from, const char *name);
/* Adds the counter's values to @sum at each moment; a missing value counts as 0. False: there is no
 * such counter.
 */
bool kernel_curve_sum(const struct kernel_curve *c, enum kernel_counter from,
		      const char *name, struct kernel_series *sum);
void kernel_curve_free(struct kernel_curve *c);

#endif
