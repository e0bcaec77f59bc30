// SPDX-License-Identifier: GPL-2.0-or-later
void proc_self_get_link(void)
{
}
