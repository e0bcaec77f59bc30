// SPDX-License-Identifier: GPL-2.0-or-later
/* Both directories define it: its name alone is ambiguous. */
static void __attribute__((used)) alloc_bprm(void)
{
}
