// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which kernel has what (Documentation/admin-guide/kernel-parameters.txt, and the commits):
 *   trace_event=, trace_buf_size=	2.6.31; the size is per CPU
 *   trace_options=			3.8	7bcfaf54f591
 *   trace_clock=				3.15	e1e232ca6b8f
 *   trace_trigger=			6.2	a01fdc897fa5
 *   trace_instance=			6.3	cb1f98c5e574, with events c4846480831e
 *   trace_instance=NAME@reserve_mem	6.12	29a02ec66556
 *   percpu:percpu_alloc_percpu		4.14
 *   vmalloc:alloc_vmap_area		6.3
 */
#include "capture/events/boot.h"

#include <ctype.h>

#define MIB	       ((uint64_t)1 << 20)
/* Nobody reads while the machine boots, so a buffer must hold everything. */
#define BOOT_SHARE     16
#define BOOT_MAX_BYTES (64 * MIB)
#define RESERVED_NAME  "kmemx"
#define PERSISTENT     "boot_kmemx"
/* Some machines (32-bit ARM) cut longer lines. */
#define LINE_MAX_BYTES 1024

static bool has(const struct boot_options *o, unsigned int major, unsigned int minor)
{
	return o->major > major || (o->major == major && o->minor >= minor);
}

uint64_t boot_buffer_bytes(uint64_t memory_bytes, unsigned int nr_cpus)
{
	uint64_t bytes = memory_bytes / BOOT_SHARE / (nr_cpus ? nr_cpus : 1);

	bytes = SMALLER(bytes, BOOT_MAX_BYTES);
	return bytes < MIB ? MIB : bytes / MIB * MIB;
}

static void add_size(struct strbuf *sb, uint64_t bytes)
{
	if (bytes % MIB == 0)
		strbuf_printf(sb, "%" PRIu64 "M", bytes / MIB);
	else
		strbuf_printf(sb, "%" PRIu64 "K", (bytes + 1023) / 1024);
}

/* --- events ------------------------------------------------------------------------------ */

/* Can @text appear in a parameter whose parts are separated by one of ",^@="? */
static bool is_plain(const char *text, const char *more)
{
	size_t size = 0;

	while (isalnum((unsigned char)text[size]) || text[size] == '_' ||
	       (text[size] && strchr(more, text[size])))
		size++;
	return size && !text[size];
}

static void add_kind(const struct boot_options *o, enum event_trait kind,
		     struct strbuf *sb, const char **separator)
{
	for (const struct known_event *e = known_events; e->system; e++) {
		/* The kmalloc_node-like events are gone. */
		if (!(e->traits & kind) || (has(o, 6, 1) && text_ends(e->name, "_node")))
			continue;
		strbuf_printf(sb, "%s%s:%s", *separator, e->system, e->name);
		*separator = ",";
	}
}

static bool records_areas(const struct boot_options *o)
{
	return o->events.vmalloc && has(o, 6, 3);
}

static bool records_percpu(const struct boot_options *o)
{
	return o->events.percpu_memory && has(o, 4, 14);
}

static int add_events(const struct boot_options *o, struct strbuf *sb,
		      const char *separator)
{
	if (o->events.slab)
		add_kind(o, EVENT_OBJECT, sb, &separator);
	if (o->events.page)
		add_kind(o, EVENT_PAGES, sb, &separator);
	if (records_areas(o))
		add_kind(o, EVENT_AREA, sb, &separator);
	if (records_percpu(o))
		add_kind(o, EVENT_PERCPU, sb, &separator);
	for (size_t i = 0; i < o->events.nr_extra; i++) {
		const char *name = o->events.extra[i];

		if (!is_plain(name, ":*?-")) {
			log_msg(o->log, LOG_ERROR,
				"'%s' cannot be named in a kernel parameter\n  Give SYSTEM:NAME, with one -e for each event",
				name);
			return -EINVAL;
		}
		strbuf_printf(sb, "%s%s", separator, name);
		separator = ",";
	}
	return 0;
}

/* --- what a kernel can do ---------------------------------------------------------------- */

