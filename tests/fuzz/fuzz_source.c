// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: a kernel's source, its Makefiles, the paths in debug information, and
 * budgets that name its directories.
 * In: arbitrary text as each of them. Out: a crash is a finding.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/gate.h"
#include "symbol/source_path.h"
#include "symbol/source_tree.h"

static const struct diff_metric gate_metrics[] = { { .name = "bytes" },
						   { .name = "hit" },
						   { .name = "net" },
						   { .name = "waste" },
						   { .name = "peak" } };
static const char *const gate_tables[] = { "slab", "slab_cache", "page" };
static const struct gate_words known_words = { gate_metrics, 5, gate_tables, 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that each name lies inside the text and is no longer than kallsyms allows. */
static int check_name(void *ctx, const char *prefix, const char *name, size_t size)
{
	const char *const *text = ctx;

	if (!size || size > 511 || name < text[0] || name + size > text[1])
		__builtin_trap();
	return strlen(prefix) > 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text[] = { (const char *)data, (const char *)data + size };
	struct gate_rules rules = { .words = &known_words };
	struct strbuf out = { 0 };
	char *path;
	int err = 0;

	c_scan_functions(text[0], size, check_name, text);
	c_scan_objects(text[0], size, check_name, text);
	path = strndup(text[0], size);
	if (path) {
		source_path_dir(path, "/src/", "/build", &out);
		if (out.size && out.data[0] == '/')
			__builtin_trap();
		strbuf_reset(&out);
		err = gate_add_budget(&rules, path, &out);
	}
	if (err && !out.size)
		__builtin_trap();
	gate_free(&rules);
	strbuf_free(&out);
	free(path);
	return 0;
}
