// SPDX-License-Identifier: GPL-2.0-or-later
#include "script/script.h"

#include "base/safe_text.h"
#include "script/script_line.h"

/* Only the function's name, as in kmemtrace. */
static void fill_function(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	struct symbol sym;

	if (!key)
		strbuf_puts(out, "0");
	else if (!s->env.env->raw_ip && symbols_find(s->env.env->syms, key, &sym))
		safe_text_puts(out, sym.name);
	else
		symbols_format(NULL, key, out);
}

/* Made safe, as the names come from the recording's formats. */
static void safe_gfp(const struct script *s, uint64_t key, struct strbuf *out)
{
	const struct gfp_names *names = &s->env.env->fmts->gfp;
	struct strbuf __auto_free text = { 0 };

	gfp_format_long(names, key, &text);
	safe_text_puts(out, strbuf_text(&text));
	out->failed |= text.failed;
}

static void fill_gfp(void *ctx, uint64_t key, struct strbuf *out)
{
	struct script *s = ctx;
	const struct gfp_names *names = &s->env.env->fmts->gfp;

	if (s->opts.gfp == SCRIPT_GFP_SHORT)
		gfp_format_short(names, key, out, &s->gfp_used);
	else if (s->opts.gfp == SCRIPT_GFP_NAMES)
		safe_gfp(s, key, out);
	else if (s->opts.format == SCRIPT_KMEMTRACE_MIN)
		strbuf_printf(out, "%08llx", (unsigned long long)key);
	else
		strbuf_printf(out, "0x%llx", (unsigned long long)key);
}

/* The functions that make the texts, for lines and for JSON. */
static void (*const fills[SCRIPT_TEXTS][2])(void *ctx, uint64_t key,
					    struct strbuf *out) = {
	[SITES] = { script_text_site, script_json_site },
	[FUNCTIONS] = { fill_function, NULL },
	[FRAMES] = { NULL, script_json_frames },
	[GFPS] = { fill_gfp, script_json_gfp },
	[PIDS] = { script_text_pid, script_json_pid },
	[STACKS] = { script_text_stack, script_json_stack },
};

int script_new(struct script **out, const struct script_env *env,
	       const struct script_options *opts, struct outbuf *ob)
{
	const struct recording *rec = env->env->rec;
	struct script *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->env = *env;
	s->opts = *opts;
	s->out = ob;
	s->big_endian = rec->big_endian;
	s->long_digits = rec->layout.long_size == 4 ? 8 : 16;
	for (size_t i = 0; i < SCRIPT_TEXTS; i++) {
		s->texts[i].fill = fills[i][opts->format == SCRIPT_JSON];
		s->texts[i].ctx = s;
	}
	s->layouts = calloc(SCRIPT_LAYOUTS, sizeof(*s->layouts));
	s->ns_clock = calloc(rec->nr_buffers + 1, sizeof(*s->ns_clock));
	if (!s->layouts || !s->ns_clock) {
		script_free(s);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < rec->nr_buffers; i++)
		s->ns_clock[i] = recording_clock_is_ns(recording_clock(rec, i));
	*out = s;
	return 0;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	script_layouts_free(s);
	free(s->ns_clock);
	for (size_t i = 0; i < SCRIPT_TEXTS; i++)
		text_cache_free(&s->texts[i]);
	strbuf_free(&s->scratch);
	free(s);
}

bool script_learns(const struct script_options *opts)
{
	if (opts->format == SCRIPT_TEXT)
		return opts->gfp == SCRIPT_GFP_SHORT;
	return opts->format == SCRIPT_KMEMTRACE_MIN && opts->gfp != SCRIPT_GFP_HEX;
}

void script_learn(struct script *s, const struct kmem_event *ev)
{
	const struct cached_text *text = NULL;

	if (kmem_is_slab_alloc(ev->type))
		text = text_cache_get(&s->texts[GFPS], ev->slab_alloc.gfp_flags);
	else if (ev->type == KMEM_PAGE_ALLOC)
		text = text_cache_get(&s->texts[GFPS], ev->page_alloc.gfp_flags);
	if (text && text->size > s->gfp_width)
		s->gfp_width = text->size;
}

/* "# GFP: K GFP_KERNEL  C __GFP_COMP": the short names that are in use. */
static void legend(struct script *s)
{
	const struct gfp_names *names = &s->env.env->fmts->gfp;

	if (s->opts.gfp != SCRIPT_GFP_SHORT || !s->gfp_used)
		return;
	outbuf_puts(s->out, "# GFP:");
	for (size_t i = 0; i < names->count && i < 64; i++) {
		if (!(s->gfp_used & 1ULL << i))
			continue;
		outbuf_puts(s->out, "  ");
		outbuf_puts(s->out, names->names[i].short_name);
		outbuf_char(s->out, ' ');
		script_text_put(s, names->names[i].name, strlen(names->names[i].name));
	}
	outbuf_char(s->out, '\n');
}

void script_header(struct script *s)
{
	if (s->opts.format == SCRIPT_JSON)
		return;
	legend(s);
	if (s->opts.format != SCRIPT_TEXT)
		script_kmemtrace_header(s);
}

bool script_shows(const struct script_options *opts, const struct kmem_event *ev)
{
	return opts->format < SCRIPT_KMEMTRACE || script_kmemtrace_shows(ev);
}

static void put_loss(struct script *s, const struct kmem_event *ev)
{
	if (s->opts.format >= SCRIPT_KMEMTRACE)
		outbuf_add(s->out, "# ", 2);
	if (s->opts.format == SCRIPT_JSON)
		script_json_loss(s, ev);
	else
		script_text_loss(s, ev);
}

int script_print(struct script *s, const struct kmem_event *ev)
{
	const bool kmemtrace = s->opts.format >= SCRIPT_KMEMTRACE;
	const bool loss = ev->type == KMEM_LOSS;
	const struct layout *l = loss || kmemtrace ? NULL : script_layout(s, ev);

	if (unlikely(loss))
		put_loss(s, ev);
	else if (kmemtrace)
		script_kmemtrace_line(s, ev);
	else if (unlikely(!l))
		return -ENOMEM;
	else if (s->opts.format == SCRIPT_JSON)
		script_json_line(s, ev, l);
	else
		script_text_line(s, ev, l);
	return unlikely(s->failed) ? -ENOMEM : s->out->err;
}
