// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the sort keys of kmemx stat.
 * In: -s KEYS. Out: keys that some report knows, or a message that lists them.
 */
#include "stat_keys.h"

#include <errno.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "options.h"

#define SLAB_KEYS                                                                    \
	"ptr", "callsite", "bytes", "bytes_req", "hit", "pingpong", "frag", "cache", \
		"waste", "waste_live", "implicit", "net", "net_min", "net_max",      \
		"unmatched", "double"
#define PAGE_KEYS    "page", "order", "migtype", "gfp"
#define BY_KEYS	     "comm", "pid", "cpu", "node", "module", "dir"
#define ACCOUNT_KEYS "current_dynamic", "total_dynamic", "alloc_count", "free_count"
#define LEDGER_KEYS  "allocs", "freed", "trace", "kernel", "unexplained", "explained"

static const char *const known_keys[] = { SLAB_KEYS, PAGE_KEYS, BY_KEYS, ACCOUNT_KEYS,
					  LEDGER_KEYS };

static bool is_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known_keys); i++) {
		if (!strcmp(name, known_keys[i]))
			return true;
	}
	return false;
}

static void list_keys(const char *command, const char *problem, const char *name)
{
	const char *near =
		*name ? options_nearest(name, known_keys, ARRAY_SIZE(known_keys)) : NULL;

	message_error(
		command,
		"%s '%s'.%s%s%s\n  slab keys: ptr callsite bytes bytes_req hit pingpong frag cache waste waste_live net\n  page keys: page callsite bytes hit order migtype gfp net    (+KEY up, -KEY down)\n  --by keys: comm pid cpu node module dir\n  ledger keys: cache allocs freed implicit trace kernel unexplained explained",
		problem, name, near ? " Did you mean '" : "", near ? near : "",
		near ? "'?" : "");
}

int stat_keys_parse(struct sort_keys *keys, const char *text, const char *command)
{
	int err = sort_keys_parse(keys, text);
	size_t i;

	if (err) {
		list_keys(command,
			  err == -E2BIG ? "too many sort keys in" : "empty sort key in",
			  text);
		return EXIT_USAGE;
	}
	for (i = 0; i < keys->nr; i++) {
		if (is_known(keys->keys[i].name))
			continue;
		list_keys(command, "unknown sort key", keys->keys[i].name);
		return EXIT_USAGE;
	}
	return GO_ON;
}

int stat_keys_sort(struct table *t, const struct sort_keys *keys)
{
	/* perf kmem's defaults; a table takes the keys it knows. */
	static const struct sort_key slab[] = { { "frag", SORT_DEFAULT },
						{ "hit", SORT_DEFAULT },
						{ "bytes", SORT_DEFAULT } };
	static const struct sort_key page[] = { { "bytes", SORT_DEFAULT },
						{ "hit", SORT_DEFAULT } };
	static const struct sort_key account = { "current_dynamic", SORT_DEFAULT };
	int err = table_sort(t, keys->keys, keys->nr);

	if (err || t->sorted_by)
		return err;
	if (table_column(t, account.name) >= 0)
		return table_sort(t, &account, 1);
	if (table_column(t, "frag") >= 0)
		return table_sort(t, slab, ARRAY_SIZE(slab));
	return table_sort(t, page, ARRAY_SIZE(page));
}

void stat_keys_show(struct table *t, const struct sort_keys *keys, bool live)
{
	bool net = live;
	size_t i;

	for (i = 0; i < keys->nr; i++) {
		table_show_column(t, keys->keys[i].name);
		net |= !strncmp(keys->keys[i].name, "net", 3);
	}
	if (net && table_has_value(t, "net_reason")) {
		table_show_column(t, "net_min");
		table_show_column(t, "net_max");
		table_show_column(t, "net_reason");
	}
}
