/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: migratetype numbers as names.
 * In: the kernel's pagetypeinfo, else its release. Out: names, and where they came from.
 */
#ifndef KMEMX_EVENT_MIGRATETYPE_H
#define KMEMX_EVENT_MIGRATETYPE_H

#include "base/compiler.h"

#define MIGRATETYPE_MAX 16

enum migratetype_origin {
	MIGRATETYPE_FROM_PAGETYPEINFO,
	MIGRATETYPE_FROM_RELEASE,
	MIGRATETYPE_ASSUMED
};

struct migratetypes {
	char names[MIGRATETYPE_MAX][16]; /* "UNMOVABLE", "MOVABLE", ... */
	int count;
	enum migratetype_origin origin;
};

/**
 * migratetypes_init() - learn the names
 * @pagetypeinfo: text of that kernel's /proc/pagetypeinfo, whose row order is the index;
 *		  NULL or without rows: use @release
 * @release: "6.1.0-50-armmp"; from 4.4 MOVABLE is 1 and RECLAIMABLE 2, before 4.4 they
 *	     were the other way (kernel commit 974a786e63c96a2401a78ddba926f34c128474f1);
 *	     NULL or unreadable: today's order is assumed
 */
void migratetypes_init(struct migratetypes *mt, const char *pagetypeinfo,
		       const char *release);
/* The name of @value; NULL if it has none (the caller prints the number). */
const char *migratetype_name(const struct migratetypes *mt, int value);

#endif
