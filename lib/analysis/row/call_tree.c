// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: callchains as a tree of functions, and processes as a tree.
 * In: callchains and what each allocated. Out: tables "slab_tree", "page_tree" and so on.
 */
#include "analysis/row/call_tree.h"

#define MILLION 1000000

struct call_sum {
	uint64_t bytes, hit;
};

/**
 * struct call_node - a function below its callers' (or callees') nodes
 * @above: number of the node above
 * @name: number in the tree's names
 * @depth: of the roots: 1
 * @sum: all callchains through it
 * @shown: the part of @sum in child nodes that are rows
 * @rest: the part of @sum in its @nr_rest child nodes that are too small for rows
 * @first, @next: its first child row, and its next sibling; 0: none
 * @row: its number as a row
 */
struct call_node {
	uint32_t above, name, depth;
	struct call_sum sum, shown, rest;
	uint32_t nr_rest, first, next, row;
};

static void sum_add(struct call_sum *to, const struct call_sum *from)
{
	to->bytes += from->bytes;
	to->hit += from->hit;
}

/* Adds @sum to the child of *@node for function @name, and moves *@node to it. */
static int descend(struct call_tree *tree, uint32_t *node, const char *name, size_t size,
		   const struct call_sum *sum)
{
	uint32_t id = intern_id(&tree->names, name, size);
	struct call_node *child =
		id ? INDEXED_ITEM(&tree->nodes, (uint64_t)*node << 32 | id) : NULL;

	if (!child || tree->nodes.nr > UINT32_MAX)
		return -ENOMEM;
	child->above = *node;
	child->name = id;
	child->depth = tree->nodes.of[*node].depth + 1;
	sum_add(&child->sum, sum);
	*node = (uint32_t)(child - tree->nodes.of);
	return 0;
}

static int add_inward(struct call_tree *tree, const char *folded,
		      const struct call_sum *sum)
{
	size_t end = strlen(folded);
	uint32_t node = 0;

	for (;;) {
		const char *before = memrchr(folded, ';', end);
		size_t begin = before ? (size_t)(before - folded) + 1 : 0;

		if (descend(tree, &node, folded + begin, end - begin, sum))
			return -ENOMEM;
		if (!before)
			return 0;
		end = begin - 1;
	}
}

static int add_outward(struct call_tree *tree, const char *folded,
		       const struct call_sum *sum)
{
	uint32_t node = 0;

	for (;;) {
		size_t size = strcspn(folded, ";");

		if (descend(tree, &node, folded, size, sum))
			return -ENOMEM;
		if (!folded[size])
			return 0;
		folded += size + 1;
	}
}

int call_tree_add(struct call_tree *tree, const char *folded, uint64_t bytes,
		  uint64_t hit)
{
	const struct call_sum sum = { bytes, hit };
	struct call_node *root = INDEXED_ITEM(&tree->nodes, 0);

	if (!root)
		return -ENOMEM;
	sum_add(&root->sum, &sum);
	return tree->opts->roots == TREE_CALLEE ? add_outward(tree, folded, &sum)
						: add_inward(tree, folded, &sum);
}

int call_tree_add_row(struct call_tree *tree, const struct subjects *subjects,
		      uint32_t row, uint64_t bytes, uint64_t hit)
{
	struct strbuf __auto_free folded = { 0 };

	subjects_path(subjects, row, &folded);
	return folded.failed ? -ENOMEM
			     : call_tree_add(tree, strbuf_text(&folded), bytes, hit);
}

void call_tree_free(struct call_tree *tree)
{
	intern_free(&tree->names);
	INDEXED_FREE(&tree->nodes);
	*tree = (struct call_tree){ .opts = NULL };
}

/* A row's data. @nr_rest: the row stands for this many functions or programs; 0: for one, @name. */
struct tree_row {
	enum subject_kind of;
	const char *name;
	struct call_sum sum;
	uint64_t self;
	uint32_t nr_rest, number, above, depth;
};

