// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/compare.h"

#ifdef HAVE_SQLITE
#include <math.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "report/stats.h"

/* @key: the side, or the site; @group: number of the host's group; @nr: number of values of which
 * this is the median
 */
struct item {
	double value;
	sqlite3_int64 key, host;
	uint32_t group, nr;
};

/* @groups: their names */
struct comparison {
	struct item *items;
	size_t nr;
	struct intern groups;
	bool failed;
};

/* The hosts' values of both sides, and the same divided by the median of their group. */
struct sides {
	double *values[2], *parts[2];
	size_t nr[2];
};

void query_compare_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct comparison *c = sqlite3_aggregate_context(ctx, sizeof(*c));
	uint32_t group;

	for (int i = 0; i < nr; i++) {
		if (sqlite3_value_type(values[i]) == SQLITE_NULL)
			return;
	}
	if (!c)
		return;
	group = intern_id(&c->groups, sqlite3_value_text(values[3]),
			  (size_t)sqlite3_value_bytes(values[3]));
	if (!group ||
	    ARRAY_ADD(c->items, c->nr,
		      (struct item){ sqlite3_value_double(values[1]),
				     sqlite3_value_int64(values[0]),
				     sqlite3_value_int64(values[2]), group, 1 }))
		c->failed = true;
}

ORDER(by_group, struct item, UP(group) ?: UP(host) ?: UP(key) ?: UP(value))

static bool same_host(const struct item *a, const struct item *b)
{
	return a->group == b->group && a->host == b->host && a->key == b->key;
}

static double median(double *values, size_t nr)
{
	values_sort(values, nr);
	return values_quantile(values, nr, 0.5);
}

/* Replaces a host's values of a key by their median. @scratch: room for all values. */
static void take_medians(struct comparison *c, double *scratch)
{
	size_t to = 0;

	if (c->nr)
		qsort(c->items, c->nr, sizeof(*c->items), by_group);
	for (size_t i = 0, nr; i < c->nr; i += nr) {
		nr = COUNT_FIRST(k, c->nr - i, same_host(&c->items[i], &c->items[i + k]));
		for (size_t k = 0; k < nr; k++)
			scratch[k] = c->items[i + k].value;
		c->items[to] = c->items[i];
		c->items[to].nr = (uint32_t)nr;
		c->items[to++].value = values_quantile(scratch, nr, 0.5);
	}
	c->nr = to;
}

/* Divides each group by its median. */
static void divide(const struct comparison *c, struct sides *s, double *scratch)
{
	for (size_t i = 0, nr; i < c->nr; i += nr) {
		double middle;

		nr = COUNT_FIRST(k, c->nr - i,
				 c->items[i + k].group == c->items[i].group);
		for (size_t k = 0; k < nr; k++)
			scratch[k] = c->items[i + k].value;
		middle = median(scratch, nr);
		for (size_t k = i; k < i + nr && middle != 0; k++) {
			size_t side = (size_t)c->items[k].key;

			s->values[side][s->nr[side]] = c->items[k].value;
			s->parts[side][s->nr[side]++] = c->items[k].value / middle;
		}
	}
}

static void put_number(struct strbuf *json, const char *name, double value)
{
	strbuf_printf(json, ",\"%s\":", name);
	if (isfinite(value))
		strbuf_printf(json, "%.17g", value);
	else
		strbuf_puts(json, "null");
}

static int put_outcome(struct strbuf *json, struct sides *s)
{
	double medians[2] = { NAN, NAN }, parts[2] = { NAN, NAN }, p = NAN;
	int err = mann_whitney_test(s->parts[0], s->nr[0], s->parts[1], s->nr[1], &p);

	if (err == -ENOMEM)
		return err;
	for (int side = 0; side < 2; side++) {
		if (!s->nr[side])
			continue;
		medians[side] = median(s->values[side], s->nr[side]);
		parts[side] = median(s->parts[side], s->nr[side]);
	}
	strbuf_printf(json, "{\"hosts_old\":%zu,\"hosts_new\":%zu", s->nr[0], s->nr[1]);
	put_number(json, "old", medians[0]);
	put_number(json, "new", medians[1]);
	put_number(json, "times", parts[1] / parts[0]);
	put_number(json, "p", p);
	strbuf_puts(json, "}");
	return json->failed ? -ENOMEM : 0;
}

