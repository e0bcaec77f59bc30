// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about pages: kmallocs that take larger blocks of pages than they need.
 * In: kmallocs served by the page allocator, by callsite. Out: findings.
 */
#include <inttypes.h>

#include "analysis/advise/advise.h"

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
