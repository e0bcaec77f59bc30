/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the functions that a kernel source file defines, and the objects that a Makefile builds.
 * In: untrusted text. Out: names.
 */
#ifndef KMEMX_SYMBOL_C_SCAN_H
#define KMEMX_SYMBOL_C_SCAN_H

#include "base/compiler.h"

/* Receives the name @prefix followed by the @size bytes at @name; a result other than 0 ends the
 * scan.
 */
typedef int c_scan_name(void *ctx, const char *prefix, const char *name, size_t size);

/**
 * c_scan_functions() - find the functions that C source defines
 * @found: called for each, in order, also for a second definition after #else
 *
 * Reads no headers and expands no macros. A definition by an upper-case macro is named after its
 * first argument: BPF_CALL_1(name, ...); SYSCALL_DEFINE1(open, ...) gives "sys_open" and
 * COMPAT_SYSCALL_DEFINE1(open, ...) "compat_sys_open". If both #if and #else open a brace, only
 * that function is affected: in kernel style, a closing brace in the first column ends a function.
 * Takes linear time in @size and allocates nothing.
 *
 * Return: 0, or what @found returned.
 */
int c_scan_functions(const char *text, size_t size, c_scan_name *found, void *ctx);

/**
 * c_scan_objects() - find the objects in a kernel Makefile's lines "obj-... += a.o b.o"
 * @found: called with "a", "b"; directories are skipped
 *
 * Return: 0, or what @found returned.
 */
int c_scan_objects(const char *text, size_t size, c_scan_name *found, void *ctx);

#endif
