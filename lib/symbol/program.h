/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: reads the ELF file of a program or a library.
 * In: a file, and optionally the one with its debug symbols. Out: the function at an offset.
 */
#ifndef KMEMX_SYMBOL_PROGRAM_H
#define KMEMX_SYMBOL_PROGRAM_H

#include "base/compiler.h"

struct program;

/**
 * program_open() - read the functions of .symtab, or else those of .dynsym
 * @fd: an open file; @symbols_fd: the file with its symbols, or -1; neither is closed or needed
 *	later
 *
 * A stripped file has no functions, but its addresses are known.
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENOMEM.
 */
int program_open(struct program **out, int fd, int symbols_fd) __must_check;
void program_close(struct program *p);

/* The address, as linked, of what is at @offset of the file; @offset if no segment has it. */
uint64_t program_address(const struct program *p, uint64_t offset);
/* The function that contains @address, as linked, or NULL; @start receives its first address. The
 * name belongs to @p.
 */
const char *program_function(const struct program *p, uint64_t address, uint64_t *start);

#endif
