// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/web/web_report.h"

#include "base/array.h"
#include "base/safe_text.h"

uint32_t web_report_name(struct web_report *w, const char *text)
{
	uint32_t id = intern_id(&w->names, text, strlen(text));

	w->failed |= !id;
	return id;
}

/* Finds or creates the node of name @name below @up. */
static uint32_t below(struct web_report *w, uint32_t up, uint32_t name)
{
	uint32_t new = (uint32_t)w->nr_nodes;
	uint32_t *node = u64_map_insert(&w->places, (uint64_t)up << 32 | name, new);

	if (!node || !name || w->failed) {
		w->failed = true;
		return UINT32_MAX;
	}
	if (*node != new)
		return *node;
	if (ARRAY_ADD(w->nodes, w->nr_nodes,
		      (struct web_node){ .up = up, .name = name })) {
		w->failed = true;
		return UINT32_MAX;
	}
	return new;
}

uint32_t web_report_chain(struct web_report *w, const char *folded)
{
	uint32_t node = UINT32_MAX;
	const char *end;

	for (;; folded = end + 1) {
		end = strchrnul(folded, ';');
		node = below(w, node,
			     intern_id(&w->names, folded, (size_t)(end - folded)));
		if (w->failed || !*end)
			return node;
	}
}

void web_text(struct json *j, const char *text)
{
	struct strbuf __auto_free safe = { 0 };

	if (text)
		safe_text_puts(&safe, text);
	json_string(j, text ? strbuf_text(&safe) : NULL);
	if (safe.failed && !j->err)
		j->err = -ENOMEM;
}

void web_key_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	web_text(j, text);
}

/* Writes text @i; number 0 means no text. */
static void add_text(struct json *j, const struct intern *texts, size_t i)
{
	web_text(j, i ? intern_get(texts, (uint32_t)i, NULL) : "");
}

void web_names(struct json *j, const struct web_report *w)
{
	JSON_KEY_ARRAY(j, "names", i, w->names.count + 1UL, add_text(j, &w->names, i));
	JSON_KEY_ARRAY(j, "dirs", i, w->dirs.count + 1UL, add_text(j, &w->dirs, i));
}

void web_nodes(struct json *j, const struct web_report *w)
{
	const struct web_node *nodes = w->nodes;

	json_key_open(j, "nodes", '{');
	/* The distance to the node above; 0: none. */
	JSON_KEY_ARRAY(j, "up", i, w->nr_nodes,
		       json_uint(j, nodes[i].up == UINT32_MAX ? 0 : i - nodes[i].up));
	JSON_KEY_ARRAY(j, "name", i, w->nr_nodes, json_uint(j, nodes[i].name));
	json_close(j, '}');
}

void web_report_free(struct web_report *w)
{
	intern_free(&w->names);
	intern_free(&w->dirs);
	free(w->dir_of);
	u64_map_free(&w->places);
	free(w->nodes);
	free(w->rows);
	free(w->cells);
	free(w->marks);
	free(w->events);
	free(w->flags);
	free(w->ends);
	free(w->stays);
	free(w->frames.first);
	free(w->frames.runs);
	free(w->moments);
	free(w->curves);
	free(w->counts);
	for (size_t i = 0; i < w->nr_lines; i++)
		free(w->lines[i].bytes);
	free(w->lines);
	*w = (struct web_report){ 0 };
}
