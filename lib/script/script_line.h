/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script (internal): shared parts of the script formats.
 * In: an event. Out: its fields, and cached texts of its numbers.
 */
#ifndef KMEMX_SCRIPT_SCRIPT_LINE_H
#define KMEMX_SCRIPT_SCRIPT_LINE_H

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

/**
 * struct script - see script.h
 * @layouts: by event ID, made at the first such event
 * @gfp_width: width of the widest flags text seen; @gfp_used: bits for the legend
 * @site_of: callsite by stack ID, 0 if not yet known
 */
struct script {
	struct script_env env;
	struct script_options opts;
	struct outbuf *out;
	bool big_endian;
	unsigned int long_digits; /* hex digits of a long */
	bool *ns_clock;		  /* by buffer */
	struct layout **layouts;
	struct text_cache addrs, gfps, pids, stacks, functions, frames;
	struct strbuf scratch;
	size_t gfp_width;
	uint64_t gfp_used;
	uint64_t *site_of;
	size_t nr_sites;
	bool failed; /* memory ran out */
};

#define SCRIPT_LAYOUTS 65536U

/* The layout of the event's ID; NULL if memory ran out. */
const struct layout *script_layout(struct script *s, const struct kmem_event *ev);
/* Frees all layouts. */
void script_layouts_free(struct script *s);
/* Finds the field's content in the record. False if it is outside. */
bool script_field_data(const struct script *s, const struct kmem_event *ev,
		       const struct raw_field *f, struct field_content *content);
/* A number's value; sign-extended if it is a FIELD_INT. */
uint64_t script_field_number(const struct script *s, const struct raw_field *f,
			     const struct field_content *content);
/* Prints a number or a boolean, which look the same in text and JSON; false for other fields. */
bool script_plain(struct script *s, const struct raw_field *f,
		  const struct field_content *content);
/* The event's callsite: its call_site field, or taken from its stack; 0: unknown. */
uint64_t script_callsite(struct script *s, const struct kmem_event *ev);
/* Prints a cached text; nothing on -ENOMEM. */
void script_cached(struct script *s, struct text_cache *tc, uint64_t key);
/* Prints bytes as two hex digits each, separated by blanks. */
void script_bytes(struct script *s, const struct field_content *content);

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

void script_text_line(struct script *s, const struct kmem_event *ev);
void script_json_line(struct script *s, const struct kmem_event *ev);
void script_kmemtrace_header(struct script *s);
void script_kmemtrace_line(struct script *s, const struct kmem_event *ev);
bool script_kmemtrace_shows(const struct kmem_event *ev);
/* Prints a foreign name safely. */
void script_text_put(struct script *s, const char *text, size_t size);
/* "CPU:0 [76 EVENTS DROPPED]" */
void script_text_loss(struct script *s, const struct kmem_event *ev);

#endif
