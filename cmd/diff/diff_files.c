// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the recordings of kmemx diff, and the files needed to read them.
 * In: operands, options, and the recordings. Out: paths; the sides' files, checked; what was found
 * for them.
 */
#include <sys/stat.h>

#include "analysis/row/subject.h"
#include "base/array.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "cmd/diff/diff_options.h"
#include "cmd/input/input.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/message.h"

static const char command_name[] = "diff";

/* The options that name files, and where their values are kept: as given, and for each side. */
static const struct {
	const char *name;
	size_t given, side;
} file_options[] = {
#define PLACES(as_given, of_side) \
	offsetof(struct diff_files, as_given), offsetof(struct diff_side, of_side)
	{ "kallsyms", PLACES(kallsyms, symbols.kallsyms) },
	{ "system-map", PLACES(system_map, symbols.system_map) },
	{ "vmlinux", PLACES(vmlinux, symbols.vmlinux) },
	{ "modules", PLACES(modules, dirs.modules) },
	{ "source", PLACES(source, dirs.source) },
	{ "kernel", PLACES(kernel, places.kernel) },
	{ "symfs", PLACES(symfs, places.symfs) },
#undef PLACES
};

static struct option_strings *given_files(struct diff_files *f, size_t i)
{
	return (void *)((char *)f + file_options[i].given);
}

int diff_files_parse(struct diff_args *a)
{
	int ret = GO_ON;

	for (size_t i = 0; i < ARRAY_SIZE(file_options); i++) {
		const struct option_strings *given = given_files(&a->files, i);

		if (given->count > 2)
			return message_fail(
				EXIT_USAGE, command_name,
				"--%s was given %zu times\n  Give it once for all recordings, or twice: for the old ones, then for the new ones",
				file_options[i].name, given->count);
		for (size_t side = 0; side < 2 && given->count; side++) {
			const char *value = given->items[side % given->count];

			*(const char **)((char *)&a->sides[side] + file_options[i].side) =
				*value ? value : NULL;
		}
	}
	for (size_t i = 0; i < 2 && ret == GO_ON; i++) {
		struct diff_side *side = &a->sides[i];

		side->dirs.vmlinux = side->symbols.vmlinux;
		side->places.debuginfod = a->files.debuginfod;
		ret = symbol_files_check(&side->symbols, command_name);
		if (ret == GO_ON)
			ret = debug_places_check(&side->places, &side->symbols,
						 command_name);
	}
	return ret;
}

static bool any_dirs(const struct diff_args *a)
{
	return dir_files_any(&a->sides[0].dirs) && dir_files_any(&a->sides[1].dirs);
}

bool diff_args_dirs(const struct diff_args *a)
{
	return a->choice.by == SUBJECT_DIR || a->choice.words.dirs.count ||
	       (a->budget && any_dirs(a) &&
		(gate_directory_rule(&a->rules) || !a->sides[0].found));
}

bool diff_args_lines(const struct diff_args *a)
{
	return (!a->choice.no_inline || diff_args_by_source(a)) &&
	       a->sides[0].dirs.vmlinux && a->sides[1].dirs.vmlinux;
}

int diff_files_check(const struct diff_args *a)
{
	const struct gate_rule *rule = gate_directory_rule(&a->rules);
	bool filter = a->choice.words.dirs.count;
	struct strbuf __auto_free what = { 0 };
	int ret = GO_ON;

	if (!any_dirs(a) && (rule || filter || a->choice.by == SUBJECT_DIR)) {
		if (rule)
			strbuf_printf(&what,
				      "%s: '%s' needs the directories of functions",
				      a->budget, rule->text);
		else
			strbuf_printf(&what, "%s needs the directories of functions",
				      a->choice.by == SUBJECT_DIR ? "--by dir" : "--dir");
		ret = input_dirs_missing(
			command_name, strbuf_text(&what),
			dir_files_any(&a->sides[0].dirs)   ? " for the new recordings"
			: dir_files_any(&a->sides[1].dirs) ? " for the old recordings"
							   : "");
	}
	if (ret == GO_ON && diff_args_by_source(a) && !diff_args_lines(a))
		ret = input_lines_missing(
			command_name, subjects_word(a->choice.by),
			a->sides[0].dirs.vmlinux   ? " for the new recordings"
			: a->sides[1].dirs.vmlinux ? " for the old recordings"
						   : "");
	return ret;
}

