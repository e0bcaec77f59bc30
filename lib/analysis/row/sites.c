// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/row/sites.h"

#include "base/array.h"
#include "symbol/symbols.h"

static const char unknown[] = "[unknown]";

struct site_group {
	uint64_t addr;	  /* of the first callsite seen */
	uint64_t start;	  /* of the function; 0: no symbol, or inlined */
	const char *name; /* the symbol table's, or the source's; NULL: not known */
	size_t name_size; /* of its shown part */
	const char *module;
	const char
		*file; /* of an inlined function; NULL: it is not, or it is not known */
	bool inlined;
};

void sites_init(struct sites *s, const struct analysis_env *env)
{
	*s = (struct sites){ .env = env, .exact = env->by_site };
}

/* The length of a function's name as shown. */
static size_t shown_size(const struct analysis_env *env, const char *name)
{
	return env->raw_names ? strlen(name) : symbol_plain_length(name);
}

/* Is the callsite in an inlined function? */
static bool is_inlined(const struct callsite_place *place)
{
	return place->index + 1 < place->nr;
}

/* A hash of the row's name, without the offset. */
static uint64_t shown_key(const struct site_group *group)
{
	uint64_t key = hash_bytes(group->name, group->name_size);

	if (group->module)
		key = key * 31 + hash_bytes(group->module, strlen(group->module));
	return key;
}

/* The group of the function of which @group is a split, cloned or inlined part; NULL: none yet. A
 * second function with exactly the same name, or inlined from another file, has its own group.
 */
static const uint32_t *sites_part(struct sites *s, const struct site_group *group)
{
	const uint32_t *index =
		u64_map_insert(&s->by_name, shown_key(group), (uint32_t)s->nr_groups);
	struct site_group *known;

	if (!index || *index == s->nr_groups)
		return NULL;
	known = &s->groups[*index];
	if (!known->inlined && !group->inlined && !strcmp(known->name, group->name))
		return NULL;
	if (known->inlined && group->inlined && known->file != group->file)
		return NULL;
	if (!group->inlined && !group->name[group->name_size]) /* the function itself */
		*known = *group;
	return index;
}

static uint32_t sites_add(struct sites *s, uint64_t key, const struct site_group *group)
{
	const uint32_t *index = u64_map_find(&s->by_start, key), *part = NULL;
	uint32_t *uses;

	if (!index && group->name && !s->exact && !s->env->raw_names)
		part = sites_part(s, group);
	if (!index)
		index = u64_map_insert(&s->by_start, key,
				       part ? *part : (uint32_t)s->nr_groups);

	if (!index || array_reserve(&s->groups, &s->capacity, *index + 1UL))
		return UINT32_MAX;
	if (*index < s->nr_groups)
		return *index;
	s->groups[s->nr_groups++] = *group;
	if (group->name) {
		uses = u64_map_insert(&s->name_uses, shown_key(group), 0);
		if (!uses)
			return UINT32_MAX;
		++*uses;
	}
	return *index;
}

/* The key of a group: the function that holds the code, or an inlined one. */
static uint64_t group_key(const struct sites *s, const struct site_group *group)
{
	if (s->exact || !group->name)
		return group->addr;
	if (!group->inlined)
		return group->start;
	return hash_u64((uintptr_t)group->file ^ shown_key(group));
}

uint32_t sites_group(struct sites *s, uint64_t addr)
{
	uint32_t *known = u64_map_find(&s->by_addr, addr);
	struct site_group group = { .addr = addr };
	struct callsite_place place;
	uint32_t index;

	if (known)
		return *known;
	if (!s->env->raw_ip)
		(void)callsite_look(s->env->rule, s->env->syms, addr, &place);
	if (!s->env->raw_ip && place.function) {
		group.inlined = is_inlined(&place);
		group.start = group.inlined ? 0 : place.start;
		group.name = place.function;
		group.name_size = shown_size(s->env, place.function);
		group.module = place.module;
		group.file = group.inlined ? place.chain[place.index].file : NULL;
	}
	index = sites_add(s, group_key(s, &group), &group);
	if (index == UINT32_MAX || !u64_map_insert(&s->by_addr, addr, index))
		return UINT32_MAX;
	return index;
}

