// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: a kernel's footprint as a tree.
 * In: the parts of a kernel's files, the sections of these. Out: tables "footprint" and that of the
 * sections.
 */
#include "analysis/footprint/footprint.h"

#include <limits.h>

const char *const footprint_attrs[] = { "static",	 "current", "current_dynamic",
					"total_dynamic", "waste",   NULL };

/* A deeper path means a damaged file. */
#define DEPTH_MAX 64

/* The sum of all four kinds. */
static uint64_t sums_static(const struct footprint_sums *s)
{
	return s->of[SUM_TEXT] + s->of[SUM_RODATA] + s->of[SUM_DATA] + s->of[SUM_BSS];
}

/* The value of @attr. */
static uint64_t sums_attr(const struct footprint_sums *s, enum footprint_attr attr)
{
	switch (attr) {
	case FOOTPRINT_CURRENT:
		return sums_static(s) + s->of[SUM_LIVE];
	case FOOTPRINT_CURRENT_DYNAMIC:
		return s->of[SUM_LIVE];
	case FOOTPRINT_TOTAL_DYNAMIC:
		return s->of[SUM_TOTAL];
	case FOOTPRINT_WASTE:
		return s->of[SUM_WASTE];
	default:
		return sums_static(s);
	}
}

static void sums_add(struct footprint_sums *to, const struct footprint_sums *from)
{
	for (unsigned int i = 0; i < FOOTPRINT_SUMS; i++)
		to->of[i] += from->of[i];
}

/* Moves *@node to its child @name. */
static int descend(struct footprint_tree *tree, uint32_t *node, const char *name,
		   size_t size, enum footprint_node_kind kind)
{
	const size_t before = tree->nodes.nr;
	uint32_t id = intern_id(&tree->names, name, size), number;
	struct footprint_node *child =
		id ? INDEXED_ITEM(&tree->nodes, (uint64_t)*node << 32 | id) : NULL;

	if (!child || tree->nodes.nr > UINT32_MAX)
		return -ENOMEM;
	number = (uint32_t)(child - tree->nodes.of);
	if (tree->nodes.nr > before) {
		struct footprint_node *above = &tree->nodes.of[*node];

		*child = (struct footprint_node){ .above = *node,
						  .name = id,
						  .depth = above->depth + 1,
						  .kind = kind,
						  .next = above->first };
		above->first = number;
	}
	*node = number;
	return 0;
}

/* Calls descend() for each component of a path. */
static int descend_path(struct footprint_tree *tree, uint32_t *node, const char *path,
			bool is_file)
{
	/* "(no symbol)/strings" */
	enum footprint_node_kind kind = *path == '(' ? NODE_GROUP : NODE_DIRECTORY;
	unsigned int depth = 0;
	const char *slash;
	int ret = 0;

	while (!ret && depth++ < DEPTH_MAX && (slash = strchr(path, '/'))) {
		ret = descend(tree, node, path, (size_t)(slash - path), kind);
		path = slash + 1;
	}
	return ret ?: descend(tree, node, path, strlen(path), is_file ? NODE_FILE : kind);
}

static int descend_leaf(struct footprint_tree *tree, uint32_t *node,
			const struct footprint_leaf *leaf)
{
	struct strbuf __auto_free name = { 0 };
	int ret = -ENOMEM;

	strbuf_puts(&name, leaf->name);
	if (leaf->module)
		strbuf_printf(&name, " [%s]", leaf->module);
	if (!name.failed)
		ret = descend(tree, node, strbuf_text(&name), name.size, leaf->kind);
	return ret;
}