/* Rejects files that no option uses. GO_ON, or EXIT_USAGE after a message. */
int diff_files_check_early(const struct diff_args *a)
{
	bool filter = a->choice.words.dirs.count;
	bool lines = !a->choice.no_inline || diff_args_by_source(a);
	int ret = GO_ON;

	for (int i = 0; i < 2 && ret == GO_ON && a->choice.by != SUBJECT_DIR; i++) {
		struct dir_files files = a->sides[i].dirs;

		/* Modules are used for inlined functions, too. */
		if (a->sides[i].symbols.vmlinux && lines)
			files.modules = NULL;
		if (!a->budget || a->dir_depth)
			ret = input_dirs_unused(
				&files, filter, a->dir_depth,
				"--by dir, --dir, or a --budget with rules such as 'fs/ext4 net < 2M'",
				command_name);
	}
	return ret;
}

/* --- files that the user did not name ----------------------------------------------------- */

/* Does any option need debug information? */
static bool wants_search(const struct diff_args *a)
{
	return !a->choice.no_inline || diff_args_by_source(a) ||
	       a->choice.by == SUBJECT_DIR || a->choice.words.dirs.count ||
	       gate_directory_rule(&a->rules);
}

static void free_found(struct diff_side *side)
{
	if (!side->found)
		return;
	debug_found_free(&side->found->files);
	free(side->found->ids);
	free(side->found);
	side->found = NULL;
}

static void forget(struct diff_side *side)
{
	if (side->found && side->dirs.vmlinux == side->found->files.vmlinux)
		side->dirs.vmlinux = NULL;
	if (side->found && side->dirs.modules == side->found->files.modules)
		side->dirs.modules = NULL;
	free_found(side);
}

/* Keeps what was found for a recording. Returns 1, 0 if the side's other recordings have different
 * files, or -ENOMEM.
 */
static int keep(struct diff_side *side, struct study *study)
{
	const struct recording_text *ids = recording_meta(study->rec, "module_build_ids");

	if (side->found)
		return text_same(side->found->files.vmlinux, study->found.vmlinux) &&
		       text_same(side->found->ids, ids ? ids->text : NULL);
	side->found = calloc(1, sizeof(*side->found));
	if (!side->found)
		return -ENOMEM;
	side->found->files = study->found;
	study->found = (struct debug_found){ 0 };
	side->found->ids = ids ? strdup(ids->text) : NULL;
	return ids && !side->found->ids ? -ENOMEM : 1;
}

/* Looks for debug information of one recording. 1 if found and the same as the others'; else 0,
 * with an exit code in @ret after a message if it is an error.
 */
static int search_for(struct diff_side *side, const char *path, int *ret)
{
	const struct study_options study = { .path = path,
					     .want_symbols = true,
					     .places = side->places,
					     .search = true,
					     .only_search = true };
	bool named = debug_places_any(&side->places);
	struct strbuf __auto_free messages = { 0 };
	struct input in = { 0 };
	struct stat st;
	int kept = 0;

	/* A pipe can be read only once: leave it to the comparison. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (!input_open_quietly(&in, &study, command_name, 0, &messages))
		kept = in.study.found.vmlinux ? keep(side, &in.study) : 0;
	else if (named && (in.study.failure.part == STUDY_SEARCH ||
			   in.study.failure.part == STUDY_SYMBOL_FILE))
		*ret = input_failed(&in);
	if (*ret == GO_ON && named && side->found && !kept)
		*ret = message_fail(
			EXIT_USAGE, command_name,
			"%s was recorded on another kernel or build than the rest of its side",
			path);
	if (kept < 0)
		*ret = message_fail(EXIT_FAILED, command_name, "%s", strerror(-kept));
	input_close(&in);
	return *ret == GO_ON && kept > 0;
}

/* Uses what is found only if it is the same for all recordings of the side. */
static int search_side(struct diff_args *a, int i)
{
	size_t first = i ? a->paths.nr_old : 0, end = i ? a->paths.nr : a->paths.nr_old;
	struct diff_side *side = &a->sides[i];
	int ret = GO_ON;
	size_t k;

	if (symbol_files_any(&side->symbols))
		return GO_ON;
	for (k = first; k < end; k++) {
		if (!search_for(side, a->paths.items[k], &ret))
			break;
	}
	if (ret == GO_ON && k < end)
		forget(side);
	if (ret != GO_ON || !side->found)
		return ret;
	side->dirs.vmlinux = side->found->files.vmlinux;
	side->dirs.found = !side->dirs.modules;
	if (side->dirs.found)
		side->dirs.modules = side->found->files.modules;
	return GO_ON;
}

int diff_files_search(struct diff_args *a)
{
	const struct debug_places *places = &a->sides[0].places;
	int ret = GO_ON;

	if (!debug_places_any(places))
		places = &a->sides[1].places;
	if (!wants_search(a))
		return debug_places_unused(places, command_name);
	for (int i = 0; i < 2 && ret == GO_ON; i++)
		ret = search_side(a, i);
	/* Do not use what only one side has. */
	for (int i = 0; i < 2 && ret == GO_ON && !any_dirs(a); i++)
		forget(&a->sides[i]);
	return ret;
}

void diff_files_free(struct diff_args *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(file_options); i++)
		free(given_files(&a->files, i)->items);
	free_found(&a->sides[0]);
	free_found(&a->sides[1]);
}

