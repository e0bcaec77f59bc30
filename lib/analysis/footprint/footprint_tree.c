// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/footprint/footprint_tree.h"

#include <limits.h>

#include "base/array.h"

const char *const footprint_attrs[] = { "static",	 "current", "current_dynamic",
					"total_dynamic", "waste",   NULL };

/* A deeper path means a damaged file. */
#define DEPTH_MAX 64

uint64_t footprint_sums_attr(const struct footprint_sums *s, enum footprint_attr attr)
{
	switch (attr) {
	case FOOTPRINT_CURRENT:
		return footprint_sums_static(s) + s->of[SUM_LIVE];
	case FOOTPRINT_CURRENT_DYNAMIC:
		return s->of[SUM_LIVE];
	case FOOTPRINT_TOTAL_DYNAMIC:
		return s->of[SUM_TOTAL];
	case FOOTPRINT_WASTE:
		return s->of[SUM_WASTE];
	default:
		return footprint_sums_static(s);
	}
}

static int add_node(struct footprint_tree *tree, uint32_t above, uint32_t name,
		    enum footprint_node_kind kind)
{
	struct footprint_node *node;

	if (tree->nr == UINT32_MAX || array_reserve(&tree->nodes, &tree->capacity,
						    tree->nr + 1, sizeof(*tree->nodes)))
		return -ENOMEM;
	node = &tree->nodes[tree->nr];
	*node = (struct footprint_node){ .above = above, .name = name, .kind = kind };
	if (tree->nr) {
		node->depth = tree->nodes[above].depth + 1;
		node->next = tree->nodes[above].first;
		tree->nodes[above].first = (uint32_t)tree->nr;
	}
	tree->nr++;
	return 0;
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
	uint32_t id = intern_id(&tree->names, name, size), *child;

	child = id ? u64_map_insert(&tree->children, (uint64_t)*node << 32 | id,
				    (uint32_t)tree->nr)
		   : NULL;
	if (!child || (*child == tree->nr && add_node(tree, *node, id, kind)))
		return -ENOMEM;
	*node = *child;
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

	if (!tree->nr && add_node(tree, 0, 0, NODE_DIRECTORY))
		return -ENOMEM;
	if (!path)
		path = leaf->kind == NODE_SECTION ? FOOTPRINT_NO_SYMBOL
						  : DIRECTORY_UNKNOWN;
	ret = descend_path(tree, &node, path, leaf->is_file);
	ret = ret ?: descend_leaf(tree, &node, leaf);
	if (ret)
		return ret;
	for (; node; node = tree->nodes[node].above)
		sums_add(&tree->nodes[node].sums, sums);
	sums_add(&tree->nodes[0].sums, sums);
	return 0;
}

bool footprint_tree_has(const struct footprint_tree *tree, const struct footprint *fp,
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
	return alloc_filter_has_dir(tree->within, dir);
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

		if (!bytes || !footprint_tree_has(tree, fp, part))
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
	u64_map_free(&tree->children);
	free(tree->nodes);
	*tree = (struct footprint_tree){ 0 };
}
