// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/footprint/footprint.h"

#include "analysis/stat/slab_report.h"

/* Adds the tables of @tree. */
_Static_assert(sizeof(struct footprint_options) <= ANALYSIS_OWN_SIZE,
	       "the largest own options");

static int show_tree(const struct footprint_tree *tree,
		     const struct footprint_options *opts, enum footprint_dynamic dynamic,
		     struct report *report)
{
	if (!report_add_table(report, footprint_table(tree, opts->fp, dynamic)))
		return -ENOMEM;
	if (!opts->within)
		footprint_sections(opts->fp, report)->hidden = !opts->sections;
	return 0;
}

int footprint_report(const struct footprint_options *opts, struct report *report)
{
	struct footprint_tree tree = { .attr = opts->attr, .within = opts->within };
	int ret = footprint_tree_static(&tree, opts->fp)
			  ?: show_tree(&tree, opts, DYNAMIC_NONE, report);

	footprint_tree_free(&tree);
	return ret;
}

/**
 * struct footprint_analysis - the analysis with a recording
 * @slab: its account, or @pages: joined with the footprint; the other is NULL
 */
struct footprint_analysis {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct slab_analysis slab;
	struct page_account *pages;
};

/* State of the join. */
struct join {
	const struct analysis_env *env;
	const struct footprint_options *opts;
	struct footprint_tree tree;
};

/* The part of the kernel's files that contains the code at @addr; NULL: not known. */
static int find_part(const struct join *j, uint64_t addr, const struct symbol *sym,
		     const struct footprint_part **part)
{
	struct footprint *fp = j->opts->fp;

	*part = NULL;
	if (sym->module)
		return footprint_find_name(fp, sym->module, sym->name, part) < 0 ? -ENOMEM
										 : 0;
	*part = footprint_find(fp, addr - j->env->moved_by);
	/* @addr is in padding after a call that does not return, or the symbol's size is too small.
	 */
	if (!*part && sym->name)
		*part = footprint_find(fp, sym->addr - j->env->moved_by);
	return 0;
}

/* The leaf for code that is in no part: its function's directory, if known. */
static void leaf_of_symbol(const struct join *j, uint64_t addr, const struct symbol *sym,
			   struct footprint_leaf *leaf)
{
	const char *dir = j->env->dirs ? directories_find(j->env->dirs, addr, 0) : NULL;

	leaf->path = dir && *dir != '(' ? dir : NULL;
	leaf->name = sym->name;
	leaf->module = sym->module;
}

/* Adds the callsite's allocations to its function's leaf; @addr 0: not known. */
static int add_callsite(struct join *j, uint64_t addr, const struct footprint_sums *sums)
{
	const struct footprint *fp = j->opts->fp;
	struct footprint_leaf leaf = { .kind = NODE_SYMBOL };
	const struct footprint_part *part;
	struct strbuf __auto_free name = { 0 };
	struct symbol sym = { 0 };
	int ret;

	if (!symbols_find(j->env->syms, addr, &sym))
		sym = (struct symbol){ 0 };
	ret = find_part(j, addr, &sym, &part);
	if (ret)
		return ret;
	if (part) {
		leaf.path = footprint_path(fp, part->path);
		leaf.is_file = part->is_file;
		leaf.name = part->item->name;
		leaf.module = fp->images[part->image].name;
	} else if (addr) {
		leaf_of_symbol(j, addr, &sym, &leaf);
	} else {
		leaf.name = "[no stack]";
	}
	if (!leaf.name) {
		symbols_format(j->env->syms, addr, &name);
		leaf.name = strbuf_text(&name);
	}
	return name.failed ? -ENOMEM : footprint_tree_add(&j->tree, &leaf, sums);
}

static int join_begin(struct join *j, const struct analysis_env *env,
		      const struct analysis_options *opts)
{
	const struct footprint_options *own = opts->own;

	*j = (struct join){ .env = env,
			    .opts = own,
			    .tree = { .attr = own->attr, .within = own->within } };
	return footprint_tree_static(&j->tree, own->fp);
}

static int show_slab(struct slab_report *slab, struct report *report)
{
	struct join j;
	int ret = join_begin(&j, slab->env, slab->opts);

	for (size_t i = 0; i < slab->acc->nr_rows && !ret; i++) {
		const struct slab_counts *c = &slab->acc->rows[i];
		const struct footprint_sums sums = {
			.of = { [SUM_LIVE] = c->live_alloc,
				[SUM_TOTAL] = c->bytes_alloc,
				[SUM_WASTE] = slab_waste(c->live_alloc, c->live_req),
				[SUM_HIT] = c->hit },
		};

		if (c->hit)
			ret = add_callsite(&j, slab_report_callsite(slab, i), &sums);
	}
	ret = ret ?: show_tree(&j.tree, j.opts, DYNAMIC_SLAB, report);
	footprint_tree_free(&j.tree);
	return ret;
}

static int show_pages(const struct footprint_analysis *a, struct report *report)
{
	const struct page_account *acc = a->pages;
	uint64_t size = a->env->page_size;
	struct sites sites;
	struct join j;
	int ret = acc->lives.any.failed ? -ENOMEM : 0;

	if (ret)
		return ret;
	sites_init(&sites, a->env);
	ret = join_begin(&j, a->env, a->opts);
	for (size_t i = 0; i < acc->nr_rows && !ret; i++) {
		const struct page_counts *c = &acc->rows[i];
		const struct page_key *key = page_lives_key(&acc->lives, i);
		const struct footprint_sums sums = {
			.of = { [SUM_LIVE] = c->live_pages * size,
				[SUM_TOTAL] = (c->hit << key->order) * size,
				[SUM_HIT] = c->hit },
		};

		if (c->hit)
			ret = add_callsite(&j, sites_of_stack(&sites, key->stack), &sums);
	}
	ret = ret ?: show_tree(&j.tree, j.opts, DYNAMIC_PAGES, report);
	footprint_tree_free(&j.tree);
	sites_free(&sites);
	return ret;
}

static int footprint_view(const void *self, struct report *report)
{
	const struct footprint_analysis *a = self;

	if (!(analysis_seen(a->env) & (a->slab.acc ? NEEDS_SLAB : NEEDS_PAGE)) ||
	    !a->opts->own)
		return 0;
	return a->slab.acc ? slab_analysis_view(&a->slab, report, show_slab)
			   : show_pages(a, report);
}

static int footprint_create(void *self, const struct analysis_env *env,
			    const struct analysis_options *opts)
{
	struct footprint_analysis *a = self;
	struct dimensions none = { .of = { DIMENSION_NONE } };

	if (opts->needs == NEEDS_PAGE)
		return accounts_page(env->accounts, &none, &a->pages);
	a->slab = (struct slab_analysis){ .env = env, .opts = opts };
	return slab_analysis_ask(&a->slab, MEMORY_SLAB, false);
}

const struct analysis analysis_footprint = {
	.name = "footprint",
	.help = "memory that the kernel itself takes, with what it allocated",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.all_frees = true,
	.tables = TABLES(&footprint_type, &footprint_section_type),
	ANALYSIS_SELF_OPTIONS(struct footprint_analysis),
	.create = footprint_create,
	.view = footprint_view,
};
