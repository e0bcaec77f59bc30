/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: the forms that a report can take, in one table.
 * In: nothing. Out: name, help and function of each.
 */
#ifndef KMEMX_REPORT_RENDERERS_H
#define KMEMX_REPORT_RENDERERS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/render.h"

/**
 * struct renderer - one form
 * @name: "json": of the option --json
 * @help: one line for it
 * @render: makes it
 */
struct renderer {
	const char *name;
	const char *help;
	render_fn render;
};

#define RENDERERS_MAX 8

/* All but text, which is what a report is without any; @nr of them, RENDERERS_MAX at most. */
const struct renderer *renderers(size_t *nr);

#endif
