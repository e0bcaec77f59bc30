// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live: finds the group that an allocation belongs to.
 * In: the origin of an allocation from an account's row. Out: small group numbers, and their cells.
 */
#include "live/grouping.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

static const struct {
	const char *word;
	enum subject_kind kind;
} words[] = {
	{ "callsite", SUBJECT_CALLSITE }, { "cache", SUBJECT_CACHE },
	{ "order", LIVE_ORDER },	  { "stack", SUBJECT_STACK },
	{ "comm", SUBJECT_COMM },	  { "pid", SUBJECT_PID },
	{ "cgroup", LIVE_CGROUP },	  { "module", SUBJECT_MODULE },
	{ "cpu", SUBJECT_CPU },		  { "node", SUBJECT_NODE },
};

const char *grouping_word(unsigned int i, enum subject_kind *kind)
{
	if (i >= ARRAY_SIZE(words))
		return NULL;
	*kind = words[i].kind;
	return words[i].word;
}

bool grouping_has_slab(enum subject_kind kind)
{
	return kind != LIVE_ORDER;
}

bool grouping_has_page(enum subject_kind kind)
{
	return kind != SUBJECT_CACHE && kind != SUBJECT_NODE;
}

/* Grouping by callsite, cache, module and order uses the same dimensions, so that it can switch
 * between these.
 */
struct dimensions grouping_slab_dimensions(enum subject_kind kind,
					   const struct analysis_env *env)
{
	const uint32_t alike = ROWS(CALLSITE) | ROWS(CACHE) | ROWS(MODULE);
	struct analysis_options opts = { .by = kind };
	struct dimensions all;

	if (kind == LIVE_CGROUP)
		return (struct dimensions){ .of = { DIMENSION_PID } };
	if (kind == LIVE_ORDER)
		opts.by = SUBJECT_CALLSITE;
	opts.by_cache = alike & subject_rows(opts.by);
	all = subjects_slab_dimensions(&opts, env);
	dimensions_by_task(&all); /* names change, and are known only later */
	return all;
}

struct dimensions grouping_page_dimensions(enum subject_kind kind)
{
	struct dimensions all;

	if (kind == LIVE_CGROUP)
		return (struct dimensions){ .of = { DIMENSION_PID } };
	if (kind == LIVE_ORDER || !grouping_has_page(kind))
		return (struct dimensions){ .of = { DIMENSION_NONE } };
	all = subjects_page_dimensions(kind);
	dimensions_by_task(&all);
	return all;
}

int grouping_init(struct grouping *g, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites,
		  const struct dimensions *dimensions)
{
	bool own = kind == LIVE_ORDER || kind == LIVE_CGROUP;

	*g = (struct grouping){ .kind = kind };
	return subjects_init(&g->subjects, env, own ? SUBJECT_CALLSITE : kind, sites,
			     dimensions);
}

/* Reads the control group of a process: "/system.slice/..."; with several hierarchies the unified
 * one, else the first.
 */
static void read_cgroup(int32_t pid, char *out, size_t size)
{
	char path[32], line[512];
	FILE *file;

	snprintf(out, size, "%s", pid ? "[gone]" : "[idle]");
	if (pid <= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return;
	for (bool first = true; fgets(line, sizeof(line), file); first = false) {
		const char *at = strchr(line, ':');

		at = at ? strchr(at + 1, ':') : NULL;
		if (!at || (!first && strncmp(line, "0::", 3)))
			continue;
		snprintf(out, size, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
	}
	fclose(file);
}

uint32_t grouping_find(struct grouping *g, const struct grouping_who *who)
{
	char path[400];
	uint32_t id;

	if (g->kind != LIVE_ORDER && g->kind != LIVE_CGROUP)
		return subjects_row(&g->subjects, &who->subject);
	if (g->kind == LIVE_ORDER) {
		id = intern_id(&g->keys, &who->order, sizeof(who->order));
	} else {
		read_cgroup(who->pid, path, sizeof(path));
		id = intern_id(&g->keys, path, strlen(path));
	}
	return id ? id - 1 : UINT32_MAX;
}

void grouping_free(struct grouping *g)
{
	subjects_free(&g->subjects);
	intern_free(&g->keys);
	*g = (struct grouping){ 0 };
}
