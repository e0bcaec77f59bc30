// SPDX-License-Identifier: GPL-2.0-or-later
void mas_alloc_nodes(void)
{
}