int footprint_tree_add(struct footprint_tree *tree, const struct footprint_leaf *leaf,
		       const struct footprint_sums *sums)
{
	const char *path = leaf->path;
	uint32_t node = 0;
	int ret = 0;

	if (!INDEXED_ITEM(&tree->nodes, 0))
		return -ENOMEM;
	if (!path)
		path = leaf->kind == NODE_SECTION ? FOOTPRINT_NO_SYMBOL
						  : DIRECTORY_UNKNOWN;
	ret = descend_path(tree, &node, path, leaf->is_file);
	ret = ret ?: descend_leaf(tree, &node, leaf);
	if (ret)
		return ret;
	for (; node; node = tree->nodes.of[node].above)
		sums_add(&tree->nodes.of[node].sums, sums);
	sums_add(&tree->nodes.of[0].sums, sums);
	return 0;
}

/* Is a part of @fp in the tree's directories? */
static bool tree_has(const struct footprint_tree *tree, const struct footprint *fp,
		     const struct footprint_part *part)
{
	const char *path = footprint_path(fp, part->path), *slash;
	char dir[PATH_MAX];

	if (!tree->within)
		return true;
	slash = path && part->is_file ? strrchr(path, '/') : NULL;
	if (path && part->is_file)
		snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 1,
			 slash ? path : ".");
	else
		snprintf(dir, sizeof(dir), "%s", path ? path : DIRECTORY_UNKNOWN);
	return dir_words_has(&tree->within->dirs, dir);
}

/* The leaf of a part: a symbol, or a group for data without a symbol. @group: buffer for the
 * group's name.
 */
static struct footprint_leaf leaf_of(const struct footprint *fp,
				     const struct footprint_part *part,
				     struct strbuf *group)
{
	const struct elf_rest *rest = part->rest;
	struct footprint_leaf leaf = {
		.path = footprint_path(fp, part->path),
		.is_file = part->is_file,
		.name = part->item ? part->item->name : part->section->name,
		.module = fp->images[part->image].name,
		.kind = part->item ? NODE_SYMBOL : NODE_SECTION,
	};

	if (!rest)
		return leaf;
	strbuf_reset(group);
	strbuf_printf(group, FOOTPRINT_NO_SYMBOL "/%s", rest->group);
	leaf.path = strbuf_text(group);
	if (rest->label) {
		leaf.name = rest->label;
		leaf.kind = NODE_SYMBOL;
	}
	return leaf;
}

int footprint_tree_static(struct footprint_tree *tree, const struct footprint *fp)
{
	struct strbuf __auto_free group = { 0 };
	int ret = 0;

	for (size_t i = 0; i < fp->nr_parts && !ret; i++) {
		const struct footprint_part *part = &fp->parts[i];
		uint64_t bytes = footprint_part_bytes(part);
		struct footprint_sums sums = { 0 };
		struct footprint_leaf leaf;

		if (!bytes || !tree_has(tree, fp, part))
			continue;
		sums.of[part->section->kind] = bytes;
		sums.of[SUM_INIT] = part->section->init ? bytes : 0;
		leaf = leaf_of(fp, part, &group);
		ret = group.failed ? -ENOMEM : footprint_tree_add(tree, &leaf, &sums);
	}
	return ret;
}

void footprint_tree_free(struct footprint_tree *tree)
{
	intern_free(&tree->names);
	INDEXED_FREE(&tree->nodes);
	*tree = (struct footprint_tree){ 0 };
}

/* --- tables ------------------------------------------------------------------------------ */

/* A row's data. */
struct row {
	const struct footprint_tree *tree;
	const struct footprint_node *node;
	const struct footprint_node *dynamic; /* @node, with a recording; else NULL */
	uint32_t above;
};

CELL(cell_bytes, struct row, cell_uint(sums_attr(&r->node->sums, r->tree->attr)))
CELL(cell_static, struct row, cell_uint(sums_static(&r->node->sums)))
CELL(cell_depth, struct row, cell_uint(r->node->depth - 1))

static const char *name_of(const struct row *r)
{
	return intern_get(&r->tree->names, r->node->name, NULL);
}

