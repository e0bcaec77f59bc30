// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx record --flight.
 * In: options. Out: a recording, in a directory, each time one of the chosen causes occurs.
 */
#include "cmd/record/recorder.h"

#include "base/io.h"
#include "cmd/options/message.h"
#include "cmd/options/options_value.h"
#include "event/print_flags.h"

#define CAUSES                                                                               \
	"oom, failure[=all], order=N, sunreclaim=SIZE, cache=NAME:SIZE, pressure[=TIME] or " \
	"exit[=STATUS]"
#define MARK_VICTIM   "oom:mark_victim"
/* Stall time within a window of two seconds, the shortest one without CAP_SYS_RESOURCE. */
#define PRESSURE_NS   300000000
#define PRESSURE_MOST 2000000000
#define ORDER_MAX     30

/* --- options ----------------------------------------------------------------------------- */

/* Parses --flight: "64M" is a size; "30s" and "30" are times. */
static int set_memory(struct record_flight *f)
{
	size_t size = strlen(f->memory);
	char last = size ? f->memory[size - 1] : '\0';
	int err = 0;

	if (size &&
	    (last == 's' || last == 'm' || last == 'h' || (last >= '0' && last <= '9')))
		err = option_value_duration(f->memory, &f->options.time_ns);
	else if (size)
		err = option_value_size(f->memory, &f->options.bytes);
	if (!err && (!size || f->options.time_ns || f->options.bytes))
		return GO_ON;
	return message_fail(
		EXIT_USAGE, "record",
		"--flight takes a size (of all ring buffers) or a time, not '%s'\n  For example --flight=64M or --flight=2m",
		f->memory);
}

/* Adds the cache named in "NAME:SIZE". */
static int add_cache(struct record_flight *f, const char *value)
{
	struct flight_causes *on = &f->options.on;
	const char *colon = strrchr(value, ':');
	struct flight_cache *cache = &f->caches[on->nr_caches];

	if (!colon || colon == value || option_value_size(colon + 1, &cache->bytes) ||
	    !cache->bytes)
		return EXIT_USAGE;
	cache->name = strndup(value, (size_t)(colon - value));
	on->caches = f->caches;
	on->nr_caches += cache->name != NULL;
	return cache->name ? GO_ON : EXIT_FAILED;
}

static bool take_pressure(struct record_flight *f, const char *value)
{
	uint64_t ns = PRESSURE_NS;

	if (value &&
	    (option_value_duration(value, &ns) || ns < 1000 || ns > PRESSURE_MOST))
		return false;
	snprintf(f->pressure, sizeof(f->pressure), "some %" PRIu64 " 2000000", ns / 1000);
	f->options.on.pressure = f->pressure;
	return true;
}

const char *const record_flight_causes[] = { "oom",	 "failure",    "order", "cache",
					     "pressure", "sunreclaim", "exit",	NULL };

/* Is @text the cause @name? @value receives what follows "=", or NULL. */
static bool is_cause(const char *text, const char *name, const char **value)
{
	size_t size = strlen(name);

	if (strncmp(text, name, size) != 0 || (text[size] && text[size] != '='))
		return false;
	*value = text[size] ? text + size + 1 : NULL;
	return true;
}

static int set_cause(struct record_flight *f, const char *text)
{
	struct flight_causes *on = &f->options.on;
	const char *value = NULL;
	uint64_t number = 0;
	bool good = false;

	if (is_cause(text, "oom", &value)) {
		good = on->oom = !value;
	} else if (is_cause(text, "failure", &value)) {
		good = !value || !strcmp(value, "all");
		on->failure = true;
		f->all_failures = value;
	} else if (is_cause(text, "order", &value)) {
		good = value && !option_value_uint(value, &number) && number &&
		       number <= ORDER_MAX;
		on->min_order = (unsigned int)number;
	} else if (is_cause(text, "sunreclaim", &value)) {
		good = value && !option_value_size(value, &on->sunreclaim) &&
		       on->sunreclaim;
	} else if (is_cause(text, "cache", &value)) {
		good = value && add_cache(f, value) == GO_ON;
	} else if (is_cause(text, "pressure", &value)) {
		good = take_pressure(f, value);
	} else if (is_cause(text, "exit", &value)) {
		good = !value || (!option_value_uint(value, &number) && number < 256);
		on->exit = true;
		on->exit_status = value ? (int)number : -1;
	}
	return good ? GO_ON
		    : message_fail(EXIT_USAGE, "record",
				   "--on takes " CAUSES ", not '%s'", text);
}

