// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: all exporters.
 * In: nothing. Out: an array.
 */
#include "export/export.h"

/* One line per exporter, exporter_NAME of any file, in the order of --format help. */
/* clang-format off */
#define EXPORTERS(line) \
	line(folded) \
	line(pprof) \
	line(speedscope) \
	line(dhat) \
	line(heaptrack) \
	line(firefox) \
	line(chrome) \
	line(openmetrics) \
	line(prometheus) \
	line(ndjson) \
	line(csv) \
	line(parquet)
/* clang-format on */

#define DECLARATION(name) extern const struct exporter exporter_##name;
#define ENTRY(name)	  &exporter_##name,

EXPORTERS(DECLARATION)

static const struct exporter *const exporters[] = { EXPORTERS(ENTRY) };

#define NAME(name) #name,
const char *const exporter_names[] = { EXPORTERS(NAME) NULL };

const struct exporter *exporter_at(size_t i)
{
	return i < ARRAY_SIZE(exporters) ? exporters[i] : NULL;
}
