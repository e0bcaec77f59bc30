/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what all tables of an account's rows have in common, for every kind of memory.
 * In: what the user wants, finished accounts. Out: which tables to make, and bounds for their rows.
 */
#ifndef KMEMX_ANALYSIS_ACCOUNT_ROWS_H
#define KMEMX_ANALYSIS_ACCOUNT_ROWS_H

#include "analysis/bounds/bounds.h"
#include "analysis/row/owners.h"
#include "report/table.h"

/* Were there events of @memory, does the user's filter show any, and does @opts want them? */
bool account_rows_wanted(const struct analysis_env *env,
			 const struct analysis_options *opts, enum memory memory);

/* Tables of one kind of memory: by callsite, by what --by says, by cache. */
#define ACCOUNT_ROWS_KINDS 3

/* Adds the table of one kind of memory, with rows by @kind. 0 or -errno. */
typedef int account_rows_fn(const void *self, enum memory memory, enum subject_kind kind,
			    struct report *report);

/* The kinds of the tables that were asked for, of @memory; pages and areas are by callsite if
 * they cannot be by what was asked for. Returns how many, at least one.
 */
size_t account_rows_kinds(const struct analysis_options *opts, enum memory memory,
			  enum subject_kind kinds[ACCOUNT_ROWS_KINDS]);
/* Calls @show for each way to add up rows of @memory that @opts asks for. 0 or -errno. */
int account_rows_by(const struct analysis_options *opts, enum memory memory,
		    account_rows_fn *show, const void *self,
		    struct report *report) __must_check;
/* How account_rows_show() makes tables: @show gets @self; @of: the lives of each kind of memory. */
struct account_rows {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct lives *const *of;
	account_rows_fn *show;
	const void *self;
};

/* The same for each kind of memory that is wanted. -ENOMEM also if the lives failed. */
int account_rows_show(const struct account_rows *rows,
		      struct report *report) __must_check;
/* Adds a table of @type with rows by @kind, which may be subject_estimated(). Its title is @title,
 * then "by callsite" or what else @kind is.
 */
struct table *account_rows_table(struct report *report, const struct table_type *type,
				 enum subject_kind kind, const char *title, ...)
	__printf_fmt(4, 5);
/**
 * account_rows_bounds() - how much of what seems live must and can live
 * @o: the owners of finished lives, which are from accounts_ask()
 * @of: by row of the account: the number of its sum, below @nr; UINT32_MAX: none
 * @ranges: receives @nr sums
 *
 * Return: 0 or -ENOMEM.
 */
int account_rows_bounds(const struct owners *o, const uint32_t *of,
			struct net_range *ranges, size_t nr) __must_check;

#endif
