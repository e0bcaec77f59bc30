// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: reads which of the compiled-in changes is in effect.
 * In: $MUTANT and $MUTANT_REACHED. Out: the variables that mutant.h compares. Processes that fork
 * share the file.
 */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int mutant_now;
unsigned char *mutant_reached;

__attribute__((constructor)) static void mutant_begin(void)
{
	const char *number = getenv("MUTANT"), *path = getenv("MUTANT_REACHED");
	struct stat st;
	void *bytes;
	int fd;

	mutant_now = number ? (int)strtol(number, NULL, 10) : 0;
	fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	if (!fstat(fd, &st)) {
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			     fd, 0);
		if (bytes != MAP_FAILED)
			mutant_reached = bytes;
	}
	close(fd);
}
