// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: names and callchains as JSON.
 * In: a struct web_report. Out: "names" and "nodes", which web/report/data.js reads.
 */
#include "report/web/web_names.h"

#include <errno.h>

#include "base/safe_text.h"

void web_text(struct json *j, const char *text)
{
	struct strbuf safe = { 0 };

	if (text)
		safe_text_puts(&safe, text);
	json_string(j, text ? strbuf_text(&safe) : NULL);
	if (safe.failed && !j->err)
		j->err = -ENOMEM;
	strbuf_free(&safe);
}

/* Writes an array; number 0 is no text. */
static void add_texts(struct json *j, const char *key, const struct intern *texts)
{
	uint32_t i;

	json_key(j, key);
	json_open(j, '[');
	json_string(j, "");
	for (i = 1; i <= texts->count; i++)
		web_text(j, intern_get(texts, i, NULL));
	json_close(j, ']');
}

void web_names(struct json *j, const struct web_report *w)
{
	add_texts(j, "names", &w->names);
	add_texts(j, "dirs", &w->dirs);
}

void web_nodes(struct json *j, const struct web_report *w)
{
	uint32_t i;

	json_key(j, "nodes");
	json_open(j, '{');
	json_key(j, "up"); /* distance to the node above; 0: none */
	json_open(j, '[');
	for (i = 0; i < w->nr_nodes; i++)
		json_uint(j, w->nodes[i].up == UINT32_MAX ? 0 : i - w->nodes[i].up);
	json_close(j, ']');
	json_key(j, "name");
	json_open(j, '[');
	for (i = 0; i < w->nr_nodes; i++)
		json_uint(j, w->nodes[i].name);
	json_close(j, ']');
	json_close(j, '}');
}
