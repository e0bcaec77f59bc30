/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the order x migratetype matrix of page allocations.
 * In: page accounts. Out: table "page_matrix".
 */
#ifndef KMEMX_ANALYSIS_PAGE_MATRIX_H
#define KMEMX_ANALYSIS_PAGE_MATRIX_H

#include "account/page_account.h"
#include "analysis/analysis.h"

/**
 * page_matrix() - add the matrix to a report
 *
 * One row per order, from 0 to the highest seen; one column per migratetype, up to the highest
 * seen, by name or else by number. Cells count successful allocations, or live blocks with @live.
 * Return: 0 or -ENOMEM.
 */
int page_matrix(const struct page_account *acc, const struct analysis_env *env, bool live,
		struct report *report) __must_check;
extern const struct table_type page_matrix_type;

#endif
