// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/formats.h"

#include <traceevent/event-parse.h>

#include "base/array.h"
#include "event/print_flags.h"

/* Offsets are kept in 16 bits; a ring-buffer page is at most 64 KiB long. */
#define RECORD_MAX 65536

/* --- which events are decoded, and which of their fields ---------------------------- */

/* A field that the decoder reads; @other is the name it has on other kernels. */
struct field_spec {
	const char *name;
	uint8_t index;
	bool required;
	const char *other;
};

/* How an event of this name is decoded; a NULL name ends its fields. */
struct event_spec {
	const char *system;
	const char *name;
	enum kmem_event_type type;
	struct field_spec fields[9];
};

/* The system of the recorder's probes: this, or this followed by "_" and its pid. */
#define PROBES "kmemx"

/* clang-format off */
#define SLAB_FREE \
	{ "call_site", SLAB_CALLSITE, true }, \
	{ "ptr", SLAB_PTR, true }, \
	{ "name", SLAB_NAME }
#define SLAB_ALLOC \
	SLAB_FREE, \
	{ "bytes_req", SLAB_BYTES_REQ, true }, \
	{ "bytes_alloc", SLAB_BYTES_ALLOC, true }, \
	{ "gfp_flags", SLAB_GFP, true }, \
	{ "node", SLAB_NODE }, \
	{ "accounted", SLAB_ACCOUNTED }
#define PFN	 { "pfn", PAGE_PFN, true, "page" }
#define PAGE	 PFN, { "order", PAGE_ORDER, true }
#define TYPE	 { "migratetype", PAGE_MIGRATETYPE, true }
#define ZONE	 PAGE, TYPE, { "percpu_refill", PAGE_REFILL }
#define PROBE_IP { "__probe_ip", OBJECTS_CALLSITE }
#define OBJECTS	 { "nr", OBJECTS_NR, true }, { "p", OBJECTS_PTR, true }
#define MOVE \
	{ "dst_root", GROUP_HIERARCHY, true }, \
	{ "dst_path", GROUP_PATH, true }, \
	{ "pid", GROUP_PID, true }
#define CALL	 { "id", CALL_ID, true }

