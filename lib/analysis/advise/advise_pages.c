// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about pages: kmallocs that take larger blocks than they need, single frees.
 * In: kmallocs of whole pages, pages that are freed one by one, by callsite. Out: findings.
 */

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
	const struct single_frees_key *key = KEYED_KEY(&tally->counts, i);
	const struct single_frees_count *c = &tally->counts.of[i];
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
	for (size_t i = 0; i < tally->counts.nr && !ret; i++)
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

static void tell_pages(const struct advise *a, const struct size_peak_site *s,
		       struct finding *f)
{
	struct strbuf *to = &f->evidence;

	strbuf_printf(to, "%" PRIu64 " object%s ", f->live, plural(f->live));
	if (s->bytes_alloc)
		strbuf_printf(to, "of %" PRIu32 " bytes live at once, each in %" PRIu32,
			      s->bytes_req, s->bytes_alloc);
	else
		strbuf_printf(to, "of several sizes live at once, in %" PRIu64 " bytes",
			      s->most.bytes);
	strbuf_printf(to,
		      "; %" PRIu64 " of %" PRIu64
		      " kmalloc%s there ask%s for over %" PRIu64
		      " bytes: a power of two of pages",
		      s->large, s->hit, plural(s->hit), s->hit == 1 ? "s" : "",
		      a->slab->lives.large_bytes);
}

static int add_whole_pages(const struct finding_kind *kind, struct advise_view *v,
			   uint32_t site)
{
	const struct size_peak_site *s = &v->a->sizes.totals[site];
	const struct size_peak_pages *most = &s->most;
	struct finding f = { .kind = kind,
			     .site = site,
			     .bytes = most->bytes - most->needed,
			     .hit = s->large,
			     .live = most->objects,
			     .bytes_req = s->bytes_req,
			     .object = s->bytes_alloc };

	if (!f.bytes)
		return 0;
	tell_pages(v->a, s, &f);
	if (s->bytes_alloc) {
		f.better = most->needed / most->objects;
		strbuf_printf(&f.arithmetic,
			      "%" PRIu64 " x (%" PRIu64 " - %" PRIu64 ") = %" PRIu64,
			      f.live, f.object, f.better, f.bytes);
	} else {
		strbuf_printf(&f.arithmetic, "%" PRIu64 " - %" PRIu64 " = %" PRIu64,
			      most->bytes, most->needed, f.bytes);
	}
	strbuf_puts(&f.arithmetic, ", with alloc_pages_exact() or vmalloc()");
	advise_doubt_live(v->a, s->large_gone, &f);
	strbuf_puts(
		&f.doubt,
		"; whether the memory must be contiguous, or can be mapped, is not in the events; kvmalloc() would not help: it tries kmalloc() first");
	return advise_add(v, &f);
}

static int find_whole_pages(const struct finding_kind *kind, struct advise_view *v)
{
	int ret = 0;

	for (size_t i = 0; i < v->a->sizes.nr_sites && !ret; i++)
		ret = add_whole_pages(kind, v, (uint32_t)i);
	return ret;
}

/* Objects too large for the slab allocator: kmalloc rounds them up to a power of two of pages. */
const struct finding_kind finding_whole_pages = {
	.name = "whole-pages",
	.more = "stat --sizes",
	.find = find_whole_pages,
};