static int set_causes(struct record_flight *f, const struct capture_options *c)
{
	struct flight_causes *on = &f->options.on;
	int ret = GO_ON;

	f->caches = calloc(f->on.count + 1, sizeof(*f->caches));
	if (!f->caches)
		return message_no_memory("record");
	for (size_t i = 0; i < f->on.count && ret == GO_ON; i++)
		ret = set_cause(f, f->on.items[i]);
	if (ret != GO_ON)
		return ret;
	if (!f->on.count) {
		on->oom = true;
		on->exit = c->argv;
		on->exit_status = -1;
	}
	if (on->exit && !c->argv)
		return recorder_usage_error(
			"--on exit needs a command\n  Try: kmemx record --flight --on exit -- COMMAND");
	if ((on->min_order && !c->events.page) ||
	    (on->failure && (!c->events.page || !c->events.slab)))
		return recorder_usage_error(
			"--on failure needs slab and page events, --on order needs page events");
	return GO_ON;
}

/* Is the command @word a value of --flight? "--flight 64M" would run "64M". */
static bool is_memory(const char *word)
{
	uint64_t value;

	return !option_value_size(word, &value) || !option_value_duration(word, &value);
}

static int check_others(const struct record_flight *f, const struct capture_options *c)
{
	if (!f->memory[0] && c->argv && is_memory(c->argv[0]))
		return message_fail(
			EXIT_USAGE, "record",
			"--flight takes its value after an equals sign\n  Try: kmemx record --flight=%s",
			c->argv[0]);
	if (c->stream_fd >= 0)
		return recorder_usage_error(
			"--flight cannot be used with -o -\n  Files are saved in a directory: -o DIR");
	if (c->exact_ledger)
		return recorder_usage_error(
			"--flight cannot be used with --exact-ledger, which needs all events since its first count");
	if (c->buffer_bytes)
		return recorder_usage_error(
			"--flight cannot be used with --buffer-size\n  Give the size of all ring buffers: --flight=64M");
	return GO_ON;
}

/* --on oom: also records the event of the kill. */
static int add_events(struct record_flight *f, struct capture_options *c)
{
	size_t nr = c->events.nr_extra;

	if (!f->options.on.oom)
		return GO_ON;
	f->events = calloc(nr + 1, sizeof(*f->events));
	if (!f->events)
		return message_no_memory("record");
	for (size_t i = 0; i < nr; i++)
		f->events[i] = c->events.extra[i];
	f->events[nr] = MARK_VICTIM;
	c->events.extra = f->events;
	c->events.nr_extra = nr + 1;
	return GO_ON;
}

/* @output is the only file, with --once, or a directory for files whose names tell when and why. */
static int name_output(struct record_flight *f, const char *output, bool named)
{
	size_t size = strlen(output);
	bool file = named && size && output[size - 1] != '/' && !io_is_directory(output);
	int err;

	if (file && !f->options.once && text_ends(output, ".dat"))
		return message_fail(
			EXIT_USAGE, "record",
			"--flight saves a file each time, in a directory, and %s looks like a file\n  One file: --once -o %s    Many: -o DIR",
			output, output);
	while (size > 1 && output[size - 1] == '/')
		size--;
	if (file && f->options.once)
		err = asprintf(&f->output, "%s%s", strchr(output, '/') ? "" : "./",
			       output);
	else
		err = asprintf(&f->output, "%.*s/flight.dat", (int)size, output);
	if (err < 0) {
		f->output = NULL;
		return message_no_memory("record");
	}
	f->options.file = file && f->options.once ? f->output : NULL;
	return GO_ON;
}

int record_flight_set(struct record_flight *f, struct capture_options *c,
		      bool named_output)
{
	const char *output = named_output ? c->output : RECORD_FLIGHT_OUTPUT;
	int ret;

	if (!f->memory)
		return !f->on.count && !f->options.once
			       ? GO_ON
			       : recorder_usage_error(
					 "--on and --once need --flight\n  Try: kmemx record --flight --on oom");
	ret = check_others(f, c);
	ret = ret ?: set_memory(f);
	ret = ret ?: set_causes(f, c);
	ret = ret ?: add_events(f, c);
	if (ret != GO_ON)
		return ret;
	ret = name_output(f, output, named_output);
	if (ret != GO_ON)
		return ret;
	c->output = f->output;
	f->options.capture = c;
	return GO_ON;
}

/* --- running ----------------------------------------------------------------------------- */

static int take_no_warn(void *ctx, uint64_t mask, const char *name)
{
	if (!strcmp(name, "__GFP_NOWARN"))
		*(uint64_t *)ctx = mask;
	return 0;
}

