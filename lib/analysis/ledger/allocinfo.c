// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: live memory by function, compared with the kernel's own allocation profile.
 * In: lives of slab objects and pages, alloc_tag events, /proc/allocinfo before and after. Out:
 * "allocinfo".
 *
 * The kernel counts at each place in its source that allocates (Linux 6.10, with
 * CONFIG_MEM_ALLOC_PROFILING), including what no event reports: bulk allocations, per-CPU memory,
 * vmalloc. The two sides are joined by function: a statement of several lines has several line
 * numbers, and the compiler picks one.
 *
 * If alloc_tag events trace all places of a function that have objects, they replace the kmem
 * events on the trace side: they see what the kernel counts.
 */

#include "analysis/ledger/alloc_tags.h"
#include "analysis/ledger/ledger.h"
#include "analysis/row/owners.h"
#include "base/keyed.h"
#include "recording/snapshot.h"

struct allocinfo {
	const struct analysis_env *env;
	struct lives *of[MEMORY_KINDS];
	struct alloc_tags tags;
};

/**
 * struct function_row - a function, with the figures of both sides
 * @change: live bytes of its allocations, and by how much the kernel's counter for it grew; known
 *	if there is one
 * @calls: by how much the kernel's counter of allocations changed
 * @place: number of the text "FILE:LINE"; 0: none. @nr_places: places in it where the kernel counts
 * @nr_busy: places of these that have objects after the recording
 * @nr_tags: places with alloc_tag events; @tag_bytes: live bytes by these events
 * @by_tags: the trace's bytes come from alloc_tag events
 */
struct function_row {
	struct ledger_change change;
	int64_t calls;
	uint32_t place, nr_places, nr_busy;
	uint32_t nr_tags;
	int64_t tag_bytes;
	bool by_tags;
};

struct functions {
	const struct allocinfo *info;
	struct intern places;
	KEYED(struct function_row) rows; /* by name */
	bool failed;
};

/* --- events ------------------------------------------------------------------------------ */

static void allocinfo_destroy(void *self)
{
	struct allocinfo *a = self;

	alloc_tags_free(&a->tags);
}

static int allocinfo_create(void *self, const struct analysis_env *env,
			    const struct analysis_options *opts)
{
	const struct analysis_options by_callsite = { .by = SUBJECT_CALLSITE };
	struct allocinfo *a = self;
	struct dimensions dimensions[MEMORY_KINDS];

	subjects_dimensions(&by_callsite, env, dimensions);
	return accounts_ask(env->accounts, dimensions, a->of)
		       ?: alloc_tags_init(&a->tags, env->rec);
}

static void allocinfo_read(void *self, const struct kmem_event *evs, size_t nr)
{
	struct allocinfo *a = self;

	for (size_t i = 0; a->tags.nr_formats && i < nr; i++)
		alloc_tags_event(&a->tags, &evs[i]);
}

/* --- both sides by function -------------------------------------------------------------- */

static struct function_row *function(struct functions *f, const char *name, size_t len)
{
	uint32_t id = KEYED_ID_OF(&f->rows, name, len);

	f->failed |= !id;
	return id ? &f->rows.of[id - 1] : NULL;
}

/* @sign: 1 for the snapshot after, -1 for the one before. */
static void add_snapshot(struct functions *f, const char *text, int sign)
{
	struct allocinfo_line line;

	while (!f->failed && allocinfo_next(&text, &line)) {
		struct strbuf __auto_free name = { 0 };
		struct function_row *row;

		strbuf_add(&name, line.function, line.function_len);
		if (line.module_len)
			strbuf_printf(&name, " [%.*s]", (int)line.module_len,
				      line.module);
		row = function(f, strbuf_text(&name), name.size);
		f->failed |= name.failed;
		if (!row)
			return;
		row->change.known = true;
		row->change.kernel += sign * (int64_t)line.bytes;
		row->calls += sign * (int64_t)line.calls;
		if (sign < 0)
			continue;
		row->place = intern_id(&f->places, line.place, line.place_len);
		row->nr_places++;
		row->nr_busy += line.calls != 0;
	}
}

/* alloc_tag events replace kmem events for functions that they cover completely: both see the same
 * objects.
 */
