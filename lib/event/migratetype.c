// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/migratetype.h"

#include <ctype.h>

/* Appends a name of @len bytes in upper case. */
static void add_name(struct migratetypes *mt, const char *name, size_t len)
{
	char *out;

	if (mt->count == MIGRATETYPE_MAX)
		return;
	out = mt->names[mt->count++];
	if (len >= sizeof(mt->names[0]))
		len = sizeof(mt->names[0]) - 1;
	for (size_t i = 0; i < len; i++)
		out[i] = (char)toupper((unsigned char)name[i]);
	out[len] = '\0';
}

/* Rows like "Node 0, zone DMA, type Unmovable 0 ..."; each zone of each node lists all types in
 * index order, so the first zone is enough.
 */
static void read_pagetypeinfo(struct migratetypes *mt, const char *text)
{
	while (text && *text) {
		const char *nl = strchr(text, '\n');
		const char *end = nl ? nl : text + strlen(text);
		const char *p = memmem(text, (size_t)(end - text), ", type ", 7);

		if (!strncmp(text, "Node", 4) && p) {
			size_t len = 0;

			for (p += 7; p < end && *p == ' '; p++)
				;
			while (p + len < end && isalnum((unsigned char)p[len]))
				len++;
			/* Does the second zone begin? */
			if (ANY(i, mt->count,
				strlen(mt->names[i]) == len &&
					!strncasecmp(mt->names[i], p, len)))
				return;
			if (len)
				add_name(mt, p, len);
		}
		text = nl ? nl + 1 : NULL;
	}
}

void migratetypes_init(struct migratetypes *mt, const char *pagetypeinfo,
		       const char *release)
{
	static const char *const today[] = { "UNMOVABLE", "MOVABLE", "RECLAIMABLE",
					     "HIGHATOMIC" };
	/* MIGRATE_RESERVE, the pages kept in reserve, was MIGRATE_PCPTYPES. */
	static const char *const before_4_4[] = { "UNMOVABLE", "RECLAIMABLE", "MOVABLE",
						  "RESERVE" };
	unsigned int major, minor;
	bool known = release && sscanf(release, "%4u.%4u", &major, &minor) == 2;
	bool old = known && (major < 4 || (major == 4 && minor < 4));
	const char *const *names = old ? before_4_4 : today;

	*mt = (struct migratetypes){ .origin = MIGRATETYPE_FROM_PAGETYPEINFO };
	read_pagetypeinfo(mt, pagetypeinfo);
	if (mt->count)
		return;
	mt->origin = known ? MIGRATETYPE_FROM_RELEASE : MIGRATETYPE_ASSUMED;
	/* Higher types depend on the configuration (CMA or not), so they stay numbers. */
	for (size_t i = 0; i < 4; i++)
		add_name(mt, names[i], strlen(names[i]));
}

const char *migratetype_name(const struct migratetypes *mt, int value)
{
	return value >= 0 && value < mt->count ? mt->names[value] : NULL;
}
