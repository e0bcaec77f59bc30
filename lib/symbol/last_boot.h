/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: moves this boot's symbols to fit events of the previous boot.
 * In: last_boot_info of an instance that survived a reboot, this boot's kallsyms and /proc/modules.
 * Out: kallsyms text with the addresses of the previous boot.
 */
#ifndef KMEMX_SYMBOL_LAST_BOOT_H
#define KMEMX_SYMBOL_LAST_BOOT_H

#include "base/strbuf.h"
#include "symbol/fit.h"

enum last_boot_kind {
	LAST_BOOT_NONE,	   /* the buffer is of this boot */
	LAST_BOOT_SAME,	   /* nothing moved */
	LAST_BOOT_MOVED,   /* the kernel, a module, or both */
	LAST_BOOT_UNKNOWN, /* kallsyms does not have the kernel's address */
};

/**
 * struct last_boot - how the boots differ
 * @offset: added to this boot's addresses of the kernel, modulo 2^64
 * @nr_modules: modules whose symbols were kept, moved or not; @nr_dropped: modules whose symbols
 *	were left out because their old addresses are unknown
 */
struct last_boot {
	enum last_boot_kind kind;
	uint64_t offset;
	unsigned int nr_modules, nr_dropped;
};

/**
 * last_boot_symbols() - move symbols to their addresses of the previous boot
 * @info: text of last_boot_info: "text delta: N" (Linux 6.12: this boot's address minus the
 *	previous one), or lines "ADDR NAME" for "[kernel]" and each module (6.15 and later)
 * @kallsyms: of this boot; @modules: its /proc/modules; may be NULL
 * @out: the moved text, if @last->kind is LAST_BOOT_MOVED; appended
 *
 * Both boots must have run the same build; @info does not show it.
 *
 * Return: 0 or -ENOMEM.
 */
int last_boot_symbols(const char *info, const struct symbol_text *kallsyms,
		      const char *modules, struct strbuf *out,
		      struct last_boot *last) __must_check;

#endif