void sites_name(const struct sites *s, uint32_t group, struct strbuf *out)
{
	const struct site_group *g = &s->groups[group];
	uint32_t *uses;

	if (s->exact) {
		sites_exact(s, g->addr, out);
		return;
	}
	if (!g->name) {
		if (g->addr)
			strbuf_printf(out, "0x%" PRIx64, g->addr);
		else
			strbuf_puts(out, unknown);
		return;
	}
	strbuf_add(out, g->name, g->name_size);
	uses = u64_map_find(&s->name_uses, shown_key(g));
	if (uses && *uses > 1 && !g->inlined)
		strbuf_printf(out, "+0x%" PRIx64, g->addr - g->start);
	else if (uses && *uses > 1 && g->file)
		strbuf_printf(out, " (%s)", g->file);
	if (g->module)
		strbuf_printf(out, " [%s]", g->module);
}

struct cell sites_cell(const struct sites *s, uint32_t group, struct table *t)
{
	struct strbuf name = { 0 };

	sites_name(s, group, &name);
	return cell_strbuf(t, &name);
}

void sites_exact(const struct sites *s, uint64_t addr, struct strbuf *out)
{
	if (!addr)
		strbuf_puts(out, unknown);
	else if (s->env->raw_ip)
		strbuf_printf(out, "0x%" PRIx64, addr);
	else
		symbols_format(s->env->syms, addr, out);
}

void sites_shown(const struct analysis_env *env, const struct symbol *sym,
		 struct strbuf *out)
{
	strbuf_add(out, sym->name, shown_size(env, sym->name));
	if (sym->module)
		strbuf_printf(out, " [%s]", sym->module);
}

static void sites_symbol(const struct sites *s, uint64_t addr, struct strbuf *out)
{
	bool nameless = s->exact || (s->nameless && !addr);
	struct symbol sym;

	if (!nameless && symbols_find(s->env->syms, addr, &sym))
		sites_shown(s->env, &sym, out);
	else if (s->nameless)
		strbuf_puts(out, s->nameless);
	else
		sites_exact(s, addr, out);
}

/* With @exact, adds " (fs/dcache.c:1640)". */
static void put_line(const struct sites *s, const struct source_frame *frame,
		     struct strbuf *out)
{
	if (s->exact && frame->file && frame->line)
		strbuf_printf(out, " (%s:%" PRIu32 ")", frame->file, frame->line);
}

/* Appends the functions of one address, including inlined ones; for the @first frame, starting at
 * the callsite's function.
 */
static void sites_frame(const struct sites *s, uint64_t addr, bool first,
			struct strbuf *out)
{
	const struct source_frame *frames;
	struct callsite_place place;
	size_t nr, i;

	if (s->env->raw_ip) {
		sites_exact(s, addr, out);
		return;
	}
	(void)callsite_look(s->env->rule, s->env->syms, addr, &place);
	for (i = first ? place.index : 0; i + 1 < place.nr; i++) {
		const char *name = place.chain[i].function;

		name = name ? name : unknown;
		strbuf_add(out, name, shown_size(s->env, name));
		strbuf_puts(out, first && i == place.index ? "" : " (inlined)");
		put_line(s, &place.chain[i], out);
		strbuf_puts(out, ";");
	}
	sites_symbol(s, addr, out);
	nr = s->exact && s->env->lines ? source_lines_find(s->env->lines, addr, &frames)
				       : 0;
	if (nr)
		put_line(s, &frames[nr - 1], out);
}

/* The callchain of frames from @from on; @nr > @from. */
static struct sites_chain chain_from(const uint64_t *frames, uint32_t nr, uint32_t from)
{
	return (struct sites_chain){ frames[from], frames + from + 1, nr - from - 1 };
}

/* The same, starting at the callsite that the rule finds among them. */
static struct sites_chain chain_by_rule(const struct analysis_env *env,
					const uint64_t *frames, uint32_t nr,
					uint32_t from)
{
	int i = callsite_find(env->rule, env->syms, frames + from, nr - from);

	return chain_from(frames, nr, from + (uint32_t)i);
}

struct sites_chain sites_chain(const struct analysis_env *env, const uint64_t *frames,
			       uint32_t nr, uint64_t callsite)
{
	uint32_t i = 0;

	while (callsite && i < nr && frames[i] != callsite)
		i++;
	if (callsite && i < nr)
		return callsite_rule_extended(env->rule)
			       ? chain_by_rule(env, frames, nr, i)
			       : chain_from(frames, nr, i);
	if (!callsite || sites_skipped(env, callsite))
		return chain_by_rule(env, frames, nr, 0);
	return (struct sites_chain){ callsite, frames, nr };
}

uint64_t sites_beyond(const struct analysis_env *env, uint64_t callsite, uint32_t id)
{
	const uint64_t *frames;
	uint32_t nr = 0;

	if (!sites_skipped(env, callsite))
		return callsite;
	frames = event_stream_stack(env->stream, id, &nr);
	return frames && nr ? sites_chain(env, frames, nr, callsite).first : callsite;
}

