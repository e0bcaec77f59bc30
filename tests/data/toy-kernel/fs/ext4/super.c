// SPDX-License-Identifier: GPL-2.0-or-later
static void ext4_alloc_inode(void)
{
}
