/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): the rows of rings.
 * In: a table whose rows are a tree. Out: the rows that can be drawn, each with its descendants.
 */
#ifndef KMEMX_REPORT_RINGS_ROWS_H
#define KMEMX_REPORT_RINGS_ROWS_H

#include "report/web/rings.h"

/**
 * struct rings_row - an arc
 * @name: owned by the table
 * @depth: 0 for roots
 * @behind: number of the first following row that is not below it
 */
struct rings_row {
	const char *name;
	uint64_t size;
	uint32_t depth, behind;
};

/* The rows, parents first. @total: sum of all roots. */
struct rings_rows {
	struct rings_row *rows;
	uint32_t nr;
	uint64_t total;
};

/* 0; -EINVAL; -ENOMEM. Free it in any case. */
int rings_rows_init(struct rings_rows *r, const struct table *t,
		    const struct rings_options *o) __must_check;
void rings_rows_free(struct rings_rows *r);
/* Appends text as markup; unprintable characters are made visible. */
void rings_text(struct strbuf *sb, const char *text);

#endif
