// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/fields.h"

#include "base/safe_text.h"

_Static_assert(FIELD_FIRST_METRIC + EXPORT_METRICS == EXPORT_FIELDS, "all have a place");

const struct export_field export_fields[EXPORT_FIELDS] = {
	/* Facts of the recording, */
	{ .name = "recording_id", .always = true },
	{ .name = "host" },
	{ .name = "machine" },
	{ .name = "kernel" },
	{ .name = "build_id" },
	{ .name = "day" },
	{ .name = "start_unix", .number = true },
	{ .name = "duration_ns", .number = true },
	{ .name = "kernel_page_size", .number = true },
	{ .name = "nr_cpus", .number = true },
	{ .name = "nr_events", .number = true },
	{ .name = "lost", .number = true },
	{ .name = "gaps", .number = true },
	{ .name = "unknown_gaps", .number = true },
	{ .name = "dropped", .number = true },
	{ .name = "missing", .number = true },
	{ .name = "bad_pages", .number = true },
	{ .name = "truncated" },
	{ .name = "scope" },
	{ .name = "frees" },
	{ .name = "imported" },
	{ .name = "sample" },
	{ .name = "filter" },
	{ .name = "labels", .always = true },
	{ .name = "balance" },
	/* of the row, */
	{ .name = "allocator", .always = true },
	{ .name = "callsite", .always = true },
	{ .name = "module" },
	{ .name = "stack", .always = true },
	{ .name = "stack_id", .always = true },
	{ .name = "entry" },
	{ .name = "comm" },
	{ .name = "process" },
	{ .name = "cgroup" },
	{ .name = "cache" },
	{ .name = "order", .number = true },
	{ .name = "migratetype" },
	{ .name = "gfp" },
	/* and by enum export_metric. */
	{ .name = "hit", .number = true },
	{ .name = "bytes", .number = true },
	{ .name = "live", .number = true },
	{ .name = "bytes_live", .number = true },
	{ .name = "bytes_peak", .number = true },
	{ .name = "bytes_req", .number = true },
	{ .name = "net_min", .number = true },
	{ .name = "net_max", .number = true },
	{ .name = "net_estimate", .number = true },
	{ .name = "bytes_charged", .number = true },
};

static bool is_named(unsigned int field, const char *name, size_t size)
{
	return strlen(export_fields[field].name) == size &&
	       !memcmp(export_fields[field].name, name, size);
}

unsigned int export_field_find(const char *name, size_t size, unsigned int next)
{
	unsigned int i;

	if (next < EXPORT_FIELDS && is_named(next, name, size))
		return next;
	for (i = 0; i < EXPORT_FIELDS && !is_named(i, name, size); i++)
		;
	return i;
}

static void set_text(struct export_values *v, unsigned int field, const char *text)
{
	v->of[field] = (struct export_value){
		.text = text, .known = text && (*text || export_fields[field].always)
	};
}

static void set_number(struct export_values *v, unsigned int field, uint64_t number,
		       bool known)
{
	v->of[field] = (struct export_value){ .number = number, .known = known };
}

static void set_origin(struct export_values *v, const struct export_origin *o)
{
	set_text(v, FIELD_RECORDING_ID, o->id);
	set_text(v, FIELD_BUILD_ID, o->build_id);
	set_text(v, FIELD_DAY, o->day);
	set_number(v, FIELD_START, (uint64_t)o->start, *o->day != '\0');
	set_text(v, FIELD_LABELS, o->labels ? o->labels : "{}");
}

int export_values_init(struct export_values *v, const struct export_job *job)
{
	static const struct export_origin unknown = { .id = "0000000000000000" };
	bool failed = false;

	for (unsigned int i = 0; i < EXPORT_FIELDS_SAME; i++) {
		const struct cell *fact = export_fact(job, export_fields[i].name);

		if (!fact)
			continue;
		if (export_fields[i].number) {
			set_number(v, i, fact->u, fact->type == CELL_UINT);
		} else if (fact->type == CELL_TEXT) {
			safe_text_puts(&v->safe[i], fact->s);
			set_text(v, i, strbuf_text(&v->safe[i]));
		}
	}
	set_origin(v, job->opts->origin ? job->opts->origin : &unknown);
	for (unsigned int i = 0; i < EXPORT_FIELDS_SAME; i++)
		failed |= v->safe[i].failed;
	return failed ? -ENOMEM : 0;
}

/* "function [module]": the module. */
static void set_module(struct export_values *v, const char *callsite)
{
	size_t size = strlen(callsite), from = export_frame_function(callsite);

	strbuf_reset(&v->module);
	if (from + 3 < size && callsite[size - 1] == ']')
		strbuf_add(&v->module, callsite + from + 2, size - from - 3);
	set_text(v, FIELD_MODULE, strbuf_text(&v->module));
}

static void set_stack(struct export_values *v, const struct export_job *job,
		      const struct export_row *row)
{
	const char *callsite = row->nr_frames ? export_frame(job, row->frames[0]) : "";

	strbuf_reset(&v->stack);
	for (size_t i = 0; i < row->nr_frames; i++) {
		if (i)
			strbuf_add(&v->stack, ";", 1);
		strbuf_puts(&v->stack, export_frame(job, row->frames[i]));
	}
	strbuf_reset(&v->id);
	/* As text: readers that convert numbers to doubles would lose bits. */
	strbuf_printf(&v->id, "%016" PRIx64,
		      export_hash(EXPORT_HASH, strbuf_text(&v->stack), v->stack.size));
	set_text(v, FIELD_CALLSITE, callsite);
	set_text(v, FIELD_STACK, strbuf_text(&v->stack));
	set_text(v, FIELD_STACK_ID, strbuf_text(&v->id));
	set_module(v, callsite);
}

int export_values_row(struct export_values *v, const struct export_job *job,
		      const struct export_row *row)
{
	for (size_t i = EXPORT_FIELDS_SAME; i < EXPORT_FIELDS; i++)
		v->of[i] = (struct export_value){ 0 };
	if (!v->begun && job->opts->origin)
		set_text(v, FIELD_BALANCE, job->opts->origin->balance);
	v->begun = true;
	set_text(v, FIELD_ALLOCATOR, row->allocator);
	set_stack(v, job, row);
	for (size_t i = 0; i < row->nr_labels; i++) {
		const struct export_label *label = &row->labels[i];

		for (size_t j = FIELD_FIRST_LABEL; j < FIELD_FIRST_METRIC; j++) {
			if (strcmp(export_fields[j].name, label->name) != 0)
				continue;
			if (!export_fields[j].number)
				set_text(v, (unsigned int)j, label->text);
			else
				set_number(v, (unsigned int)j, (uint64_t)label->number,
					   !label->text);
		}
	}
	for (size_t i = 0; i < EXPORT_METRICS; i++)
		set_number(v, (unsigned int)(FIELD_FIRST_METRIC + i), row->values[i],
			   row->known[i]);
	return v->stack.failed || v->id.failed || v->module.failed ? -ENOMEM : 0;
}

void export_values_free(struct export_values *v)
{
	for (unsigned int i = 0; i < EXPORT_FIELDS_SAME; i++)
		strbuf_free(&v->safe[i]);
	strbuf_free(&v->stack);
	strbuf_free(&v->module);
	strbuf_free(&v->id);
}
