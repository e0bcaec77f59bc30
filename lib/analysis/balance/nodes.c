// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: where the memory of each node is.
 * In: zoneinfo of the recording; what pages became, by node. Out: table "nodes", whose rows add up
 * to what the page allocator manages of each node.
 */
#include "analysis/balance/balance.h"

#include "recording/snapshot.h"

/* The lines of a node: the first ones of the balance, and what zoneinfo does not count by node. */
enum {
	LINE_PAGE_CACHE = 3,
	LINE_SHMEM,
	LINE_SWAP_CACHE,
	LINE_STACKS = 8,
	LINE_PAGE_TABLES,
	LINE_REST,
	NR_LINES
};

/* The zoneinfo counter of each line, then a second one of page tables. In pages; stacks in KiB. */
static const char *const stats[] = { "pages free",
				     "count:",
				     "nr_anon_pages",
				     "nr_file_pages",
				     "nr_shmem",
				     "nr_swapcached",
				     "nr_slab_reclaimable",
				     "nr_slab_unreclaimable",
				     "nr_kernel_stack",
				     "nr_page_table_pages",
				     "managed",
				     "nr_sec_page_table_pages" };

/* @figures: bytes of each line before and after; @explained: of the lines' change */
struct balance_node {
	uint32_t node;
	int64_t figures[2][NR_LINES];
	int64_t explained[NR_LINES];
};

struct node_row {
	const struct balance_nodes *nodes;
	const struct balance_node *node;
	size_t line;
	int64_t before, after, change;
};

CELL(cell_line, struct node_row,
     cell_text(t, r->line < LINE_REST ? memory_lines[r->line].name : "rest"))
CELL_IF(cell_explained, struct node_row,
	r->nodes->known && (r->line == LINE_REST || memory_lines[r->line].use != USE_NR),
	cell_int(r->node->explained[r->line]))

static const struct column_type columns[] = {
	{ COLUMN("node", "Node", UNIT_NONE, "The memory node."),
	  MEMBER_OF(struct node_row, node, node) },
	CHANGE_COLUMNS(struct node_row, before, after, "Bytes", 60),
	{ COLUMN("explained", "Explained", UNIT_BYTES,
		 "Pages of the node that were allocated for it in the recording and still live.",
		 .level = true, .change = true, .drop = 20),
	  .fill = cell_explained },
	{ COLUMN("line", "Line", UNIT_NONE,
		 "What the memory is used for; rest: what zoneinfo does not count by node.",
		 .spell = page_use_title, .last = true),
	  .fill = cell_line },
	COLUMNS_END,
};

const struct table_type balance_nodes_type = {
	.name = "nodes",
	.help = "where the memory of each node is, if there are several",
	.title = "Memory of each node, by zoneinfo",
	.columns = columns,
};

/* --- zoneinfo --------------------------------------------------------------------------- */

/* The sum may wrap if the text is damaged. */
static int64_t sum_of(int64_t a, uint64_t b)
{
	return (int64_t)((uint64_t)a + b);
}

/* Adds counter @stat of a zone or a node to the lines that have it. */
static void add_stat(int64_t figures[NR_LINES], size_t stat, uint64_t value,
		     uint32_t page_size)
{
	uint64_t bytes = value * (stat == LINE_STACKS ? 1024 : page_size);
	size_t line = stat < NR_LINES ? stat : LINE_PAGE_TABLES;

	figures[line] = sum_of(figures[line], bytes);
	if (stat == LINE_SHMEM || stat == LINE_SWAP_CACHE)
		figures[LINE_PAGE_CACHE] = sum_of(figures[LINE_PAGE_CACHE], -bytes);
}

static int read_zoneinfo(struct balance_nodes *n, const char *text, int end,
			 uint32_t page_size)
{
	struct zone_stat stat = { 0 };
	struct balance_node *node;

	while (zoneinfo_next(&text, stats, ARRAY_SIZE(stats), &stat)) {
		node = INDEXED_ITEM(&n->nodes, stat.node);
		if (!node)
			return -ENOMEM;
		node->node = stat.node;
		add_stat(node->figures[end], stat.name, stat.value, page_size);
	}
	for (node = n->nodes.of; node < n->nodes.of + n->nodes.nr; node++)
		for (size_t i = 0; i < LINE_REST; i++)
			node->figures[end][LINE_REST] =
				sum_of(node->figures[end][LINE_REST],
				       -(uint64_t)node->figures[end][i]);
	return 0;
}

int balance_nodes_read(struct balance_nodes *n, const struct recording *rec,
		       uint32_t page_size)
{
	int ret = read_zoneinfo(n, recording_meta_text(rec, "zoneinfo.before"), 0,
				page_size);

	return ret ? ret
		   : read_zoneinfo(n, recording_meta_text(rec, "zoneinfo.after"), 1,
				   page_size);
}

/* --- the table -------------------------------------------------------------------------- */

void balance_nodes_explain(struct balance_nodes *n, uint32_t node, enum page_use use,
			   uint64_t bytes)
{
	const uint32_t *place = u64_map_find(&n->nodes.index, node);
	size_t line = 0;
	int64_t *explained;

	n->known = true;
	if (!place)
		return;
	while (line < LINE_REST && memory_lines[line].use != use)
		line++;
	explained = &n->nodes.of[*place].explained[line];
	*explained = sum_of(*explained, bytes);
}

void balance_nodes_report(const struct balance_nodes *n, struct report *report)
{
	struct table *t = table_plain(report, &balance_nodes_type);

	for_each(node, n->nodes.of, n->nodes.nr) {
		for (size_t k = 0; k < NR_LINES; k++) {
			struct node_row row = { .nodes = n, .node = node, .line = k };

			row.before = node->figures[0][k];
			row.after = node->figures[1][k];
			row.change = sum_of(row.after, -(uint64_t)row.before);
			table_put_row(t, &row);
		}
	}
	table_add_note(
		t,
		"rest: all that zoneinfo does not count by node: vmalloc but for stacks, per-CPU memory, hugetlb, and what is in no counter.");
}

void balance_nodes_free(struct balance_nodes *n)
{
	INDEXED_FREE(&n->nodes);
	*n = (struct balance_nodes){ 0 };
}