static const struct event_spec specs[] = {
	{ "kmem", "kmalloc", KMEM_KMALLOC, { SLAB_ALLOC } },
	{ "kmem", "kmalloc_node", KMEM_KMALLOC_NODE, { SLAB_ALLOC } },
	{ "kmem", "kmem_cache_alloc", KMEM_CACHE_ALLOC, { SLAB_ALLOC } },
	{ "kmem", "kmem_cache_alloc_node", KMEM_CACHE_ALLOC_NODE, { SLAB_ALLOC } },
	{ "kmem", "kfree", KMEM_KFREE, { SLAB_FREE } },
	{ "kmem", "kmem_cache_free", KMEM_CACHE_FREE, { SLAB_FREE } },
	{ "kmem", "mm_page_alloc", KMEM_PAGE_ALLOC,
		{ PAGE, { "gfp_flags", PAGE_GFP, true }, TYPE } },
	{ "kmem", "mm_page_free", KMEM_PAGE_FREE, { PAGE } },
	{ "kmem", "mm_page_free_batched", KMEM_PAGE_FREE_BATCHED, { PFN } },
	{ "kmem", "mm_page_alloc_zone_locked", KMEM_PAGE_ALLOC_ZONE_LOCKED, { ZONE } },
	{ "kmem", "mm_page_pcpu_drain", KMEM_PAGE_PCPU_DRAIN, { ZONE } },
	{ "kmem", "mm_page_alloc_extfrag", KMEM_PAGE_ALLOC_EXTFRAG, {
		{ "pfn", EXTFRAG_PFN, true, "page" },
		{ "alloc_order", EXTFRAG_ALLOC_ORDER, true },
		{ "fallback_order", EXTFRAG_FALLBACK_ORDER, true },
		{ "alloc_migratetype", EXTFRAG_ALLOC_MIGRATETYPE, true },
		{ "fallback_migratetype", EXTFRAG_FALLBACK_MIGRATETYPE, true },
		{ "change_ownership", EXTFRAG_CHANGE_OWNERSHIP } } },
	{ "ftrace", "kernel_stack", KMEM_KERNEL_STACK,
		{ { "size", STACK_SIZE, true }, { "caller", STACK_CALLER, true } } },
	{ PROBES, "rcu_free", KMEM_FREE_RCU, {
		PROBE_IP,
		{ "head", OBJECTS_HEAD, true },
		{ "ptr", OBJECTS_PTR },
		{ "func", OBJECTS_FUNC } } },
	{ PROBES, "free_bulk", KMEM_FREE_BULK, { PROBE_IP, OBJECTS } },
	{ PROBES, "alloc_bulk", KMEM_ALLOC_BULK, {
		{ "__probe_ret_ip", OBJECTS_CALLSITE, false, "call_site" },
		OBJECTS,
		{ "ret", OBJECTS_RET, true } } },
	{ "vmalloc", "alloc_vmap_area", KMEM_VMALLOC_ALLOC, {
		{ "addr", SLAB_PTR, true },
		{ "size", AREA_SIZE, true },
		{ "failed", AREA_FAILED, true } } },
	{ "vmalloc", "free_vmap_area_noflush", KMEM_VMALLOC_FREE,
		{ { "va_start", SLAB_PTR, true } } },
	{ "percpu", "percpu_alloc_percpu", KMEM_PERCPU_ALLOC, {
		{ "call_site", SLAB_CALLSITE },
		{ "ptr", SLAB_PTR, true },
		{ "size", AREA_SIZE, true },
		{ "bytes_alloc", AREA_BYTES_ALLOC },
		{ "gfp_flags", SLAB_GFP } } },
	{ "percpu", "percpu_free_percpu", KMEM_PERCPU_FREE, { { "ptr", SLAB_PTR, true } } },
	{ "sched", "sched_process_exit", KMEM_TASK_EXIT },
	{ "task", "task_newtask", KMEM_TASK_NEW, {
		{ "pid", TASK_PID, true },
		{ "comm", TASK_NAME, true },
		{ "clone_flags", TASK_CLONE_FLAGS, true } } },
	{ "task", "task_rename", KMEM_TASK_RENAME,
		{ { "pid", TASK_PID }, { "newcomm", TASK_NAME, true } } },
	{ "cgroup", "cgroup_attach_task", KMEM_GROUP_MOVE, { MOVE } },
	{ "cgroup", "cgroup_transfer_tasks", KMEM_GROUP_MOVE, { MOVE } },
	{ "cgroup", "cgroup_rmdir", KMEM_GROUP_REMOVE,
		{ { "root", GROUP_HIERARCHY, true }, { "path", GROUP_PATH, true } } },
	{ "raw_syscalls", "sys_enter", KMEM_CALL_ENTER, { CALL } },
	{ "raw_syscalls", "sys_exit", KMEM_CALL_EXIT, { CALL } },
};
/* clang-format on */

/* Is @system the one of a spec? The recorder's probes may also be of kmemx_PID. */
static bool is_system(const char *system, const char *wanted)
{
	size_t len = strlen(PROBES);

	if (strcmp(wanted, PROBES) != 0 || strncmp(system, PROBES "_", len + 1) != 0)
		return !strcmp(system, wanted);
	system += len + 1;
	return *system && !system[strspn(system, "0123456789")];
}

/* How the event is decoded; NULL: it is not. */
static const struct event_spec *format_spec_find(const char *system, const char *name)
{
	return FIND(spec, specs, ARRAY_SIZE(specs),
		    is_system(system, spec->system) && !strcmp(spec->name, name));
}

/* --- formats -------------------------------------------------------------------------- */

