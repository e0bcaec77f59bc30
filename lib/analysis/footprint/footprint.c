// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/footprint/footprint.h"

#include "analysis/stat/account_report.h"

_Static_assert(sizeof(struct footprint_options) <= ANALYSIS_OWN_SIZE,
	       "the largest own options");

/* Adds the tables of @tree. */
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

static int show(struct account_report *r, struct report *report)
{
	const bool pages = account_report_of_pages(r);
	const struct footprint_options *own = r->opts->own;
	struct join j = { .env = r->env,
			  .opts = own,
			  .tree = { .attr = own->attr, .within = own->within } };
	int ret = footprint_tree_static(&j.tree, own->fp);

	for (size_t i = 0; i < lives_rows(r->lives) && !ret; i++) {
		const struct lives_sums *c = &r->lives->rows[i];
		const struct footprint_sums sums = {
			.of = { [SUM_LIVE] = c->live_alloc,
				[SUM_TOTAL] = c->bytes_alloc,
				[SUM_WASTE] = slab_waste(c->live_alloc, c->live_req),
				[SUM_HIT] = c->hit },
		};

		if (c->hit)
			ret = add_callsite(&j, r->callsites[i], &sums);
	}
	ret = ret
		      ?: show_tree(&j.tree, own, pages ? DYNAMIC_PAGES : DYNAMIC_SLAB,
				   report);
	footprint_tree_free(&j.tree);
	return ret;
}

static enum memory memory_of(const struct analysis_options *opts)
{
	return opts->needs == NEEDS_PAGE ? MEMORY_PAGE : MEMORY_SLAB;
}

static int footprint_view(const void *self, struct report *report)
{
	const struct account_analysis *a = self;

	if (!(analysis_seen(a->env) & analysis_memory(memory_of(a->opts))) ||
	    !a->opts->own)
		return 0;
	return account_analysis_view(a, report, show);
}

static int footprint_create(void *self, const struct analysis_env *env,
			    const struct analysis_options *opts)
{
	return account_analysis_ask(self, memory_of(opts), false);
}

const struct analysis analysis_footprint = {
	.name = "footprint",
	.help = "memory that the kernel itself takes, with what it allocated",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.all_frees = true,
	.tables = TABLES(&footprint_type, &footprint_section_type),
	ANALYSIS_SELF_OPTIONS(struct account_analysis),
	.create = footprint_create,
	.view = footprint_view,
};
