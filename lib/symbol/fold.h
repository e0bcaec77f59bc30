/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: a function's name without what a build adds to it.
 * In: a symbol's name. Out: the part of it that is the same in another build.
 */
#ifndef KMEMX_SYMBOL_FOLD_H
#define KMEMX_SYMBOL_FOLD_H

#include <stddef.h>

/* Length of @name without the endings that compilers add (.isra.0, .constprop.0, .part.0,
 * .cold, .llvm.123, .lto_priv.0) and without _noprof, which 6.10 gave to allocators.
 */
size_t symbol_plain_length(const char *name);

#endif
