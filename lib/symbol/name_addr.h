/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: an address for each function that is known only by name.
 * In: names from a kernel's text log, and maybe kallsyms. Out: addresses, and kallsyms text that
 * maps them back to the names.
 *
 * A function that is not in kallsyms gets a made-up address: from NAME_ADDR_BASE on, 1 MiB for each
 * function. No kernel uses such addresses, so they are recognisable.
 */
#ifndef KMEMX_SYMBOL_NAME_ADDR_H
#define KMEMX_SYMBOL_NAME_ADDR_H

#include "base/strbuf.h"

#define NAME_ADDR_BASE	UINT64_C(0x1000000000000000)
#define NAME_ADDR_SHIFT 20
/* At most this many functions get an address; a kernel has a tenth of that. */
#define NAME_ADDR_MAX	(1U << 21)

struct name_addrs;

/**
 * struct name_addr - an offset in a function, by name
 * @size: of the function, 0 if unknown: distinguishes functions of one name
 * @module: may be NULL
 */
struct name_addr {
	const char *name, *module;
	size_t name_len, module_len;
	uint64_t offset, size;
};

/**
 * struct name_addr_stats - counts of distinct functions
 * @nr_made_up: with a made-up address
 * @nr_ambiguous: more than one in kallsyms has the name, and the size did not decide
 * @nr_refused: look-ups without an address: an offset over 1 MiB, or too many functions
 */
struct name_addr_stats {
	uint64_t nr_made_up, nr_ambiguous, nr_refused;
};

/* @kallsyms: text of kallsyms or System.map, copied; may be NULL. 0 or -ENOMEM. */
int name_addrs_new(struct name_addrs **out, const char *kallsyms,
		   size_t size) __must_check;
void name_addrs_free(struct name_addrs *na);

/* Did the given kallsyms have addresses? */
bool name_addrs_given(const struct name_addrs *na);
/* Sets @addr to the address @at->offset bytes after the function's start; 0 if it has none. 0 or
 * -ENOMEM.
 */
int name_addrs_find(struct name_addrs *na, const struct name_addr *at,
		    uint64_t *addr) __must_check;
/* Records that the function contains @addr, a real address from the text log. 0 or -ENOMEM. */
int name_addrs_learn(struct name_addrs *na, const struct name_addr *at,
		     uint64_t addr) __must_check;
/* Appends kallsyms text: the given, the learned and the made-up symbols. */
void name_addrs_text(const struct name_addrs *na, struct strbuf *out);
struct name_addr_stats name_addrs_stats(const struct name_addrs *na);

#endif
