// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the ledger's reconciliation of slab caches.
 * In: a ledger's groups, slabinfo before and after. Out: tables "ledger", "ledger_page".
 */
#include "analysis/ledger_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/ledger_explained.h"
#include "analysis/ledger_pages.h"
#include "account/snapshot.h"
#include "base/array.h"

/* A cache of slabinfo. */
struct cache {
	uint32_t row;
	uint64_t size, per_slab, pages;
};

/* A row of the report: a cache, or kmalloc caches that no event tells apart. */
struct row {
	uint32_t name; /* number in books.names; 0: none */
	uint32_t nr_caches;
	int64_t before, after;
	uint64_t slack;
	uint64_t allocs, freed, implicit, again;
	struct strbuf members; /* names of its caches, if they are several */
};

struct books {
	struct ledger *ledger;
	struct intern names; /* of caches; number n belongs to caches[n - 1] */
	struct cache *caches;
	size_t nr_caches, caches_capacity;
	struct intern row_keys; /* struct row_key */
	struct row *rows;
	size_t nr_rows, rows_capacity;
	struct u64_map shared; /* sizes of which one cache serves several kmalloc types */
	uint32_t *group_rows;  /* of each group: its row; UINT32_MAX: none */
	uint64_t large_net;    /* kmalloc beyond the caches: allocations less frees */
	uint64_t nr_unknown;   /* kfree()s whose cache nothing tells */
};

struct row_key {
	uint64_t id;   /* kmalloc: object size; else the cache's number in names */
	uint32_t type; /* enum kmalloc_type, or KMALLOC_NR_TYPES for a cache of its own */
	uint32_t pad;  /* zero: keys are compared as bytes */
};

static uint32_t books_row(struct books *b, uint64_t id, uint32_t type)
{
	const struct row_key key = { .id = id, .type = type };
	uint32_t row = intern_id(&b->row_keys, &key, sizeof(key));

	if (!row || array_reserve(&b->rows, &b->rows_capacity, row, sizeof(*b->rows)))
		return UINT32_MAX;
	if (row > b->nr_rows)
		b->rows[b->nr_rows++] = (struct row){ 0 };
	return row - 1;
}

/* ipc/msg.c asks the msg_msg caches for objects without __GFP_ACCOUNT, which they add
 * themselves (SLAB_ACCOUNT): of a size that they have slabs of, no flag tells whether an
 * object is theirs, kmalloc-N's or kmalloc-cg-N's, so these are judged as one.
 */
static int books_find_shared(struct books *b, const char *item)
{
	const struct recording_text *meta = recording_meta(b->ledger->env->rec, item);
	const char *text = meta ? meta->text : "";
	struct slabinfo_line line;

	while (slabinfo_next(&text, &line)) {
		if (line.total && !strncmp(line.name, "msg_msg-", strlen("msg_msg-")) &&
		    !u64_map_insert(&b->shared, line.size, 0))
			return -ENOMEM;
	}
	return 0;
}

/* Of the types that no event tells apart, the first. */
static uint32_t books_type(const struct books *b, uint32_t type, uint64_t size)
{
	return type == KMALLOC_CGROUP && u64_map_find(&b->shared, size) ? KMALLOC_NORMAL
									: type;
}

static int books_add_line(struct books *b, const struct slabinfo_line *line, bool after)
{
	uint32_t id = intern_id(&b->names, line->name, line->name_len);
	struct cache *cache;
	struct row *row;

	if (!id || array_reserve(&b->caches, &b->caches_capacity, id, sizeof(*b->caches)))
		return -ENOMEM;
	cache = &b->caches[id - 1];
	if (id > b->nr_caches) {
		const char *name = intern_get(&b->names, id, NULL);
		uint32_t type = books_type(b, census_kmalloc_type(name), line->size);

		*cache = (struct cache){ .size = line->size,
					 .per_slab = line->per_slab,
					 .pages = line->pages };
		cache->row =
			books_row(b, type == KMALLOC_NR_TYPES ? id : line->size, type);
		if (cache->row == UINT32_MAX)
			return -ENOMEM;
		b->nr_caches++;
		row = &b->rows[cache->row];
		row->nr_caches++;
		row->slack += census_slack(line, b->ledger->env->rec);
	}
	row = &b->rows[cache->row];
	*(after ? &row->after : &row->before) += (int64_t)line->active;
	return 0;
}

static int books_add_snapshot(struct books *b, const char *item, bool after)
{
	const struct recording_text *meta = recording_meta(b->ledger->env->rec, item);
	const char *text = meta ? meta->text : "";
	struct slabinfo_line line;
	int ret = 0;

	while (!ret && slabinfo_next(&text, &line))
		ret = books_add_line(b, &line, after);
	return ret;
}

