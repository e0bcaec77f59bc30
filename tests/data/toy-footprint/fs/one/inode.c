// SPDX-License-Identifier: GPL-2.0-or-later
#include "../../sizes.h"

#ifdef LATER
FUNCTION(".text", one_read, 1200);
FUNCTION(".text", one_write_begin, 300);
#else
FUNCTION(".text", one_read, 1000);
#endif
FUNCTION(".text", one_open, 100);
asm(".set one_alias, one_open\n.type one_alias,@function\n.size one_alias, 100\n");
static const int one_table[64] = { 1 };
const int *const one_tables[] = { one_table };
