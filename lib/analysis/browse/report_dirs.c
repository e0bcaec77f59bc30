// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the directories of a page's functions.
 * In: a page's names, and the directories. Out: a directory for each name.
 *
 * A page has names, not addresses, so all symbols with these names are looked up.
 */
#include "analysis/browse/report_rows.h"

#include "analysis/row/sites.h"

/* Values in dir_of[]: not yet looked up; a name found in several directories. */
#define UNASKED 0U
#define SEVERAL UINT32_MAX

/* The number of @sym's directory; 0: not known; -ENOMEM. */
static int64_t dir_of(struct web_report *web, const struct analysis_env *env,
		      const struct symbol *sym)
{
	const char *dir = directories_find(env->dirs, sym->addr, 0);
	uint32_t id;

	if (!dir)
		return -ENOMEM;
	if (!strcmp(dir, DIRECTORY_UNKNOWN) || !strcmp(dir, DIRECTORY_AMBIGUOUS))
		return 0;
	id = intern_id(&web->dirs, dir, strlen(dir));
	return id ? (int64_t)id : -ENOMEM;
}

/* @name is the symbol's name on a page, and that of an inlined function of that name. */
static int add_symbol(struct web_report *web, const struct analysis_env *env,
		      const struct symbol *sym, struct strbuf *name)
{
	uint32_t ids[2];
	int64_t dir = -1;

	ids[0] = intern_find(&web->names, strbuf_text(name), name->size);
	strbuf_puts(name, " (inlined)");
	ids[1] = intern_find(&web->names, strbuf_text(name), name->size);
	if (name->failed)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		uint32_t *of = &web->dir_of[ids[i]];

		if (!ids[i])
			continue;
		if (dir < 0)
			dir = dir_of(web, env, sym);
		if (dir < 0)
			return (int)dir;
		if (*of == UNASKED)
			*of = (uint32_t)dir;
		else if (dir && *of != dir)
			*of = SEVERAL;
	}
	return 0;
}

int report_dirs_fill(struct web_report *web, const struct analysis_env *env)
{
	struct symbol sym;
	int ret = 0;

	if (!env->dirs)
		return 0;
	web->dir_of = calloc(web->names.count + 1UL, sizeof(*web->dir_of));
	if (!web->dir_of)
		return -ENOMEM;
	for (size_t i = 0; !ret && symbols_at(env->syms, i, &sym); i++) {
		struct strbuf __auto_free name = { 0 };

		sites_shown(env, &sym, &name);
		ret = add_symbol(web, env, &sym, &name);
	}
	for (size_t i = 0; i <= web->names.count; i++) {
		if (web->dir_of[i] == SEVERAL)
			web->dir_of[i] = 0;
	}
	return ret;
}
