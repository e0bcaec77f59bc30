// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: all output formats of a report, in one table.
 * In: nothing. Out: name, help and function of each.
 */
#include "report/render.h"

static const struct renderer table[] = {
	{ "json", "JSON", render_json },
	{ "csv", "CSV", render_csv },
};

_Static_assert(ARRAY_SIZE(table) <= RENDERERS_MAX, "users have room for no more");

const struct renderer *renderers(size_t *nr)
{
	*nr = ARRAY_SIZE(table);
	return table;
}