static struct cell cell_function(const void *row, struct table *t)
{
	const struct tree_row *r = row;
	struct strbuf name = { 0 };

	if (!r->nr_rest)
		return cell_text(t, r->name);
	strbuf_printf(&name, "other (%" PRIu32 " %s%s)", r->nr_rest,
		      r->of == SUBJECT_PROCESS ? "program" : "function",
		      plural(r->nr_rest));
	return cell_strbuf(t, &name);
}

static const struct column_type columns[] = {
	{ COLUMN("bytes", "Total_alloc", UNIT_BYTES,
		 "Bytes allocated in all callchains through the function, in this place of the tree."),
	  .live_title = "Live_bytes", MEMBER(struct tree_row, sum.bytes) },
	{ COLUMN("pct", "%", UNIT_SHARE,
		 "That part of all bytes; with -s hit, of all allocations. No sort key itself.",
		 .part = COLUMN_SHARE, .drop = 10),
	  .fill = cell_none },
	{ COLUMN("self", "Self", UNIT_BYTES,
		 "Of the bytes, those in no row below: the callchains end here, or go deeper than --depth.",
		 .level = true, .drop = 60),
	  MEMBER(struct tree_row, self) },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations in these callchains.",
		 .drop = 20),
	  .live_title = "Live", MEMBER(struct tree_row, sum.hit) },
	{ COLUMN("id", "Id", UNIT_NONE, "The row's number, from 1.", .hidden = true,
		 .level = true, .drop = 90),
	  MEMBER(struct tree_row, number) },
	{ COLUMN("parent", "Parent", UNIT_NONE,
		 "The id of the row above it; none: it is a root.", .hidden = true,
		 .level = true, .drop = 90),
	  .none_if_0 = true, MEMBER(struct tree_row, above) },
	{ COLUMN("depth", "Depth", UNIT_NONE,
		 "How many rows are above it; 0: it is a root.", .hidden = true,
		 .level = true, .drop = 90),
	  MEMBER(struct tree_row, depth) },
	{ COLUMN("others", "Others", UNIT_NONE,
		 "How many functions, each below --min-share, the row adds up; 0: it is one function.",
		 .hidden = true, .level = true, .drop = 90),
	  MEMBER(struct tree_row, nr_rest) },
	{ COLUMN("function", "Function", UNIT_NONE,
		 "The function; [no stack]: allocations recorded without a callchain.",
		 .last = true),
	  .rows = ROWS(STACK), .fill = cell_function },
	{ COLUMN("process", "Program", UNIT_NONE,
		 "The program of the process, below those that started it; one row for all of the same name in one place.",
		 .last = true),
	  .rows = ROWS(PROCESS), .fill = cell_function },
	COLUMNS_END,
};

static const struct table_tree tree_columns = { .depth = "depth", .rest = "others" };

#define TYPE(table, of)                                                              \
	{                                                                            \
		.name = table,                                                       \
		.help = "functions in the callchains of " of ", as a tree (--tree)", \
		.sort = "bytes,hit", .tree = &tree_columns, .option = "--tree",      \
		.columns = columns                                                   \
	}

const struct table_type tree_types[MEMORY_KINDS] = {
	TYPE("slab_tree", "slab objects"),
	TYPE("page_tree", "page blocks"),
	TYPE("vmalloc_tree", "areas of vmalloc"),
	TYPE("percpu_memory_tree", "per-CPU memory"),
};

/* Minimum bytes of a row: @min_share millionths of @all, rounded up. */
static uint64_t least_bytes(uint64_t all, uint64_t min_share)
{
	return all / MILLION * min_share +
	       (all % MILLION * min_share + MILLION - 1) / MILLION;
}

/* Chooses which nodes are rows, and what each has besides its children. Returns how many nodes are
 * left out because they are too deep, not counting their descendants or those of nodes that are too
 * small.
 */
