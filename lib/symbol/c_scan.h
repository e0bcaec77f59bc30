/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: which functions a file of the kernel's source defines, and what its Makefile makes.
 * In: untrusted text. Out: names.
 */
#ifndef KMEMX_SYMBOL_C_SCAN_H
#define KMEMX_SYMBOL_C_SCAN_H

#include <stddef.h>

#include "base/compiler.h"

/* Takes a name of @size bytes, to be read behind @prefix; not 0 ends the scan. */
typedef int c_scan_name(void *ctx, const char *prefix, const char *name, size_t size);

/**
 * c_scan_functions() - the functions that C source defines
 * @found: called for each, in order; a function behind #else is one more of its name
 *
 * Reads no header and expands nothing. A definition by a macro in capitals has the name of
 * its first argument: BPF_CALL_1(name, ...); SYSCALL_DEFINE1(open, ...) gives "sys_open" and
 * COMPAT_SYSCALL_DEFINE1(open, ...) "compat_sys_open". Braces that #if and #else open twice
 * do not mislead it for longer than that function: in the kernel's style a closing brace in
 * the first column ends one. Linear in @size, and keeps nothing.
 *
 * Return: 0, or what @found returned.
 */
int c_scan_functions(const char *text, size_t size, c_scan_name *found, void *ctx);

/**
 * c_scan_objects() - what a kernel Makefile builds, by its lines "obj-... += a.o b.o"
 * @found: called with "a", "b"; directories are left out
 *
 * Return: 0, or what @found returned.
 */
int c_scan_objects(const char *text, size_t size, c_scan_name *found, void *ctx);

#endif
