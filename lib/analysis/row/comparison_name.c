// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/row/comparison_name.h"

#include "analysis/row/sites.h"
#include "symbol/fold.h"

static const char unknown[] = "[unknown]";

static void add_function(const struct analysis_env *env, const char *name,
			 struct strbuf *out)
{
	strbuf_add(out, name, env->raw_names ? strlen(name) : symbol_plain_length(name));
}

/* The callsite's function, and its @module; NULL: none. */
static const char *function_of(const struct analysis_env *env, uint64_t addr,
			       const char **module)
{
	struct callsite_place place = { 0 };

	if (addr)
		(void)callsite_look(env->rule, env->syms, addr, &place);
	*module = place.module;
	return place.function;
}

static void name_site(const struct analysis_env *env, uint64_t addr, struct strbuf *out)
{
	const char *module, *function = function_of(env, addr, &module);

	if (!function) {
		strbuf_puts(out, unknown);
		return;
	}
	add_function(env, function, out);
	if (module)
		strbuf_printf(out, " [%s]", module);
}

static void name_function(const struct analysis_env *env, uint64_t addr,
			  struct strbuf *out)
{
	const char *module, *function = function_of(env, addr, &module);

	if (function)
		add_function(env, function, out);
	else
		strbuf_puts(out, unknown);
}

/* The callsite in the source; NULL: not known. */
static const struct source_frame *source_of(const struct analysis_env *env, uint64_t addr)
{
	const struct source_frame *chain;
	struct callsite_place place;
	size_t nr, index;

	if (!env->lines || !addr)
		return NULL;
	(void)callsite_look(env->rule, env->syms, addr, &place);
	nr = source_lines_find(env->lines, addr, &chain);
	index = place.nr ? place.index : nr - 1;
	return nr ? chain + index : NULL;
}

static void name_file(const struct analysis_env *env, uint64_t addr, struct strbuf *out)
{
	const struct source_frame *frame = source_of(env, addr);

	strbuf_puts(out, frame && frame->file ? frame->file : SOURCE_UNKNOWN);
}

static void name_line(const struct analysis_env *env, uint64_t addr, struct strbuf *out)
{
	const struct source_frame *frame = source_of(env, addr);

	name_file(env, addr, out);
	if (frame && frame->file && frame->line)
		strbuf_printf(out, ":%" PRIu32, frame->line);
}

static void name_module(const struct analysis_env *env, uint64_t addr, struct strbuf *out)
{
	struct symbol sym;

	if (!addr || !symbols_find(env->syms, addr, &sym))
		strbuf_puts(out, unknown);
	else
		strbuf_puts(out, sym.module ? sym.module : "[kernel]");
}

static void name_directory(const struct analysis_env *env, uint64_t addr,
			   unsigned int depth, struct strbuf *out)
{
	const char *name = directories_find(env->dirs, addr, depth);

	out->failed |= !name;
	strbuf_puts(out, name ? name : "");
}

void comparison_name_by(const struct analysis_env *env, enum subject_kind kind,
			uint64_t addr, unsigned int depth, struct strbuf *out)
{
	switch (kind) {
	case SUBJECT_MODULE:
		name_module(env, addr, out);
		break;
	case SUBJECT_DIR:
		name_directory(env, addr, depth, out);
		break;
	case SUBJECT_FUNCTION:
		name_function(env, addr, out);
		break;
	case SUBJECT_FILE:
		name_file(env, addr, out);
		break;
	case SUBJECT_LINE:
		name_line(env, addr, out);
		break;
	default:
		name_site(env, addr, out);
	}
}

/* The functions of a frame, inlined ones too; for the @first frame, starting at the callsite's
 * function.
 */
static void name_frame(const struct analysis_env *env, uint64_t addr, bool first,
		       struct strbuf *out)
{
	struct callsite_place place;
	struct symbol sym;

	(void)callsite_look(env->rule, env->syms, addr, &place);
	for (size_t i = first ? place.index : 0; i + 1 < place.nr; i++) {
		const char *name = place.chain[i].function;

		add_function(env, name ? name : unknown, out);
		strbuf_puts(out, first && i == place.index ? ";" : " (inlined);");
	}
	if (!addr || !symbols_find(env->syms, addr, &sym)) {
		strbuf_puts(out, unknown);
		return;
	}
	add_function(env, sym.name, out);
	if (sym.module)
		strbuf_printf(out, " [%s]", sym.module);
}

void comparison_name_stack(const struct analysis_env *env, uint32_t id, uint64_t callsite,
			   struct strbuf *out)
{
	uint32_t nr = 0, i;
	const uint64_t *frames = event_stream_stack(env->stream, id, &nr);
	struct sites_chain chain;

	if (!frames || !nr) {
		if (callsite) {
			name_site(env, callsite, out);
			strbuf_puts(out, ";");
		}
		strbuf_puts(out, "[no stack]");
		return;
	}
	chain = sites_chain(env, frames, nr, callsite);
	name_frame(env, chain.first, true, out);
	for (i = 0; i < chain.nr; i++) {
		strbuf_puts(out, ";");
		name_frame(env, chain.callers[i], false, out);
	}
}

/* mm/slab_common.c: kmalloc_info[] and create_kmalloc_caches(); kmalloc-1k was kmalloc-1024 before
 * 4.21. Objects larger than two pages come from the page allocator.
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
