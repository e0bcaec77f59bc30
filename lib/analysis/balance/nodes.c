// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: where the memory of each node is.
 * In: zoneinfo of the recording; what pages became, by node. Out: table "nodes", whose rows add up
 * to what the page allocator manages of each node.
 */
#include "analysis/balance/nodes.h"

#include "account/zones.h"

/* Counters of zoneinfo, which are in pages. */
enum node_stat {
	STAT_MANAGED,
	STAT_FREE,
	STAT_ON_LISTS,
	STAT_ANONYMOUS,
	STAT_FILE,
	STAT_SHMEM,
	STAT_SWAP_CACHE,
	STAT_SLAB_RECLAIMABLE,
	STAT_SLAB_UNRECLAIMABLE,
	STAT_STACK, /* in KiB */
	STAT_PAGE_TABLE,
	STAT_SECOND_PAGE_TABLE,
	STAT_NR
};

static const char *const stats[STAT_NR] = {
	[STAT_MANAGED] = "managed",
	[STAT_FREE] = "pages free",
	[STAT_ON_LISTS] = "count:",
	[STAT_ANONYMOUS] = "nr_anon_pages",
	[STAT_FILE] = "nr_file_pages",
	[STAT_SHMEM] = "nr_shmem",
	[STAT_SWAP_CACHE] = "nr_swapcached",
	[STAT_SLAB_RECLAIMABLE] = "nr_slab_reclaimable",
	[STAT_SLAB_UNRECLAIMABLE] = "nr_slab_unreclaimable",
	[STAT_STACK] = "nr_kernel_stack",
	[STAT_PAGE_TABLE] = "nr_page_table_pages",
	[STAT_SECOND_PAGE_TABLE] = "nr_sec_page_table_pages",
};

#define STAT(name) (1U << STAT_##name)
#define USE(name)  (1U << USE_##name)

/* The lines of a node, with the balance's names. @uses: the live bytes that explain it. */
static const struct line {
	const char *name;
	uint32_t plus, minus, uses;
} lines[] = {
	{ "free", STAT(FREE), 0, 0 },
	{ "free_cpus", STAT(ON_LISTS), 0, 0 },
	{ "anonymous", STAT(ANONYMOUS), 0, USE(ANONYMOUS) },
	{ "page_cache", STAT(FILE), STAT(SHMEM) | STAT(SWAP_CACHE), USE(PAGE_CACHE) },
	{ "shmem", STAT(SHMEM), 0, USE(SHMEM) },
	{ "swap_cache", STAT(SWAP_CACHE), 0, 0 },
	{ "slab_reclaimable", STAT(SLAB_RECLAIMABLE), 0, USE(SLAB_RECLAIMABLE) },
	{ "slab_unreclaimable", STAT(SLAB_UNRECLAIMABLE), 0, USE(SLAB_UNRECLAIMABLE) },
	{ "stacks", STAT(STACK), 0, USE(STACK) },
	{ "page_tables", STAT(PAGE_TABLE) | STAT(SECOND_PAGE_TABLE), 0, USE(PAGE_TABLE) },
	{ "rest", STAT(MANAGED), 0,
	  USE(VMALLOC) | USE(PERCPU) | USE(HUGETLB) | USE(UNCOUNTED) },
};

#define NR_LINES  ARRAY_SIZE(lines)
#define LINE_REST (NR_LINES - 1)

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

CELL(cell_line, struct node_row, cell_text(t, lines[r->line].name))
CELL_IF(cell_explained, struct node_row, r->nodes->known &&lines[r->line].uses,
	cell_int(r->node->explained[r->line]))

static const struct column_type columns[] = {
	{ COLUMN("node", "Node", UNIT_NONE, "The memory node."),
	  MEMBER_OF(struct node_row, node, node) },
	CHANGE_COLUMNS(struct node_row, before, after, "Bytes", 60),
	{ COLUMN("explained", "Explained", UNIT_BYTES,
		 "Pages of the node that were allocated for it in the recording and still live.",
		 .level = true, .change = true, .leaves = 20),
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

/* Adds a counter of a zone or a node to the lines that have it. */
static void add_stat(int64_t figures[NR_LINES], enum node_stat stat, uint64_t value,
		     uint32_t page_size)
{
	uint64_t bytes = value * (stat == STAT_STACK ? 1024 : page_size);

	for (size_t i = 0; i < NR_LINES; i++)
		if (lines[i].plus >> stat & 1)
			figures[i] = sum_of(figures[i], bytes);
		else if (lines[i].minus >> stat & 1)
			figures[i] = sum_of(figures[i], -bytes);
}

static int read_zoneinfo(struct balance_nodes *n, const char *text, int end,
			 uint32_t page_size)
{
	struct zone_stat stat = { 0 };
	struct balance_node *node;

	while (zoneinfo_next(&text, stats, STAT_NR, &stat)) {
		node = INDEXED_ITEM(&n->nodes, stat.node);
		if (!node)
			return -ENOMEM;
		node->node = stat.node;
		add_stat(node->figures[end], (enum node_stat)stat.name, stat.value,
			 page_size);
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

	n->known = true;
	for (size_t i = 0; place && i < NR_LINES; i++)
		if (lines[i].uses >> use & 1)
			n->nodes.of[*place].explained[i] =
				sum_of(n->nodes.of[*place].explained[i], bytes);
}

void balance_nodes_report(const struct balance_nodes *n, struct report *report)
{
	struct table *t = table_plain(report, &balance_nodes_type);

	for (size_t i = 0; i < n->nodes.nr; i++) {
		const struct balance_node *node = &n->nodes.of[i];

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