static void use_tags(struct functions *f)
{
	const struct alloc_tags *tags = &f->info->tags;

	for (size_t i = 0; i < tags->tags.nr && !f->failed; i++) {
		const struct alloc_tag *tag = &tags->tags.of[i];
		struct function_row *row;
		const char *name;
		size_t size = 0;

		if (!tag->function)
			continue;
		name = intern_get(&tags->texts, tag->function, &size);
		row = function(f, name, size);
		if (!row)
			return;
		row->nr_tags++;
		row->tag_bytes += tag->bytes;
		if (!row->place && tag->place) {
			name = intern_get(&tags->texts, tag->place, &size);
			row->place = intern_id(&f->places, name, size);
			row->nr_places = 1;
		}
	}
	for_each(row, f->rows.of, f->rows.nr) {
		row->by_tags = row->nr_tags && row->nr_tags >= row->nr_busy;
		if (row->by_tags)
			row->change.trace = row->tag_bytes;
	}
}

/* Adds the live bytes of @owners' rows to those of the callsite's function. */
static void add_lives(struct functions *f, const struct owners *owners)
{
	for (size_t i = 0; !f->failed && i < owners->nr_rows; i++) {
		int64_t live = (int64_t)lives_sums(owners->lives, i).live_alloc;
		struct strbuf __auto_free name = { 0 };
		struct function_row *row;

		if (!live)
			continue;
		comparison_name_by(owners->env, SUBJECT_CALLSITE, owners->callsites[i], 0,
				   &name);
		row = function(f, strbuf_text(&name), name.size);
		f->failed |= name.failed;
		if (row)
			row->change.trace += live;
	}
}

static int add_memory(struct functions *f, enum memory memory)
{
	const struct allocinfo *a = f->info;
	struct owners owners;
	int ret = owners_init(&owners, a->env, a->of[memory], SUBJECT_CALLSITE);

	if (!ret)
		add_lives(f, &owners);
	owners_free(&owners);
	return ret;
}

/* --- the table --------------------------------------------------------------------------- */

struct cells_of {
	const struct functions *functions;
	uint32_t id;
	const struct function_row *row;
	const struct function_row *kernel; /* @row, if the kernel counted it; else NULL */
	uint64_t largest;		   /* of the changes by both sides */
};

CELL(cell_function, struct cells_of,
     cell_text(t, intern_get(&r->functions->rows.keys, r->id, NULL)))

static struct cell cell_place(const void *row, struct table *t)
{
	const struct cells_of *r = row;
	struct strbuf sb = { 0 };

	if (!r->row->place)
		return (struct cell){ 0 };
	strbuf_puts(&sb, intern_get(&r->functions->places, r->row->place, NULL));
	if (r->row->nr_places > 1)
		strbuf_printf(&sb, " and %" PRIu32 " more", r->row->nr_places - 1);
	return cell_strbuf(t, &sb);
}

CELL(cell_source, struct cells_of, cell_text(t, r->row->by_tags ? "alloc_tag" : "kmem"))

static const struct column_type columns[] = {
	{ COLUMN("trace", "Trace", UNIT_BYTES,
		 "Bytes allocated during the recording that are still live.", .drop = 10),
	  MEMBER_OF(struct cells_of, row, change.trace) },
	{ COLUMN("kernel", "Allocinfo", UNIT_BYTES,
		 "By how much the kernel's count of the function changed.", .drop = 20),
	  MEMBER_OF(struct cells_of, kernel, change.kernel) },
	{ COLUMN("calls", "Calls", UNIT_COUNT, "The same in allocations.", .drop = 70),
	  MEMBER_OF(struct cells_of, kernel, calls) },
	LEDGER_CHANGE_COLUMNS(UNIT_BYTES, .apart = true,
			      .pointer = offsetof(struct cells_of, row),
			      .offset = offsetof(struct function_row, change)),
	{ COLUMN("source", "Source", UNIT_NONE,
		 "Which events the trace's number comes from.", .hidden = true),
	  .fill = cell_source },
	{ COLUMN("function", "Function", UNIT_NONE, "The function that allocated."),
	  .fill = cell_function },
	{ COLUMN("place", "Where", UNIT_NONE, "A place in it where the kernel counts.",
		 .last = true, .drop = 60),
	  .fill = cell_place },
	COLUMNS_END,
};

static const struct table_type allocinfo_type = {
	.name = "allocinfo",
	.help = "live bytes by function, compared with /proc/allocinfo (--allocinfo)",
	.title = "Live bytes by function, compared with allocinfo",
	.by = "function",
	.columns = columns,
};

ORDER_LARGEST(row_compare, struct cells_of, largest, id)

