// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: a kernel's ELF file: compares its code with callsites, and reads its sizes.
 * In: arbitrary bytes as vmlinux. Out: a crash is a finding.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/elf_layout.h"
#include "symbol/fit.h"
#include "symbol/footprint.h"
#include "symbol/user_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NR_SITES 16

/* Fits sixteen callsites of a moved kernel, @behind bytes after the starts of the calls. */
static int fit_calls(const struct elf_image *img, unsigned int behind)
{
	uint64_t sites[NR_SITES];
	struct symbol_fit fit;
	size_t i;

	for (i = 0; i < NR_SITES; i++)
		sites[i] = 0x85000000 + 16 * i + behind;
	return symbol_fit_calls(img, sites, NR_SITES, &fit);
}

/* Checks that each byte of a section belongs to at most one symbol. */
static void check_layout(int fd)
{
	struct elf_layout layout;
	struct elf_rests rests = { 0 };
	uint64_t bytes;
	size_t i, k, n = 0;

	if (!elf_layout_open(&layout, fd) && !elf_rests_read(&rests, &layout)) {
		for (i = k = 0; i < layout.nr_sections; i++) {
			bytes = layout.sections[i].bare;
			for (; k < layout.nr_items && layout.items[k].section == i; k++)
				bytes += layout.items[k].own;
			if (bytes != layout.sections[i].size)
				abort();
			for (bytes = 0; n < rests.nr && rests.items[n].section == i; n++)
				bytes += rests.items[n].bytes;
			if (bytes != layout.sections[i].bare)
				abort();
			(void)elf_layout_find(&layout, (uint32_t)i,
					      layout.sections[i].addr + 1);
		}
		if (k != layout.nr_items)
			abort();
	}
	elf_rests_free(&rests);
	elf_layout_close(&layout);
}

/* Checks that a function contains the address that it was found for. */
static void check_program(int fd)
{
	struct program *p = NULL;
	uint64_t start;

	if (program_open(&p, fd, fd))
		return;
	for (uint64_t offset = 0; offset < 1U << 16; offset += 64) {
		uint64_t address = program_address(p, offset);

		if (program_function(p, address, &start) && start > address)
			abort();
	}
	program_close(p);
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
		/* The lengths of calls on aarch64, x86, s390 */
		for (behind = 4; behind <= 6; behind++)
			ret = fit_calls(&img, behind);
		(void)ret;
		elf_image_close(&img);
	}
	if (lseek(fd, 0, SEEK_SET) == 0)
		check_layout(fd);
	check_program(fd);
	close(fd);
	return 0;
}
