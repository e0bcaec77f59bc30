// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/gfp.h"

#include <ctype.h>

/* perf kmem's short names, made unique; names only, as the values vary by kernel. */
static const struct {
	const char *name;
	const char *short_name;
} short_names[] = {
	{ "GFP_TRANSHUGE", "THP" },
	{ "GFP_TRANSHUGE_LIGHT", "THL" },
	{ "GFP_HIGHUSER_MOVABLE", "HUM" },
	{ "GFP_HIGHUSER", "HU" },
	{ "GFP_USER", "U" },
	{ "GFP_KERNEL_ACCOUNT", "KAC" },
	{ "GFP_KERNEL", "K" },
	{ "GFP_TEMPORARY", "T" },
	{ "GFP_NOFS", "NF" },
	{ "GFP_ATOMIC", "A" },
	{ "GFP_NOIO", "NI" },
	{ "GFP_NOWAIT", "NW" },
	{ "GFP_DMA", "D" },
	{ "GFP_DMA32", "D32" },
	{ "__GFP_DMA", "ZD" },
	{ "__GFP_HIGHMEM", "HM" },
	{ "__GFP_DMA32", "ZD32" },
	{ "__GFP_HIGH", "H" },
	{ "__GFP_ATOMIC", "AT" },
	{ "__GFP_IO", "I" },
	{ "__GFP_FS", "F" },
	{ "__GFP_NOWARN", "NWR" },
	{ "__GFP_REPEAT", "RP" },
	{ "__GFP_RETRY_MAYFAIL", "RM" },
	{ "__GFP_NOFAIL", "NFL" },
	{ "__GFP_NORETRY", "NR" },
	{ "__GFP_COMP", "C" },
	{ "__GFP_ZERO", "Z" },
	{ "__GFP_NOMEMALLOC", "NMA" },
	{ "__GFP_MEMALLOC", "MA" },
	{ "__GFP_HARDWALL", "HW" },
	{ "__GFP_THISNODE", "TN" },
	{ "__GFP_RECLAIMABLE", "RC" },
	{ "__GFP_MOVABLE", "M" },
	{ "__GFP_ACCOUNT", "AC" },
	{ "__GFP_WRITE", "WR" },
	{ "__GFP_RECLAIM", "R" },
	{ "__GFP_DIRECT_RECLAIM", "DR" },
	{ "__GFP_KSWAPD_RECLAIM", "KR" },
	{ "__GFP_COLD", "CO" },
	{ "__GFP_NOTRACK", "NT" },
	{ "__GFP_OTHER_NODE", "ON" },
	{ "__GFP_NOLOCKDEP", "NLD" },
	{ "__GFP_ZEROTAGS", "ZT" },
	{ "__GFP_SKIP_ZERO", "SZ" },
	{ "__GFP_SKIP_KASAN", "SK" },
	{ "__GFP_NO_OBJ_EXT", "NOE" },
};

static bool short_name_taken(const struct gfp_names *names, const char *text)
{
	/* A known name that comes later must keep its own short name. */
	return ANY(i, names->count, !strcmp(names->names[i].short_name, text)) ||
	       ANY(i, ARRAY_SIZE(short_names), !strcmp(short_names[i].short_name, text));
}

/* Makes a short name: the first two letters of each word, and a number if that is taken. */
static void generate_short_name(const struct gfp_names *names, const char *name,
				char out[12])
{
	const char *p = strstr(name, "GFP_");
	char base[7];
	size_t len = 0;
	int in_word = 0;

	for (p = p ? p + 4 : name; *p && len < sizeof(base) - 1; p++) {
		if (!isalnum((unsigned char)*p))
			in_word = 0;
		else if (in_word++ < 2)
			base[len++] = (char)toupper((unsigned char)*p);
	}
	if (!len)
		base[len++] = 'X';
	base[len] = '\0';
	snprintf(out, 12, "%s", base);
	for (unsigned int n = 2; short_name_taken(names, out) && n < 10000; n++)
		snprintf(out, 12, "%s%u", base, n);
}

int gfp_names_add(struct gfp_names *names, uint64_t mask, const char *name)
{
	const __auto_type known =
		FIND(one, short_names, ARRAY_SIZE(short_names), !strcmp(one->name, name));
	struct gfp_name added = { .mask = mask, .name = strdup(name) };
	/* The plugin has no base/array.c. */
	struct gfp_name *grown =
		realloc(names->names, (names->count + 1) * sizeof(*grown));

	names->names = grown ?: names->names;
	if (!added.name || !grown) {
		free(added.name);
		return -ENOMEM;
	}
	/* A repeated name gets a generated one. */
	if (known &&
	    !ANY(i, names->count, !strcmp(names->names[i].short_name, known->short_name)))
		snprintf(added.short_name, sizeof(added.short_name), "%s",
			 known->short_name);
	else
		generate_short_name(names, name, added.short_name);
	names->names[names->count++] = added;
	return 0;
}

uint64_t gfp_bit(const struct gfp_names *names, const char *name, const char *other)
{
	for (size_t i = 0; names && i < names->count; i++) {
		if (!strcmp(names->names[i].name, name) ||
		    !strcmp(names->names[i].name, other))
			return names->names[i].mask;
	}
	return 0;
}

/* Kernel memory is charged if its flags ask for it; user memory, all of which has HARDWALL, always
 * is.
 */
uint64_t gfp_charged(const struct gfp_names *names)
{
	uint64_t account = gfp_bit(names, "__GFP_ACCOUNT", "GFP_ACCOUNT");

	return account ? account | gfp_bit(names, "__GFP_HARDWALL", "GFP_HARDWALL") : 0;
}

void gfp_names_free(struct gfp_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i].name);
	free(names->names);
	*names = (struct gfp_names){ 0 };
}

/* As the kernel's trace_print_flags_seq(): each name whose whole mask is set takes its bits. */
static void gfp_format(const struct gfp_names *names, uint64_t flags, struct strbuf *out,
		       bool use_short, uint64_t *used)
{
	const char *separator = "";

	if (!flags) {
		strbuf_puts(out, "none");
		return;
	}
	for (size_t i = 0; i < names->count && flags; i++) {
		const struct gfp_name *n = &names->names[i];

		if (!n->mask || (flags & n->mask) != n->mask)
			continue;
		flags &= ~n->mask;
		strbuf_puts(out, separator);
		strbuf_puts(out, use_short ? n->short_name : n->name);
		separator = "|";
		if (used && i < 64)
			*used |= 1ULL << i;
	}
	if (flags)
		strbuf_printf(out, "%s0x%" PRIx64, separator, flags);
}

void gfp_format_long(const struct gfp_names *names, uint64_t flags, struct strbuf *out)
{
	gfp_format(names, flags, out, false, NULL);
}

void gfp_format_short(const struct gfp_names *names, uint64_t flags, struct strbuf *out,
		      uint64_t *used)
{
	gfp_format(names, flags, out, true, used);
}
