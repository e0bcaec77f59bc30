/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: converts the names of GFP flags in a kernel's text log to flag words.
 * In: "GFP_KERNEL|__GFP_ZERO". Out: the flag word that prints the same, and the table to print it
 * with.
 *
 * The text does not contain the values. They are taken from a kernel of similar age; names unknown
 * to that kernel get a bit that no kernel uses.
 */
#ifndef KMEMX_IMPORT_TEXT_GFP_H
#define KMEMX_IMPORT_TEXT_GFP_H

#include "base/keyed.h"
#include "base/strbuf.h"
#include "event/gfp.h"

/* Kernel versions that print the same names for the same words. */
enum text_gfp_era {
	TEXT_GFP_BEFORE_4_4, /* GFP_WAIT, GFP_ZERO: names without leading underscores */
	TEXT_GFP_BEFORE_6_4, /* GFP_ATOMIC is 0xa20, GFP_NOWAIT 0x800 */
	TEXT_GFP_BEFORE_6_18,
	TEXT_GFP_SINCE_6_18,
};

/**
 * struct text_gfp - zero-initialise it, then text_gfp_init()
 * @era_name: "before 4.4", ...; @none: what that kernel prints if no flag is set
 * @names: the table; names that it lacks are added
 * @nr_new: names that were added
 * @nr_other: distinct words that the table prints differently from the text
 * @nr_unreadable: distinct values that are not flag words
 */
struct text_gfp {
	enum text_gfp_era era;
	const char *era_name, *none;
	struct gfp_names names;
	uint64_t next_bit;
	KEYED(uint64_t) values; /* by text */
	uint64_t nr_new, nr_other, nr_unreadable;
};

/* Guesses by the release, or if it is NULL or unreadable, by the text (a part of it). */
enum text_gfp_era text_gfp_guess(const char *release, const char *text, size_t size);

int text_gfp_init(struct text_gfp *g, enum text_gfp_era era) __must_check;
/* The flag word for @len bytes of text, cached; 0 for unreadable text. 0 or -ENOMEM. */
int text_gfp_value(struct text_gfp *g, const char *text, size_t len,
		   uint64_t *flags) __must_check;
/* Appends the pairs after the flags field in a format's print string: {0x1, "GFP_DMA"}, ... */
void text_gfp_pairs(const struct text_gfp *g, struct strbuf *out);
void text_gfp_free(struct text_gfp *g);

#endif
