/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: a kernel's static footprint, alone or together with a recording's allocations, as a
 * tree of directories, files and symbols; or for a comparison with another kernel's.
 * In: the parts of a kernel's files and their sizes, slab or page events. Out: sums; tables
 * "footprint" and "footprint_section".
 */
#ifndef KMEMX_ANALYSIS_FOOTPRINT_H
#define KMEMX_ANALYSIS_FOOTPRINT_H

#include "analysis/columns.h"
#include "analysis/compare/comparison_columns.h"
#include "analysis/filter/alloc_filter.h"
#include "base/keyed.h"
#include "symbol/footprint.h"

/* How rows are sized: static memory of the kernel's files; static plus live allocated memory; live
 * memory only; all that was allocated; live memory beyond the bytes requested.
 */
enum footprint_attr {
	FOOTPRINT_STATIC,
	FOOTPRINT_CURRENT,
	FOOTPRINT_CURRENT_DYNAMIC,
	FOOTPRINT_TOTAL_DYNAMIC,
	FOOTPRINT_WASTE,
	FOOTPRINT_ATTRS,
};

/* Their names, such as "current_dynamic", ended by NULL. */
extern const char *const footprint_attrs[];

/* In bytes, except @SUM_HIT; the first four as in enum elf_kind. @SUM_INIT: the part of these that
 * is freed after init.
 */
enum footprint_sum {
	SUM_TEXT,
	SUM_RODATA,
	SUM_DATA,
	SUM_BSS,
	SUM_INIT,
	SUM_LIVE,
	SUM_TOTAL,
	SUM_WASTE,
	SUM_HIT,
	FOOTPRINT_SUMS,
};

struct footprint_sums {
	uint64_t of[FOOTPRINT_SUMS];
};

/* A group holds parts without a directory. */
enum footprint_node_kind {
	NODE_DIRECTORY,
	NODE_GROUP,
	NODE_FILE,
	NODE_SYMBOL,
	NODE_SECTION,
};

/* The parent row of everything without a symbol. */
#define FOOTPRINT_NO_SYMBOL "(no symbol)"

/**
 * struct footprint_node - a directory, a file or a symbol in the tree
 * @above: number of the node above; @name: number in the tree's names
 * @depth: of the roots: 1
 * @sums: sums of all leaves below, or its own
 * @first, @next: its first child, and its next sibling; 0: none
 * @row: its number as a row
 */
struct footprint_node {
	uint32_t above, name, depth;
	enum footprint_node_kind kind;
	struct footprint_sums sums;
	uint32_t first, next, row;
};

/**
 * struct footprint_tree - a tree; zero-initialise it
 *
 * @attr: how its rows are sized
 * @within: only these directories; NULL: all
 * @names: names of directories, files and symbols
 * @nodes: by the number of the node above << 32 | that of the name. Node 0, of key 0, is above all
 *	roots; each node comes before its children
 */
struct footprint_tree {
	enum footprint_attr attr;
	const struct alloc_filter *within;
	struct intern names;
	INDEXED(struct footprint_node) nodes;
};

/* A leaf of the tree. @path: "fs/ext4/inode.c", or a directory's; NULL: not known. */
struct footprint_leaf {
	const char *path;
	bool is_file;
	const char *name, *module;
	enum footprint_node_kind kind;
};

/* Adds @sums to a leaf and to all its ancestors. 0 or -ENOMEM. */
int footprint_tree_add(struct footprint_tree *tree, const struct footprint_leaf *leaf,
		       const struct footprint_sums *sums) __must_check;
/* Adds all parts of @fp that are in the tree's directories. 0 or -ENOMEM. */
int footprint_tree_static(struct footprint_tree *tree,
			  const struct footprint *fp) __must_check;
void footprint_tree_free(struct footprint_tree *tree);

/* Which allocations a recording adds. */
enum footprint_dynamic { DYNAMIC_NONE, DYNAMIC_SLAB, DYNAMIC_PAGES };

/**
 * footprint_table() - the tree as a table
 *
 * Return: the table "footprint", with all nodes that have some of the attribute; NULL: no memory.
 */
struct table *footprint_table(const struct footprint_tree *tree,
			      const struct footprint *fp, enum footprint_dynamic dynamic);
/* Adds the table "footprint_section". */
struct table *footprint_sections(const struct footprint *fp, struct report *report);

extern const struct table_type footprint_type, footprint_section_type;

/**
 * struct footprint_options - options of the analysis; borrowed by it
 * @fp: the kernel's files. Its indexes may be made while an analysis looks for functions
 * @within: only these directories; NULL: all, and then there is a table of sections
 * @sections: text shows the table of sections, too
 */
struct footprint_options {
	struct footprint *fp;
	enum footprint_attr attr;
	const struct alloc_filter *within;
	bool sections;
};

/* The tables without a recording. 0 or -ENOMEM. */
int footprint_report(const struct footprint_options *opts,
		     struct report *report) __must_check;

/* What a row stands for. */
enum footprint_by {
	FOOTPRINT_BY_SYMBOL,
	FOOTPRINT_BY_FILE,
	FOOTPRINT_BY_DIR,
	FOOTPRINT_BYS
};

/* "symbol", "file", "dir", ended by NULL. */
extern const char *const footprint_bys[];

/**
 * footprint_compared() - a table for diff_tables()
 * @depth: number of path components of a directory; 0: all
 *
 * By symbol it counts like the kernel's bloat-o-meter: by symbol sizes, so aliases of a function
 * each count. Numbers that the compiler appends to names are dropped, and so are some generated
 * symbols. By file and by directory each byte counts once.
 *
 * Return: the table; NULL: no memory.
 */
struct table *footprint_compared(const struct footprint *fp, enum footprint_by by,
				 unsigned int depth);
/* What can be compared: bytes, and bytes of each kind. */
void footprint_metrics(struct comparison_metrics *m);

/* A symbol's name for comparing two kernels; false: it is left out. */
bool footprint_symbol_name(const char *name, struct strbuf *out);

#endif
