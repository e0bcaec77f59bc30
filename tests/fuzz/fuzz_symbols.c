// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: kallsyms text and lookups in it; the same text as mappings of a process, as a
 * JIT compiler's names, and as lines of programs.
 * In: an address of eight bytes, then arbitrary text. Out: a crash is a finding.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "symbol/callsite.h"
#include "symbol/source_lines.h"
#include "symbol/symbols.h"
#include "symbol/user_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every path opens a file with the text. */
static int open_text(void *ctx, const char *path, uint32_t pid)
{
	const struct strbuf *text = ctx;
	int fd = memfd_create(path, 0);

	(void)pid;
	if (fd >= 0 && io_pwrite_all(fd, strbuf_text(text), text->size, 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void fuzz_programs(uint64_t address, struct strbuf *text)
{
	const struct user_symbols_options opts = { .open = open_text,
						   .ctx = text,
						   .chosen = true };
	struct user_maps maps = { 0 }, again = { 0 };
	struct user_texts texts = { 0 };
	struct strbuf out = { 0 };

	/* One mapping is always there. */
	if (!user_maps_add_proc(&maps, 1, "0-ffffffff00 rwxp 0 0:0 0\n") &&
	    !user_maps_add_proc(&maps, 1, strbuf_text(text)) &&
	    !user_maps_parse(&maps, strbuf_text(text))) {
		for (uint32_t pid = 0; pid < 3; pid++) {
			user_maps_frame(&maps, pid, 2, address);
			user_maps_frame(&maps, pid, 0, address & 0xfffff);
		}
		user_maps_format(&maps, &out);
		if (!out.failed && !user_maps_parse(&again, strbuf_text(&out)) &&
		    !user_symbols(&maps, &opts, &texts))
			user_maps_frame(&again, 1, 0, address);
	}
	user_maps_free(&maps);
	user_maps_free(&again);
	strbuf_free(&out);
	strbuf_free(&texts.symbols);
	strbuf_free(&texts.lines);
}

static void fuzz_lines(const struct symbols *syms, uint64_t address, const char *text)
{
	const struct directory_sources none = { 0 };
	const struct source_frame *frames;
	struct source_lines *lines = NULL;

	if (!source_lines_new(&lines, &none, syms, 0) &&
	    !source_lines_add_user(lines, text))
		source_lines_find(lines, address, &frames);
	source_lines_free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct callsite_rule *rule = NULL;
	struct symbols *syms = NULL;
	struct strbuf text = { 0 };
	uint64_t frames[2];

	if (size < sizeof(frames))
		return 0;
	memcpy(frames, data, sizeof(frames));
	if (!symbols_new(&syms, (const char *)data + sizeof(frames),
			 size - sizeof(frames), NULL) &&
	    !callsite_rule_new(&rule, NULL, 0, &text)) {
		symbols_format(syms, frames[0], &text);
		callsite_find(rule, syms, frames, 2);
	}
	strbuf_reset(&text);
	strbuf_add(&text, data + sizeof(frames), size - sizeof(frames));
	if (!text.failed) {
		fuzz_programs(frames[0], &text);
		fuzz_lines(syms, frames[0], strbuf_text(&text));
	}
	callsite_rule_free(rule);
	symbols_free(syms);
	strbuf_free(&text);
	return 0;
}
