// SPDX-License-Identifier: GPL-2.0-or-later
void tomoyo_find_next_domain(void)
{
}
