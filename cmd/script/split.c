// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx split.
 * In: a recording. Out: a part of it, as a recording of its own.
 */
#include <sys/stat.h>

#include "analysis/filter/alloc_filter.h"
#include "base/safe_text.h"
#include "capture/file/new_recording.h"
#include "cmd/input/input.h"
#include "cmd/options/filter_words.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "event/split.h"

/* The value of an option, such as "16,3". @one_in 0: no sample. */
struct sample_choice {
	const char *text;
	unsigned int one_in, part;
};

struct split_args {
	const char *path, *output;
	struct sample_choice sample, stack_sample;
	struct window window;
	struct filter_words words; /* only its CPUs are used */
	unsigned int verbose;
};

/* Everything that run() opens and must close. */
struct split_run {
	struct split_args args;
	struct input in;
	struct alloc_filter filter;
	bool *cpus;
	struct new_recording output;
};

static const char command_name[] = "split";

static int parse(struct split_args *a, int argc, char **argv)
{
	const struct option_entry options[] = {
		INPUT_OPTION(&a->path),
		{ OPTION_STRING, 'o', "output", "FILE", &a->output,
		  "the part; an existing file becomes FILE.old" },
		TIME_OPTION(a->window),
		{ OPTION_STRINGS, 0, "cpu", "LIST", &a->words.cpus,
		  "only these CPUs: 0,2-3" },
		INSTANCE_OPTION(a->window),
		{ OPTION_STRING, 0, "sample", "N[,PART]", &a->sample.text,
		  "one in N objects and pages, by address" },
		{ OPTION_STRING, 0, "stack-sample", "N[,PART]", &a->stack_sample.text,
		  "callchains of one in N slab objects only" },
		VERBOSE_OPTION(a->verbose),
		OPTIONS_END,
	};

	return input_parse(&command_split, options, argc, argv, &a->path);
}

/* Reads "16" or "16,3". */
static int check_sample(struct sample_choice *c, const char *option)
{
	int end = -1;

	if (!c->text)
		return GO_ON;
	if ((sscanf(c->text, "%4u%n", &c->one_in, &end) == 1 && !c->text[end]) ||
	    (sscanf(c->text, "%4u,%4u%n", &c->one_in, &c->part, &end) == 2 &&
	     !c->text[end])) {
		if (sample_possible(c->one_in) && c->part < c->one_in)
			return GO_ON;
	}
	return message_fail(
		EXIT_USAGE, command_name,
		"%s takes N[,PART]: a power of two from 2 to %u, and a part from 0 to N - 1, not '%s'\n  Try: kmemx split %s 16 -o part.dat, or %s 16,3",
		option, SAMPLE_MAX, c->text, option, option);
}

static int check(struct split_args *a)
{
	if (!a->output)
		return message_fail(
			EXIT_USAGE, command_name,
			"missing -o FILE\n  Try: kmemx split --time 10%%,20%% -o part.dat");
	if (!a->window.time && !a->window.instance && !a->words.cpus.count &&
	    !a->sample.text && !a->stack_sample.text)
		return message_fail(
			EXIT_USAGE, command_name,
			"missing --time, --cpu, --instance, --sample or --stack-sample, which select the part\n  Show the recording's span: kmemx info");
	if (check_sample(&a->sample, "--sample") != GO_ON ||
	    check_sample(&a->stack_sample, "--stack-sample") != GO_ON)
		return EXIT_USAGE;
	return input_window_check(&a->window, command_name);
}