static int check(const struct boot_options *o)
{
	const char *lacks = NULL, *remedy = NULL;

	if (o->persistent && !has(o, 6, 12)) {
		lacks = "a ring buffer that survives a reboot came with Linux 6.12";
		remedy = "Leave out --persistent.";
	} else if (o->instance && !has(o, 6, 3)) {
		lacks = "trace_instance= came with Linux 6.3";
		remedy =
			"Leave out --instance: the top-level instance records from boot too.";
	} else if (!has(o, 3, 0)) {
		lacks = "kernels before 3.0 are not supported";
		remedy = "Choose another with --release VERSION.";
	} else if (!o->events.slab && !o->events.page && !records_areas(o) &&
		   !records_percpu(o) && !o->events.nr_extra) {
		lacks = "events of vmalloc came with Linux 6.3, those of per-CPU memory with 4.14";
		remedy = "Add --page: pages of both are page allocations.";
	}
	if (lacks) {
		log_msg(o->log, LOG_ERROR, "Linux %u.%u cannot do that: %s\n  %s",
			o->major, o->minor, lacks, remedy);
		return -EOPNOTSUPP;
	}
	/* The sweep of leftovers removes instances called kmemx-TOKEN. */
	if (o->instance && (!is_plain(o->instance, "-.") || o->instance[0] == '.' ||
			    !strncmp(o->instance, "kmemx-", 6))) {
		log_msg(o->log, LOG_ERROR,
			"'%s' is not a valid instance name\n  Use letters, digits, _, - and .; kmemx-... is reserved for kmemx record",
			o->instance);
		return -EINVAL;
	}
	return 0;
}

enum boot_stack { NO_STACK, TRIGGER, OPTION };

/* How to get callchains. */
static enum boot_stack choose_stack(const struct boot_options *o)
{
	enum capture_stack wanted = o->events.stack;

	if (wanted == CAPTURE_STACK_NONE ||
	    (wanted == CAPTURE_STACK_PAGE && !o->events.page && !records_areas(o)))
		return NO_STACK;
	if (!has(o, 3, 8)) {
		log_msg(o->log, LOG_WARN,
			"Linux %u.%u cannot record callchains from boot: pages have no callsites",
			o->major, o->minor);
		return NO_STACK;
	}
	if (wanted == CAPTURE_STACK_PAGE && has(o, 6, 2))
		return TRIGGER;
	if (wanted == CAPTURE_STACK_PAGE)
		log_msg(o->log, LOG_WARN,
			"before Linux 6.2, callchains from boot are recorded on all events, which fills the buffer sooner%s",
			o->events.slab ? "; --page excludes the slab events" : "");
	return OPTION;
}

/* --- the line ---------------------------------------------------------------------------- */

static bool has_condition(const struct boot_options *o)
{
	return o->events.page && o->min_order;
}

static void add_triggers(const struct boot_options *o, struct strbuf *line)
{
	const char *quote = has_condition(o) ? "\"" : "", *separator = "";

	strbuf_printf(line, " trace_trigger=%s", quote);
	if (o->events.page) {
		strbuf_printf(line, "%s.stacktrace", EVENT_NAME_PAGE);
		separator = ",";
	}
	if (has_condition(o))
		strbuf_printf(line, " if order >= %" PRIu64, o->min_order);
	if (records_areas(o))
		strbuf_printf(line, "%s%s.stacktrace", separator, EVENT_NAME_AREA);
	strbuf_puts(line, quote);
}

static void add_options(const struct boot_options *o, enum boot_stack stack,
			struct strbuf *line, struct strbuf *notes)
{
	bool keep_first = !o->keep_last && !o->persistent && has(o, 3, 8);

	if (keep_first || stack == OPTION)
		strbuf_printf(line, " trace_options=%s%s%s",
			      keep_first ? "nooverwrite" : "",
			      keep_first && stack == OPTION ? "," : "",
			      stack == OPTION ? "stacktrace" : "");
	if (keep_first)
		strbuf_puts(
			notes,
			"# nooverwrite: the first events are kept; those that come when the buffer is\n"
			"#   full are lost and counted. To keep the last ones: --full-keeps last\n");
	if (stack == OPTION)
		strbuf_puts(notes, "# stacktrace: callchains of all events\n");
	if (stack != TRIGGER)
		return;
	add_triggers(o, line);
	strbuf_printf(notes, "# trace_trigger: callchains of %s\n",
		      !records_areas(o) ? "page allocations"
		      : o->events.page	? "page allocations and of areas of vmalloc"
					: "areas of vmalloc");
	if (has_condition(o))
		strbuf_puts(
			notes,
			"#   inside quotes, as in /etc/default/grub, write the quotes as \\\"\n");
}