static const char *const node_kinds[] = { [NODE_DIRECTORY] = "directory",
					  [NODE_GROUP] = "group",
					  [NODE_FILE] = "file",
					  [NODE_SYMBOL] = "symbol",
					  [NODE_SECTION] = "section" };

CELL(cell_name, struct row, cell_text(t, name_of(r)))
CELL(cell_rest, struct row, cell_uint(r->node->depth == 1 && *name_of(r) == '('))
CELL(cell_kind, struct row, cell_text(t, node_kinds[r->node->kind]))

/* A column of a size in bytes. */
#define BYTES_COLUMN(n, heading, leave, what, cell)                       \
	{                                                                 \
		COLUMN(n, heading, UNIT_BYTES, what, .drop = leave), cell \
	}

/* A column that text shows only on request. */
#define HIDDEN_COLUMN(n, what, ...)                                          \
	{                                                                    \
		COLUMN(n, n, UNIT_NONE, what, .hidden = true, .level = true, \
		       .drop = 90),                                          \
			__VA_ARGS__                                          \
	}
#define SUM(at, sum)  MEMBER_OF(struct row, at, sums.of[SUM_##sum])
#define FIRST_DYNAMIC "current_dynamic"

static const struct column_type columns[] = {
	BYTES_COLUMN("bytes", "Bytes", 0, "What --attr selects.", .fill = cell_bytes),
	{ COLUMN("pct", "%", UNIT_SHARE,
		 "Share of all bytes, or of the total of the first sort key. Not a sort key.",
		 .part = COLUMN_SHARE, .drop = 10),
	  .fill = cell_none },
	BYTES_COLUMN("static", "Static", 20, "Bytes in the kernel's files.",
		     .fill = cell_static),
	BYTES_COLUMN("text", "Text", 40, "Code.", SUM(node, TEXT)),
	BYTES_COLUMN("rodata", "Rodata", 50, "Read-only data.", SUM(node, RODATA)),
	BYTES_COLUMN("data", "Data", 60, "Data that is written and has initial values.",
		     SUM(node, DATA)),
	BYTES_COLUMN("bss", "Bss", 70, "Data that starts as zeros.", SUM(node, BSS)),
	BYTES_COLUMN(
		"init", "Init", 80,
		"The part of all these that is freed after boot, or after loading the module.",
		SUM(node, INIT)),
	BYTES_COLUMN(FIRST_DYNAMIC, "Live", 22,
		     "Bytes allocated and not seen freed; '-' without a recording.",
		     SUM(dynamic, LIVE)),
	BYTES_COLUMN("total_dynamic", "Total_alloc", 24,
		     "Bytes allocated; '-' without a recording.", SUM(dynamic, TOTAL)),
	BYTES_COLUMN("waste", "Waste", 26,
		     "Live bytes beyond the requested sizes; '-' without a recording.",
		     SUM(dynamic, WASTE)),
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations; '-' without a recording.",
		 .drop = 28),
	  SUM(dynamic, HIT) },
	HIDDEN_COLUMN("id", "The row's number, from 1.",
		      MEMBER_OF(struct row, node, row)),
	HIDDEN_COLUMN("parent", "The id of the row above it; none: it is a root.",
		      .none_if_0 = true, MEMBER(struct row, above)),
	HIDDEN_COLUMN("depth", "How many rows are above it; 0: it is a root.",
		      .fill = cell_depth),
	HIDDEN_COLUMN(
		"others",
		"1: not a directory, but symbols of unknown files, or bytes in no symbol.",
		.fill = cell_rest),
	HIDDEN_COLUMN("kind",
		      "\"directory\", \"group\", \"file\", \"symbol\" or \"section\".",
		      .fill = cell_kind),
	{ COLUMN("name", "Name", UNIT_NONE,
		 "The directory, file or symbol, with [module] if in a module; in (no symbol) the kind, and the section.",
		 .last = true),
	  .fill = cell_name },
	COLUMNS_END,
};

static const struct table_tree tree_columns = { .depth = "depth", .rest = "others" };

