// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a row of a comparison is called.
 * In: addresses, stacks, caches. Out: names that hold in another build of the kernel.
 */
#include "analysis/comparison_name.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/sites.h"
#include "symbol/fold.h"

static const char unknown[] = "[unknown]";

void comparison_name_site(const struct analysis_env *env, uint64_t addr,
			  struct strbuf *out)
{
	struct symbol sym;

	if (!addr || !symbols_find(env->syms, addr, &sym)) {
		strbuf_puts(out, unknown);
		return;
	}
	strbuf_add(out, sym.name,
		   env->raw_names ? strlen(sym.name) : symbol_plain_length(sym.name));
	if (sym.module)
		strbuf_printf(out, " [%s]", sym.module);
}

void comparison_name_module(const struct analysis_env *env, uint64_t addr,
			    struct strbuf *out)
{
	struct symbol sym;

	if (!addr || !symbols_find(env->syms, addr, &sym))
		strbuf_puts(out, unknown);
	else
		strbuf_puts(out, sym.module ? sym.module : "[kernel]");
}

void comparison_name_directory(const struct analysis_env *env, uint64_t addr,
			       unsigned int depth, struct strbuf *out)
{
	const char *name = directories_find(env->dirs, addr, depth);

	out->failed |= !name;
	strbuf_puts(out, name ? name : "");
}

void comparison_name_stack(const struct analysis_env *env, uint32_t id, uint64_t callsite,
			   struct strbuf *out)
{
	uint32_t nr = 0, i, first;
	const uint64_t *frames = event_stream_stack(env->stream, id, &nr);

	if (!frames || !nr) {
		if (callsite) {
			comparison_name_site(env, callsite, out);
			strbuf_puts(out, ";");
		}
		strbuf_puts(out, "[no stack]");
		return;
	}
	first = sites_start(env, frames, nr, callsite);
	for (i = first; i < nr; i++) {
		strbuf_puts(out, i > first ? ";" : "");
		comparison_name_site(env, frames[i], out);
	}
}

/* mm/slab_common.c: kmalloc_info[] and create_kmalloc_caches(); kmalloc-1k was kmalloc-1024
 * before 4.21. What is larger than two pages comes from the page allocator.
 */
void comparison_name_kmalloc(const struct analysis_env *env, uint64_t size,
			     struct strbuf *out)
{
	bool power = size && !(size & (size - 1));

	if (size > 2ULL * env->page_size)
		strbuf_puts(out, "kmalloc-large");
	else if (size >= 8 && size < 1024 && (power || size == 96 || size == 192))
		strbuf_printf(out, "kmalloc-%" PRIu64, size);
	else if (size >= 1024 && power)
		strbuf_printf(out, "kmalloc-%" PRIu64 "k", size / 1024);
	else
		strbuf_printf(out, "[kmalloc of %" PRIu64 "]", size);
}

uint64_t comparison_callsite(const struct analysis_env *env, uint32_t id)
{
	uint32_t nr = 0;
	const uint64_t *frames = event_stream_stack(env->stream, id, &nr);
	int index = frames ? callsite_find(env->rule, env->syms, frames, nr) : -1;

	return index < 0 ? 0 : frames[index];
}