/* From 4.17 (3fd49c9e48e2) a kernel with an unstable TSC switches the top-level buffer's clock late
 * in the boot, unless a clock was chosen. That empties the buffer.
 */
static void add_clock(struct strbuf *line, struct strbuf *notes)
{
	strbuf_puts(line, " trace_clock=global");
	strbuf_puts(
		notes,
		"# trace_clock: orders events across CPUs. A kernel that changes its clock late in\n"
		"#   the boot would clear the buffer.\n");
}

static void add_buffer(const struct boot_options *o, uint64_t bytes, struct strbuf *line,
		       struct strbuf *notes)
{
	if (o->persistent) {
		strbuf_puts(line, "reserve_mem=");
		add_size(line, bytes * o->nr_cpus);
		strbuf_puts(line, ":2M:" RESERVED_NAME " ");
		strbuf_puts(notes, "# reserve_mem: ");
	} else {
		strbuf_puts(line, " trace_buf_size=");
		add_size(line, bytes);
		strbuf_puts(notes, "# trace_buf_size: ");
	}
	add_size(notes, bytes);
	strbuf_printf(notes, " for each of %u CPU%s", o->nr_cpus, plural(o->nr_cpus));
	if (!o->buffer_bytes) {
		strbuf_printf(notes, ", together up to 1/%u of the memory (", BOOT_SHARE);
		add_size(notes, o->memory_bytes / MIB * MIB);
		strbuf_puts(notes, ")");
	}
	strbuf_puts(notes, "\n");
}

static void add_what_to_do(const struct boot_options *o, const char *instance,
			   struct strbuf *notes)
{
	if (o->persistent)
		strbuf_printf(
			notes,
			"# traceoff: keeps the events of an earlier boot until they are extracted; then\n"
			"#   echo 1 >/sys/kernel/tracing/instances/%s/tracing_on\n"
			"#   The memory's address may change between boots; add nokaslr if it does.\n",
			instance);
	strbuf_printf(
		notes,
		"# Append this to the kernel command line: for GRUB in /etc/default/grub, in\n"
		"#   GRUB_CMDLINE_LINUX_DEFAULT (then update-grub); for U-Boot in bootargs.\n"
		"# After the boot: kmemx extract %s%s%s-o boot.dat\n",
		instance ? "--instance " : "", instance ? instance : "",
		instance ? " " : "");
}

int boot_cmdline(const struct boot_options *o, struct strbuf *line, struct strbuf *notes)
{
	uint64_t bytes = o->buffer_bytes ? o->buffer_bytes
					 : boot_buffer_bytes(o->memory_bytes, o->nr_cpus);
	const char *instance = o->instance     ? o->instance
			       : o->persistent ? PERSISTENT
					       : NULL;
	size_t begin = line->size;
	enum boot_stack stack;
	int ret = check(o);

	if (ret)
		return ret;
	stack = choose_stack(o);
	if (o->persistent)
		add_buffer(o, bytes, line, notes);
	if (o->persistent)
		strbuf_printf(line, "trace_instance=%s^traceoff@" RESERVED_NAME,
			      instance);
	else if (instance)
		strbuf_printf(line, "trace_instance=%s", instance);
	else
		strbuf_puts(line, "trace_event=");
	ret = add_events(o, line, instance ? "," : "");
	if (ret)
		return ret;
	if (!o->persistent)
		add_buffer(o, bytes, line, notes);
	if (!instance && has(o, 3, 15))
		add_clock(line, notes);
	add_options(o, stack, line, notes);
	add_what_to_do(o, instance, notes);
	if (line->size - begin > LINE_MAX_BYTES)
		log_msg(o->log, LOG_WARN,
			"the parameters have %zu characters; some machines truncate the kernel command line at %d",
			line->size - begin, LINE_MAX_BYTES);
	return line->failed || notes->failed ? -ENOMEM : 0;
}