const struct table_type footprint_type = {
	.name = "footprint",
	.help = "a directory, a file, or a symbol, as a tree",
	.sort = "bytes",
	.tree = &tree_columns,
	.columns = columns,
};

/* An empty table. Without a recording, text shows only static sizes. */
static struct table *new_table(const struct footprint_tree *tree,
			       enum footprint_dynamic dynamic)
{
	static const char *const titles[] = { "Static", "Current", "Live", "Total_alloc",
					      "Waste" };
	static const char *const headings[][2] = {
		{ "Static footprint", "Static footprint" },
		{ "Current footprint (static, and live slab objects)",
		  "Current footprint (static, and live pages)" },
		{ "Live slab objects", "Live pages" },
		{ "Slab allocations", "Page allocations" },
		{ "Waste of live slab objects", "Waste of live pages" },
	};
	struct table *t = table_type_new(&footprint_type,
					 headings[tree->attr][dynamic == DYNAMIC_PAGES],
					 SUBJECT_NONE, false);
	bool recorded = false;

	if (!t)
		return NULL;
	for_each(col, t->columns, t->nr_columns) {
		recorded |= !strcmp(col->name, FIRST_DYNAMIC);
		if (col == t->columns)
			col->title = titles[tree->attr];
		else if (!strcmp(col->title, titles[tree->attr]))
			col->hidden = true;
		col->hidden |= recorded && !dynamic && !col->last;
		col->hidden |= dynamic == DYNAMIC_PAGES && !strcmp(col->name, "waste");
	}
	table_set_by(t, "name");
	return t;
}

/* Adds each node, then its children; omits nodes with nothing of the attribute. */
static void add_rows(const struct footprint_tree *tree, struct table *t, bool dynamic)
{
	struct footprint_node *nodes = tree->nodes.of;
	uint32_t index = nodes[0].first, nr = 0;

	while (index) {
		struct footprint_node *node = &nodes[index];
		const struct row row = { tree, node, dynamic ? node : NULL,
					 nodes[node->above].row };
		bool shown = sums_attr(&node->sums, tree->attr) != 0;

		if (shown) {
			node->row = ++nr;
			if (!table_put_row(t, &row))
				return;
		}
		if (shown && node->first) {
			index = node->first;
			continue;
		}
		while (index && !nodes[index].next)
			index = nodes[index].above;
		index = index ? nodes[index].next : 0;
	}
}

static void add_summary(const struct footprint_tree *tree, const struct footprint *fp,
			struct table *t, bool dynamic)
{
	const struct footprint_sums *s = &tree->nodes.of[0].sums;
	uint64_t unknown = 0, bare = 0;

	for (size_t i = 0; i < fp->nr_parts; i++) {
		const struct footprint_part *part = &fp->parts[i];

		if (!tree_has(tree, fp, part))
			continue;
		if (!part->item)
			bare += footprint_part_bytes(part);
		else if (!part->path)
			unknown += footprint_part_bytes(part);
	}
	table_set_summary_title(t, "SUMMARY (footprint)");
	TABLE_SUMMARY(
		t, false,
		{ "static", "Static bytes", UNIT_BYTES, sums_static(s), SUMMARY_TOTAL },
		{ "text", "  text", UNIT_BYTES, s->of[SUM_TEXT], SUMMARY_USUAL },
		{ "rodata", "  rodata", UNIT_BYTES, s->of[SUM_RODATA], SUMMARY_USUAL },
		{ "data", "  data", UNIT_BYTES, s->of[SUM_DATA], SUMMARY_USUAL },
		{ "bss", "  bss", UNIT_BYTES, s->of[SUM_BSS], SUMMARY_USUAL },
		{ "init", "  of these, freed after boot", UNIT_BYTES, s->of[SUM_INIT],
		  SUMMARY_USUAL },
		{ "no_symbol", "  of these, in no symbol", UNIT_BYTES, bare,
		  SUMMARY_USUAL },
		{ "unknown", "  of these, in symbols of unknown files", UNIT_BYTES,
		  unknown, SUMMARY_USUAL });
	if (dynamic)
		TABLE_SUMMARY(t, false,
			      { "current_dynamic", "Bytes live", UNIT_BYTES,
				s->of[SUM_LIVE], SUMMARY_TOTAL, true },
			      { "total_dynamic", "Bytes allocated", UNIT_BYTES,
				s->of[SUM_TOTAL], SUMMARY_TOTAL },
			      { "waste", "Bytes of waste", UNIT_BYTES, s->of[SUM_WASTE],
				SUMMARY_USUAL, true },
			      { "hit", "Allocations", UNIT_COUNT, s->of[SUM_HIT],
				SUMMARY_USUAL });
}

