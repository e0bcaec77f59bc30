/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script (internal): shared parts of the script formats.
 * In: an event. Out: its fields, and cached texts of its numbers.
 */
#ifndef KMEMX_SCRIPT_SCRIPT_LINE_H
#define KMEMX_SCRIPT_SCRIPT_LINE_H

#include "base/bytes.h"
#include "base/outbuf.h"
#include "event/fields.h"
#include "script/script.h"

/* How a field's number is shown. */
enum shown_as {
	SHOWN_RAW,  /* by its kind */
	SHOWN_SITE, /* a code address */
	SHOWN_GFP,
	SHOWN_MIGRATETYPE,
};

/**
 * struct shown_field - a field and the text before it
 * @label: " bytes_req=", or ", \"bytes_req\": "
 */
struct shown_field {
	struct raw_field raw;
	enum shown_as as;
	uint32_t label_size;
	char label[80];
};

/**
 * struct layout - how events with one ID are shown
 * @head: "kmalloc:              ", or "\"event\": \"kmalloc\", \"system\": ..."
 */
struct layout {
	struct shown_field *fields;
	size_t nr;
	char *head;
	size_t head_size;
};

/* The cached texts, by what their keys are. */
enum script_texts {
	SITES,	   /* callsites */
	FUNCTIONS, /* the same as in kmemtrace, without an offset */
	FRAMES,	   /* functions inlined there */
	GFPS,
	PIDS,
	STACKS,
	SCRIPT_TEXTS,
};

/**
 * struct script - see script.h
 * @layouts: by event ID, made at the first such event
 * @gfp_width: width of the widest flags text seen; @gfp_used: bits for the legend
 */
struct script {
	struct script_env env;
	struct script_options opts;
	struct outbuf *out;
	bool big_endian;
	unsigned int long_digits; /* hex digits of a long */
	bool *ns_clock;		  /* by buffer */
	struct layout **layouts;
	struct text_cache texts[SCRIPT_TEXTS];
	struct strbuf scratch;
	size_t gfp_width;
	uint64_t gfp_used;
	bool failed; /* memory ran out */
};

#define SCRIPT_LAYOUTS 65536U

/* The layout of the event's ID; NULL if memory ran out. */
const struct layout *script_layout(struct script *s, const struct kmem_event *ev);
/* Frees all layouts. */
void script_layouts_free(struct script *s);
/* A number's value; sign-extended if it is a FIELD_INT. */
static inline uint64_t script_field_number(const struct script *s,
					   const struct raw_field *f,
					   const struct field_content *content)
{
	uint64_t value = get_uint(content->data, f->size, s->big_endian);

	if (f->kind != FIELD_INT || f->size == 8)
		return value;
	/* Sign-extend by shifting to the top and back. */
	return (uint64_t)((int64_t)(value << (64 - 8 * f->size)) >> (64 - 8 * f->size));
}

/* Prints the content of a field as it is. */
void script_value(struct script *s, const struct raw_field *f,
		  const struct field_content *content);
/* The event's callsite: its call_site field, or taken from its stack; 0: unknown. */
uint64_t script_callsite(struct script *s, const struct kmem_event *ev);
/* Prints a cached text; if memory runs out, prints nothing and sets @s->failed. */
void script_cached(struct script *s, struct text_cache *tc, uint64_t key);
/* Prints a foreign name safely; in JSON, as a string. */
void script_text_put(struct script *s, const char *text, size_t size);
void script_json_put(struct script *s, const char *text, size_t size);

/* --- the formats ---------------------------------------------------------------------- */

/* Fill functions of the text caches, with the script as their @ctx. */
void script_text_pid(void *ctx, uint64_t key, struct strbuf *out);
void script_text_site(void *ctx, uint64_t key, struct strbuf *out);
void script_text_stack(void *ctx, uint64_t key, struct strbuf *out);
void script_json_pid(void *ctx, uint64_t key, struct strbuf *out);
void script_json_stack(void *ctx, uint64_t key, struct strbuf *out);
void script_json_site(void *ctx, uint64_t key, struct strbuf *out);
void script_json_frames(void *ctx, uint64_t key, struct strbuf *out);
void script_json_gfp(void *ctx, uint64_t key, struct strbuf *out);

/* An event's line; @l: its layout. */
void script_text_line(struct script *s, const struct kmem_event *ev,
		      const struct layout *l);
void script_json_line(struct script *s, const struct kmem_event *ev,
		      const struct layout *l);
void script_kmemtrace_header(struct script *s);
void script_kmemtrace_line(struct script *s, const struct kmem_event *ev);
bool script_kmemtrace_shows(const struct kmem_event *ev);
/* "CPU:0 [76 EVENTS DROPPED]"; {"ts": ..., "lost": 76, ...} */
void script_text_loss(struct script *s, const struct kmem_event *ev);
void script_json_loss(struct script *s, const struct kmem_event *ev);

#endif
