// SPDX-License-Identifier: GPL-2.0-or-later
void proc_alloc_inode(void)
{
}