static size_t choose(struct call_tree *tree)
{
	uint64_t least = least_bytes(tree->nodes.of[0].sum.bytes, tree->opts->min_share);
	uint64_t depth = tree->opts->depth;
	size_t too_deep = 0, i;

	/* Backwards, so that the lists are in the order of the nodes. */
	for (i = tree->nodes.nr - 1; i; i--) {
		struct call_node *node = &tree->nodes.of[i];
		struct call_node *above = &tree->nodes.of[node->above];

		if (above->sum.bytes < least && node->above)
			continue;
		if (depth && node->depth > depth) {
			too_deep += node->depth == depth + 1;
		} else if (node->sum.bytes < least) {
			sum_add(&above->rest, &node->sum);
			above->nr_rest++;
		} else {
			sum_add(&above->shown, &node->sum);
			node->next = above->first;
			above->first = (uint32_t)i;
		}
	}
	return too_deep;
}

struct emit {
	struct call_tree *tree;
	struct table *t;
	uint32_t nr;
};

/* Adds the row of a node, or of its children that are too small. */
static bool emit_row(struct emit *e, uint32_t index, bool rest)
{
	struct call_node *node = &e->tree->nodes.of[index];
	const enum subject_kind of = tree_subject(e->tree->opts);
	struct tree_row row = { .of = of, .number = ++e->nr };

	if (rest) {
		row.sum = node->rest;
		row.self = node->rest.bytes;
		row.nr_rest = node->nr_rest;
		row.above = node->row;
		row.depth = node->depth;
	} else {
		node->row = row.number;
		row.name = intern_get(&e->tree->names, node->name, NULL);
		row.sum = node->sum;
		row.self = node->sum.bytes - node->shown.bytes - node->rest.bytes;
		row.above = e->tree->nodes.of[node->above].row;
		row.depth = node->depth - 1;
	}
	return table_put_row(e->t, &row);
}

/* Adds each node, then its children, then the row of its small children. */
static void emit_rows(struct emit *e)
{
	const struct call_node *nodes = e->tree->nodes.of;
	uint32_t index = 0;
	bool ok = true;

	while (ok) {
		if (index)
			ok = emit_row(e, index, false);
		if (ok && nodes[index].first) {
			index = nodes[index].first;
			continue;
		}
		for (;; index = nodes[index].above) {
			if (ok && nodes[index].nr_rest)
				ok = emit_row(e, index, true);
			if (!index || nodes[index].next)
				break;
		}
		if (!index)
			return;
		index = nodes[index].next;
	}
}

struct table *call_tree_table(struct call_tree *tree, const struct table_type *type,
			      const char *what, bool live, struct report *report)
{
	bool callee = tree->opts->roots == TREE_CALLEE;
	struct strbuf __auto_free title = { 0 };
	struct table *t;
	struct emit e = { tree, NULL, 0 };
	size_t too_deep;

	if (tree->opts->processes)
		strbuf_printf(&title, "%s by process, below those that started it", what);
	else
		strbuf_printf(&title, "%s by callchain, %s first", what,
			      callee ? "callsites" : "outermost callers");
	t = table_begin(report, type, strbuf_text(&title), tree_subject(tree->opts),
			live);
	t->failed |= title.failed;
	table_set_by(t, tree->opts->processes ? "process" : callee ? "callee" : "caller");
	if (!tree->nodes.nr)
		return t;
	table_note_if(
		t, live,
		"Live is the best estimate; the summary says how much of it is sure, and --by stack which.");
	too_deep = choose(tree);
	e.t = t;
	emit_rows(&e);
	table_note_if(t, too_deep,
		      "%zu %s%s of the next level %s not shown (--depth %" PRIu64 ").",
		      too_deep, tree->opts->processes ? "program" : "function",
		      plural(too_deep), too_deep == 1 ? "is" : "are", tree->opts->depth);
	return t;
}
