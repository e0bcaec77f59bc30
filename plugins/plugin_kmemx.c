// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plugins: prints kmem events in trace-cmd report and KernelShark.
 * In: libtraceevent's records and formats. Out: "field=value" text with names instead of numbers:
 * callsites, GFP flags, migratetypes; and the bytes wasted by an allocation.
 *
 * libtraceevent's own plugin_kmem handles the slab events, too. The last handler wins, and the
 * order within a directory is arbitrary. So this plugin registers its handlers when it is loaded,
 * and makes libtraceevent load it again after all other directories: `make install` puts a link to
 * it into the subdirectory kmemx, which is added here as TEP_PLUGIN_LAST.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "event/gfp.h"
#include "event/migratetype.h"

#define EXPORTED  __attribute__((visibility("default")))
#define LAST_DIR  "kmemx"
#define MAX_DEPTH 32

/* libtraceevent looks these up by name. */
EXPORTED int TEP_PLUGIN_LOADER(struct tep_handle *tep);
EXPORTED int TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

/**
 * struct names - the names for one recording's numbers
 * @nr_loads: how often the plugin was loaded for @tep
 * @known: the names have been looked up; this is done at the first event, as the formats are read
 *	after the plugins are loaded
 */
struct names {
	struct names *next;
	struct tep_handle *tep;
	unsigned int nr_loads;
	bool known;
	struct gfp_names gfp;
	struct migratetypes migratetypes;
};

static struct names *all_names;

/* --- options ----------------------------------------------------------------------------- */

enum { OPT_GFP, OPT_MIGRATETYPE, OPT_WASTE, OPT_OFFSET, OPT_END };

/* An option with a value is text; one without is 0 or 1. Without an alias, libtraceevent would
 * compare with an unset file name.
 */
static struct tep_plugin_option options[] = {
	[OPT_GFP] = { .name = "gfp",
		      .plugin_alias = "kmemx",
		      .description = "GFP flags as names, short names or a number: "
				     "gfp=names|short|hex",
		      .value = "names" },
	[OPT_MIGRATETYPE] = { .name = "migratetype",
			      .plugin_alias = "kmemx",
			      .description = "Migratetypes as names or numbers: "
					     "migratetype=names|number",
			      .value = "names" },
	[OPT_WASTE] = { .name = "waste",
			.plugin_alias = "kmemx",
			.description = "Show the bytes that were given but not asked for",
			.set = 1 },
	[OPT_OFFSET] = { .name = "offset",
			 .plugin_alias = "kmemx",
			 .description = "Show callsites as function+0xoffset",
			 .set = 1 },
	[OPT_END] = { .name = NULL },
};

static bool option_is(int option, const char *value)
{
	return strcmp(options[option].value, value) == 0;
}

static void check_option(int option, const char *const *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (option_is(option, values[i]))
			return;
	/* Not tep_warning(), which trace-cmd report suppresses. */
	fprintf(stderr, "plugin_kmemx: option %s does not know '%s', using %s\n",
		options[option].name, options[option].value, values[0]);
	options[option].value = values[0];
}

static void check_options(void)
{
	static const char *const gfp[] = { "names", "short", "hex" };
	static const char *const migratetype[] = { "names", "number" };

	check_option(OPT_GFP, gfp, ARRAY_SIZE(gfp));
	check_option(OPT_MIGRATETYPE, migratetype, ARRAY_SIZE(migratetype));
}

/* --- names ------------------------------------------------------------------------------- */