static const char *row_text(const struct books *b, const struct row *row)
{
	return intern_get(&b->names, row->name, NULL);
}

static void books_list_members(struct books *b)
{
	uint32_t id;

	for (id = 1; id <= b->nr_caches; id++) {
		struct row *row = &b->rows[b->caches[id - 1].row];

		if (row->nr_caches > 1)
			strbuf_printf(&row->members, "%s%s", row->members.size ? " " : "",
				      (const char *)intern_get(&b->names, id, NULL));
	}
}

/* Each row bears its plainest cache's name: the shortest, of the kmalloc kind. */
static void books_name_rows(struct books *b)
{
	uint32_t id;

	for (id = 1; id <= b->nr_caches; id++) {
		struct row *row = &b->rows[b->caches[id - 1].row];
		const char *name = intern_get(&b->names, id, NULL);
		const char *old = row_text(b, row);
		bool kmalloc = strstr(name, "kmalloc-") != NULL;
		bool was = old && strstr(old, "kmalloc-");

		if (!old || (kmalloc && !was) ||
		    (kmalloc == was && strlen(name) < strlen(old)))
			row->name = id;
	}
}

static uint32_t row_of_name(struct books *b, uint32_t stream_cache)
{
	const char *name = event_stream_cache(b->ledger->env->stream, stream_cache);
	uint32_t id = name ? intern_id(&b->names, name, strlen(name)) : 0;
	uint32_t row;

	if (!id)
		return UINT32_MAX;
	if (id <= b->nr_caches)
		return b->caches[id - 1].row;
	/* A cache that neither slabinfo lists. */
	row = books_row(b, id, KMALLOC_NR_TYPES);
	if (row != UINT32_MAX)
		b->rows[row].name = id;
	return row;
}

static bool row_known(const struct books *b, uint64_t size, uint32_t type, uint32_t *row)
{
	size_t i;

	for (i = 0; i < b->nr_caches; i++) {
		const struct row_key *key =
			intern_get(&b->row_keys, b->caches[i].row + 1, NULL);

		if (key->id == size && key->type == type) {
			*row = b->caches[i].row;
			return true;
		}
	}
	return false;
}

/* Gives each group its row and adds the group's numbers to it. */
static int books_add_groups(struct books *b)
{
	struct ledger *l = b->ledger;
	size_t i;

	b->group_rows = calloc(l->nr_groups + 1, sizeof(*b->group_rows));
	if (!b->group_rows)
		return -ENOMEM;
	for (i = 0; i < l->nr_groups; i++) {
		const struct ledger_key *key = ledger_key(l, i);
		const struct ledger_group *g = &l->groups[i];
		uint32_t row = UINT32_MAX;

		if (key->kind == LEDGER_NAMED)
			row = row_of_name(b, (uint32_t)key->id);
		else if (key->kind == LEDGER_UNNAMED)
			row = row_of_name(b, g->cache);
		else if (!row_known(b, key->id, key->type, &row) &&
			 !row_known(b, key->id, KMALLOC_NORMAL, &row))
			b->large_net += g->allocs - g->freed - g->implicit;
		b->group_rows[i] = row;
		if (row == UINT32_MAX)
			continue;
		b->rows[row].allocs += g->allocs;
		b->rows[row].freed += g->freed;
		b->rows[row].implicit += g->implicit;
		b->rows[row].again += g->again;
	}
	return 0;
}

/* The row of an object in @page: any object seen in the same slab tells. */
static uint32_t row_of_page(const struct books *b, uint64_t page)
{
	uint64_t span, p;

	for (span = 1; span <= 8; span *= 2) {
		for (p = page & ~(span - 1); p < (page & ~(span - 1)) + span; p++) {
			const uint32_t *group = u64_map_find(&b->ledger->pages, p);
			uint32_t row = group ? b->group_rows[*group] : UINT32_MAX;
			size_t i;

			for (i = 0; i < b->nr_caches && row != UINT32_MAX; i++)
				if (b->caches[i].row == row && b->caches[i].pages >= span)
					return row;
		}
	}
	return UINT32_MAX;
}

static void books_add_unknown(struct books *b)
{
	size_t i;

	for (i = 0; i < b->ledger->nr_unknown; i++) {
		const struct ledger_unknown *u = &b->ledger->unknown[i];
		uint32_t row = row_of_page(b, u->page);

		if (row == UINT32_MAX)
			b->nr_unknown += u->frees;
		else
			b->rows[row].freed += u->frees;
	}
}

static int64_t row_trace(const struct row *row)
{
	return (int64_t)(row->allocs - row->freed - row->implicit);
}

/* Why a row is not explained; "" if nothing is missing. */
static struct cell row_why(const struct books *b, struct table *t, const struct row *row)
{
	uint64_t missing = ledger_magnitude(row->after - row->before - row_trace(row));
	uint64_t unseen = row->implicit + row->again;
	struct strbuf sb = { 0 };
	struct cell cell;

