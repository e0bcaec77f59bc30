// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query: the built-in queries.
 * In: files of lib/query/sql, as texts. Out: their names and SQL.
 */
#include "query/schema.h"

#include <string.h>

#include "architectures.sql.inc"
#include "growing.sql.inc"
#include "new-stacks.sql.inc"
#include "top-callsites.sql.inc"
#include "untrusted.sql.inc"

static const struct query_named all[] = {
	{ "top-callsites", "Callsites of all hosts", NULL, top_callsites_sql },
	{ "new-stacks", "Callchains that are in no older kernel", "kernel",
	  new_stacks_sql },
	{ "growing", "Callsites that hold more and more memory on a host", NULL,
	  growing_sql },
	{ "architectures", "Callsites found on several architectures", NULL,
	  architectures_sql },
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
