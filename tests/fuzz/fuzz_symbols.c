// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: kallsyms text, and lookups in it.
 * In: an address of eight bytes, then arbitrary text. Out: a crash is a finding.
 */
#include <stdint.h>
#include <string.h>

#include "symbol/callsite.h"
#include "symbol/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	callsite_rule_free(rule);
	symbols_free(syms);
	strbuf_free(&text);
	return 0;
}