/* Adds the pairs of the first __print_flags() below @arg; 1 if there was one, 0 if not. */
static int take_flags(struct gfp_names *gfp, const struct tep_print_arg *arg,
		      unsigned int depth)
{
	const struct tep_print_flag_sym *flag;
	int ret;

	if (!arg || depth > MAX_DEPTH)
		return 0;
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		for (flag = arg->flags.flags; flag; flag = flag->next) {
			uint64_t mask = strtoull(flag->value, NULL, 0);

			if (mask && gfp_names_add(gfp, mask, flag->str))
				break; /* out of memory: the other values stay numbers */
		}
		return 1;
	case TEP_PRINT_TYPE:
		return take_flags(gfp, arg->typecast.item, depth + 1);
	case TEP_PRINT_OP: /* (flags) ? __print_flags(...) : "none" */
		ret = take_flags(gfp, arg->op.left, depth + 1);
		return ret ? ret : take_flags(gfp, arg->op.right, depth + 1);
	default:
		return 0;
	}
}

/* The GFP names from the print format of @event. */
static bool take_gfp(struct gfp_names *gfp, struct tep_event *event)
{
	const struct tep_print_arg *arg;

	if (!event || !tep_find_field(event, "gfp_flags"))
		return false;
	for (arg = event->print_fmt.args; arg; arg = arg->next)
		if (take_flags(gfp, arg, 0))
			break;
	return gfp->count;
}

/* Plugins do not learn the kernel's release from the file. Linux 4.4 moved MIGRATE_MOVABLE
 * (974a786e63c9) and, in the same series, replaced __GFP_WAIT (d0164adc89f6).
 */
static const char *guess_release(const struct gfp_names *gfp)
{
	for (size_t i = 0; i < gfp->count; i++)
		if (strcmp(gfp->names[i].name, "GFP_WAIT") == 0 ||
		    strcmp(gfp->names[i].name, "__GFP_WAIT") == 0)
			return "4.3";
	return "4.4";
}

/* If libtraceevent cannot parse @event's own print format, as for page events on arm64, another
 * event of the same kernel has the same names.
 */
static void learn_names(struct names *names, struct tep_event *event)
{
	static const char *const others[] = { "kmalloc", "kmem_cache_alloc",
					      "mm_page_alloc", "kmalloc_node" };
	bool found = take_gfp(&names->gfp, event);

	names->known = true;
	for (size_t i = 0; !found && i < ARRAY_SIZE(others); i++)
		found = take_gfp(&names->gfp,
				 tep_find_event_by_name(event->tep, "kmem", others[i]));
	migratetypes_init(&names->migratetypes, NULL, guess_release(&names->gfp));
	check_options();
}

/* --- fields ------------------------------------------------------------------------------ */

/* Reads a number within the record, with its sign. */
static bool read_number(const struct tep_record *record, struct tep_format_field *field,
			uint64_t *value)
{
	unsigned long long raw;

	if (field->offset < 0 || field->size < 1 || field->size > 8 || record->size < 0 ||
	    field->offset > record->size - field->size ||
	    tep_read_number_field(field, record->data, &raw))
		return false;
	if (field->flags & TEP_FIELD_IS_SIGNED && field->size < 8) {
		unsigned int shift = 64 - 8 * (unsigned int)field->size;

		raw = (uint64_t)((int64_t)(raw << shift) >> shift);
	}
	*value = raw;
	return true;
}

/* Are all bits of @value set? A page frame number of -1 means that there is no page. */
static bool all_ones(const struct tep_format_field *field, uint64_t value)
{
	return value == (field->size == 4 ? UINT32_MAX : UINT64_MAX);
}

static void print_callsite(struct trace_seq *s, struct tep_handle *tep, uint64_t address)
{
	const char *function = tep_find_function(tep, address);
	uint64_t offset =
		function ? address - tep_find_function_address(tep, address) : 0;

	if (!function)
		trace_seq_printf(s, "0x%" PRIx64, address);
	else if (options[OPT_OFFSET].set)
		trace_seq_printf(s, "%s+0x%" PRIx64, function, offset);
	else
		trace_seq_printf(s, "%s", function);
}

