// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: the built-in queries.
 * In: files of lib/query/sql, as texts. Out: their names and SQL.
 */
#include "query/schema.h"

#include "architectures.sql.inc"
#include "balance.sql.inc"
#include "coverage.sql.inc"
#include "culprits.sql.inc"
#include "growing.sql.inc"
#include "leaks.sql.inc"
#include "new-stacks.sql.inc"
#include "outliers.sql.inc"
#include "regressions.sql.inc"
#include "top-callsites.sql.inc"
#include "untrusted.sql.inc"
#include "who-grew.sql.inc"

static const struct query_named all[] = {
	{ "top-callsites", "Callsites of all hosts", NULL, top_callsites_sql },
	{ "new-stacks", "Callchains that are in no older kernel", "kernel",
	  new_stacks_sql },
	{ "growing", "Callsites that hold more and more memory on a host", NULL,
	  growing_sql },
	{ "architectures", "Callsites found on several architectures", NULL,
	  architectures_sql },
	{ "regressions", "Callsites that changed, beyond chance", "since",
	  regressions_sql, true },
	{ "outliers", "Hosts that use a callsite far more than others", NULL,
	  outliers_sql, true },
	{ "leaks", "Callsites that grow on several hosts, beyond chance", NULL, leaks_sql,
	  true },
	{ "who-grew", "Containers and programs that hold more and more pages", NULL,
	  who_grew_sql, true },
	{ "balance", "What all memory of the hosts is used for, and how it changed", NULL,
	  balance_sql },
	{ "culprits", "Callsites that are in no older kernel", "kernel", culprits_sql,
	  true },
	{ "coverage", "Hosts and days that are missing, files that cannot be read", NULL,
	  coverage_sql },
	{ "untrusted", "Recordings that lost events or were cut short", NULL,
	  untrusted_sql },
};

const struct query_named *query_named_at(size_t i)
{
	return i < ARRAY_SIZE(all) ? &all[i] : NULL;
}

const struct query_named *query_named_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!strcmp(all[i].name, name))
			return &all[i];
	}
	return NULL;
}