static const struct tep_format_field *find_field(const struct tep_format_field *list,
						 const char *name)
{
	for (; list; list = list->next) {
		if (list->name && !strcmp(list->name, name))
			return list;
	}
	return NULL;
}

/* Does @f lie inside a record? @element: bytes that are read there. */
static bool field_fits(const struct tep_format_field *f, unsigned int element)
{
	return f->offset >= 0 && f->size >= 0 && element <= 8 &&
	       !(element & (element - 1)) && element &&
	       range_ok((uint64_t)f->offset, element, RECORD_MAX) &&
	       range_ok((uint64_t)f->offset, (uint64_t)f->size, RECORD_MAX);
}

/* The objects of a probe's record: one, or an array. Returns the size of one; 0: unusable. */
static unsigned int take_objects(struct event_format *fmt,
				 const struct tep_format_field *f)
{
	unsigned int element = (unsigned int)f->size;
	uint32_t nr = 1;

	if (f->flags & TEP_FIELD_IS_ARRAY) {
		element = !strncmp(f->type, "u64", 3)	? 8
			  : !strncmp(f->type, "u32", 3) ? 4
							: 0;
		if (!element || f->size < 0)
			return 0;
		nr = (uint32_t)f->size / element;
	}
	fmt->nr_objects = (uint8_t)SMALLER(nr, KMEM_OBJECTS_MAX);
	return element;
}

/* Reads the field's place into @fmt. Returns NULL, or what is wrong with it. */
static const char *take_field(struct event_format *fmt, const struct field_spec *spec,
			      const struct tep_event *event, unsigned int long_size)
{
	const struct tep_format_field *f = find_field(event->format.fields, spec->name);
	struct event_field *out = &fmt->fields[spec->index];
	unsigned int element;
	uint32_t end;

	if (!f && spec->other) {
		f = find_field(event->format.fields, spec->other);
		fmt->page_pointer = f != NULL;
	}
	if (!f)
		return spec->required ? "a field that it needs is missing" : NULL;
	/* In kmem_cache_free of 5.12 the name is a pointer, which is of no use. */
	if (!strcmp(spec->name, "name") && !(f->flags & TEP_FIELD_IS_DYNAMIC))
		return NULL;
	element = (unsigned int)f->size;
	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		if (f->flags & TEP_FIELD_IS_RELATIVE) /* no kmem event has these */
			return "it has a __rel_loc field";
		element = 4;
	} else if (kmem_is_probe(fmt->type) && spec->index == OBJECTS_PTR) {
		element = take_objects(fmt, f);
	} else if (f->flags & TEP_FIELD_IS_ARRAY) {
		/* The other arrays that are read are names of tasks, and caller[]. */
		element = fmt->type == KMEM_KERNEL_STACK ? long_size : 1;
	}
	if (!field_fits(f, element))
		return "a field lies outside of any record";
	*out = (struct event_field){ (uint16_t)f->offset, (uint8_t)element };
	/* A stack's record may end before the first frame. */
	end = fmt->type == KMEM_KERNEL_STACK && spec->index == STACK_CALLER
		      ? out->offset
		      : (uint32_t)out->offset + out->size;
	if (kmem_is_probe(fmt->type) && spec->index == OBJECTS_PTR)
		end = out->offset + (uint32_t)out->size * fmt->nr_objects;
	fmt->min_size = LARGER(fmt->min_size, end);
	return NULL;
}

/* Are these fields 8-byte words, one directly after the other? */
static bool are_pair(const struct event_field *first, const struct event_field *second)
{
	return first->size == 8 && second->size == 8 &&
	       second->offset == first->offset + 8;
}

