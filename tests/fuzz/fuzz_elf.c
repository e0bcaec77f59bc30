// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: a kernel's ELF file, and its code held against callsites.
 * In: arbitrary bytes as vmlinux. Out: a crash is a finding.
 */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/fit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NR_SITES 16

/* Sixteen callsites of a kernel that was moved, @behind the starts of the calls. */
static int fit_calls(const struct elf_image *img, unsigned int behind)
{
	uint64_t sites[NR_SITES];
	struct symbol_fit fit;
	size_t i;

	for (i = 0; i < NR_SITES; i++)
		sites[i] = 0x85000000 + 16 * i + behind;
	return symbol_fit_calls(img, sites, NR_SITES, &fit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("vmlinux", MFD_CLOEXEC);
	struct symbol_text text;
	struct symbol_fit fit;
	struct elf_image img;
	unsigned int behind;
	int ret;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && !elf_image_open(&img, fd)) {
		text = (struct symbol_text){ img.symbols.data, img.symbols.size };
		ret = symbol_fit_names(&text, &text, &fit);
		/* The lengths of calls: of aarch64, x86, s390 */
		for (behind = 4; behind <= 6; behind++)
			ret = fit_calls(&img, behind);
		(void)ret;
		elf_image_close(&img);
	}
	close(fd);
	return 0;
}
