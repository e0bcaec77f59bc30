// SPDX-License-Identifier: GPL-2.0-or-later
void prepare_creds(void)
{
}
