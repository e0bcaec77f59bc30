// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: asks the kernel for blocks of 64 KiB.
 * In: how many. Out: N blocks of 64 KiB, each freed before the next.
 *
 * getxattr() with a value of that maximum length first allocates a buffer. A block of order 4 (of 4
 * KiB pages) comes from the zone's lists: CPUs do not cache these, as they do smaller blocks and
 * huge pages.
 *
 * usage: order4 N
 */
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/xattr.h>

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	static char value[XATTR_SIZE_MAX];

	/* The attribute need not exist. */
	for (i = 0; i < nr; i++)
		(void)!getxattr("/", "user.kmemx", value, sizeof(value));
	return 0;
}
