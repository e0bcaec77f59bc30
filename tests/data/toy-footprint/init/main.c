// SPDX-License-Identifier: GPL-2.0-or-later
#include "../sizes.h"

FUNCTION(".init.text", start_kernel, 256);
/* The compiler knows this function. */
void __attribute__((naked)) rest_init(void)
{
	asm(".skip 64");
}
char __attribute__((section(".init.data"))) boot_command_line[512] = "quiet";
int system_state = 1;
