// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the footprint of a kernel, for a comparison with another kernel's.
 * In: the parts of a kernel's files. Out: tables "footprint", "footprint_file", "footprint_dir".
 */
#include "analysis/footprint/footprint.h"

const char *const footprint_bys[] = { "symbol", "file", "dir", NULL };

/* The sum of all; sizes by enum elf_kind; the part of them that is freed after init. */
enum size { SIZE_ALL, SIZE_TEXT, SIZE_RODATA, SIZE_DATA, SIZE_BSS, SIZE_INIT, SIZES };

static const struct {
	const char *name, *title;
} sizes[SIZES] = {
	{ "bytes", "Bytes" }, { "text", "Text" }, { "rodata", "Rodata" },
	{ "data", "Data" },   { "bss", "Bss" },	  { "init", "Init" },
};

struct sums {
	uint64_t of[SIZES];
};

/* Rows under construction, by their names. */
struct rows {
	KEYED(struct sums) rows;
	struct sums all;
};

/* Symbols that each build generates anew, or that are a second name for something already counted.
 */
static bool is_generated(const char *name)
{
	static const char *const beginnings[] = { "__mod_", "__se_sys", "__se_compat_sys",
						  "__addressable_" };

	return !strcmp(name, "linux_banner") || !strcmp(name, "vermagic") ||
	       ANY(i, ARRAY_SIZE(beginnings),
		   !strncmp(name, beginnings[i], strlen(beginnings[i])));
}

bool footprint_symbol_name(const char *name, struct strbuf *out)
{
	if (is_generated(name))
		return false;
	while (*name) {
		size_t digits = *name == '.' ? strspn(name + 1, "0123456789") : 0;

		if (digits)
			name += digits + 1;
		else
			strbuf_add(out, name++, 1);
	}
	return true;
}

/* The first @depth components of a path. */
static void add_components(struct strbuf *out, const char *path, unsigned int depth)
{
	const char *end = path;

	while (depth && (end = strchr(end, '/')))
		end += --depth != 0;
	strbuf_add(out, path,
		   depth || !end || end == path ? strlen(path) : (size_t)(end - path));
}

/* The name used in place of a directory: "(no symbol)/strings". */
static void no_path(const struct footprint_part *part, struct strbuf *out)
{
	if (part->item)
		strbuf_puts(out, DIRECTORY_UNKNOWN);
	else
		strbuf_printf(out, FOOTPRINT_NO_SYMBOL "%s%s", part->rest ? "/" : "",
			      part->rest ? part->rest->group : "");
}

static void file_name(const struct footprint *fp, const struct footprint_part *part,
		      struct strbuf *out)
{
	const char *path = footprint_path(fp, part->path);

	if (path)
		strbuf_printf(out, "%s%s", path, part->is_file ? "" : "/");
	else
		no_path(part, out);
}

static void dir_name(const struct footprint *fp, const struct footprint_part *part,
		     unsigned int depth, struct strbuf *out)
{
	const char *path = footprint_path(fp, part->path), *slash;
	struct strbuf __auto_free dir = { 0 };

	if (path) {
		slash = part->is_file ? strrchr(path, '/') : path + strlen(path);
		strbuf_add(&dir, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
	} else {
		no_path(part, &dir);
	}
	add_components(out, strbuf_text(&dir), depth);
	out->failed |= dir.failed;
}

/* The name of the row that @part belongs to; false: none. */
static bool row_name(const struct footprint *fp, const struct footprint_part *part,
		     enum footprint_by by, unsigned int depth, struct strbuf *out)
{
	const char *module = fp->images[part->image].name;

	if (by == FOOTPRINT_BY_FILE) {
		file_name(fp, part, out);
	} else if (by == FOOTPRINT_BY_DIR) {
		dir_name(fp, part, depth, out);
	} else {
		if (!part->item || !footprint_symbol_name(part->item->name, out))
			return false;
		if (module)
			strbuf_printf(out, " [%s]", module);
	}
	return true;
}

static int add_part(struct rows *r, const struct footprint_part *part,
		    const struct strbuf *name, uint64_t bytes)
{
	uint32_t id = 0;
	uint64_t *sums;

	if (!name->failed)
		id = KEYED_ID_OF(&r->rows, strbuf_text(name), name->size);
	if (!id)
		return -ENOMEM;
	sums = r->rows.of[id - 1].of;
	sums[SIZE_ALL] += bytes;
	sums[SIZE_TEXT + part->section->kind] += bytes;
	sums[SIZE_INIT] += part->section->init ? bytes : 0;
	return 0;
}

static int collect(struct rows *r, const struct footprint *fp, enum footprint_by by,
		   unsigned int depth)
{
	struct strbuf __auto_free name = { 0 };
	int ret = 0;

	for (size_t i = 0; i < fp->nr_parts && !ret; i++) {
		const struct footprint_part *part = &fp->parts[i];
		uint64_t bytes = by == FOOTPRINT_BY_SYMBOL && part->item
					 ? part->item->size
					 : footprint_part_bytes(part);

		strbuf_reset(&name);
		if (bytes && row_name(fp, part, by, depth, &name))
			ret = add_part(r, part, &name, bytes);
	}
	for (size_t i = 0; !ret && i < r->rows.nr; i++) {
		for (size_t k = 0; k < SIZES; k++)
			r->all.of[k] += r->rows.of[i].of[k];
	}
	return ret;
}

static struct table *new_table(enum footprint_by by)
{
	static const char *const names[] = { "footprint", "footprint_file",
					     "footprint_dir" };
	static const char *const titles[] = { "Symbol", "File", "Directory" };
	const struct column name = { .name = footprint_bys[by],
				     .title = titles[by],
				     .last = true };
	struct table *t = table_new(names[by], "Static footprint");

	if (!t)
		return NULL;
	table_set_by(t, footprint_bys[by]);
	table_add_column(t, &name);
	for (size_t k = 0; k < SIZES; k++)
		table_add_column(t, &(struct column){ .name = sizes[k].name,
						      .title = sizes[k].title,
						      .unit = UNIT_BYTES });
	return t;
}

struct table *footprint_compared(const struct footprint *fp, enum footprint_by by,
				 unsigned int depth)
{
	struct table *t = new_table(by);
	struct rows r = { .rows.nr = 0 };

	if (t && collect(&r, fp, by, depth))
		t->failed = true;
	for (size_t i = 0; t && !t->failed && i < r.rows.nr; i++) {
		struct cell *row = table_add_row(t);

		if (!row)
			break;
		row[0] = cell_text(t, KEYED_KEY(&r.rows, i));
		for (size_t k = 0; k < SIZES; k++)
			row[k + 1] = cell_uint(r.rows.of[i].of[k]);
	}
	for (size_t k = 0; t && k < SIZES; k++)
		table_add_summary(t, sizes[k].name, sizes[k].title, UNIT_BYTES,
				  cell_uint(r.all.of[k]), false);
	KEYED_FREE(&r.rows);
	return t;
}

void footprint_metrics(struct comparison_metrics *m)
{
	*m = (struct comparison_metrics){ .nr = SIZES, .largest = sizes[0].name };
	for (size_t k = 0; k < SIZES; k++)
		m->items[k] = (struct diff_metric){ .name = sizes[k].name,
						    .title = sizes[k].title,
						    .unit = UNIT_BYTES };
	m->usual[SIZE_ALL] = true;
}
