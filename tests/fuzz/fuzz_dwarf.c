// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: debug information: units, functions, inlined functions, lines and variables
 * of a file as vmlinux, as a module, and as a program with user frames.
 * In: arbitrary bytes as an ELF file. Out: a crash is a finding.
 *
 * The seeds are built from one file, fs/a.c, and include/wrap.h:
 * \touter(n) { if (n > 3) return middle(n) + 5; return 0; }
 * \tmiddle(n), inlined: { return wrap(grow, n) ^ 3; }
 * \twrap(f, n), of the header, inlined: { return f(n + 1) + 1; }
 * with gcc -O2 -ffreestanding -gdwarf-N and ld -n -Ttext=0x1000 --defsym=grow=0x1000.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/debug_units.h"
#include "symbol/footprint.h"
#include "symbol/user_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Addresses of the seeds' code: as linked, and where libdwfl puts a module. */
#define PROGRAM_ADDR 0x1000
#define MODULE_ADDR  0x10000
#define NR_ADDRS     64

static int ask_frames(struct debug_units *units, uint64_t addr)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];
	const uint64_t end = addr + NR_ADDRS;
	size_t nr, i;
	int ret = 0;

	for (; !ret && addr < end; addr++) {
		ret = debug_units_frames(units, addr, frames, &nr);
		/* Reads each text up to its end, for the sanitizers. */
		for (i = 0; i < nr; i++)
			(void)!strlen(frames[i].file ? frames[i].file : "");
	}
	return ret;
}

static void ask(struct debug_units *units)
{
	const char *dir;
	int ret;

	(void)debug_units_at(units, PROGRAM_ADDR);
	ret = debug_units_function(units, "outer", &dir);
	ret = ask_frames(units, PROGRAM_ADDR);
	ret = ret ? ret : ask_frames(units, MODULE_ADDR);
	(void)ret;
}

/* Finds the source files of all symbols and variables, as of a kernel and as of a module. */
static void place_symbols(const char *path, struct debug_units *units)
{
	const struct directory_sources sources = { .vmlinux = units };
	struct footprint fp = { 0 };
	int ret = footprint_add_kernel(&fp, path, &sources);

	ret = ret ? ret : footprint_add_module(&fp, path, "a", "fs");
	(void)ret;
	footprint_free(&fp);
}

static int open_again(void *ctx, const char *path, uint32_t pid)
{
	(void)path;
	(void)pid;
	return dup(*(const int *)ctx);
}

/* The seeds' code is at 0xb0 of the file. */
static void name_frames(int fd)
{
	const struct user_symbols_options opts = { .open = open_again,
						   .ctx = &fd,
						   .chosen = true };
	struct user_maps maps = { 0 };
	struct user_texts texts = { 0 };
	int ret = user_maps_add_proc(&maps, 1, "0-ffff r-xp 0 0:0 9 /bin/prog\n");

	for (uint64_t at = 0; !ret && at < 0x140; at += 5)
		user_maps_innermost(&maps, user_maps_frame(&maps, 1, 1, at));
	for (uint64_t at = 2; !ret && at < 0x140; at += 5)
		user_maps_frame(&maps, 1, 1, at);
	if (!ret)
		ret = user_symbols(&maps, &opts, &texts);
	(void)ret;
	user_maps_free(&maps);
	strbuf_free(&texts.symbols);
	strbuf_free(&texts.lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("vmlinux", MFD_CLOEXEC);
	struct debug_units *units;
	char path[32];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	name_frames(fd);
	if (!debug_units_open(&units, path)) {
		ask(units);
		place_symbols(path, units);
		debug_units_free(units);
	}
	close(fd);
	return 0;
}
