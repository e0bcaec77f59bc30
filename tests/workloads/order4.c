// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: asks the kernel for blocks of 64 KiB.
 * In: how many. Out: N blocks of 64 KiB, each freed before the next.
 *
 * getxattr() of a value that may be as long as that takes a buffer first. A block of order 4
 * (of 4 KiB pages) comes from the zone's lists: no CPU keeps one for itself, as it does with
 * smaller blocks and huge pages.
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

	/* That nothing is there to be read does not matter. */
	for (i = 0; i < nr; i++)
		(void)!getxattr("/", "user.kmemx", value, sizeof(value));
	return 0;
}
