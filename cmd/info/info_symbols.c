// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): where names, lines and inlined functions come from, and what is missing.
 * In: an open recording. Out: a report.
 */

#include "base/keyed.h"
#include "cmd/info/info.h"
#include "cmd/input/input_symbols.h"

/* The members of the JSON object. */
static const struct json_layout layout = {
	(const char *const[]){ "file", "kernel", "build_id", "debug_file", NULL },
	(const struct json_table[]){ { JSON_ROWS, "symbol_places" },
				     { JSON_ROWS, "symbol_modules" },
				     { JSON_TEXTS, "symbol_hints" },
				     { .name = NULL } },
};

/* The file with debug information of the kernel itself, or NULL. */
static const char *kernel_file(const struct study *s)
{
	if (!s->lines || !s->sources.vmlinux)
		return NULL;
	return s->found.vmlinux ? s->found.vmlinux : s->origin.path;
}

static void add_places(struct report *r, const struct input *in)
{
	const struct debug_found *found = &in->study.found;
	struct table *t =
		info_add_table(r, "symbol_places", found->nr ? "Places searched" : NULL);

	TABLE_COLUMNS(
		t, { .name = "place", .title = "Place", .last = true },
		{ .name = "verdict", .title = "Result", .last = true, .words = true });
	for (size_t i = 0; i < found->nr; i++) {
		struct strbuf text = { 0 };

		input_place_text(in, &found->places[i], &text);
		TABLE_ROW(t, cell_text(t, found->places[i].path), cell_strbuf(t, &text));
	}
}

/* How many functions of each module have a name. The kernel itself is "". */
struct module_counts {
	KEYED(uint64_t) by_name;
};

/* 0 or -ENOMEM. */
static int count_functions(struct module_counts *m, const struct symbols *syms)
{
	struct symbol sym;

	for (size_t i = 0; symbols_at(syms, i, &sym); i++) {
		const char *name = sym.module ? sym.module : "";
		uint32_t id = KEYED_ID_OF(&m->by_name, name, strlen(name));

		if (!id)
			return -ENOMEM;
		m->by_name.of[id - 1]++;
	}
	return 0;
}

/* Says what became of a module's file with lines and inlined functions. */
static const char *module_source(const struct study *s, const char *module,
				 const char **path)
{
	static const char *const texts[] = {
		[MODULE_MISSING] = "its file is missing",
		[MODULE_OTHER_BUILD] = "its file is from another build",
		[MODULE_NO_DEBUG] = "its file has no debug information",
		[MODULE_READ] = "read",
		[MODULE_NO_MEMORY] = "out of memory",
	};

	*path = NULL;
	if (!s->sources.modules)
		return "no --modules DIR is given";
	return texts[module_files_state(s->sources.modules, module, path)];
}

static void add_modules(struct report *r, const struct study *s,
			const struct module_counts *m)
{
	struct table *t = info_add_table(
		r, "symbol_modules", "Names, and files with lines and inlined functions");

	TABLE_COLUMNS(t, { .name = "module", .title = "Module", .last = true },
		      { .name = "functions", .title = "Functions", .unit = UNIT_COUNT },
		      { .name = "lines", .title = "Lines", .last = true, .words = true },
		      { .name = "file", .title = "File", .last = true });
	for (size_t i = 0; i < m->by_name.nr; i++) {
		const char *name = KEYED_KEY(&m->by_name, i), *file = kernel_file(s),
			   *what;

		what = !*name ? (file ? "read" : "no debug information found")
			      : module_source(s, name, &file);
		TABLE_ROW(t, cell_text(t, *name ? name : "[kernel]"),
			  cell_uint(m->by_name.of[i]), cell_text(t, what),
			  cell_text(t, file));
	}
}

/* Says which package or option provides what is missing. */
static void add_hints(struct report *r, const struct input *in)
{
	struct strbuf hints[INPUT_HINTS] = { 0 };
	bool wanted = !kernel_file(&in->study);
	struct table *t = info_add_table(r, "symbol_hints",
					 wanted ? "How to get debug information" : NULL);

	TABLE_COLUMNS(t, { .name = "hint",
			   .title = "Command or option",
			   .last = true,
			   .words = true });
	input_hints(in, hints);
	for (size_t i = 0; i < INPUT_HINTS; i++) {
		r->failed |= hints[i].failed;
		if (wanted && hints[i].size)
			TABLE_ROW(t, cell_strbuf(t, &hints[i]));
		strbuf_free(&hints[i]);
	}
}

static void add_text(struct report *r, const char *name, const char *title,
		     const char *text, const char *otherwise)
{
	report_add_text_fact(r, name, *text ? text : NULL);
	report_add_property(r, title, false, "%s", *text ? text : otherwise);
}

struct report *info_symbols_report(const struct input *in)
{
	const struct study *s = &in->study;
	const char *file = kernel_file(s);
	struct module_counts modules = { 0 };
	struct report *r = report_new();

	if (!r)
		return NULL;
	r->layout = &layout;
	add_text(r, "file", "file", s->path, "");
	add_text(r, "kernel", "kernel", recording_release(s->rec).text, "unknown");
	add_text(r, "build_id", "build ID", recording_build_id(s->rec).text, "unknown");
	add_text(r, "debug_file", "debug file", file ? file : "", "none");
	r->failed |= count_functions(&modules, s->syms) < 0;
	add_places(r, in);
	add_modules(r, s, &modules);
	add_hints(r, in);
	KEYED_FREE(&modules.by_name);
	return r;
}
