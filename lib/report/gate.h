/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: rules that a comparison must satisfy.
 * In: --fail-on and --budget texts, tables of diff_tables(). Out: the rows that break them.
 *
 * --fail-on names what must not happen, to any row or to the sum of a table:
 *	[TABLE.]METRIC OP LIMIT [& LIMIT]...		net>+5%&+64K	page.bytes>+1M
 * A budget says what must hold for SUBJECT, the sum of the rows that it names:
 *	[TABLE:]SUBJECT [TABLE.]METRIC OP LIMIT [& LIMIT]...	kmalloc-64 waste < 10%
 * SUBJECT is a row's name (with shell wildcards), [module], or "total"; in '...' if it has spaces.
 * With a '/' it is a directory, including everything below it; such a rule applies only to tables
 * by "dir". OP is > or <. A LIMIT with a sign is a change from old to new, one without a sign is
 * the new value; K, M, G are powers of 1024. With % it is a percentage of the old value, or, for
 * waste without a sign, of the bytes. Several limits must all be exceeded (--fail-on) or all be met
 * (budget).
 */
#ifndef KMEMX_REPORT_GATE_H
#define KMEMX_REPORT_GATE_H

#include "base/strbuf.h"
#include "report/diff.h"
#include "report/table.h"

#define GATE_LIMITS_MAX 4

struct gate_limit {
	double value; /* signed if @change */
	bool percent, change;
};

/**
 * struct gate_rule - one rule
 * @text: as the user wrote it
 * @table, @subject: NULL: any
 * @directory: @subject has a '/' (trailing ones were removed)
 * @budget: says what must hold, rather than what must not happen
 */
struct gate_rule {
	char *text, *table, *subject;
	char metric[16];
	char op;
	struct gate_limit limits[GATE_LIMITS_MAX];
	size_t nr_limits;
	bool directory, budget;
};

/* What rules can refer to: the metrics of diff_options, and the names of tables. Borrowed. */
struct gate_words {
	const struct diff_metric *metrics;
	size_t nr_metrics;
	const char *const *tables;
	size_t nr_tables;
};

/* Zero-initialise it, except @words, which is needed to parse the rules. */
struct gate_rules {
	const struct gate_words *words;
	struct gate_rule *rules;
	size_t nr;
};

/* Adds a rule of --fail-on. 0; -EINVAL with the reason in @error; -ENOMEM. */
int gate_add(struct gate_rules *rules, const char *text,
	     struct strbuf *error) __must_check;
/* Adds the rules of a budget, one per line; '#' begins a comment. @error names the line. A budget
 * without rules is an error, as it would always pass.
 */
int gate_add_budget(struct gate_rules *rules, const char *text,
		    struct strbuf *error) __must_check;
void gate_free(struct gate_rules *rules);
/* The first rule about a directory; NULL: none. */
const struct gate_rule *gate_directory_rule(const struct gate_rules *rules);

/**
 * struct gate_result - the outcome of a check
 * @broken: table "gate", a row for each row (or sum) that broke a rule, or is undecided because its
 *	numbers are too uncertain. The caller frees it
 * @nr_broken: rules broken
 * @nr_undecided: rules not broken for which some row is undecided
 * @nr_unchecked: rules without a table or number to check
 * @nr_noise: rows beyond a limit that break no rule, because their difference is not significant
 */
struct gate_result {
	struct table *broken;
	size_t nr_broken, nr_undecided, nr_unchecked;
	uint64_t nr_noise;
};

/**
 * gate_check() - check the tables of diff_tables() against the rules
 * @tables: with all their rows; tables not from diff_tables() are ignored. A table NAME_dir has the
 *	    directories of table NAME: it is searched only for what a budget names, and a rule's
 *	    TABLE means both
 * @alpha: significance level of a row's test; rows without a test count as significant
 *
 * A rule that was not checked, or a budget that names no row, adds a loud note to the
 * result. Return: 0 or -ENOMEM.
 */
int gate_check(const struct gate_rules *rules, struct table *const *tables, size_t nr,
	       double alpha, struct gate_result *out) __must_check;

#endif