	if (!missing)
		return cell_text(t, "-");
	if (!row->nr_caches)
		strbuf_puts(&sb, "not in slabinfo");
	else if (missing <= row->slack)
		strbuf_printf(&sb, "active_objs counts up to %" PRIu64 " free ones",
			      row->slack);
	else if (unseen)
		strbuf_printf(&sb, "%" PRIu64 " more objects came or went in bulk",
			      unseen);
	else if (b->ledger->losses)
		strbuf_puts(&sb, "events were lost");
	else
		strbuf_puts(&sb, "no event: in bulk, or the recorder's own");
	cell = cell_text(t, strbuf_text(&sb));
	strbuf_free(&sb);
	return cell;
}

static int row_compare(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;
	uint64_t tx = ledger_magnitude(row_trace(*x)),
		 kx = ledger_magnitude((*x)->after - (*x)->before);
	uint64_t ty = ledger_magnitude(row_trace(*y)),
		 ky = ledger_magnitude((*y)->after - (*y)->before);
	uint64_t mx = tx > kx ? tx : kx, my = ty > ky ? ty : ky;

	if (mx != my)
		return mx < my ? 1 : -1;
	return (*x)->allocs != (*y)->allocs ? ((*x)->allocs < (*y)->allocs ? 1 : -1)
	       : *x < *y		    ? -1
					    : 1;
}

static void add_columns(struct table *t)
{
	static const struct column columns[] = {
		{ .name = "allocs", .title = "Allocs", .unit = UNIT_COUNT },
		{ .name = "freed", .title = "Frees", .unit = UNIT_COUNT },
		{ .name = "implicit", .title = "Unseen frees", .unit = UNIT_COUNT },
		{ .name = "trace", .title = "Trace", .unit = UNIT_COUNT },
		{ .name = "kernel", .title = "Slabinfo", .unit = UNIT_COUNT },
		{ .name = "unexplained", .title = "Difference", .unit = UNIT_COUNT },
		{ .name = "explained", .title = "Explained", .unit = UNIT_PERCENT },
		{ .name = "slack", .title = "Slack", .unit = UNIT_COUNT, .hidden = true },
		{ .name = "aliases", .title = "Also", .hidden = true },
		{ .name = "caches", .title = "Caches", .hidden = true },
		{ .name = "cache", .title = "Cache" },
		{ .name = "why", .title = "Why they differ", .last = true },
	};

	table_add_columns(t, columns, ARRAY_SIZE(columns));
}

static struct cell row_name(const struct books *b, struct table *t, const struct row *row)
{
	struct strbuf sb = { 0 };
	struct cell cell;

	strbuf_puts(&sb, row_text(b, row));
	if (row->nr_caches > 1)
		strbuf_printf(&sb, "+%" PRIu32, row->nr_caches - 1);
	cell = cell_text(t, strbuf_text(&sb));
	strbuf_free(&sb);
	return cell;
}

/* The names of the caches that were merged into this one; none: no value. */
static struct cell row_aliases(const struct books *b, struct table *t,
			       const struct row *row)
{
	const struct recording_text *meta =
		recording_meta(b->ledger->env->rec, "slab_aliases");
	struct cell cell = { .type = CELL_NONE };
	struct strbuf sb = { 0 };

	if (meta)
		slab_aliases_of(meta->text, row_text(b, row), &sb);
	if (sb.size)
		cell = cell_text(t, strbuf_text(&sb));
	strbuf_free(&sb);
	return cell;
}

/* Fills in one row; returns how many objects it leaves unexplained. */
static uint64_t add_row(const struct books *b, struct table *t, const struct row *row)
{
	int64_t trace = row_trace(row), kernel = row->after - row->before;
	struct cell *cells = table_add_row(t);

	if (!cells)
		return 0;
	cells[0] = cell_uint(row->allocs);
	cells[1] = cell_uint(row->freed);
	cells[2] = cell_uint(row->implicit);
	cells[3] = cell_int(trace);
	cells[4] = row->nr_caches ? cell_int(kernel) : (struct cell){ .type = CELL_NONE };
	cells[5] = cell_int(kernel - trace);
	cells[6] = ledger_explained(trace, kernel);
	cells[7] = cell_uint(row->slack);
	cells[8] = row_aliases(b, t, row);
	cells[9] = row->members.size ? cell_text(t, strbuf_text(&row->members))
				     : (struct cell){ .type = CELL_NONE };
	cells[10] = row_name(b, t, row);
	cells[11] = row_why(b, t, row);
	return ledger_magnitude(kernel - trace);
}

