/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: the JSON of a report that is one object of keys, instead of facts and tables.
 * In: a report and its keys in order. Out: that object's content.
 */
#ifndef KMEMX_REPORT_JSON_LAYOUT_H
#define KMEMX_REPORT_JSON_LAYOUT_H

#include "report/json.h"
#include "report/table.h"

enum json_shape {
	JSON_FACT,  /* a fact's value; null if absent */
	JSON_ROWS,  /* a table: an array of objects, one per line */
	JSON_MAP,   /* a table of two columns: an object, first to second, one per line */
	JSON_TEXTS, /* a table of one column: an array, one per line */
	JSON_TEXTS_LINE, /* the same in one line */
};

/* One key, which is the name of a fact or table. A list of them ends with @key NULL. */
struct json_item {
	enum json_shape shape;
	const char *key;
};

/* Writes a table's rows: an array of objects, one per line. */
void json_rows(struct json *j, const struct table *t);
/* Writes @r->layout's keys into the open object. A missing table is empty. */
void json_layout(struct json *j, const struct report *r);

#endif
