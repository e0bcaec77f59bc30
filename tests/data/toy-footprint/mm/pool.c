// SPDX-License-Identifier: GPL-2.0-or-later
#include "../sizes.h"

FUNCTION(".text", pool_alloc, 300);
#ifdef LATER
char pool[6000];
#else
char pool[4000];
#endif
static char pool_used[96];
char *const pool_end = pool_used;
