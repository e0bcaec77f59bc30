// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/fields.h"

#include "base/safe_text.h"

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
		.text = text,
		.size = text ? strlen(text) : 0,
		.known = text && (*text || export_fields[field].always),
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

void export_values_init(struct export_values *v, struct export_job *job)
{
	static const struct export_origin unknown = { .id = "0000000000000000" };

	for (unsigned int i = 0; i < EXPORT_FIELDS_SAME; i++) {
		const struct cell *fact = export_fact(job, export_fields[i].name);

		if (!fact)
			continue;
		if (export_fields[i].number) {
			set_number(v, i, fact->u, fact->type == CELL_UINT);
		} else if (fact->type == CELL_TEXT) {
			safe_text_puts(&v->safe[i], fact->s);
			set_text(v, i, strbuf_text(&v->safe[i]));
			export_fail(job, v->safe[i].failed ? -ENOMEM : 0);
		}
	}
	set_origin(v, job->opts->origin ? job->opts->origin : &unknown);
}

/* Sets the module in "function [module]". */
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
	/* As text, because readers that convert numbers to doubles would lose bits. */
	strbuf_printf(&v->id, "%016" PRIx64,
		      export_hash(EXPORT_HASH, strbuf_text(&v->stack), v->stack.size));
	set_text(v, FIELD_CALLSITE, callsite);
	set_text(v, FIELD_STACK, strbuf_text(&v->stack));
	set_text(v, FIELD_STACK_ID, strbuf_text(&v->id));
	set_module(v, callsite);
}

void export_values_row(struct export_values *v, struct export_job *job,
		       const struct export_row *row)
{
	for (size_t i = EXPORT_FIELDS_SAME; i < EXPORT_FIELDS; i++)
		v->of[i] = (struct export_value){ 0 };
	if (!v->begun && job->opts->origin)
		set_text(v, FIELD_BALANCE, job->opts->origin->balance);
	v->begun = true;
	set_text(v, FIELD_ALLOCATOR, row->allocator);
	set_stack(v, job, row);
	for_each(label, row->labels, row->nr_labels) {
		if (!export_fields[label->field].number)
			set_text(v, label->field, label->text);
		else
			set_number(v, label->field, (uint64_t)label->number,
				   !label->text);
	}
	for (size_t i = 0; i < EXPORT_METRICS; i++)
		set_number(v, (unsigned int)(FIELD_FIRST_METRIC + i), row->values[i],
			   row->known[i]);
	if (v->stack.failed || v->id.failed || v->module.failed)
		export_fail(job, -ENOMEM);
}

void export_values_free(void *values)
{
	struct export_values *v = values;

	for (unsigned int i = 0; i < EXPORT_FIELDS_SAME; i++)
		strbuf_free(&v->safe[i]);
	strbuf_free(&v->stack);
	strbuf_free(&v->module);
	strbuf_free(&v->id);
}