static void print_gfp(struct trace_seq *s, const struct names *names, uint64_t flags)
{
	struct strbuf sb = { 0 };

	if (option_is(OPT_GFP, "short"))
		gfp_format_short(&names->gfp, flags, &sb, NULL);
	else if (!option_is(OPT_GFP, "hex"))
		gfp_format_long(&names->gfp, flags, &sb);
	if (sb.size && !sb.failed)
		trace_seq_printf(s, "%s", strbuf_text(&sb));
	else
		trace_seq_printf(s, "0x%" PRIx64, flags);
	strbuf_free(&sb);
}

static void print_migratetype(struct trace_seq *s, const struct names *names,
			      uint64_t value)
{
	const char *name = option_is(OPT_MIGRATETYPE, "names") && value < MIGRATETYPE_MAX
				   ? migratetype_name(&names->migratetypes, (int)value)
				   : NULL;

	if (name)
		trace_seq_printf(s, "%s", name);
	else
		trace_seq_printf(s, "%" PRId64, (int64_t)value);
}

/* Prints how many more bytes were allocated than requested. */
static void print_waste(struct trace_seq *s, const struct tep_record *record,
			struct tep_event *event, uint64_t bytes_alloc)
{
	struct tep_format_field *field = tep_find_field(event, "bytes_req");
	uint64_t bytes_req;

	if (options[OPT_WASTE].set && field && read_number(record, field, &bytes_req) &&
	    bytes_req <= bytes_alloc)
		trace_seq_printf(s, " waste=%" PRIu64, bytes_alloc - bytes_req);
}

/* Prints a text that is after the fixed fields; a fixed field has its location. */
static void print_text(struct trace_seq *s, const struct tep_record *record,
		       struct tep_format_field *field)
{
	uint64_t place, at, size;

	if (!read_number(record, field, &place)) {
		trace_seq_printf(s, "?");
		return;
	}
	at = place & 0xffff;
	size = place >> 16 & 0xffff;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		at += (uint64_t)field->offset + (uint64_t)field->size;
	if (at + size > (uint64_t)record->size)
		trace_seq_printf(s, "?");
	else
		trace_seq_printf(s, "%.*s", (int)size, (const char *)record->data + at);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static void print_number(struct trace_seq *s, const struct names *names,
			 struct tep_event *event, struct tep_format_field *field,
			 uint64_t value)
{
	const char *name = field->name;

	if (!strcmp(name, "call_site")) {
		print_callsite(s, event->tep, value);
	} else if (!strcmp(name, "gfp_flags")) {
		print_gfp(s, names, value);
	} else if (ends_with(name, "migratetype")) {
		print_migratetype(s, names, value);
	} else if (!strcmp(name, "pfn") || !strcmp(name, "page")) {
		if (all_ones(field, value) || (name[1] == 'a' && !value))
			trace_seq_printf(s, "none");
		else
			trace_seq_printf(s, "0x%" PRIx64, value);
	} else if (!strcmp(name, "ptr") && !value) {
		trace_seq_printf(s, "(nil)");
	} else if (!strcmp(name, "ptr")) {
		trace_seq_printf(s, "0x%" PRIx64, value);
	} else if (!strcmp(field->type, "bool")) {
		trace_seq_printf(s, "%s", value ? "true" : "false");
	} else if (field->flags & TEP_FIELD_IS_SIGNED) {
		trace_seq_printf(s, "%" PRId64, (int64_t)value);
	} else {
		trace_seq_printf(s, "%" PRIu64, value);
	}
}

/* --- events ------------------------------------------------------------------------------ */

/* Prints all fields in the kernel's order. Returns 0: nothing more to print. */
static int print_event(struct trace_seq *s, struct tep_record *record,
		       struct tep_event *event, void *context)
{
	struct names *names = context;
	struct tep_format_field *field;
	uint64_t value;

