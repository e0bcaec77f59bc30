/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: do symbols from elsewhere belong to a recording, and where was its kernel loaded?
 * In: the symbols, and what the recording knows. Out: the distance (KASLR), or a refusal.
 */
#ifndef KMEMX_SYMBOL_FIT_H
#define KMEMX_SYMBOL_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "symbol/elf.h"
#include "symbol/symbols.h"

/**
 * struct symbol_fit - what was found
 * @offset: to be added to the symbols' addresses, modulo 2^64
 * @nr_checked: names or callsites that both sides know
 * @nr_agree: how many of them the offset explains
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
 * symbol_fit_names() - compare by the functions that both sides name once
 * @theirs: symbols from elsewhere; @ours: the recording's
 *
 * A kernel is moved as a whole, so all functions outside modules are at the same distance;
 * another build has them at many. Nine of ten must agree.
 *
 * Return: 0; -ENODATA no function in common; -EXDEV they contradict (@fit says how much);
 * -ENOMEM.
 */
int symbol_fit_names(const struct symbol_text *theirs, const struct symbol_text *ours,
		     struct symbol_fit *fit) __must_check;

/**
 * symbol_fit_calls() - compare by code: a callsite is the address behind a call
 * @addrs: distinct callsites of the recording
 *
 * Tries every distance of whole pages that puts one of the callsites behind a call, and
 * takes one only if it does so for eight callsites or more, for three of four of those that
 * it puts into code at all, and if no other distance comes near. Modules' callsites
 * do not disturb.
 *
 * Return: 0; -ENODATA nothing is proved; -EOPNOTSUPP calls of this architecture are not
 * known.
 */
int symbol_fit_calls(const struct elf_image *img, const uint64_t *addrs, size_t nr,
		     struct symbol_fit *fit) __must_check;

/* How many of @addrs are in a text symbol of @syms? */
size_t symbol_fit_count(const struct symbols *syms, const uint64_t *addrs, size_t nr);

/**
 * symbol_fit_apply() - the text to use
 * @theirs: symbols from elsewhere; their modules are dropped if @offset is not 0, as each
 *	    module was loaded anew
 * @ours: the recording's, whose modules are taken then, or where @theirs has none
 *
 * Return: kallsyms text in @out: 0 or -ENOMEM.
 */
int symbol_fit_apply(const struct symbol_text *theirs, const struct symbol_text *ours,
		     uint64_t offset, struct strbuf *out) __must_check;

#endif