/* All values of a row are kept in memory, and text has no room for more. */
#define RUNS_MAX 1000

static int failed(int err)
{
	return message_fail(EXIT_FAILED, "diff", "%s", strerror(err));
}

static int add_path(struct diff_paths *paths, const char *path)
{
	if (paths->nr == RUNS_MAX)
		return message_fail(EXIT_USAGE, "diff",
				    "too many recordings (at most %d)", RUNS_MAX);
	if (array_grow(&paths->items, paths->nr))
		return failed(ENOMEM);
	paths->items[paths->nr] = strdup(path);
	if (!paths->items[paths->nr])
		return failed(ENOMEM);
	paths->nr++;
	return GO_ON;
}

static int is_recording(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && text_ends(entry->d_name, ".dat");
}

/* Adds all recordings of a directory, sorted by name. */
static int add_directory(struct diff_paths *paths, const char *directory)
{
	struct dirent **entries __auto_mem = NULL;
	struct strbuf __auto_free path = { 0 };
	int nr = scandir(directory, &entries, is_recording, alphasort), i, ret = GO_ON;
	int size = (int)strlen(directory);

	/* "old/" gives "old/1.dat"; "/" is left empty and gives "/1.dat". */
	while (size && directory[size - 1] == '/')
		size--;
	if (nr <= 0) {
		if (!nr &&
		    input_perf_tell("diff", directory, "a directory of recordings"))
			return EXIT_UNREADABLE;
		return message_fail(EXIT_UNREADABLE, "diff", "%s: %s", directory,
				    nr ? strerror(errno)
				       : "no recordings (*.dat) in this directory");
	}
	for (i = 0; i < nr; i++) {
		strbuf_reset(&path);
		strbuf_printf(&path, "%.*s/%s", size, directory, entries[i]->d_name);
		if (ret == GO_ON)
			ret = path.failed ? failed(ENOMEM)
					  : add_path(paths, strbuf_text(&path));
		free(entries[i]);
	}
	return ret;
}

int diff_paths_init(struct diff_paths *paths, char **operands, int nr, int nr_old)
{
	char *defaults[] = { INPUT_DEFAULT ".old", INPUT_DEFAULT };
	int ret = GO_ON;

	if (!nr) {
		operands = defaults;
		nr = 2;
	}
	if (nr_old < 0 && nr != 2)
		return message_fail(
			EXIT_USAGE, "diff",
			nr == 1 ? "need two recordings\n  Two: kmemx diff OLD NEW    several: kmemx diff OLD... -- NEW..."
				: "cannot tell which of the %d recordings are new\n  Put -- between the old ones and the new ones",
			nr);
	if (nr_old < 0)
		nr_old = 1;
	if (!nr_old || nr_old == nr)
		return message_fail(
			EXIT_USAGE, "diff",
			"no recordings %s --\n  Several runs per side: kmemx diff OLD... -- NEW...",
			nr_old ? "behind" : "before");
	for (int i = 0; i < nr && ret == GO_ON; i++) {
		if (i == nr_old)
			paths->nr_old = paths->nr;
		ret = io_is_directory(operands[i]) ? add_directory(paths, operands[i])
						   : add_path(paths, operands[i]);
	}
	return ret;
}

void diff_paths_free(struct diff_paths *paths)
{
	while (paths->nr)
		free(paths->items[--paths->nr]);
	free(paths->items);
	paths->items = NULL;
}
