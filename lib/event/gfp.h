/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: GFP flag words as names.
 * In: the (mask, name) pairs of a recording's own print format. Out: long and short text.
 *
 * The values differ between kernels, so there is no table of values here; short names come
 * from a table of names.
 */
#ifndef KMEMX_EVENT_GFP_H
#define KMEMX_EVENT_GFP_H

#include "base/strbuf.h"

struct gfp_name {
	uint64_t mask;
	char *name;	     /* "GFP_KERNEL", "__GFP_COMP" */
	char short_name[12]; /* unique in this table: "K", "C" */
};

/* In the order of the print format: the first name whose mask is contained wins. */
struct gfp_names {
	struct gfp_name *names;
	size_t count;
};

/* Appends a pair; gives it a unique short name. 0 or -ENOMEM. Used by formats.c. */
int gfp_names_add(struct gfp_names *names, uint64_t mask, const char *name) __must_check;
void gfp_names_free(struct gfp_names *names);
/* The bits of the flag @name, or of @other if the recording calls it that; 0: it has neither.
 * @names may be NULL.
 */
uint64_t gfp_bit(const struct gfp_names *names, const char *name, const char *other);
/* The flags of pages that are charged to a control group; 0: not known. */
uint64_t gfp_charged(const struct gfp_names *names);
/* "GFP_KERNEL|__GFP_COMP", as __print_flags would; unknown bits as hex; 0 is "none". */
void gfp_format_long(const struct gfp_names *names, uint64_t flags, struct strbuf *out);
/* "K|C"; unknown bits as hex. Sets the bit of each name used in @used (by index, first
 * 64 names), for the legend; @used may be NULL.
 */
void gfp_format_short(const struct gfp_names *names, uint64_t flags, struct strbuf *out,
		      uint64_t *used);

#endif
