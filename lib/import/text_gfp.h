/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: names of GFP flags, as a kernel's text log has them, as flag words.
 * In: "GFP_KERNEL|__GFP_ZERO". Out: the word that prints the same again, and the table to
 * print it by.
 *
 * A text does not have the values. They are those of a kernel of about its age; names that
 * it did not have get a bit that no kernel uses.
 */
#ifndef KMEMX_IMPORT_TEXT_GFP_H
#define KMEMX_IMPORT_TEXT_GFP_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "event/gfp.h"

/* Kernels that print the same names for the same words. */
enum text_gfp_era {
	TEXT_GFP_BEFORE_4_4, /* GFP_WAIT, GFP_ZERO: no name has underscores in front */
	TEXT_GFP_BEFORE_6_4, /* GFP_ATOMIC is 0xa20, GFP_NOWAIT 0x800 */
	TEXT_GFP_BEFORE_6_18,
	TEXT_GFP_SINCE_6_18,
};

struct text_gfp_value {
	uint64_t flags;
	bool readable;
};

/**
 * struct text_gfp - zero-initialise it, then text_gfp_init()
 * @names: the table, which grows by names that it lacks
 * @nr_new: names that it lacked
 * @nr_other: distinct words that the table prints with other names than the text
 * @nr_unreadable: distinct values that are no flag words
 */
struct text_gfp {
	enum text_gfp_era era;
	struct gfp_names names;
	uint64_t next_bit;
	struct intern texts;
	struct text_gfp_value *values; /* by text's number - 1 */
	size_t capacity;
	uint64_t nr_new, nr_other, nr_unreadable;
};

/* By the release, or if it is NULL or unreadable by what the text (a part of it) says. */
enum text_gfp_era text_gfp_guess(const char *release, const char *text, size_t size);
/* "before 4.4", ...; for messages. */
const char *text_gfp_era_name(enum text_gfp_era era);

int text_gfp_init(struct text_gfp *g, enum text_gfp_era era) __must_check;
/* The word of @len bytes of text, remembered; unreadable ones are 0. 0 or -ENOMEM. */
int text_gfp_value(struct text_gfp *g, const char *text, size_t len,
		   uint64_t *flags) __must_check;
/* What stands in a format's print string behind the flags field: {0x1, "GFP_DMA"}, ... */
void text_gfp_pairs(const struct text_gfp *g, struct strbuf *out);
/* What that kernel prints for no flags at all. */
const char *text_gfp_none(const struct text_gfp *g);
void text_gfp_free(struct text_gfp *g);

#endif
