/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): names and callchains as JSON.
 * In: those of a struct web_report. Out: "names" and "nodes", which web/report/data.js reads.
 */
#ifndef KMEMX_REPORT_WEB_NAMES_H
#define KMEMX_REPORT_WEB_NAMES_H

#include "report/json.h"
#include "report/web_report.h"

/* A text that others chose, as it is shown: a browser obeys directions, too. NULL: null. */
void web_text(struct json *j, const char *text);
/* Members of the object that is open: names and directories; callchains. */
void web_names(struct json *j, const struct web_report *w);
void web_nodes(struct json *j, const struct web_report *w);

#endif
