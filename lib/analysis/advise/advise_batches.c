// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about batches: pages that are freed one by one.
 * In: runs of such frees. Out: findings.
 */
#include <inttypes.h>

#include "analysis/advise/advise.h"
#include "analysis/analysis.h"
#include "event/tasks.h"

/* "task cp-312", and the command that shows its frees. */
static void name_task(struct finding *f, const struct tasks *tasks, int32_t pid)
{
	if (pid == SINGLE_FREES_INTERRUPT) {
		strbuf_puts(&f->task, "interrupts");
		return;
	}
	strbuf_printf(&f->task, "task %s-%" PRId32, tasks_name(tasks, pid), pid);
	strbuf_printf(&f->more, " --pid %" PRId32, pid);
}

static int add_unbatched(const struct finding_kind *kind, struct advise_view *v,
			 const struct tasks *tasks,
			 const struct single_frees_tally *tally, size_t i)
{
	const struct single_frees_key *key = single_frees_key(tally, i);
	const struct single_frees_count *c = &tally->counts[i];
	struct finding f = { .kind = kind, .site = key->site, .hit = c->pages };

	strbuf_puts(&f.more, kind->more);
	if (key->site == SINGLE_FREES_NOWHERE)
		name_task(&f, tasks, key->pid);
	else
		f.freed_by = key->site + 1;
	strbuf_printf(&f.evidence, "%" PRIu64 " page%s freed one by one, ", c->pages,
		      c->pages == 1 ? " was" : "s were");
	if (c->runs == 1)
		strbuf_puts(&f.evidence, "in one run on one CPU");
	else
		strbuf_printf(&f.evidence,
			      "in %" PRIu64
			      " runs of %d or more on one CPU, the longest of %" PRIu64,
			      c->runs, SINGLE_FREES_RUN, c->longest);
	strbuf_puts(&f.evidence, "; mm_page_free_batched announced none of them");
	strbuf_puts(
		&f.doubt,
		"whether one loop frees them, or many calls do, is not in the events");
	if (f.task.size)
		strbuf_puts(
			&f.doubt,
			"; nor is the callsite, without callchains of frees (kmemx record --stack all)");
	if (v->a->losses)
		strbuf_puts(&f.doubt, "; events were lost");
	return advise_add(v, &f);
}

static int find_unbatched(const struct finding_kind *kind, struct advise_view *v)
{
	const struct advise *a = v->a;
	const struct single_frees_tally *tally = &a->single.ended;
	struct tasks tasks = { 0 };
	int ret;

	/* Without mm_page_free_batched events, batches and single frees look the same. */
	if (!(analysis_seen(a->env) & NEEDS(PAGE_FREE_BATCHED)))
		return 0;
	ret = tasks_read(&tasks, a->env->rec->cmdlines);
	for (size_t i = 0; i < tally->nr && !ret; i++)
		ret = add_unbatched(kind, v, &tasks, tally, i);
	tasks_free(&tasks);
	return ret;
}

/* Single pages freed in long runs, but not in batches. */
const struct finding_kind finding_unbatched = {
	.name = "unbatched",
	.more = "script --callchain -e 'mm_page_free*'",
	.find = find_unbatched,
};
