// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx diff of two kernels.
 * In: two ELF files. Out: their tables, as if they were recordings.
 */
#include "cmd/diff/diff.h"

#include <unistd.h>

#include "base/io.h"
#include "cmd/footprint/footprint_files.h"
#include "cmd/options/message.h"

static const char command_name[] = "diff";

/* False if the file cannot be opened: reading it later prints the message. */
static bool is_elf(const char *path)
{
	int fd __auto_fd = io_open_input(path, IO_FILE);
	char magic[4] = "";

	if (fd < 0 || io_pread_all(fd, magic, sizeof(magic), 0))
		magic[0] = '\0';
	return !memcmp(magic,
		       "\x7f"
		       "ELF",
		       sizeof(magic));
}

int diff_kernels_detect(struct diff_args *a, char *const *operands, int nr)
{
	int elf = 0;

	for (int i = 0; i < nr; i++)
		elf += is_elf(operands[i]);
	a->kernels = elf && elf == nr;
	if (!elf || (a->kernels && nr == 2))
		return GO_ON;
	return message_fail(EXIT_USAGE, command_name,
			    a->kernels
				    ? "give exactly two kernels: kmemx diff OLD NEW"
				    : "cannot compare a kernel (ELF) with a recording");
}

/* An option that was given but applies only to recordings, or NULL. */
static const char *foreign_option(const struct diff_args *a)
{
	const struct diff_choice *c = &a->choice;
	const struct {
		bool given;
		const char *name;
	} all[] = {
		{ a->of[MEMORY_SLAB], "--slab" },
		{ a->of[MEMORY_PAGE], "--page" },
		{ a->caller, "--caller" },
		{ a->matrix, "--matrix" },
		{ a->per, "--per" },
		{ a->page_file, "--html" },
		{ c->skip.count, "--skip-func" },
		{ c->raw_names, "--raw-names" },
		{ c->unscaled, "--unscaled" },
		{ c->window.time, "--time" },
		{ c->window.instance, "--instance" },
		{ a->max_lost.text, "--max-lost" },
		{ filter_words_any(&c->words), "a filter of allocations" },
		{ a->files.kallsyms.count, "--kallsyms" },
		{ a->files.system_map.count, "--system-map" },
		{ a->files.vmlinux.count, "--vmlinux" },
		{ a->files.kernel.count, "--kernel" },
		{ a->files.symfs.count, "--symfs" },
		{ a->files.debuginfod, "--debuginfod" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].given)
			return all[i].name;
	}
	return NULL;
}

size_t diff_kernels_learn(struct diff_args *a)
{
	footprint_metrics(&a->metrics);
	a->tables[0] = "footprint";
	return 1;
}

void diff_kernels_row_words(const struct diff_args *a, const char *words[FOOTPRINT_BYS])
{
	size_t nr = 0;

	for (size_t by = 0; by < FOOTPRINT_BYS; by++) {
		if (a->kernels_by[by])
			words[nr++] = footprint_bys[by];
	}
}

int diff_kernels_check(struct diff_args *a)
{
	const char *foreign = foreign_option(a);

	if (foreign)
		return message_fail(EXIT_USAGE, command_name,
				    "%s is for recordings; these files are kernels (ELF)",
				    foreign);
	for (size_t i = 0; i < a->by.count; i++) {
		int by = option_choose("--by", a->by.items[i], footprint_bys,
				       command_name);

		if (by < 0)
			return EXIT_USAGE;
		a->kernels_by[by] = true;
	}
	if (!a->by.count)
		a->kernels_by[FOOTPRINT_BY_SYMBOL] = true;
	if (!a->dir_depth || a->kernels_by[FOOTPRINT_BY_DIR])
		return GO_ON;
	return message_fail(EXIT_USAGE, command_name, "--dir-depth needs --by dir");
}

int diff_kernels_rules(const struct diff_args *a)
{
	const struct gate_rule *rule = gate_directory_rule(&a->rules);

	if (!rule || !a->dir_depth)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command_name,
		"--dir-depth cannot be used with '%s', a rule about a directory, which needs all levels",
		rule->text);
}

/* Do rules need the table @by? All rules need symbols; rules about a directory need directories. */
static bool for_rules(const struct diff_args *a, enum footprint_by by)
{
	if (!a->rules.nr)
		return false;
	return by == FOOTPRINT_BY_SYMBOL ||
	       (by == FOOTPRINT_BY_DIR && gate_directory_rule(&a->rules));
}

static int load(struct diff_recording *r, const struct diff_args *a,
		const struct diff_side *side, const char *path)
{
	struct footprint_files files = { .vmlinux = path,
					 .modules = side->dirs.modules,
					 .source = side->dirs.source };
	int ret = footprint_files_open(&files, command_name), by;

	*r = (struct diff_recording){ .path = path, .divisor = 1 };
	r->report = ret == GO_ON ? report_new() : NULL;
	for (by = 0; r->report && by < FOOTPRINT_BYS; by++) {
		unsigned int depth = input_dirs_depth(a->dir_depth);
		struct table *t;

		if (!a->kernels_by[by] && !for_rules(a, by))
			continue;
		t = footprint_compared(&files.fp, by, depth);
		if (t)
			t->hidden = !a->kernels_by[by];
		report_add_table(r->report, t);
	}
	if (r->report)
		footprint_files_banner(&files, r->report);
	footprint_files_free(&files);
	if (ret != GO_ON || (r->report && report_ok(r->report)))
		return ret;
	return message_no_memory(command_name);
}

int diff_kernels_load(struct diff *d)
{
	int ret = GO_ON;

	for (size_t i = 0; i < d->args.paths.nr && ret == GO_ON; i++)
		ret = load(&d->recordings[i], &d->args, &d->args.sides[i],
			   d->args.paths.items[i]);
	return ret;
}
