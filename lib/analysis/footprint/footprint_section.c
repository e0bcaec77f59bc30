// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the sections of a kernel's files.
 * In: the files. Out: table "footprint_section".
 */
#include "analysis/footprint/footprint_tree.h"

struct section_row {
	const struct elf_section *section;
	const struct footprint_image *image;
};

static struct cell section_symbols(const void *row, struct table *t)
{
	const struct section_row *r = row;

	return cell_uint(r->section->size - r->section->bare);
}

static struct cell section_kind(const void *row, struct table *t)
{
	static const char *const kinds[] = { "text", "rodata", "data", "bss" };
	const struct section_row *r = row;

	return cell_text(t, kinds[r->section->kind]);
}

static struct cell section_freed(const void *row, struct table *t)
{
	const struct section_row *r = row;

	return cell_text(t, r->section->init ? "yes" : "");
}

static struct cell section_module(const void *row, struct table *t)
{
	const struct section_row *r = row;

	return cell_text(t, r->image->name ? r->image->name : "vmlinux");
}

static const struct column_type section_columns[] = {
	BYTES_COLUMN("bytes", "Bytes", 0, "The section's size.",
		     MEMBER_OF(struct section_row, section, size)),
	{ COLUMN("pct", "%", UNIT_SHARE, "Share of all sections.", .part = COLUMN_SHARE,
		 .leaves = 10),
	  .fill = cell_none },
	BYTES_COLUMN("symbols", "In_symbols", 30, "The part of these in symbols.",
		     .fill = section_symbols),
	{ COLUMN("kind", "Kind", UNIT_NONE,
		 "What it counts as: text, rodata, data or bss."),
	  .fill = section_kind },
	{ COLUMN("freed", "Init_only", UNIT_NONE,
		 "\"yes\": after boot, or after the module was loaded; else empty.",
		 .leaves = 40),
	  .fill = section_freed },
	{ COLUMN("image", "Image", UNIT_NONE, "vmlinux, or the module."),
	  .fill = section_module },
	{ COLUMN("section", "Section", UNIT_NONE, "Its name.", .last = true),
	  MEMBER_OF(struct section_row, section, name) },
	COLUMNS_END,
};

const struct table_type footprint_section_type = {
	.name = "footprint_section",
	.help = "a section of vmlinux or of a module that takes memory",
	.sort = "bytes",
	.columns = section_columns,
};

struct table *footprint_sections(const struct footprint *fp)
{
	struct table *t =
		table_type_new(&footprint_section_type, "Sections that take memory",
			       SUBJECT_NONE, false);

	for (size_t i = 0; t && i < fp->nr_images; i++) {
		const struct footprint_image *image = &fp->images[i];

		for (size_t k = 0; k < image->layout.nr_sections; k++) {
			const struct section_row row = { &image->layout.sections[k],
							 image };

			if (!table_type_add_row(&footprint_section_type, SUBJECT_NONE, t,
						&row))
				return t;
		}
	}
	if (t)
		table_set_by(t, "section");
	return t;
}
