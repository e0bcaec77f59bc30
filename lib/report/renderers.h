/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: all output formats of a report, in one table.
 * In: nothing. Out: name, help and function of each.
 */
#ifndef KMEMX_REPORT_RENDERERS_H
#define KMEMX_REPORT_RENDERERS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/render.h"

/**
 * struct renderer - one format
 * @name: "json", for the option --json
 * @help: one line of help
 * @render: the renderer
 */
struct renderer {
	const char *name;
	const char *help;
	render_fn render;
};

#define RENDERERS_MAX 8

/* All formats except text, the default. @nr: their number, RENDERERS_MAX at most. */
const struct renderer *renderers(size_t *nr);

#endif
