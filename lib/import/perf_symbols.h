/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the symbols for a perf.data file, which has none of its own.
 * In: text of a kallsyms or a System.map, and what the file says about its kernel. Out: kallsyms.
 */
#ifndef KMEMX_IMPORT_PERF_SYMBOLS_H
#define KMEMX_IMPORT_PERF_SYMBOLS_H

#include "base/strbuf.h"
#include "import/import_meta.h"
#include "import/perf_system.h"

/**
 * perf_symbols_add() - add the symbols @text to @out, as addresses of the file's kernel
 * @moved: set to how far they were moved, modulo 2^64; 0: not moved
 *
 * A kernel may start at another address at each boot (KASLR). If the file has the address and @text
 * has another, the symbols are moved. Modules are then left out: they do not move with the kernel.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_symbols_add(struct strbuf *out, const char *text, const struct perf_system *s,
		     uint64_t *moved) __must_check;
/* Is @text, a kallsyms, from the same boot of @kernel? Ignores the build ID; if there is none, the
 * code must also end at the same address, as another build of the same release rarely does.
 */
bool perf_symbols_fit(const char *text, const struct import_kernel *kernel);
/* The address of symbol @name in the text of a kallsyms or System.map; 0: missing or hidden. */
uint64_t perf_symbols_find(const char *text, const char *name);

#endif
