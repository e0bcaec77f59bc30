// SPDX-License-Identifier: GPL-2.0-or-later
#define SYSCALL_DEFINE4(name, ...) void __x64_sys_##name(__VA_ARGS__)

SYSCALL_DEFINE4(openat, int dfd, const char *filename, int flags, int mode)
{
}
