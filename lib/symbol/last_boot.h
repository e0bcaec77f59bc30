/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the symbols of this boot for events of the boot before.
 * In: last_boot_info of an instance that survived a reboot, kallsyms and /proc/modules of the
 * boot after. Out: kallsyms text with the addresses of the boot before.
 */
#ifndef KMEMX_SYMBOL_LAST_BOOT_H
#define KMEMX_SYMBOL_LAST_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "symbol/fit.h"

enum last_boot_kind {
	LAST_BOOT_NONE,	   /* the buffer is of this boot */
	LAST_BOOT_SAME,	   /* nothing moved */
	LAST_BOOT_MOVED,   /* the kernel, a module, or both */
	LAST_BOOT_UNKNOWN, /* kallsyms does not say where the kernel is now */
};

/**
 * struct last_boot - how the boots differ
 * @offset: added to the kernel's addresses of this boot, modulo 2^64
 * @nr_modules: modules whose symbols were moved, or stayed; @nr_dropped: whose symbols were left
 *		out, as nothing says where they were
 */
struct last_boot {
	enum last_boot_kind kind;
	uint64_t offset;
	unsigned int nr_modules, nr_dropped;
};

/**
 * last_boot_symbols() - move symbols to where they were at the boot before
 * @info: text of last_boot_info: "text delta: N" (Linux 6.12: this boot's address less the one
 *	  before), or lines "ADDR NAME" for "[kernel]" and each module (6.15 and later)
 * @kallsyms: of the boot after; @modules: its /proc/modules; may be NULL
 * @out: the moved text, if @last->kind is LAST_BOOT_MOVED; appended
 *
 * Both boots must have run the same build; nothing in @info can tell.
 *
 * Return: 0 or -ENOMEM.
 */
int last_boot_symbols(const char *info, const struct symbol_text *kallsyms,
		      const char *modules, struct strbuf *out,
		      struct last_boot *last) __must_check;

#endif
