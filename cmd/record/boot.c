// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx boot.
 * In: options, this machine's memory and kernel. Out: kernel parameters on stdout, what
 * they do on stderr.
 */
#include <sys/utsname.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "capture/events/boot.h"
#include "capture/events/instance.h"
#include "capture/facts/facts.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/record/recorder.h"

#define MAX_CPUS 65536

/* Options that are not copied to struct boot_options unchanged. */
struct boot_args {
	bool print, of[MEMORY_KINDS];
	struct option_strings events;
	const char *stack, *keep, *kernel;
	uint64_t cpus;
	unsigned int verbose;
};

static int parse(struct boot_args *a, struct boot_options *o, int argc, char **argv,
		 int *operands)
{
	const struct option_entry options[] = {
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "print-cmdline", NULL, &a->print,
		  "print the parameters on one line" },
		{ OPTION_GROUP, .help = "What" },
		RECORDER_KIND_OPTIONS(a->of),
		{ OPTION_STRINGS, 'e', "event", "EVENT", &a->events,
		  "record [SYSTEM:]EVENT too" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "stack", "page|all|none", &a->stack,
		  "callchains of page allocations (default), all, none" },
		{ OPTION_UINT, 0, "min-order", "N", &o->min_order,
		  "callchains of page allocations from order N on" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "full-keeps", "first|last",
		  &a->keep, "which events a full buffer keeps (default: first)" },
		{ OPTION_GROUP, .help = "Where" },
		{ OPTION_STRING | OPTION_EVERYDAY, 'B', "instance", "NAME", &o->instance,
		  "a tracing instance instead of the top-level one" },
		{ OPTION_FLAG, 0, "persistent", NULL, &o->persistent,
		  "a buffer that survives a warm reboot" },
		{ OPTION_POSITIVE_SIZE | OPTION_EVERYDAY, 'b', "buffer-size", "SIZE",
		  &o->buffer_bytes, "buffer per CPU (default: depends on memory)" },
		{ OPTION_GROUP, .help = "Target machine (default: this one)" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "release", "VERSION", &a->kernel,
		  "kernel version, such as 6.12" },
		{ OPTION_POSITIVE_SIZE | OPTION_EVERYDAY, 0, "memory", "SIZE",
		  &o->memory_bytes, "memory size" },
		{ OPTION_POSITIVE | OPTION_EVERYDAY, 0, "cpus", "N", &a->cpus,
		  "number of CPUs" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &a->verbose,
		  "explain the parameters on standard error" },
		OPTIONS_END,
	};

	return options_parse(&command_boot, options, argc, argv, operands);
}

/* The index of @word in @words; 0 if @word is NULL; -1 after a message if it is unknown. */
static int choose(const char *option, const char *word, const char *const *words,
		  size_t nr)
{
	struct strbuf __auto_free list = { 0 };

	for (size_t i = 0; i < nr; i++) {
		if (!word || !strcmp(word, words[i]))
			return (int)i;
		strbuf_printf(&list, "%s%s", i ? (i + 1 < nr ? ", " : " or ") : "",
			      words[i]);
	}
	message_error("boot", "--%s takes %s, not '%s'", option, strbuf_text(&list),
		      word);
	return -1;
}

static int set_kernel(const struct boot_args *a, struct boot_options *o)
{
	struct utsname name;
	const char *text = a->kernel;
	char rest;

	if (!text && uname(&name) == 0)
		text = name.release;
	if (text && sscanf(text, "%3u.%3u%c", &o->major, &o->minor, &rest) >= 2)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, "boot",
		"'%s' is not a kernel version\n  Give two numbers, such as --release 6.12",
		text ? text : "");
}

static int set_machine(const struct boot_args *a, struct boot_options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (a->cpus > MAX_CPUS)
		return message_fail(EXIT_USAGE, "boot", "--cpus takes 1 to 65536");
	if (o->buffer_bytes > 1ULL << 40)
		return message_fail(EXIT_USAGE, "boot",
				    "--buffer-size takes up to 1024G");
	o->nr_cpus = a->cpus ? (unsigned int)a->cpus : cpus > 0 ? (unsigned int)cpus : 1;
	if (!o->memory_bytes)
		o->memory_bytes = facts_meminfo("MemTotal");
	if (o->memory_bytes)
		return GO_ON;
	return message_fail(EXIT_FAILED, "boot",
			    "cannot determine the memory size\n  Set it: --memory SIZE");
}

static int set_options(const struct boot_args *a, struct boot_options *o)
{
	static const char *const keeps[] = { "first", "last" };
	int stack = choose("stack", a->stack, recorder_stacks, CAPTURE_STACK_NONE + 1);
	int keep = choose("full-keeps", a->keep, keeps, ARRAY_SIZE(keeps));
	int ret;

	if (stack < 0 || keep < 0)
		return EXIT_USAGE;
	if (o->min_order > 63)
		return message_fail(EXIT_USAGE, "boot",
				    "--min-order takes an order from 0 to 63");
	ret = set_kernel(a, o);
	ret = ret ?: set_machine(a, o);
	if (ret != GO_ON)
		return ret;
	o->events = (struct event_choice){ .extra = a->events.items,
					   .nr_extra = a->events.count,
					   .stack = (enum capture_stack)stack };
	recorder_kinds(a->of, &o->events);
	o->keep_last = keep == 1;
	return GO_ON;
}

static int print(const struct boot_options *o, unsigned int verbose)
{
	struct strbuf __auto_free line = { 0 }, notes = { 0 };
	int ret = boot_cmdline(o, &line, &notes);

	if (ret == 0) {
		printf("%s\n", strbuf_text(&line));
		if (verbose)
			fputs(strbuf_text(&notes), stderr);
	} else if (ret == -ENOMEM) {
		message_error("boot", "out of memory");
	}
	return ret == 0 ? EXIT_OK : ret == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

static int run_boot(int argc, char **argv)
{
	struct message_log log_state = { .command = "boot" };
	struct log log = message_log(&log_state);
	struct boot_options o = { .log = &log };
	struct boot_args a = { 0 };
	int operands = argc, ret;

	ret = parse(&a, &o, argc, argv, &operands);
	if (ret == GO_ON && operands < argc) {
		message_error("boot", "unexpected argument '%s'", argv[operands]);
		ret = EXIT_USAGE;
	}
	if (ret == GO_ON && !a.print)
		ret = message_fail(EXIT_USAGE, "boot",
				   "nothing to do\n  Try: kmemx boot --print-cmdline");
	ret = ret ?: set_options(&a, &o);
	ret = ret ?: print(&o, a.verbose);
	free(a.events.items);
	message_log_end(&log_state);
	return ret;
}

static const struct option_renamed renamed[] = { { "keep", "full-keeps" },
						 { "kernel", "release" },
						 { NULL, NULL } };

const struct command command_boot = {
	"boot",
	"print the kernel parameters that record from boot",
	COMMAND_RECORD,
	run_boot,
	.seldom = true,
	.usage = "kmemx boot --print-cmdline [options]",
	.examples =
		"  kmemx boot --print-cmdline -v\n"
		"  kmemx boot --print-cmdline --release 5.10 --memory 512M --cpus 2 --page\n",
	.renamed = renamed,
};
