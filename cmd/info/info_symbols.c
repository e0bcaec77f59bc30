// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): where names, lines and inlined functions come from, and what is missing.
 * In: an open recording. Out: a report.
 */

#include "base/array.h"
#include "base/hash.h"
#include "cmd/info/info.h"
#include "cmd/input/input_symbols.h"
#include "report/json_layout.h"

/* The members of the JSON object. */
static const struct json_item layout[] = {
	{ JSON_FACT, "file" },		{ JSON_FACT, "kernel" },
	{ JSON_FACT, "build_id" },	{ JSON_FACT, "debug_file" },
	{ JSON_ROWS, "symbol_places" }, { JSON_ROWS, "symbol_modules" },
	{ JSON_TEXTS, "symbol_hints" }, { JSON_FACT, NULL },
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
	static const struct column columns[] = {
		{ .name = "place", .title = "Place", .last = true },
		{ .name = "verdict", .title = "Result", .last = true, .words = true },
	};
	const struct debug_found *found = &in->study.found;
	struct table *t =
		info_add_table(r, "symbol_places", found->nr ? "Places searched" : NULL,
			       columns, ARRAY_SIZE(columns));

	for (size_t i = 0; t && i < found->nr; i++) {
		struct cell *row = table_add_row(t);
		struct strbuf __auto_free text = { 0 };

		if (!row)
			return;
		input_place_text(in, &found->places[i], &text);
		row[0] = cell_text(t, found->places[i].path);
		row[1] = cell_text(t, strbuf_text(&text));
		t->failed |= text.failed;
	}
}

/* A module, and how many of its functions have a name. */
struct module_row {
	const char *name;
	uint64_t nr_functions;
};

struct module_rows {
	struct intern names;
	struct module_row *rows;
	size_t capacity;
};

/* Counts the functions of the kernel itself, "", and of each module. 0 or -ENOMEM. */
static int count_functions(struct module_rows *m, const struct symbols *syms)
{
	struct symbol sym;

	for (size_t i = 0; symbols_at(syms, i, &sym); i++) {
		const char *name = sym.module ? sym.module : "";
		uint32_t known = m->names.count;
		uint32_t id = intern_id(&m->names, name, strlen(name));

		if (!id || array_reserve(&m->rows, &m->capacity, id, sizeof(*m->rows)))
			return -ENOMEM;
		if (id > known)
			m->rows[id - 1] = (struct module_row){ name, 0 };
		m->rows[id - 1].nr_functions++;
	}
	return 0;
}

/* Says what became of a module's file with lines and inlined functions. */
static const char *module_source(const struct study *s, const char *module,
				 const char **path)
{
	*path = NULL;
	if (!s->sources.modules)
		return "no --modules DIR is given";
	switch (module_files_state(s->sources.modules, module, path)) {
	case MODULE_MISSING:
		return "its file is missing";
	case MODULE_OTHER_BUILD:
		return "its file is from another build";
	case MODULE_NO_DEBUG:
		return "its file has no debug information";
	case MODULE_READ:
		return "read";
	default:
		return "out of memory";
	}
}

static void add_modules(struct report *r, const struct study *s,
			const struct module_rows *m)
{
	static const struct column columns[] = {
		{ .name = "module", .title = "Module", .last = true },
		{ .name = "functions", .title = "Functions", .unit = UNIT_COUNT },
		{ .name = "lines", .title = "Lines", .last = true, .words = true },
		{ .name = "file", .title = "File", .last = true },
	};
	struct table *t = info_add_table(
		r, "symbol_modules", "Names, and files with lines and inlined functions",
		columns, ARRAY_SIZE(columns));

	for (size_t i = 0; t && i < m->names.count; i++) {
		struct cell *row = table_add_row(t);
		const char *name = m->rows[i].name, *file = kernel_file(s), *what;

		if (!row)
			return;
		what = !*name ? (file ? "read" : "no debug information found")
			      : module_source(s, name, &file);
		row[0] = cell_text(t, *name ? name : "[kernel]");
		row[1] = cell_uint(m->rows[i].nr_functions);
		row[2] = cell_text(t, what);
		row[3] = cell_text(t, file);
	}
}

/* Says which package or option provides what is missing. */
static void add_hints(struct report *r, const struct input *in)
{
	static const struct column column = {
		.name = "hint", .title = "Command or option", .last = true, .words = true
	};
	struct strbuf hints[INPUT_HINTS] = { 0 };
	bool wanted = !kernel_file(&in->study);
	struct table *t = info_add_table(r, "symbol_hints",
					 wanted ? "How to get debug information" : NULL,
					 &column, 1);

	input_hints(in, hints);
	for (size_t i = 0; i < INPUT_HINTS; i++) {
		struct cell *row = t && wanted && hints[i].size ? table_add_row(t) : NULL;

		if (row)
			row[0] = cell_text(t, strbuf_text(&hints[i]));
		r->failed |= hints[i].failed;
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
	const struct recording_text *id = recording_meta(s->rec, "build_id");
	const char *file = kernel_file(s);
	struct module_rows modules = { 0 };
	char release[128], build_id[129] = "";
	struct report *r = report_new();

	if (!r)
		return NULL;
	r->layout = layout;
	recording_release(s->rec, release, sizeof(release));
	if (id)
		snprintf(build_id, sizeof(build_id), "%.*s",
			 (int)strnlen(id->text, strcspn(id->text, " \n")), id->text);
	add_text(r, "file", "file", s->path, "");
	add_text(r, "kernel", "kernel", release, "unknown");
	add_text(r, "build_id", "build ID", build_id, "unknown");
	add_text(r, "debug_file", "debug file", file ? file : "", "none");
	r->failed |= count_functions(&modules, s->syms) < 0;
	add_places(r, in);
	add_modules(r, s, &modules);
	add_hints(r, in);
	intern_free(&modules.names);
	free(modules.rows);
	return r;
}
