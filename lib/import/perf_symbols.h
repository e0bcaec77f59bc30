/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the symbols for a perf.data file, which has none of its own.
 * In: text of a kallsyms or a System.map, and what the file says of its kernel. Out: kallsyms.
 */
#ifndef KMEMX_IMPORT_PERF_SYMBOLS_H
#define KMEMX_IMPORT_PERF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "import/import_options.h"
#include "import/perf_system.h"

/**
 * perf_symbols_add() - add the symbols @text to @out, as addresses of the file's kernel
 * @moved: set to how far they moved, modulo 2^64; 0: not at all
 *
 * A kernel may begin at another address whenever it boots (KASLR). Where the file says at which,
 * and @text has another, its symbols move, and modules are left out: these do not move with it.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_symbols_add(struct strbuf *out, const char *text, const struct perf_system *s,
		     uint64_t *moved) __must_check;
/* Is @text, a kallsyms, of @kernel since its last boot? A build id is not looked at; without one
 * the code must end where it did, too, as another build of the same release rarely does.
 */
bool perf_symbols_fit(const char *text, const struct import_kernel *kernel);
/* The address of symbol @name in the text of a kallsyms or System.map; 0: not there, or hidden. */
uint64_t perf_symbols_find(const char *text, const char *name);

#endif