	if (!names->known)
		learn_names(names, event);
	for (field = event->format.fields; field; field = field->next) {
		trace_seq_printf(s, "%s%s=", field == event->format.fields ? "" : " ",
				 field->name);
		if (field->flags & TEP_FIELD_IS_DYNAMIC) {
			print_text(s, record, field);
			continue;
		}
		if (!read_number(record, field, &value)) {
			trace_seq_printf(s, "?");
			continue;
		}
		print_number(s, names, event, field, value);
		if (!strcmp(field->name, "bytes_alloc"))
			print_waste(s, record, event, value);
	}
	return 0;
}

/* Prints what happened in words, then the kernel's own text, which says more than the fields. */
static int print_fallback(struct trace_seq *s, struct tep_record *record,
			  struct tep_event *event, void *context)
{
	struct tep_format_field *wanted = tep_find_field(event, "alloc_migratetype");
	struct tep_format_field *taken = tep_find_field(event, "fallback_migratetype");
	struct names *names = context;
	uint64_t to, from;

	if (!names->known)
		learn_names(names, event);
	if (!wanted || !taken || !read_number(record, wanted, &to) ||
	    !read_number(record, taken, &from))
		return 1;
	trace_seq_printf(s, "(");
	print_migratetype(s, names, to);
	trace_seq_printf(s, " from ");
	print_migratetype(s, names, from);
	trace_seq_printf(s, ") ");
	return 1;
}

static const struct {
	const char *name;
	tep_event_handler_func print;
} events[] = {
	{ "kmalloc", print_event },
	{ "kmalloc_node", print_event },
	{ "kmem_cache_alloc", print_event },
	{ "kmem_cache_alloc_node", print_event },
	{ "kfree", print_event },
	{ "kmem_cache_free", print_event },
	{ "mm_page_alloc", print_event },
	{ "mm_page_alloc_zone_locked", print_event },
	{ "mm_page_free", print_event },
	{ "mm_page_free_batched", print_event },
	{ "mm_page_pcpu_drain", print_event },
	{ "mm_page_alloc_extfrag", print_fallback },
};

/* --- loading ----------------------------------------------------------------------------- */

static struct names **find_names(struct tep_handle *tep)
{
	struct names **at = &all_names;

	while (*at && (*at)->tep != tep)
		at = &(*at)->next;
	return at;
}

/* Makes libtraceevent load this plugin again after all other directories: see the top
 * of this file.
 */
static void ask_to_be_last(struct tep_handle *tep)
{
	Dl_info self;
	const char *slash;
	char *dir;

	if (!dladdr(events, &self) || !self.dli_fname)
		return;
	slash = strrchr(self.dli_fname, '/');
	if (!slash || asprintf(&dir, "%.*s/" LAST_DIR, (int)(slash - self.dli_fname),
			       self.dli_fname) < 0)
		return;
	/* If memory ran out, the order stays unchanged. */
	tep_add_plugin_path(tep, dir, TEP_PLUGIN_LAST);
	free(dir);
}

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	struct names **at = find_names(tep), *names = *at;

	if (!names) {
		names = calloc(1, sizeof(*names));
		if (!names)
			return -1;
		names->tep = tep;
		/* Only once per process: a second call would toggle what the user set. */
		if (!all_names && tep_plugin_add_options("kmemx", options)) {
			free(names);
			return -1;
		}
		*at = names;
		ask_to_be_last(tep);
	}
	names->nr_loads++;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (tep_register_event_handler(tep, -1, "kmem", events[i].name,
					       events[i].print, names) < 0)
			return -1;
	return 0;
}

int TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	struct names **at = find_names(tep), *names = *at;

	/* The plugin was loaded twice, so handlers are registered twice if no format has claimed
	 * them.
	 */
	for (size_t i = 0; names && i < ARRAY_SIZE(events); i++)
		tep_unregister_event_handler(tep, -1, "kmem", events[i].name,
					     events[i].print, names);
	if (!names || --names->nr_loads)
		return 0;
	*at = names->next;
	gfp_names_free(&names->gfp);
	free(names);
	if (!all_names)
		tep_plugin_remove_options(options);
	return 0;
}