/* Sums over the rows, in objects. */
struct sums {
	uint64_t changed; /* the larger of what events and slabinfo say */
	uint64_t missing; /* by which they differ */
	uint64_t hidden;  /* the part of it that active_objs may hide */
};

static void add_summary(const struct books *b, struct table *t, const struct sums *sum)
{
	uint64_t agreed = sum->changed > sum->missing ? sum->changed - sum->missing : 0;
	const struct {
		const char *name, *title;
		enum column_unit unit;
		struct cell value;
	} items[] = {
		{ "objects_changed", "Objects by which caches changed", UNIT_COUNT,
		  cell_uint(sum->changed) },
		{ "objects_unexplained", "  not explained by events", UNIT_COUNT,
		  cell_uint(sum->missing) },
		{ "objects_hidden", "    which slabs that CPUs hold may hide", UNIT_COUNT,
		  cell_uint(sum->hidden) },
		{ "explained", "  explained", UNIT_PERCENT,
		  ledger_explained((int64_t)agreed, (int64_t)sum->changed) },
		{ "frees_unknown", "Frees of objects whose cache nothing tells",
		  UNIT_COUNT, cell_uint(b->nr_unknown) },
		{ "large_net", "Large kmallocs less their frees (pages, in no cache)",
		  UNIT_COUNT, cell_int((int64_t)b->large_net) },
	};
	size_t i;

	table_set_summary_title(t, "SUMMARY (ledger of slab caches)");
	for (i = 0; i < ARRAY_SIZE(items); i++)
		table_add_summary(t, items[i].name, items[i].title, items[i].unit,
				  items[i].value, b->ledger->losses != 0);
}

static int add_table(const struct books *b, struct report *report)
{
	struct table *t = table_new(
		"ledger", "Slab objects: what the events explain of what slabinfo says");
	const struct row **order = calloc(b->nr_rows + 1, sizeof(const struct row *));
	struct sums sum = { 0 };
	size_t i, nr = 0;

	if (!t || !order) {
		table_free(t);
		free(order);
		return -ENOMEM;
	}
	for (i = 0; i < b->nr_rows; i++) {
		const struct row *row = &b->rows[i];

		if (row->name && (row->allocs || row->freed || row->after != row->before))
			order[nr++] = row;
	}
	qsort(order, nr, sizeof(const struct row *), row_compare);
	table_set_by(t, "cache");
	add_columns(t);
	for (i = 0; i < nr; i++) {
		uint64_t trace = ledger_magnitude(row_trace(order[i]));
		uint64_t kernel = ledger_magnitude(order[i]->after - order[i]->before);

		uint64_t missing = add_row(b, t, order[i]);

		sum.changed += trace > kernel ? trace : kernel;
		sum.missing += missing;
		sum.hidden += missing < order[i]->slack ? missing : order[i]->slack;
	}
	if (recording_is_part(b->ledger->env->rec))
		table_add_note(
			t,
			"Only a part of the system was recorded (-p, --follow or --filter): slabinfo stands for all of it.");
	add_summary(b, t, &sum);
	report_add_table(report, t);
	free(order);
	return 0;
}

static int ledger_slab_report(struct ledger *l, struct report *report)
{
	struct books b = { .ledger = l };
	int ret = books_find_shared(&b, "slabinfo.before");
	size_t i;

	if (!ret)
		ret = books_find_shared(&b, "slabinfo.after");
	if (!ret)
		ret = books_add_snapshot(&b, "slabinfo.before", false);
	if (!ret)
		ret = books_add_snapshot(&b, "slabinfo.after", true);
	if (!ret)
		ret = books_add_groups(&b);
	if (!ret) {
		books_name_rows(&b);
		books_list_members(&b);
		books_add_unknown(&b);
		ret = add_table(&b, report);
	}
	intern_free(&b.names);
	free(b.caches);
	intern_free(&b.row_keys);
	u64_map_free(&b.shared);
	for (i = 0; i < b.nr_rows; i++)
		strbuf_free(&b.rows[i].members);
	free(b.rows);
	free(b.group_rows);
	return ret;
}

bool ledger_possible(const struct recording *rec)
{
	return (recording_meta(rec, "slabinfo.before") &&
		recording_meta(rec, "slabinfo.after")) ||
	       (recording_meta(rec, "vmstat.before") &&
		recording_meta(rec, "vmstat.after"));
}

int ledger_report(struct ledger *l, struct report *report)
{
	const struct recording *rec = l->env->rec;
	int ret = 0;

	if (l->nr_slab && recording_meta(rec, "slabinfo.before") &&
	    recording_meta(rec, "slabinfo.after"))
		ret = ledger_slab_report(l, report);
	if (!ret && l->nr_page && recording_meta(rec, "vmstat.before") &&
	    recording_meta(rec, "vmstat.after"))
		ret = ledger_page_report(l, report);
	return ret;
}
