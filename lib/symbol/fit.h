/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: checks whether symbols from elsewhere fit a recording, and finds where its kernel was
 * loaded.
 * In: the symbols, and data of the recording. Out: the KASLR offset, or a refusal.
 */
#ifndef KMEMX_SYMBOL_FIT_H
#define KMEMX_SYMBOL_FIT_H

#include "symbol/elf.h"
#include "symbol/symbols.h"

/**
 * struct symbol_fit - the result
 * @offset: to add to the symbols' addresses, modulo 2^64
 * @nr_checked: names or callsites on both sides
 * @nr_agree: how many of them fit the offset
 */
struct symbol_fit {
	uint64_t offset;
	size_t nr_checked;
	size_t nr_agree;
};

/* Text of kallsyms or System.map; may be NULL with size 0. */
struct symbol_text {
	const char *text;
	size_t size;
};

/**
 * symbol_fit_names() - compare functions whose name each side has once
 * @theirs: symbols from elsewhere; @ours: the recording's
 *
 * A kernel is relocated as a whole, so all functions outside modules have the same offset; another
 * build has many offsets. Nine of ten must agree.
 *
 * Return: 0; -ENODATA no function in common; -EXDEV they contradict (@fit has the counts); -ENOMEM.
 */
int symbol_fit_names(const struct symbol_text *theirs, const struct symbol_text *ours,
		     struct symbol_fit *fit) __must_check;

/**
 * symbol_fit_calls() - compare code: a callsite is the address after a call
 * @addrs: distinct callsites of the recording
 *
 * Tries every offset of whole pages that puts one of the callsites after a call. Accepts an offset
 * only if it puts at least eight callsites after calls, and at least three quarters of those that
 * it puts into code, and if no other offset reaches more than half as many. Callsites in modules do
 * no harm.
 *
 * Return: 0; -ENODATA no offset is accepted; -EOPNOTSUPP call instructions of this architecture are
 * unknown.
 */
int symbol_fit_calls(const struct elf_image *img, const uint64_t *addrs, size_t nr,
		     struct symbol_fit *fit) __must_check;

/* How many of @addrs are in text symbols of @syms? */
size_t symbol_fit_count(const struct symbols *syms, const uint64_t *addrs, size_t nr);

/**
 * symbol_fit_apply() - make the kallsyms text to use
 * @theirs: symbols from elsewhere; their modules are dropped if @offset is not 0, because each
 *	module was loaded at another address
 * @ours: the recording's; their modules are used in that case, or if @theirs has none
 *
 * Return: 0 and the text in @out, or -ENOMEM.
 */
int symbol_fit_apply(const struct symbol_text *theirs, const struct symbol_text *ours,
		     uint64_t offset, struct strbuf *out) __must_check;

#endif