/* Is the format plain? See event_format.plain. */
static bool is_plain(const struct event_format *fmt)
{
	const struct event_field *f = fmt->fields;

	if (fmt->type == KMEM_KERNEL_STACK)
		return f[STACK_SIZE].size == 4 && f[STACK_CALLER].size == 8;
	if (kmem_is_slab(fmt->type) && !are_pair(&f[SLAB_CALLSITE], &f[SLAB_PTR]))
		return false;
	if (kmem_is_slab_alloc(fmt->type))
		return are_pair(&f[SLAB_BYTES_REQ], &f[SLAB_BYTES_ALLOC]) &&
		       (f[SLAB_NODE].size == 4 || !f[SLAB_NODE].size);
	if (kmem_is_page(fmt->type) && (fmt->page_pointer || f[PAGE_PFN].size != 8))
		return false;
	if (fmt->type == KMEM_PAGE_ALLOC && f[PAGE_MIGRATETYPE].size != 4)
		return false;
	if (fmt->type == KMEM_PAGE_ALLOC || fmt->type == KMEM_PAGE_FREE)
		return f[PAGE_ORDER].size == 4;
	return kmem_is_slab(fmt->type) || kmem_is_page(fmt->type);
}

/* Reads the places of type, flags and pid in all records. Returns NULL, or what is wrong. */
static const char *take_common(struct event_common *common, const struct tep_event *event)
{
	static const struct {
		const char *name;
		int size;
	} wanted[] = { { "common_type", 2 }, { "common_flags", 1 }, { "common_pid", 4 } };
	uint16_t offsets[ARRAY_SIZE(wanted)];
	uint32_t min_size = 0;

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct tep_format_field *f =
			find_field(event->format.common_fields, wanted[i].name);

		if (!f || f->size != wanted[i].size ||
		    !field_fits(f, (unsigned int)f->size))
			return "its common fields are not as expected";
		offsets[i] = (uint16_t)f->offset;
		min_size = LARGER(min_size, (uint32_t)(f->offset + f->size));
	}
	*common = (struct event_common){ offsets[0], offsets[1], offsets[2], min_size };
	return NULL;
}

struct gfp_pairs {
	struct gfp_names *names;
	uint64_t bits; /* of a flags word on the recorded kernel */
};

static int take_gfp_pair(void *ctx, uint64_t mask, const char *name)
{
	const struct gfp_pairs *pairs = ctx;

	return gfp_names_add(pairs->names, mask & pairs->bits, name);
}

/* Resolves an event's fields from libtraceevent's parse. NULL or what is wrong. */
static const char *resolve(struct event_formats *fmts, struct event_format *fmt,
			   const struct event_spec *spec, const struct tep_event *event,
			   unsigned int long_size)
{
	const struct field_spec *fs;
	struct event_common common = { 0 };
	const char *why;

	why = take_common(&common, event);
	if (!why && fmts->has_common &&
	    (common.type_offset != fmts->common.type_offset ||
	     common.flags_offset != fmts->common.flags_offset ||
	     common.pid_offset != fmts->common.pid_offset))
		why = "its common fields have other offsets than those of the other events";
	fmt->min_size = common.min_size;
	for (fs = spec->fields; fs->name && !why; fs++)
		why = take_field(fmt, fs, event, long_size);
	if (!why && fmt->type == KMEM_FREE_RCU &&
	    fmt->fields[OBJECTS_PTR].size + fmt->fields[OBJECTS_FUNC].size == 0)
		why = "a field that it needs is missing";
	if (!why) {
		fmts->common = common;
		fmts->has_common = true;
	}
	return why;
}

/* A copy of the format with an empty print string, for libtraceevent: print_flags.h says why. The
 * caller frees it; NULL if memory ran out.
 */
static char *fields_only(const char *text)
{
	static const char start[] = "\nprint fmt:";
	const char *print = strstr(text, start);
	struct strbuf sb = { 0 };

	strbuf_add(&sb, text, print ? (size_t)(print - text) : strlen(text));
	strbuf_printf(&sb, "%s \"\"\n", start);
	return strbuf_detach(&sb);
}