struct table *footprint_table(const struct footprint_tree *tree,
			      const struct footprint *fp, enum footprint_dynamic dynamic)
{
	struct table *t = new_table(tree, dynamic);

	if (!t || !tree->nodes.nr)
		return t;
	add_rows(tree, t, dynamic != DYNAMIC_NONE);
	add_summary(tree, fp, t, dynamic != DYNAMIC_NONE);
	table_note_if(t, fp->nr_packed, "!%zu module%s left out: unreadable.",
		      fp->nr_packed, fp->nr_packed == 1 ? " is" : "s are");
	return t;
}

/* --- the sections of a kernel's files ----------------------------------------------- */

struct section_row {
	const struct elf_section *section;
	const struct footprint_image *image;
};

CELL(section_symbols, struct section_row, cell_uint(r->section->size - r->section->bare))

static const char *const elf_kinds[] = { "text", "rodata", "data", "bss" };

CELL(section_kind, struct section_row, cell_text(t, elf_kinds[r->section->kind]))
CELL(section_freed, struct section_row, cell_text(t, r->section->init ? "yes" : ""))
CELL(section_module, struct section_row,
     cell_text(t, r->image->name ? r->image->name : "vmlinux"))

static const struct column_type section_columns[] = {
	BYTES_COLUMN("bytes", "Bytes", 0, "The section's size.",
		     MEMBER_OF(struct section_row, section, size)),
	{ COLUMN("pct", "%", UNIT_SHARE, "Share of all sections.", .part = COLUMN_SHARE,
		 .drop = 10),
	  .fill = cell_none },
	BYTES_COLUMN("symbols", "In_symbols", 30, "The part of these in symbols.",
		     .fill = section_symbols),
	{ COLUMN("kind", "Kind", UNIT_NONE,
		 "What it counts as: text, rodata, data or bss."),
	  .fill = section_kind },
	{ COLUMN("freed", "Init_only", UNIT_NONE,
		 "\"yes\": after boot, or after the module was loaded; else empty.",
		 .drop = 40),
	  .fill = section_freed },
	{ COLUMN("image", "Image", UNIT_NONE, "vmlinux, or the module."),
	  .fill = section_module },
	{ COLUMN("section", "Section", UNIT_NONE, "Its name.", .last = true),
	  MEMBER_OF(struct section_row, section, name) },
	COLUMNS_END,
};

const struct table_type footprint_section_type = {
	.name = "footprint_section",
	.help = "a section of vmlinux or of a module that takes memory",
	.title = "Sections that take memory",
	.by = "section",
	.sort = "bytes",
	.columns = section_columns,
};

struct table *footprint_sections(const struct footprint *fp, struct report *report)
{
	struct table *t = table_plain(report, &footprint_section_type);

	for (size_t i = 0; i < fp->nr_images; i++) {
		const struct footprint_image *image = &fp->images[i];

		for (size_t k = 0; k < image->layout.nr_sections; k++) {
			const struct section_row row = { &image->layout.sections[k],
							 image };

			table_put_row(t, &row);
		}
	}
	return t;
}