/* Notes which rows use alloc_tag events, and how many of those events could not be used. */
static void add_source(const struct functions *f, struct table *t)
{
	const struct alloc_tags *tags = &f->info->tags;
	size_t i, nr = 0, unnamed = 0;

	for (i = 0; i < f->rows.nr; i++)
		nr += f->rows.of[i].by_tags;
	for (i = 0; i < tags->tags.nr; i++)
		unnamed += !tags->tags.of[i].function;
	table_note_if(
		t, nr,
		"%zu %s from alloc_tag events, which cover everything that the kernel counts; the others from kmem events.",
		nr, nr == 1 ? "row is" : "rows are");
	table_note_if(
		t, unnamed,
		"%zu %s of alloc_tag events without an alloc_tag_hit that names them: left out.",
		unnamed, unnamed == 1 ? "place" : "places");
	table_note_if(t, tags->bad, "%" PRIu64 " alloc_tag event%s could not be decoded.",
		      tags->bad, plural(tags->bad));
}

static void add_notes(const struct functions *f, struct table *t)
{
	const struct analysis_env *env = f->info->env;

	add_source(f, t);

	table_add_note(
		t,
		"Allocinfo also counts down for what was allocated before the recording; the trace cannot tell whose that was.");
	table_note_if(
		t, !source_lines_of_kernel(env->lines),
		"Without debug information, inlined functions are in their caller's row (--vmlinux FILE, --symfs DIR).");
	table_note_if(
		t, recording_is_part(env->rec),
		"Only a part of the system was recorded (-p, --follow or --filter): allocinfo covers all of it.");
}

static int add_table(const struct functions *f, struct report *report)
{
	struct table *t = table_plain(report, &allocinfo_type);
	struct cells_of *order __auto_mem = calloc(f->rows.nr + 1, sizeof(*order));
	size_t i, nr = 0;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < f->rows.nr; i++) {
		const struct function_row *row = &f->rows.of[i];

		if (row->change.trace || row->change.kernel || row->calls)
			order[nr++] = (struct cells_of){ f, (uint32_t)i + 1, row,
							 row->change.known ? row : NULL,
							 ledger_largest(&row->change) };
	}
	qsort(order, nr, sizeof(*order), row_compare);
	for (i = 0; i < nr; i++)
		t->failed |= !table_put_row(t, &order[i]);
	add_notes(f, t);
	return 0;
}

static int allocinfo_view(const void *self, struct report *report)
{
	const struct allocinfo *a = self;
	const struct recording_text *before =
		recording_meta(a->env->rec, "allocinfo.before");
	const struct recording_text *after =
		recording_meta(a->env->rec, "allocinfo.after");
	struct functions f = { .info = a };
	int ret = a->tags.failed ? -ENOMEM : 0, i;

	for (i = 0; i < MEMORY_KINDS && !ret; i++)
		ret = a->of[i]->failed ? -ENOMEM : 0;
	if (!before || !after)
		return ret;
	for (i = 0; i < MEMORY_KINDS && !ret; i++)
		ret = add_memory(&f, (enum memory)i);
	if (!ret) {
		add_snapshot(&f, before->text, -1);
		add_snapshot(&f, after->text, 1);
		use_tags(&f);
	}
	if (!ret)
		ret = f.failed ? -ENOMEM : add_table(&f, report);
	intern_free(&f.places);
	KEYED_FREE(&f.rows);
	return ret;
}

static const char *allocinfo_lacks(const struct recording *rec)
{
	return recording_meta(rec, "allocinfo.before") &&
			       recording_meta(rec, "allocinfo.after")
		       ? NULL
		       : "has no /proc/allocinfo (Linux 6.10, CONFIG_MEM_ALLOC_PROFILING, vm.mem_profiling=1)";
}

const struct analysis analysis_allocinfo = {
	.name = "allocinfo",
	.help = "compare live bytes by function with /proc/allocinfo",
	.use = ANALYSIS_ASKED,
	.seldom = true,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.all_time = "its snapshots were taken before and after it",
	.unfiltered = "it explains counts of the whole system",
	.all_frees = true,
	.lacks = allocinfo_lacks,
	.tables = TABLES(&allocinfo_type),
	ANALYSIS_SELF(struct allocinfo),
	.create = allocinfo_create,
	.read = allocinfo_read,
	.view = allocinfo_view,
	.destroy = allocinfo_destroy,
};