/* The output must not replace the recording. */
static int check_output(const struct split_run *r)
{
	struct stat in, out;

	if (stat(r->in.study.path, &in) || stat(r->args.output, &out) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return GO_ON;
	return message_fail(EXIT_USAGE, command_name,
			    "%s is the recording itself\n  Name another file: -o FILE",
			    r->args.output);
}

static int choose_cpus(struct split_run *r)
{
	uint32_t nr = r->in.study.rec->nr_cpus;
	bool any = false;
	int ret = filter_words_resolve(&r->args.words, &r->filter, &r->in.study);

	if (ret != GO_ON || !r->args.words.cpus.count)
		return ret;
	r->cpus = calloc((size_t)nr + 1, sizeof(*r->cpus));
	if (!r->cpus)
		return input_stream_failed(&r->in, -ENOMEM);
	for (uint32_t cpu = 0; cpu < nr; cpu++) {
		r->cpus[cpu] = filter_ranges_has(&r->filter.cpus, cpu);
		any |= r->cpus[cpu];
	}
	if (any)
		return GO_ON;
	return message_fail(EXIT_FAILED, command_name,
			    "%s has %u CPU%s, none of them in --cpu", r->in.study.path,
			    nr, plural(nr));
}

/* The rule that kmemx record would use; its one_in is 0 without a sample. */
static struct sample rule_of(const struct split_run *r, const struct sample_choice *c)
{
	uint32_t page_size = recording_kernel_page_size(r->in.study.rec);
	struct sample s = { 0 };

	if (page_size < 4096 || page_size & (page_size - 1))
		page_size = 4096;
	if (c->one_in)
		sample_init(&s, c->one_in, c->part, page_size);
	return s;
}

/* Can the recording be sampled as the options say? */
static int check_possible(const struct split_run *r)
{
	const struct study *study = &r->in.study;
	int ret = split_sample_check(study->rec, study->fmts);

	if (ret == -ENOTSUP && !r->args.sample.one_in)
		ret = 0;
	if (!ret || (!r->args.sample.one_in && !r->args.stack_sample.one_in))
		return GO_ON;
	if (ret == -EEXIST)
		return message_fail(
			EXIT_FAILED, command_name,
			"%s already is a sample\n  Take the sample from the original recording",
			study->path);
	return message_fail(
		EXIT_FAILED, command_name,
		"%s has no page frame numbers, because its kernel is older than 4.1: no sample can be taken",
		study->path);
}

static int split_failed(const struct split_run *r, const struct split_result *result,
			int err)
{
	if (result->unread)
		return input_stream_failed(&r->in, err);
	if (err == -ENODATA)
		return message_fail(
			EXIT_FAILED, command_name,
			"%s has no events in that part\n  Show its span: kmemx info -i %s",
			r->in.study.path, SHELL_NAME(r->in.study.path));
	return message_fail(EXIT_FAILED, command_name, "cannot write %s: %s",
			    r->args.output, strerror(-err));
}

/* Recordings contain kernel addresses: gives the part the permissions of the whole. */
static void set_mode(const struct split_run *r)
{
	struct stat in;

	if (!stat(r->in.study.path, &in) && S_ISREG(in.st_mode) &&
	    fchmod(r->output.file.fd, in.st_mode & 0666))
		log_msg(&r->in.study.log, LOG_WARN, "%s remains readable only by you: %s",
			r->args.output, strerror(errno));
}

/* One progress line for reading, then one for writing. */
struct split_progress {
	struct progress line;
	bool writing;
};

static void tell_split(void *ctx, uint64_t done, uint64_t total, uint64_t events)
{
	struct split_progress *p = ctx;

	progress_show(&p->line, done, total, events);
}

static void tell_writing(void *ctx, uint64_t done, uint64_t total)
{
	struct split_progress *p = ctx;

	if (!p->writing) {
		progress_end(&p->line);
		progress_start(&p->line, "writing");
	}
	p->writing = true;
	progress_show(&p->line, done, total, 0);
}

static int write_part(struct split_run *r)
{
	const struct study *study = &r->in.study;
	struct split_options opts = { .instance = study->window.instance,
				      .start_ts = study->window.start_ts,
				      .stop_ts = study->window.stop_ts,
				      .cpus = r->cpus,
				      .sample = rule_of(r, &r->args.sample),
				      .stack_sample = rule_of(r, &r->args.stack_sample),
				      .progress = tell_split,
				      .writing = tell_writing };
	struct split_result result = { 0 };
	struct split_progress progress = { .writing = false };
	int err = check_possible(r);

	if (err != GO_ON)
		return err;
	if (new_recording_open(&r->output, r->args.output, &study->log))
		return EXIT_FAILED;
	err = new_recording_open_second(&r->output);
	opts.fd = r->output.file.fd;
	opts.pages_fd = r->output.second.fd;
	opts.ctx = &progress;
	progress_start(&progress.line, "splitting");
	err = err ?: split_write(study->rec, study->fmts, &opts, &result, &study->log);
	progress_end(&progress.line);
	new_file_close(&r->output.second);
	if (err)
		return split_failed(r, &result, err);
	set_mode(r);
	if (new_recording_commit(&r->output, false, &study->log))
		return EXIT_FAILED;
	message_info("%" PRIu64 " event%s of %u CPU%s, %" PRIu64 " gap%s -> %s",
		     result.nr_events, plural(result.nr_events), result.nr_cpus,
		     plural(result.nr_cpus), result.nr_gaps, plural(result.nr_gaps),
		     r->args.output);
	return EXIT_OK;
}

static int run(struct split_run *r)
{
	const struct study_options opts = { .path = r->args.path,
					    .window = r->args.window };
	int ret = input_open(&r->in, &opts, command_name, r->args.verbose);

	ret = ret ?: check_output(r);
	if (ret == GO_ON && !ANY(i, r->in.study.rec->nr_buffers,
				 window_has_buffer(&r->args.window, r->in.study.rec, i)))
		ret = input_no_instance(&r->in, r->args.window.instance);
	ret = ret ?: choose_cpus(r);
	if (ret == GO_ON && study_place_window(&r->in.study))
		ret = input_failed(&r->in);
	return ret ?: write_part(r);
}

static int run_split(int argc, char **argv)
{
	struct split_run r = { .output = NEW_RECORDING_INIT };
	int ret = parse(&r.args, argc, argv);

	ret = ret ?: check(&r.args);
	ret = ret ?: run(&r);
	new_recording_close(&r.output);
	free(r.cpus);
	alloc_filter_free(&r.filter);
	input_close(&r.in);
	filter_words_free(&r.args.words);
	return ret;
}

const struct command command_split = {
	command_name,
	"write a part of a recording to a new recording",
	COMMAND_CONVERT,
	run_split,
	.seldom = true,
	.usage = "kmemx split [options] -o OUTPUT [FILE]",
	.examples = "  kmemx split --time 81.5,82.5 -o second.dat\n"
		    "  kmemx split -i boot.dat --time ,10% --cpu 0-3 -o start.dat\n"
		    "  kmemx split --sample 16 -o sixteenth.dat\n",
	.unfiltered = { "a part has all events of a time, of CPUs, or of addresses, so that its sums are right",
			"Filter the events: kmemx script    the sums: kmemx stat" },
	.whole_help = true,
};
