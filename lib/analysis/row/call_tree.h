/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: callchains as a tree of functions, and processes as a tree.
 * In: callchains and what each allocated. Out: tables "slab_tree", "page_tree" and so on.
 */
#ifndef KMEMX_ANALYSIS_CALL_TREE_H
#define KMEMX_ANALYSIS_CALL_TREE_H

#include "analysis/row/subject.h"
#include "base/keyed.h"

/**
 * struct call_tree - a tree; zero-initialise it, set @opts
 *
 * A node is a function, as the callchains' texts name it, at one place in the tree. A function that
 * calls itself has a node below its own.
 *
 * @opts: borrowed
 * @names: of functions
 * @nodes: by the number of the node above << 32 | that of the name. Node 0, of key 0, is above all
 *	roots; each node comes before its children
 */
struct call_tree {
	const struct tree_options *opts;
	struct intern names;
	INDEXED(struct call_node) nodes;
};

/* Adds a callchain @folded, "callsite;its caller;...", with @hit allocations of @bytes in all. 0 or
 * -ENOMEM.
 */
int call_tree_add(struct call_tree *tree, const char *folded, uint64_t bytes,
		  uint64_t hit) __must_check;
/* The same for the callchain, or the processes, that lead to @row of @subjects. */
int call_tree_add_row(struct call_tree *tree, const struct subjects *subjects,
		      uint32_t row, uint64_t bytes, uint64_t hit) __must_check;
/* Adds a table of that @type, one of those below, with the nodes that @opts want as rows, and
 * without a summary. @what: "Page allocations".
 */
struct table *call_tree_table(struct call_tree *tree, const struct table_type *type,
			      const char *what, bool live, struct report *report);
void call_tree_free(struct call_tree *tree);

extern const struct table_type tree_types[MEMORY_KINDS];

#endif