/* The bit of __GFP_NOWARN, which differs between kernels: read it from the event's format. */
static uint64_t no_warn_bit(void)
{
	struct strbuf __auto_free format = { 0 };
	uint64_t bit = 0;

	if (instance_read_top("events/kmem/mm_page_alloc/format", &format) ||
	    print_flags_parse(strbuf_text(&format), format.size, "gfp_flags",
			      take_no_warn, &bit) < 0)
		bit = 0;
	return bit;
}

static void list_causes(const struct flight_causes *on, struct strbuf *out)
{
	if (on->oom)
		strbuf_puts(out, "an OOM kill, ");
	if (on->failure)
		strbuf_puts(out, "a failed allocation, ");
	if (on->min_order)
		strbuf_printf(out, "an allocation of order %u or more, ", on->min_order);
	if (on->sunreclaim)
		strbuf_puts(out, "unreclaimable slabs above the limit, ");
	for (size_t i = 0; i < on->nr_caches; i++)
		strbuf_printf(out, "%s above its limit, ", on->caches[i].name);
	if (on->pressure)
		strbuf_puts(out, "memory pressure, ");
	if (on->exit)
		strbuf_puts(out, "the command's failure, ");
	strbuf_puts(out, "SIGUSR1");
}

static void say_armed(void *ctx, uint64_t bytes, uint64_t limit)
{
	struct record_flight *f = ctx;
	struct strbuf __auto_free causes = { 0 };
	char text[32], most[64] = "";

	/* Print it only once. */
	f->options.armed = NULL;
	recorder_format_bytes(text, sizeof(text), bytes);
	list_causes(&f->options.on, &causes);
	if (limit > bytes) {
		char size[32];

		recorder_format_bytes(size, sizeof(size), limit);
		snprintf(most, sizeof(most), ", which may grow to %s", size);
	}
	message_info(
		"recording into %s of memory%s; waiting for: %s. Ctrl-C ends without a file.",
		text, most, strbuf_text(&causes));
}

static void say_saved(void *ctx, const char *path, const char *cause,
		      const struct capture_result *r)
{
	struct record_flight *f = ctx;
	struct strbuf __auto_free lost = { 0 };
	char bytes[32], time[32];

	if (r->write_error) {
		f->cut_short = true;
		message_error(
			"record",
			"the recording was cut short: %s\n  Free some space, keep fewer files (--keep), or use a smaller --flight=SIZE",
			strerror(r->write_error));
	}
	if (f->quiet)
		return;
	recorder_format_time(time, sizeof(time), r->duration_ns);
	recorder_format_bytes(bytes, sizeof(bytes), r->file_bytes);
	recorder_format_losses(&lost, r);
	message_info("%s: %" PRIu64 " event%s, complete for the last %s, %s, %s -> %s",
		     cause, r->events, plural(r->events), time, bytes, strbuf_text(&lost),
		     path);
}

int record_flight(struct record_flight *f, struct capture_options *c, bool quiet)
{
	char *slash = strrchr(f->output, '/');
	struct capture_result result = { 0 };
	size_t nr_saved = 0;
	int ret, status;
	char *directory = strndup(f->output, (size_t)(slash - f->output));

	if (!directory)
		return message_no_memory("record");
	ret = instance_check_user(c->command_line, c->log);
	if (!ret && !f->options.file && recorder_make_directory(directory) != GO_ON)
		ret = -EPERM;
	f->options.directory = directory;
	f->options.armed = quiet ? NULL : say_armed;
	f->quiet = quiet;
	f->options.saved = say_saved;
	f->options.ctx = f;
	/* Only after the check: it needs tracefs. */
	f->options.on.no_warn =
		f->options.on.failure && !f->all_failures ? no_warn_bit() : 0;
	result.child = CHILD_INIT;
	ret = ret ?: flight_run(&f->options, &result, &nr_saved);
	if (!ret && result.exec_errno)
		recorder_say_exec_failure(c->argv[0], result.exec_errno);
	else if (!ret && !quiet && !nr_saved)
		message_info("nothing happened: no file was saved");
	status = capture_wait(c, &result);
	free(directory);
	if (!ret && result.exec_errno)
		return recorder_exec_code(&result);
	if (ret || f->cut_short)
		return EXIT_FAILED;
	return result.timed_out ? EXIT_OK : status;
}

void record_flight_free(struct record_flight *f)
{
	for (size_t i = 0; i < f->options.on.nr_caches; i++)
		free((void *)f->caches[i].name);
	free(f->caches);
	free(f->events);
	free(f->on.items);
	free(f->output);
}
