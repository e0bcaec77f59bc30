/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: where the memory of each node is.
 * In: zoneinfo of the recording; what pages became, by node. Out: table "nodes", whose rows add up
 * to what the page allocator manages of each node.
 */
#ifndef KMEMX_ANALYSIS_BALANCE_NODES_H
#define KMEMX_ANALYSIS_BALANCE_NODES_H

#include "analysis/balance/page_use.h"
#include "base/keyed.h"

struct balance_node;

/**
 * struct balance_nodes - zero-initialise it, balance_nodes_read()
 * @nodes: by number, in zoneinfo's order
 * @known: page events explain their lines
 */
struct balance_nodes {
	INDEXED(struct balance_node) nodes;
	bool known;
};

/* Are there several nodes? If there is one, the balance already describes it. */
static inline bool balance_nodes_any(const struct balance_nodes *n)
{
	return n->nodes.nr > 1;
}

/* 0 or -ENOMEM; call balance_nodes_free() in any case. */
int balance_nodes_read(struct balance_nodes *n, const struct recording *rec,
		       uint32_t page_size) __must_check;
/* @bytes that still live on @node have this use. */
void balance_nodes_explain(struct balance_nodes *n, uint32_t node, enum page_use use,
			   uint64_t bytes);
/* Adds the table to @report. */
void balance_nodes_report(const struct balance_nodes *n, struct report *report);
void balance_nodes_free(struct balance_nodes *n);

extern const struct table_type balance_nodes_type;

#endif
