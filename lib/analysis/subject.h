/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a row of a report stands for.
 * In: who allocated. Out: one number per row, its columns and cells.
 */
#ifndef KMEMX_ANALYSIS_SUBJECT_H
#define KMEMX_ANALYSIS_SUBJECT_H

#include "analysis/analysis.h"
#include "account/dimension.h"
#include "analysis/sites.h"
#include "analysis/tasks.h"

/**
 * struct subject - who allocated, as an account's row says
 * @stack: 0: none was recorded
 * @dim: of subjects_dimension()
 */
struct subject {
	uint64_t callsite;
	uint32_t stack, dim, cache;
	bool kmalloc;
};

/**
 * struct subjects - the rows of one table; subjects_init() it
 * @keys: row number n has the key n + 1
 * @stacks: pairs of a callsite and a stack; @by_stack: such a pair's number -> its row, so
 *	    that each is looked at once
 */
struct subjects {
	const struct analysis_env *env;
	enum subject_kind kind;
	struct sites *sites;
	struct tasks tasks;
	struct intern keys;
	struct intern stacks;
	struct u64_map by_stack;
};

/* What an account must keep apart for rows of @kind. */
enum dimension subjects_dimension(enum subject_kind kind);
/* "callsite", "stack", ...: the option's word, and a table's @by. */
const char *subjects_word(enum subject_kind kind);

/* @sites is borrowed. 0 or -ENOMEM; to be freed in any case. */
int subjects_init(struct subjects *s, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites) __must_check;
/* The row of @who: 0, 1, 2, ... as they come; UINT32_MAX if memory ran out. */
uint32_t subjects_row(struct subjects *s, const struct subject *who);
void subjects_columns(const struct subjects *s, struct table *t);
/* Fills the cells of those columns; the first is @cells. */
void subjects_fill(const struct subjects *s, uint32_t row, struct table *t,
		   struct cell *cells);
void subjects_free(struct subjects *s);

#endif
