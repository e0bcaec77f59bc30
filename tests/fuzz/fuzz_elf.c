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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t sites[] = { 0xffffffff81000005, 0x1005, 0x80001004 };
	int fd = memfd_create("vmlinux", MFD_CLOEXEC);
	struct symbol_text text;
	struct symbol_fit fit;
	struct elf_image img;
	int ret;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && !elf_image_open(&img, fd)) {
		text = (struct symbol_text){ img.symbols.data, img.symbols.size };
		ret = symbol_fit_names(&text, &text, &fit);
		if (!ret)
			ret = symbol_fit_calls(&img, sites, 3, &fit);
		elf_image_close(&img);
	}
	close(fd);
	return 0;
}