/* Parses a format that kmemx decodes. On failure @fmt stays a KMEM_OTHER. 0 or -ENOMEM. */
static int parse_known(struct event_formats *fmts, struct event_format *fmt,
		       const struct event_spec *spec, const struct recording_text *text,
		       const struct recording *rec)
{
	unsigned int long_size = rec->layout.long_size == 4 ? 4 : 8;
	const char *why = format_check(text->text, text->size);
	struct tep_handle *tep = NULL;
	struct tep_event *event = NULL;
	struct event_format parsed = *fmt;
	struct gfp_pairs pairs = { &fmts->gfp, long_size == 4 ? UINT32_MAX : UINT64_MAX };
	char *fields = fields_only(text->text);
	int ret = 0;

	if (!fields)
		return -ENOMEM;
	if (!why) {
		tep = tep_alloc();
		if (!tep) {
			free(fields);
			return -ENOMEM;
		}
		tep_set_file_bigendian(tep, rec->big_endian ? TEP_BIG_ENDIAN
							    : TEP_LITTLE_ENDIAN);
		tep_set_long_size(tep, (int)long_size);
		if (tep_parse_format(tep, &event, fields, strlen(fields), spec->system) !=
			    TEP_ERRNO__SUCCESS ||
		    !event)
			why = "libtraceevent cannot parse it";
	}
	if (!why) {
		parsed.type = (uint8_t)spec->type;
		why = resolve(fmts, &parsed, spec, event, long_size);
	}
	if (!why) {
		parsed.plain = rec->big_endian == HOST_BIG_ENDIAN && is_plain(&parsed);
		*fmt = parsed;
		if (find_field(event->format.fields, "gfp_flags") && !fmts->gfp.count)
			ret = print_flags_parse(text->text, text->size, "gfp_flags",
						take_gfp_pair, &pairs);
	} else {
		fmts->nr_failed++;
		/* Events that an account lacks must be reported; accounts do not count callchains.
		 */
		if (spec->type != KMEM_KERNEL_STACK)
			fmt->min_size = UINT32_MAX;
		log_msg(fmts->log, LOG_WARN,
			"the format of %s:%s cannot be used: %s; its events are only counted",
			spec->system, spec->name, why);
	}
	tep_free(tep);
	free(fields);
	return ret < 0 ? ret : 0;
}

/* Appends an event of this name and ID. NULL if memory ran out. */
static struct event_format *add_format(struct event_formats *fmts, const char *system,
				       const char *name, uint16_t id)
{
	struct event_format fmt = { .id = id, .type = KMEM_OTHER };

	if (array_grow(&fmts->list, fmts->count))
		return NULL;
	fmt.system = strdup(system);
	fmt.name = strdup(name);
	if (!fmt.system || !fmt.name) {
		free((char *)fmt.system);
		free((char *)fmt.name);
		return NULL;
	}
	fmts->list[fmts->count++] = fmt;
	fmts->by_id[id] = (uint32_t)fmts->count;
	return &fmts->list[fmts->count - 1];
}

static int read_text(struct event_formats *fmts, const struct recording_text *text,
		     const struct recording *rec)
{
	const struct event_spec *spec;
	struct event_format *fmt;
	char name[128];
	uint16_t id;

	if (!text->text || !format_head(text->text, text->size, name, &id)) {
		fmts->nr_failed++;
		log_msg(fmts->log, LOG_WARN, "a format of system %s has no name or ID",
			text->name);
		return 0;
	}
	if (fmts->by_id[id]) {
		fmts->nr_failed++;
		log_msg(fmts->log, LOG_WARN, "%s:%s has the ID of %s, %u; it is ignored",
			text->name, name, fmts->list[fmts->by_id[id] - 1].name, id);
		return 0;
	}
	fmt = add_format(fmts, text->name, name, id);
	if (!fmt)
		return -ENOMEM;
	spec = format_spec_find(text->name, name);
	return spec ? parse_known(fmts, fmt, spec, text, rec) : 0;
}

