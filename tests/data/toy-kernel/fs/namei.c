// SPDX-License-Identifier: GPL-2.0-or-later
void getname_flags(void) __asm__("getname_flags.part.0");

__attribute__((noinline)) void getname_flags(void)
{
}