bool sites_skipped(const struct analysis_env *env, uint64_t addr)
{
	struct callsite_place place;

	return callsite_rule_extended(env->rule) &&
	       !callsite_look(env->rule, env->syms, addr, &place);
}

void sites_note_skipped(uint64_t nr, const char *why, struct table *t)
{
	table_note_if(t, nr,
		      "!%" PRIu64
		      " slab allocation%s listed under a skipped function: %s",
		      nr, nr == 1 ? " is" : "s are", why);
}

void sites_callchain(const struct sites *s, uint32_t id, uint64_t callsite,
		     struct strbuf *out)
{
	uint32_t nr = 0, i;
	const uint64_t *frames = event_stream_stack(s->env->stream, id, &nr);
	struct sites_chain chain = { .first = callsite };

	if (frames && nr)
		chain = sites_chain(s->env, frames, nr, callsite);
	sites_frame(s, chain.first, true, out);
	for (i = 0; i < chain.nr; i++) {
		strbuf_puts(out, ";");
		sites_frame(s, chain.callers[i], false, out);
	}
}

uint64_t sites_of_stack(const struct sites *s, uint32_t id)
{
	uint32_t nr = 0;
	const uint64_t *frames = event_stream_stack(s->env->stream, id, &nr);
	int index = frames ? callsite_find(s->env->rule, s->env->syms, frames, nr) : -1;

	return index < 0 ? 0 : frames[index];
}

uint64_t sites_of_stack_once(struct sites *s, uint32_t id)
{
	if (unlikely(id >= s->nr_stacks) &&
	    array_reach(&s->of_stack, &s->nr_stacks, &s->stacks_capacity, id + 1UL))
		return sites_of_stack(s, id);
	if (unlikely(!s->of_stack[id]))
		s->of_stack[id] = sites_of_stack(s, id);
	return s->of_stack[id];
}

void sites_free(struct sites *s)
{
	free(s->of_stack);
	u64_map_free(&s->by_addr);
	u64_map_free(&s->by_start);
	u64_map_free(&s->by_name);
	u64_map_free(&s->name_uses);
	free(s->groups);
	*s = (struct sites){ 0 };
}

/* --- names that also hold in another build of the kernel --------------------------------- */

/* The callsite's function, with its module or without. */
static void name_function(const struct analysis_env *env, uint64_t addr, bool with_module,
			  struct strbuf *out)
{
	struct callsite_place place = { 0 };
	struct symbol sym = { 0 };

	if (addr)
		(void)callsite_look(env->rule, env->syms, addr, &place);
	sym.name = place.function;
	sym.module = with_module ? place.module : NULL;
	if (sym.name)
		sites_shown(env, &sym, out);
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

void comparison_name_by(const struct analysis_env *env, enum subject_kind kind,
			uint64_t addr, unsigned int depth, struct strbuf *out)
{
	const struct source_frame *frame;
	struct symbol sym;
	const char *dir;

	switch (kind) {
	case SUBJECT_MODULE:
		if (!addr || !symbols_find(env->syms, addr, &sym))
			strbuf_puts(out, unknown);
		else
			strbuf_puts(out, sym.module ? sym.module : "[kernel]");
		break;
	case SUBJECT_DIR:
		dir = directories_find(env->dirs, addr, depth);
		out->failed |= !dir;
		strbuf_puts(out, dir ? dir : "");
		break;
	case SUBJECT_FILE:
	case SUBJECT_LINE:
		frame = source_of(env, addr);
		strbuf_puts(out, frame && frame->file ? frame->file : SOURCE_UNKNOWN);
		if (kind == SUBJECT_LINE && frame && frame->file && frame->line)
			strbuf_printf(out, ":%" PRIu32, frame->line);
		break;
	default:
		name_function(env, addr, kind != SUBJECT_FUNCTION, out);
	}
}

void comparison_name_stack(const struct analysis_env *env, uint32_t id, uint64_t callsite,
			   struct strbuf *out)
{
	const struct sites sites = { .env = env, .nameless = unknown };
	uint32_t nr = 0;

	if (event_stream_stack(env->stream, id, &nr) && nr) {
		sites_callchain(&sites, id, callsite, out);
		return;
	}
	if (callsite) {
		name_function(env, callsite, true, out);
		strbuf_puts(out, ";");
	}
	strbuf_puts(out, "[no stack]");
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
