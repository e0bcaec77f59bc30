// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/row/owners.h"

#include "analysis/row/entry.h"

uint64_t *owners_callsites(struct sites *sites, const struct lives *lives)
{
	const bool pages = lives->kind->memory == MEMORY_PAGE;
	size_t nr = lives_rows(lives), i;
	uint64_t *all = calloc(nr + 1, sizeof(*all));

	for (i = 0; all && i < nr; i++) {
		const struct slab_key *key = pages ? NULL : lives_key(lives, i);
		uint32_t stack = lives_stack(lives, i);

		all[i] = key && key->callsite
				 ? sites_beyond(sites->env, key->callsite, stack)
				 : sites_of_stack_once(sites, stack);
	}
	return all;
}

static int find_rows(struct owners *o)
{
	o->of = calloc(o->nr_rows + 1, sizeof(*o->of));
	o->callsites = owners_callsites(&o->sites, o->lives);
	if (!o->of || !o->callsites)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_rows; i++) {
		const struct subject who = subject_of_row(o->lives, i, o->callsites[i]);

		o->of[i] = subjects_row(&o->subjects, &who);
		if (o->of[i] == UINT32_MAX)
			return -ENOMEM;
		if (o->of[i] >= o->nr)
			o->nr = o->of[i] + 1UL;
	}
	return 0;
}

int owners_init(struct owners *o, const struct analysis_env *env,
		const struct lives *lives, enum subject_kind kind)
{
	*o = (struct owners){ .env = env,
			      .lives = lives,
			      .memory = lives->kind->memory,
			      .pages = lives->kind->memory == MEMORY_PAGE };
	o->nr_rows = lives_rows(lives);
	sites_init(&o->sites, env);
	return subjects_init(&o->subjects, env, kind, &o->sites, &lives->dimensions)
		       ?: find_rows(o);
}

/* A table of live memory needs no sums of tasks that have none. */
static void leave_out_dead(const struct lives *lives, uint32_t *rows)
{
	memset(rows, 0xff, lives->spent->keys.count * sizeof(*rows));
	for (size_t i = 0; i < lives_rows(lives); i++) {
		uint32_t id = lives_sums(lives, i).live
				      ? spent_find(lives->spent, &lives->dimensions,
						   lives_dims(lives, i))
				      : 0;

		if (id)
			rows[id - 1] = 0;
	}
}

uint32_t *owners_spent(struct subjects *s, const struct lives *lives, bool live)
{
	uint32_t *rows = calloc(lives->spent->keys.count + 1UL, sizeof(*rows));

	if (rows && live)
		leave_out_dead(lives, rows);
	if (!rows ||
	    !subjects_of_spent(s, &lives->keys, lives->firsts, lives->spent, rows))
		return rows;
	free(rows);
	return NULL;
}

void owners_note_stackless(const struct owners *o, struct table *t)
{
	const uint32_t rows = subject_rows(o->subjects.kind);
	bool entry = rows & (ROWS(ENTRY) | ROWS(USER_FUNCTION) | ROWS(USER_LINE));
	size_t nr = 0, i;

	entry_note_user(o->env, o->subjects.kind, t);
	if (!entry && !(rows & ROWS(STACK)))
		return;
	for (i = 0; i < o->nr_rows; i++)
		nr += !lives_stack(o->lives, i);
	if (nr && nr == o->nr_rows)
		table_add_note(
			t,
			"!No callchain was recorded: %s. Record callchains with: kmemx record%s",
			entry ? "entries are unknown" : "rows are callsites",
			entry_record_options(o->subjects.kind, o->memory));
	else if (nr)
		table_add_note(
			t,
			entry ? "!Some allocations were recorded without a callchain: their row is " ENTRY_NO_STACK
				"."
			      : "!Some allocations were recorded without a callchain: their rows are callsites, marked [no stack].");
}

int owners_estimate(const struct owners *o, const uint64_t *values,
		    const uint32_t *group_of, struct estimate *out, size_t nr)
{
	const struct row_values rows = { o->lives, values };
	const struct estimate_rule rule = { &o->env->sample,
					    o->pages   ? ESTIMATE_PAGES
					    : o->flows ? subjects_share(o->subjects.kind)
						       : ESTIMATE_LIVING };

	return estimate_rows(&rows, &rule, group_of, out, nr);
}

int owners_estimate_all(const struct owners *o, const uint64_t *values,
			const uint32_t *group_of, struct estimate *out)
{
	uint32_t *all __auto_mem = malloc((o->nr_rows + 1) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_rows; i++)
		all[i] = group_of[i] == UINT32_MAX ? UINT32_MAX : 0;
	return owners_estimate(o, values, all, out, 1);
}

void owners_free(struct owners *o)
{
	subjects_free(&o->subjects);
	sites_free(&o->sites);
	free(o->callsites);
	free(o->of);
}
