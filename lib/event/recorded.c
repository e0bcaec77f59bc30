// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: which events a recorder recorded, whether any occurred or not.
 * In: kmemx record's note of them, hostile. Out: yes, no, or unknown.
 */
#include <string.h>

#include "event/formats.h"

/* Is "SYSTEM:NAME" one of the words of @list? */
static bool in_list(const char *list, const struct event_format *fmt)
{
	size_t system = strlen(fmt->system), name = strlen(fmt->name), len;

	for (; *list; list += len) {
		list += strspn(list, " \n");
		len = strcspn(list, " \n");
		if (len == system + 1 + name && list[system] == ':' &&
		    !memcmp(list, fmt->system, system) &&
		    !memcmp(list + system + 1, fmt->name, name))
			return true;
	}
	return false;
}

enum recorded recorded_types(const struct recording *rec,
			     const struct event_formats *fmts, uint32_t types)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_EVENTS);
	uint32_t i;

	if (!item)
		return RECORDED_UNKNOWN;
	for (i = 0; i < event_formats_count(fmts); i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		if (types >> fmt->type & 1 && in_list(item->text, fmt))
			return RECORDED_YES;
	}
	return RECORDED_NO;
}
