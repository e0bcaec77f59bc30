// SPDX-License-Identifier: GPL-2.0-or-later
void security_file_alloc(void)
{
}

void security_task_alloc(void)
{
}
