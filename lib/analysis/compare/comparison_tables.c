// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the tables for comparing recordings.
 * In: rows from comparison.c. Out: tables "slab", "slab_cache", "page", "page_matrix" and others.
 */
#include "analysis/compare/comparison.h"
#include "analysis/stat/page_report.h"

/* What diff's --by can be. */
#define COMPARISON_ROWS                                                             \
	(ROWS(CALLSITE) | ROWS(STACK) | ROWS(MODULE) | ROWS(DIR) | ROWS(FUNCTION) | \
	 ROWS(FILE) | ROWS(LINE) | ROWS(ENTRY) | ROWS(COMM) | ROWS(PROCESS) |       \
	 ROWS(CGROUP))

#define TITLE(is)                                       \
	((is) == KIND_PAGE	? "Page allocations"    \
	 : (is) == KIND_VMALLOC ? "Areas of vmalloc"    \
	 : (is) == KIND_PERCPU	? "Per-CPU allocations" \
				: "Slab allocations")
#define NEEDED(is)                              \
	((is) == KIND_PAGE	? NEEDS_PAGE    \
	 : (is) == KIND_VMALLOC ? NEEDS_VMALLOC \
	 : (is) == KIND_PERCPU	? NEEDS_PERCPU  \
				: NEEDS_SLAB)

/* An analysis for each table. */
#define COMPARISON(id, when, is, by, text, which, cols, ...)                           \
	static const struct table_type table_##id = { .name = #id,                     \
						      .help = text,                    \
						      .columns = cols };               \
	static const struct table_type *const tables_##id[] = { &table_##id,           \
								##__VA_ARGS__, NULL }; \
	static const struct comparison_type type_##id = { is, by, &table_##id,         \
							  TITLE(is) };                 \
	static int create_##id(void *self, const struct analysis_env *env,             \
			       const struct analysis_options *opts)                    \
	{                                                                              \
		return comparison_create(self, opts, &type_##id);                      \
	}                                                                              \
	const struct analysis analysis_comparison_##id = {                             \
		.name = "comparison_" #id,                                             \
		.help = text,                                                          \
		.use = when,                                                           \
		.needs = NEEDED(is),                                                   \
		.rows = which,                                                         \
		.tables = tables_##id,                                                 \
		ANALYSIS_SELF(struct comparison),                                      \
		.create = create_##id,                                                 \
		.end = comparison_end,                                                 \
		.view = comparison_view,                                               \
		.destroy = comparison_destroy,                                         \
	};

COMPARISON(slab, ANALYSIS_DIFF, KIND_SLAB, SUBJECT_NONE, "slab objects, to be compared",
	   COMPARISON_ROWS, comparison_slab_columns)
COMPARISON(slab_dir, ANALYSIS_RULES, KIND_SLAB, SUBJECT_DIR,
	   "slab objects by directory, for rules", ROWS(DIR), comparison_slab_columns)
COMPARISON(slab_stack, ANALYSIS_DIFF_PAGE, KIND_SLAB, SUBJECT_STACK,
	   "slab objects by callchain, for a page", ROWS(STACK), comparison_slab_columns)
COMPARISON(slab_cache, ANALYSIS_DIFF, KIND_CACHE, SUBJECT_NONE,
	   "slab objects by cache, to be compared", ROWS(CACHE), comparison_cache_columns)
COMPARISON(page, ANALYSIS_DIFF, KIND_PAGE, SUBJECT_NONE, "page blocks, to be compared",
	   COMPARISON_ROWS, comparison_page_columns, &page_matrix_type)
COMPARISON(page_dir, ANALYSIS_RULES, KIND_PAGE, SUBJECT_DIR,
	   "page blocks by directory, for rules", ROWS(DIR), comparison_page_columns)
COMPARISON(page_stack, ANALYSIS_DIFF_PAGE, KIND_PAGE, SUBJECT_STACK,
	   "page blocks by callchain, for a page", ROWS(STACK), comparison_page_columns)
COMPARISON(vmalloc, ANALYSIS_DIFF, KIND_VMALLOC, SUBJECT_NONE,
	   "areas of vmalloc, to be compared", COMPARISON_ROWS, comparison_page_columns)
COMPARISON(percpu_memory, ANALYSIS_DIFF, KIND_PERCPU, SUBJECT_NONE,
	   "per-CPU memory, to be compared", COMPARISON_ROWS, comparison_page_columns)