/* Every kernel since 2.6.31 has this layout. Used if no format parses. */
static const struct event_common usual_common = { 0, 2, 4, 8 };

int event_formats_new(struct event_formats **out, const struct recording *rec,
		      const struct log *log)
{
	struct event_formats *fmts = calloc(1, sizeof(*fmts));
	bool any_kmem = false;
	int ret = -ENOMEM;

	if (!fmts)
		return -ENOMEM;
	fmts->log = log;
	fmts->common = usual_common;
	fmts->by_id = calloc(RECORD_MAX, sizeof(*fmts->by_id));
	if (!fmts->by_id)
		goto err;
	tep_set_loglevel(TEP_LOG_NONE);
	ret = 0;
	for (size_t i = 0; i < rec->nr_ftrace_formats && !ret; i++)
		ret = read_text(fmts, &rec->ftrace_formats[i], rec);
	for (size_t i = 0; i < rec->nr_event_formats && !ret; i++)
		ret = read_text(fmts, &rec->event_formats[i], rec);
	if (ret)
		goto err;
	for_each(fmt, fmts->list, fmts->count)
		any_kmem |= !strcmp(fmt->system, "kmem");
	if (!any_kmem) {
		ret = -ENODATA;
		goto err;
	}
	if (!fmts->gfp.count)
		log_msg(log, LOG_WARN,
			"no event format names the GFP flags; they are shown in hex");
	*out = fmts;
	return 0;
err:
	event_formats_free(fmts);
	return ret;
}

void event_formats_free(struct event_formats *fmts)
{
	if (!fmts)
		return;
	for_each(fmt, fmts->list, fmts->count) {
		free((char *)fmt->system);
		free((char *)fmt->name);
	}
	free(fmts->list);
	free(fmts->by_id);
	gfp_names_free(&fmts->gfp);
	free(fmts);
}

const struct event_format *event_formats_find(const struct event_formats *fmts,
					      uint16_t id)
{
	return fmts->by_id[id] ? &fmts->list[fmts->by_id[id] - 1] : NULL;
}

/* The one of @nr texts that has the format's system and ID; NULL: none. */
static const struct recording_text *find_text(const struct recording_text *texts,
					      size_t nr, const struct event_format *fmt)
{
	char name[128];
	uint16_t id;

	return FIND(text, texts, nr,
		    text->text && !strcmp(text->name, fmt->system) &&
			    format_head(text->text, text->size, name, &id) &&
			    id == fmt->id);
}

const struct recording_text *event_format_text(const struct recording *rec,
					       const struct event_format *fmt)
{
	return find_text(rec->event_formats, rec->nr_event_formats, fmt)
		       ?: find_text(rec->ftrace_formats, rec->nr_ftrace_formats, fmt);
}

bool event_formats_any(const struct event_formats *fmts,
		       bool (*is_one)(unsigned int type))
{
	return ANY(i, fmts->count, is_one(fmts->list[i].type));
}

/* --- which events a recorder recorded, whether any occurred or not ------------------ */

/* Is "SYSTEM:NAME" one of the words of @list? */
static bool in_list(const char *list, const struct event_format *fmt)
{
	size_t system = strlen(fmt->system), name = strlen(fmt->name), len;

	for (; *list; list += len) {
		list += strspn(list, " \n");
		len = strcspn(list, " \n");
		if (len == system + 1 + name && list[system] == ':' &&
		    !memcmp(list, fmt->system, system) &&
		    !memcmp(list + system + 1, fmt->name, name))
			return true;
	}
	return false;
}

enum recorded recorded_types(const struct recording *rec,
			     const struct event_formats *fmts, uint32_t types)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_EVENTS);

	if (!item)
		return RECORDED_UNKNOWN;
	for_each(fmt, fmts->list, fmts->count) {
		if (types >> fmt->type & 1 && in_list(item->text, fmt))
			return RECORDED_YES;
	}
	return RECORDED_NO;
}
