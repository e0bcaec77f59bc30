// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script: events in the format of the kmemtrace tracer of 2.6.30.
 * In: an event. Out: exactly its lines.
 *
 * Format: kernel/trace/kmemtrace.c of kernel 2.6.30 (commit 36994e58a48f, "tracing/kmemtrace:
 * normalize the raw tracer event to the unified tracing API"); type_id is its enum
 * kmemtrace_type_id. That commit left an allocation's type_id unset, so its examples show 0
 * (kmalloc) for allocations from caches. Here it is correct, as in 2.6.30 itself.
 */
#include "script/script_line.h"

enum kmemtrace_type_id {
	KMEMTRACE_TYPE_KMALLOC, /* kmalloc() or kfree() */
	KMEMTRACE_TYPE_CACHE,	/* kmem_cache_*() */
	KMEMTRACE_TYPE_PAGES,	/* the page allocator */
};

/* An event as kmemtrace would have seen it. */
struct kmemtrace_entry {
	enum kmemtrace_type_id type;
	bool alloc;
	uint64_t call_site, ptr, bytes_req, bytes_alloc, gfp_flags;
	int32_t node;
};

bool script_kmemtrace_shows(const struct kmem_event *ev)
{
	return ev->type == KMEM_LOSS || kmem_is_slab(ev->type) ||
	       ev->type == KMEM_PAGE_ALLOC || ev->type == KMEM_PAGE_FREE;
}

/* The address of a page's frame, because it is unknown where it was mapped. */
static uint64_t page_address(const struct script *s, uint64_t pfn)
{
	return pfn == KMEM_NO_PFN ? 0 : pfn * s->env.env->page_size;
}

static struct kmemtrace_entry entry_of(struct script *s, const struct kmem_event *ev)
{
	struct kmemtrace_entry e = { .call_site = script_callsite(s, ev), .node = -1 };
	uint64_t page_size = s->env.env->page_size;

	switch (ev->type) {
	case KMEM_PAGE_ALLOC:
		e.type = KMEMTRACE_TYPE_PAGES;
		e.alloc = true;
		e.ptr = page_address(s, ev->page_alloc.pfn);
		e.bytes_req =
			ev->page_alloc.order < 32 ? page_size << ev->page_alloc.order : 0;
		e.bytes_alloc = e.bytes_req;
		e.gfp_flags = ev->page_alloc.gfp_flags;
		break;
	case KMEM_PAGE_FREE:
		e.type = KMEMTRACE_TYPE_PAGES;
		e.ptr = page_address(s, ev->page_free.pfn);
		break;
	case KMEM_KFREE:
	case KMEM_CACHE_FREE:
		e.type = ev->type == KMEM_KFREE ? KMEMTRACE_TYPE_KMALLOC
						: KMEMTRACE_TYPE_CACHE;
		e.ptr = ev->slab_free.ptr;
		break;
	default:
		e.type = kmem_is_kmalloc(ev->type) ? KMEMTRACE_TYPE_KMALLOC
						   : KMEMTRACE_TYPE_CACHE;
		e.alloc = true;
		e.ptr = ev->slab_alloc.ptr;
		e.bytes_req = ev->slab_alloc.bytes_req;
		e.bytes_alloc = ev->slab_alloc.bytes_alloc;
		e.gfp_flags = ev->slab_alloc.gfp_flags;
		e.node = ev->slab_alloc.node;
	}
	return e;
}

/* "type_id %d call_site %lu ptr %lu bytes_req %lu bytes_alloc %lu gfp_flags %lu node %d
 * "; for a free, the line ends after ptr.
 */
static void put_original(struct script *s, const struct kmemtrace_entry *e)
{
	const struct {
		const char *label;
		uint64_t value;
	} fields[] = { { "type_id ", e->type },
		       { " call_site ", e->call_site },
		       { " ptr ", e->ptr },
		       { " bytes_req ", e->bytes_req },
		       { " bytes_alloc ", e->bytes_alloc },
		       { " gfp_flags ", e->gfp_flags } };

	for (size_t i = 0; i < (e->alloc ? ARRAY_SIZE(fields) : 3); i++) {
		outbuf_puts(s->out, fields[i].label);
		outbuf_dec(s->out, fields[i].value);
	}
	if (e->alloc) {
		outbuf_add(s->out, " node ", 6);
		outbuf_int(s->out, e->node);
	}
	outbuf_char(s->out, '\n');
}

static void put_spaces(struct script *s, size_t nr)
{
	while (nr--)
		outbuf_char(s->out, ' ');
}

/* A frame's address is short: pad it to the digits of a pointer. */
static void put_pointer(struct script *s, const struct kmemtrace_entry *e)
{
	outbuf_add(s->out, "0x", 2);
	outbuf_hex(s->out, e->ptr, e->type == KMEMTRACE_TYPE_PAGES ? s->long_digits : 1);
}

/* Width of the widest name in use, so that columns stay aligned. */
static size_t flags_width(const struct script *s)
{
	return s->opts.gfp == SCRIPT_GFP_HEX || s->gfp_width < 8 ? 8 : s->gfp_width;
}

static void put_flags(struct script *s, uint64_t flags)
{
	const struct cached_text *text = text_cache_get(&s->texts[GFPS], flags);
	size_t width = flags_width(s);

	if (!text) {
		s->failed = true;
		return;
	}
	outbuf_add(s->out, text->text, text->size);
	put_spaces(s, less(width, text->size));
}

/* Requested %4d, allocated %4d, flags %08x, pointer 0x%tx, node %4d, three spaces apart. */
static void put_minimal_alloc(struct script *s, const struct kmemtrace_entry *e)
{
	outbuf_add(s->out, "   ", 3);
	outbuf_dec_wide(s->out, e->bytes_req, 4, ' ');
	outbuf_add(s->out, "   ", 3);
	outbuf_dec_wide(s->out, e->bytes_alloc, 4, ' ');
	outbuf_add(s->out, "   ", 3);
	put_flags(s, e->gfp_flags);
	outbuf_add(s->out, "   ", 3);
	put_pointer(s, e);
	outbuf_add(s->out, "   ", 3);
	if (e->node < 0) {
		outbuf_add(s->out, "  ", e->node > -10 ? 2 : 0);
		outbuf_int(s->out, e->node);
	} else {
		outbuf_dec_wide(s->out, (uint64_t)e->node, 4, ' ');
	}
	outbuf_add(s->out, "   ", 3);
}

static void put_minimal(struct script *s, const struct kmemtrace_entry *e)
{
	outbuf_puts(s->out, e->alloc ? "  +      " : "  -      ");
	outbuf_char(s->out, "KCP"[e->type]);
	if (e->alloc) {
		put_minimal_alloc(s, e);
	} else {
		put_spaces(s, 5 + 23 + flags_width(s) - 8);
		put_pointer(s, e);
		put_spaces(s, 3 + 7);
	}
	script_cached(s, &s->texts[FUNCTIONS], e->call_site);
	outbuf_char(s->out, '\n');
}

void script_kmemtrace_header(struct script *s)
{
	size_t more = flags_width(s) - 8;

	outbuf_puts(s->out, "# tracer: kmemtrace\n#\n");
	if (s->opts.format != SCRIPT_KMEMTRACE_MIN)
		return;
	outbuf_puts(s->out, "#\n# ALLOC  TYPE  REQ   GIVEN  FLAGS     ");
	put_spaces(s, more);
	outbuf_puts(s->out, "      POINTER         NODE    CALLER\n"
			    "# FREE   |      |     |       |       ");
	put_spaces(s, more);
	outbuf_puts(s->out, "       |   |            |        |\n# |\n\n");
}

void script_kmemtrace_line(struct script *s, const struct kmem_event *ev)
{
	struct kmemtrace_entry e = entry_of(s, ev);

	if (s->opts.format == SCRIPT_KMEMTRACE)
		put_original(s, &e);
	else
		put_minimal(s, &e);
}
