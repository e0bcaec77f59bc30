// SPDX-License-Identifier: GPL-2.0-or-later
/* Both directories have it: by its name alone nobody can tell. */
static void __attribute__((used)) alloc_bprm(void)
{
}
