// SPDX-License-Identifier: GPL-2.0-or-later
void anon_vma_clone(void)
{
}

void anon_vma_fork(void)
{
}

void __anon_vma_prepare(void)
{
}
