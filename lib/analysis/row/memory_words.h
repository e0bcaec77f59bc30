/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what reports call each kind of memory.
 * In: a kind. Out: its words.
 */
#ifndef KMEMX_ANALYSIS_MEMORY_WORDS_H
#define KMEMX_ANALYSIS_MEMORY_WORDS_H

#include "account/lives.h"
#include "report/table.h"

/**
 * struct memory_words - the words of a kind of memory
 * @word: "slab", as in the summary; @option: --slab selects it in kmemx record and stat
 * @title, @many: "Slab objects", "slab objects"
 * @things, @one: "Objects", "object": what is counted in @unit
 */
struct memory_words {
	const char *word, *option, *title, *many, *things, *one;
	enum column_unit unit;
};

const struct memory_words *memory_words(enum memory memory);

#endif
