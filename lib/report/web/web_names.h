/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): names and callchains as JSON.
 * In: a struct web_report. Out: "names" and "nodes", which web/report/data.js reads.
 */
#ifndef KMEMX_REPORT_WEB_NAMES_H
#define KMEMX_REPORT_WEB_NAMES_H

#include "report/json.h"
#include "report/web/web_report.h"

/* Writes a foreign text safely: browsers obey control characters for text direction, too. NULL:
 * null.
 */
void web_text(struct json *j, const char *text);
/* Write members of the open object: names and directories; callchains. */
void web_names(struct json *j, const struct web_report *w);
void web_nodes(struct json *j, const struct web_report *w);

#endif
