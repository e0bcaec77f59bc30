// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query (internal): functions that SQL has here beside SQLite's own.
 * In: a database. Out: the same with them.
 */
#include "query/functions.h"

#include <errno.h>

#define PARTS	 3
#define PART_MAX 99999U

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool query_kernel_version(const char *text, size_t size, uint64_t *version)
{
	uint64_t parts[PARTS] = { 0 };
	unsigned int part = 0;
	size_t i = 0;

	while (part < PARTS && i < size && is_digit(text[i])) {
		for (; i < size && is_digit(text[i]); i++) {
			parts[part] = parts[part] * 10 + (uint64_t)(text[i] - '0');
			if (parts[part] > PART_MAX)
				parts[part] = PART_MAX;
		}
		part++;
		if (i < size && text[i] == '.')
			i++;
		else
			break;
	}
	*version = (parts[0] * (PART_MAX + 1) + parts[1]) * (PART_MAX + 1) + parts[2];
	return part > 0;
}

#ifdef HAVE_SQLITE
#include "query/sqlite.h"

static void kernel_version(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	const unsigned char *text = sqlite3_value_text(values[0]);
	uint64_t version;

	if (text &&
	    query_kernel_version((const char *)text,
				 (size_t)sqlite3_value_bytes(values[0]), &version))
		sqlite3_result_int64(ctx, (sqlite3_int64)version);
}

int query_functions_add(struct sqlite3 *db)
{
	int ret = sqlite3_create_function_v2(db, "kernel_version", 1,
					     SQLITE_UTF8 | SQLITE_DETERMINISTIC |
						     SQLITE_INNOCUOUS,
					     NULL, kernel_version, NULL, NULL, NULL);

	return ret == SQLITE_OK ? 0 : -ENOMEM;
}
#endif