static int compare(struct comparison *c, struct strbuf *json)
{
	double *room __auto_mem = calloc(c->nr + 1, 5 * sizeof(*room));
	struct sides s = { 0 };

	if (!room)
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		s.values[side] = room + (1 + side) * c->nr;
		s.parts[side] = room + (3 + side) * c->nr;
	}
	for (size_t i = 0; i < c->nr; i++)
		c->items[i].key = c->items[i].key != 0;
	take_medians(c, room);
	divide(c, &s, room);
	return put_outcome(json, &s);
}

/* A host's use of a site, compared with the others'. In logarithms: @size, @mid: the host's median,
 * and the median of its group's hosts @far: first @size; then its distance from @mid; then minus
 * the host's median distance
 */
struct host_cell {
	sqlite3_int64 site, host;
	uint32_t group, recordings;
	size_t hosts;
	double size, mid, far;
};

ORDER_BY(by_host, struct host_cell, host, far)

ORDER(by_site, struct host_cell, UP(group) ?: UP(site) ?: UP(far))

/* Minimum number of hosts for a usual value; the share of the listed ones that may be chance. */
#define OUTLYING_HOSTS 20
#define OUTLYING_SHARE 0.05

/* Keeps the sites that at least OUTLYING_HOSTS hosts of a group have. */
static size_t take_sites(struct host_cell *cells, size_t nr, double *scratch)
{
	size_t to = 0;

	if (nr)
		qsort(cells, nr, sizeof(*cells), by_site);
	for (size_t i = 0, n; i < nr; i += n) {
		double mid;

		n = COUNT_FIRST(k, nr - i,
				cells[i + k].site == cells[i].site &&
					cells[i + k].group == cells[i].group);
		if (n < OUTLYING_HOSTS)
			continue;
		for (size_t k = 0; k < n; k++)
			scratch[k] = cells[i + k].size;
		mid = values_quantile(scratch, n, 0.5);
		for (size_t k = i; k < i + n; k++) {
			cells[to] = cells[k];
			cells[to].hosts = n;
			cells[to].mid = mid;
			cells[to++].far = cells[k].size - mid;
		}
	}
	return to;
}

/* A big host is no outlier: subtracts the median of its distances from the others. */
static void level_hosts(struct host_cell *cells, size_t nr, double *scratch)
{
	if (nr)
		qsort(cells, nr, sizeof(*cells), by_host);
	for (size_t i = 0, n; i < nr; i += n) {
		double usual;

		for (n = 0; i + n < nr && cells[i + n].host == cells[i].host; n++)
			scratch[n] = cells[i + n].far;
		usual = values_quantile(scratch, n, 0.5);
		for (size_t k = i; k < i + n; k++)
			cells[k].far -= usual;
	}
}

/* The width of a half normal distribution above the median, @zero, that reaches the 90th and the
 * 95th percentile of the @nr sorted cells.
 */
static double spread(const struct host_cell *cells, size_t nr, double *scratch,
		     double *zero)
{
	for (size_t i = 0; i < nr; i++)
		scratch[i] = cells[i].far;
	*zero = values_quantile(scratch, nr, 0.5);
	return fmax((values_quantile(scratch, nr, 0.90) - *zero) / 1.2816,
		    (values_quantile(scratch, nr, 0.95) - *zero) / 1.6449);
}

/* Sets @p: how likely each of the @nr cells of a group is. With few hosts the spread is uncertain,
 * hence Student's t distribution. @scratch: room for twice @nr.
 */
