// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: cells that the slab tables share.
 * In: a struct slab_row. Out: bounds of live bytes, and their waste.
 */
#include "analysis/stat/slab_report.h"

struct cell slab_cell_waste_live(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return cell_uint(slab_waste(r->counts->live_alloc, r->counts->live_req));
}

struct cell slab_cell_implicit(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return cell_uint(r->counts->implicit);
}

struct cell slab_cell_net_min(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return cell_uint(net_range_min(&r->net));
}

struct cell slab_cell_net_reason(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return cell_text(t, net_range_reason(&r->net));
}

struct cell slab_cell_net_max(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return cell_uint(net_range_max(&r->net));
}

struct cell slab_cell_low(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return r->bytes ? cell_uint(r->bytes->low) : (struct cell){ .type = CELL_NONE };
}

struct cell slab_cell_high(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return r->bytes ? cell_uint(r->bytes->high) : (struct cell){ .type = CELL_NONE };
}

struct cell slab_cell_block(const void *row, struct table *t)
{
	const struct slab_row *r = row;

	return r->bytes ? estimate_block(r->bytes) : (struct cell){ .type = CELL_NONE };
}
