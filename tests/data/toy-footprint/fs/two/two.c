// SPDX-License-Identifier: GPL-2.0-or-later
#include "../../sizes.h"

FUNCTION(".init.text", two_init, 32);
FUNCTION(".text", two_read, 500);
/* The compiler knows this function. */
void __attribute__((naked)) two_open(void)
{
	asm(".skip 20");
}
static int two_count = 1;
int *const two_counts = &two_count;