static void test_group(const struct host_cell *cells, size_t nr, double *p,
		       double *scratch)
{
	double *spreads = scratch + nr, least, zero;
	size_t sites = 0;

	for (size_t i = 0; i < nr; i += cells[i].hosts)
		spreads[sites++] = spread(&cells[i], cells[i].hosts, scratch, &zero);
	least = median(spreads, sites);
	for (size_t i = 0, n; i < nr; i += n) {
		double width;

		n = cells[i].hosts;
		width = fmax(spread(&cells[i], n, scratch, &zero), least);
		for (size_t k = i; k < i + n; k++) {
			double t = width > 0 ? (cells[k].far - zero) / width : 0;

			p[k] = t > 1.5 ? student_tail(t, fmin((double)(n / 4), 30)) : 1;
		}
	}
}

static void put_cell(struct strbuf *json, const struct host_cell *cell, double p,
		     double q)
{
	strbuf_printf(
		json,
		"%s{\"site_id\":%lld,\"host_id\":%lld,\"recordings\":%u,\"hosts\":%zu",
		json->size > 1 ? "," : "", cell->site, cell->host, cell->recordings,
		cell->hosts);
	put_number(json, "value", exp(cell->size));
	put_number(json, "others", exp(cell->mid));
	put_number(json, "times", exp(cell->far));
	put_number(json, "p", p);
	put_number(json, "q", q);
	strbuf_puts(json, "}");
}

/* @room: three doubles for each cell. */
static int put_outlying(struct host_cell *cells, size_t nr, double *room,
			struct strbuf *json)
{
	double *p = room + 2 * nr, *q = room;

	nr = take_sites(cells, nr, room);
	level_hosts(cells, nr, room);
	if (nr)
		qsort(cells, nr, sizeof(*cells), by_site);
	for (size_t i = 0, n; i < nr; i += n) {
		n = COUNT_FIRST(k, nr - i, cells[i + k].group == cells[i].group);
		test_group(&cells[i], n, &p[i], room);
	}
	memcpy(q, p, nr * sizeof(*q));
	if (adjust_benjamini_hochberg(q, nr) < 0)
		return -ENOMEM;
	strbuf_puts(json, "[");
	for (size_t i = 0; i < nr; i++) {
		if (q[i] <= OUTLYING_SHARE)
			put_cell(json, &cells[i], p[i], q[i]);
	}
	strbuf_puts(json, "]");
	return json->failed ? -ENOMEM : 0;
}

static int outlying(struct comparison *c, struct strbuf *json)
{
	double *room __auto_mem = calloc(c->nr + 1, 3 * sizeof(*room));
	struct host_cell *cells __auto_mem = calloc(c->nr + 1, sizeof(*cells));
	size_t nr = 0;

	if (!room || !cells)
		return -ENOMEM;
	take_medians(c, room);
	for_each(item, c->items, c->nr) {
		if (item->value > 0 && isfinite(item->value))
			cells[nr++] = (struct host_cell){ .site = item->key,
							  .host = item->host,
							  .group = item->group,
							  .recordings = item->nr,
							  .size = log(item->value),
							  .far = log(item->value) };
	}
	return put_outlying(cells, nr, room, json);
}

/* Returns the result of @put to SQLite, and frees the aggregate. */
static void end(sqlite3_context *ctx,
		int (*put)(struct comparison *c, struct strbuf *json))
{
	struct comparison *c = sqlite3_aggregate_context(ctx, 0);
	struct strbuf __auto_free json = { 0 };

	if (!c)
		return;
	if (c->failed || put(c, &json))
		sqlite3_result_error_nomem(ctx);
	else
		sqlite3_result_text(ctx, strbuf_text(&json), -1, SQLITE_TRANSIENT);
	intern_free(&c->groups);
	free(c->items);
}

void query_compare_end(sqlite3_context *ctx)
{
	end(ctx, compare);
}

void query_outlying_end(sqlite3_context *ctx)
{
	end(ctx, outlying);
}
#endif
