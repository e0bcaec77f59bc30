/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: function names without the parts that differ between builds.
 * In: a symbol's name. Out: the part that is the same in other builds.
 */
#ifndef KMEMX_SYMBOL_FOLD_H
#define KMEMX_SYMBOL_FOLD_H

#include "base/compiler.h"

/* Length of @name without compilers' endings (.isra.0, .constprop.0, .part.0, .cold, .llvm.123,
 * .lto_priv.0) and without _noprof, which 6.10 added to allocators.
 */
size_t symbol_plain_length(const char *name);
/* Copies @name without them to @plain of @size bytes. False: it had to be cut. */
bool symbol_plain(const char *name, char *plain, size_t size);
/* Is @name @pattern, or with a * at its end, does @name begin with it? */
bool symbol_matches(const char *name, const char *pattern);

#endif
