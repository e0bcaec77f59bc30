/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): the rows of rings.
 * In: a table whose rows are a tree. Out: those that can be drawn, each with what is below it.
 */
#ifndef KMEMX_REPORT_RINGS_ROWS_H
#define KMEMX_REPORT_RINGS_ROWS_H

#include "report/rings.h"

/**
 * struct rings_row - an arc
 * @name: the table's
 * @depth: of the roots: 0
 * @behind: number of the first row that is not below it
 */
struct rings_row {
	const char *name;
	uint64_t size;
	uint32_t depth, behind;
};

/* The rows, each before those below it. @total: of all roots. */
struct rings_rows {
	struct rings_row *rows;
	uint32_t nr;
	uint64_t total;
};

/* 0; -EINVAL; -ENOMEM. To be freed in any case. */
int rings_rows_init(struct rings_rows *r, const struct table *t,
		    const struct rings_options *o) __must_check;
void rings_rows_free(struct rings_rows *r);
/* Appends text as markup has it; what nobody can print is made visible. */
void rings_text(struct strbuf *sb, const char *text);

#endif
