// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stat/account_rows.h"

#include <stdarg.h>

#include "analysis/bounds/slab_bounds.h"
#include "analysis/filter/alloc_filter.h"

bool account_rows_wanted(const struct analysis_env *env,
			 const struct analysis_options *opts, enum memory memory)
{
	const struct alloc_filter *filter = env->filter;
	uint32_t events = analysis_memory(memory) & (opts->needs ? opts->needs : ~0U);

	if (filter && !filter->nr[memory])
		return false;
	return analysis_seen(env) & events;
}

size_t account_rows_kinds(const struct analysis_options *opts, enum memory memory,
			  enum subject_kind kinds[ACCOUNT_ROWS_KINDS])
{
	bool slab = memory == MEMORY_SLAB;
	uint32_t can = memory == MEMORY_PAGE ? PAGE_ROWS : AREA_ROWS;
	bool by = opts->by && (slab || !(subject_rows(opts->by) & ~can));
	bool by_cache = opts->by_cache && slab;
	size_t nr = 0;

	if (opts->by_caller || !(by || by_cache))
		kinds[nr++] = SUBJECT_CALLSITE;
	if (by)
		kinds[nr++] = opts->by;
	if (by_cache)
		kinds[nr++] = SUBJECT_CACHE;
	return nr;
}

int account_rows_by(const struct analysis_options *opts, enum memory memory,
		    account_rows_fn *show, const void *self, struct report *report)
{
	enum subject_kind kinds[ACCOUNT_ROWS_KINDS];
	size_t nr = account_rows_kinds(opts, memory, kinds), i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = show(self, memory, kinds[i], report);
	return ret;
}

int account_rows_show(const struct account_rows *rows, struct report *report)
{
	int ret = 0, i;

	for (i = 0; i < MEMORY_KINDS && !ret; i++)
		ret = rows->of[i]->failed ? -ENOMEM : 0;
	for (i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (account_rows_wanted(rows->env, rows->opts, (enum memory)i))
			ret = account_rows_by(rows->opts, (enum memory)i, rows->show,
					      rows->self, report);
	}
	return ret;
}

struct table *account_rows_table(struct report *report, const struct table_type *type,
				 enum subject_kind kind, const char *title, ...)
{
	struct strbuf __auto_free text = { 0 };
	char words[SUBJECT_WORDS], start[128];
	struct table *t;
	va_list ap;

	va_start(ap, title);
	vsnprintf(start, sizeof(start), title, ap);
	va_end(ap);
	strbuf_printf(&text, "%s by %s", start, subjects_words(kind, words));
	t = table_begin(report, type, strbuf_text(&text), kind, false);
	table_set_by(t, words);
	return t;
}

int account_rows_bounds(const struct owners *o, const uint32_t *of,
			struct net_range *ranges, size_t nr)
{
	struct slab_bounds bounds = { 0 };
	int ret = slab_bounds_of(&bounds, o->lives, o->callsites, o->env)
			  ?: slab_bounds_sums(&bounds, of, ranges, nr);

	slab_bounds_free(&bounds);
	return ret;
}
