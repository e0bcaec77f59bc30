// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables are those of the print formats of Linux 3.18 (include/trace/events/gfpflags.h and
 * include/linux/gfp.h), 6.1, 6.12 and 6.18, in the original order, which determines what is
 * printed.
 */
#include "import/text_gfp.h"

#include <ctype.h>

#include "base/number.h"

/* The first bit for names that are in no table, and the limit of such bits. */
#define FIRST_FREE_BIT 40
#define END_OF_BITS    63
/* No kernel prints a longer value. At most this many distinct values are remembered. */
#define MAX_TEXT       1024
#define MAX_TEXTS      65536

struct pair {
	uint64_t mask;
	const char *name;
};

static const struct pair before_4_4[] = {
	{ 0x4352da, "GFP_TRANSHUGE" },
	{ 0x200da, "GFP_HIGHUSER_MOVABLE" },
	{ 0x200d2, "GFP_HIGHUSER" },
	{ 0x200d0, "GFP_USER" },
	{ 0x800d0, "GFP_TEMPORARY" },
	{ 0xd0, "GFP_KERNEL" },
	{ 0x50, "GFP_NOFS" },
	{ 0x20, "GFP_ATOMIC" },
	{ 0x10, "GFP_NOIO" },
	{ 0x20, "GFP_HIGH" },
	{ 0x10, "GFP_WAIT" },
	{ 0x40, "GFP_IO" },
	{ 0x100, "GFP_COLD" },
	{ 0x200, "GFP_NOWARN" },
	{ 0x400, "GFP_REPEAT" },
	{ 0x800, "GFP_NOFAIL" },
	{ 0x1000, "GFP_NORETRY" },
	{ 0x4000, "GFP_COMP" },
	{ 0x8000, "GFP_ZERO" },
	{ 0x10000, "GFP_NOMEMALLOC" },
	{ 0x2000, "GFP_MEMALLOC" },
	{ 0x20000, "GFP_HARDWALL" },
	{ 0x40000, "GFP_THISNODE" },
	{ 0x80000, "GFP_RECLAIMABLE" },
	{ 0x8, "GFP_MOVABLE" },
	{ 0x200000, "GFP_NOTRACK" },
	{ 0x400000, "GFP_NO_KSWAPD" },
	{ 0x800000, "GFP_OTHER_NODE" },
	{ 0, NULL },
};

#define COMPOSED_COMMON                                                             \
	{ 0x1c24ca, "GFP_TRANSHUGE" }, { 0x1c20ca, "GFP_TRANSHUGE_LIGHT" },         \
		{ 0x100cca, "GFP_HIGHUSER_MOVABLE" }, { 0x100cc2, "GFP_HIGHUSER" }, \
		{ 0x100cc0, "GFP_USER" }, { 0x400cc0, "GFP_KERNEL_ACCOUNT" },       \
		{ 0xcc0, "GFP_KERNEL" },                                            \
	{                                                                           \
		0xc40, "GFP_NOFS"                                                   \
	}

#define BITS_BEFORE_6_18                                                              \
	{ 0x40, "__GFP_IO" }, { 0x80, "__GFP_FS" }, { 0x2000, "__GFP_NOWARN" },       \
		{ 0x4000, "__GFP_RETRY_MAYFAIL" }, { 0x8000, "__GFP_NOFAIL" },        \
		{ 0x10000, "__GFP_NORETRY" }, { 0x40000, "__GFP_COMP" },              \
		{ 0x100, "__GFP_ZERO" }, { 0x80000, "__GFP_NOMEMALLOC" },             \
		{ 0x20000, "__GFP_MEMALLOC" }, { 0x100000, "__GFP_HARDWALL" },        \
		{ 0x200000, "__GFP_THISNODE" }, { 0x10, "__GFP_RECLAIMABLE" },        \
		{ 0x8, "__GFP_MOVABLE" }, { 0x400000, "__GFP_ACCOUNT" },              \
		{ 0x1000, "__GFP_WRITE" }, { 0xc00, "__GFP_RECLAIM" },                \
		{ 0x400, "__GFP_DIRECT_RECLAIM" }, { 0x800, "__GFP_KSWAPD_RECLAIM" }, \
	{                                                                             \
		0x800000, "__GFP_ZEROTAGS"                                            \
	}

static const struct pair before_6_4[] = {
	COMPOSED_COMMON,
	{ 0xa20, "GFP_ATOMIC" },
	{ 0xc00, "GFP_NOIO" },
	{ 0x800, "GFP_NOWAIT" },
	{ 0x1, "GFP_DMA" },
	{ 0x2, "__GFP_HIGHMEM" },
	{ 0x4, "GFP_DMA32" },
	{ 0x20, "__GFP_HIGH" },
	{ 0x200, "__GFP_ATOMIC" },
	BITS_BEFORE_6_18,
	{ 0, NULL },
};

static const struct pair before_6_18[] = {
	COMPOSED_COMMON,       { 0x820, "GFP_ATOMIC" },
	{ 0xc00, "GFP_NOIO" }, { 0x2800, "GFP_NOWAIT" },
	{ 0x1, "GFP_DMA" },    { 0x2, "__GFP_HIGHMEM" },
	{ 0x4, "GFP_DMA32" },  { 0x20, "__GFP_HIGH" },
	BITS_BEFORE_6_18,      { 0, NULL },
};

static const struct pair since_6_18[] = {
	COMPOSED_COMMON,
	{ 0x820, "GFP_ATOMIC" },
	{ 0xc00, "GFP_NOIO" },
	{ 0x2800, "GFP_NOWAIT" },
	{ 0x1, "GFP_DMA" },
	{ 0x4, "GFP_DMA32" },
	{ 0xc00, "__GFP_RECLAIM" },
	{ 0x1, "__GFP_DMA" },
	{ 0x2, "__GFP_HIGHMEM" },
	{ 0x4, "__GFP_DMA32" },
	{ 0x8, "__GFP_MOVABLE" },
	{ 0x10, "__GFP_RECLAIMABLE" },
	{ 0x20, "__GFP_HIGH" },
	{ 0x40, "__GFP_IO" },
	{ 0x80, "__GFP_FS" },
	{ 0x100, "__GFP_ZERO" },
	{ 0x400, "__GFP_DIRECT_RECLAIM" },
	{ 0x800, "__GFP_KSWAPD_RECLAIM" },
	{ 0x1000, "__GFP_WRITE" },
	{ 0x2000, "__GFP_NOWARN" },
	{ 0x4000, "__GFP_RETRY_MAYFAIL" },
	{ 0x8000, "__GFP_NOFAIL" },
	{ 0x10000, "__GFP_NORETRY" },
	{ 0x20000, "__GFP_MEMALLOC" },
	{ 0x40000, "__GFP_COMP" },
	{ 0x80000, "__GFP_NOMEMALLOC" },
	{ 0x100000, "__GFP_HARDWALL" },
	{ 0x200000, "__GFP_THISNODE" },
	{ 0x400000, "__GFP_ACCOUNT" },
	{ 0x800000, "__GFP_ZEROTAGS" },
	{ 0x1000000, "__GFP_NO_OBJ_EXT" },
	{ 0, NULL },
};

static const struct {
	const struct pair *pairs;
	const char *name, *none;
} eras[] = {
	[TEXT_GFP_BEFORE_4_4] = { before_4_4, "before 4.4", "GFP_NOWAIT" },
	[TEXT_GFP_BEFORE_6_4] = { before_6_4, "before 6.4", "none" },
	[TEXT_GFP_BEFORE_6_18] = { before_6_18, "6.4 to 6.17", "none" },
	[TEXT_GFP_SINCE_6_18] = { since_6_18, "6.18 and later", "none" },
};

static bool holds(const char *text, size_t size, const char *what)
{
	return memmem(text, size, what, strlen(what)) != NULL;
}

/* Is there a "name=" between "kmem_cache_alloc:" and its "bytes_req="? */
static bool cache_alloc_has_name(const char *text, size_t size)
{
	static const char event[] = " kmem_cache_alloc: ";
	const char *p = memmem(text, size, event, sizeof(event) - 1);
	const char *nl = p ? memchr(p, '\n', size - (size_t)(p - text)) : NULL;

	return nl && holds(p, (size_t)(nl - p), " name=");
}

enum text_gfp_era text_gfp_guess(const char *release, const char *text, size_t size)
{
	/* Only kernels with the old names print these: the later names have underscores
	 * after "|".
	 */
	static const char *const old[] = { "=GFP_WAIT", "|GFP_WAIT",   "|GFP_ZERO",
					   "|GFP_COMP", "|GFP_NOWARN", "|GFP_IO" };
	unsigned int major, minor;

	if (release && sscanf(release, "%4u.%4u", &major, &minor) == 2) {
		unsigned int version = major * 1000 + minor;

		return version < 4004	? TEXT_GFP_BEFORE_4_4
		       : version < 6004 ? TEXT_GFP_BEFORE_6_4
		       : version < 6018 ? TEXT_GFP_BEFORE_6_18
					: TEXT_GFP_SINCE_6_18;
	}
	if (ANY(i, ARRAY_SIZE(old), holds(text, size, old[i])))
		return TEXT_GFP_BEFORE_4_4;
	if (cache_alloc_has_name(text, size))
		return TEXT_GFP_SINCE_6_18;
	/* Other kernels print a single name for these combinations. */
	if (holds(text, size, "GFP_NOWAIT|__GFP_NOWARN") ||
	    holds(text, size, "__GFP_ATOMIC"))
		return TEXT_GFP_BEFORE_6_4;
	return holds(text, size, "__GFP_KSWAPD_RECLAIM") ? TEXT_GFP_BEFORE_6_18
							 : TEXT_GFP_BEFORE_6_4;
}

int text_gfp_init(struct text_gfp *g, enum text_gfp_era era)
{
	*g = (struct text_gfp){ .era = era,
				.era_name = eras[era].name,
				.none = eras[era].none,
				.next_bit = FIRST_FREE_BIT };
	for (const struct pair *p = eras[era].pairs; p->name; p++)
		if (gfp_names_add(&g->names, p->mask, p->name))
			return -ENOMEM;
	return 0;
}

void text_gfp_free(struct text_gfp *g)
{
	gfp_names_free(&g->names);
	KEYED_FREE(&g->values);
}

/* A name's bits; a new bit if the table lacks the name. -EINVAL if it is not a name. */
static int name_mask(struct text_gfp *g, const char *name, size_t len, uint64_t *mask)
{
	char copy[64];

	for_each(n, g->names.names, g->names.count) {
		if (strlen(n->name) == len && !memcmp(n->name, name, len)) {
			*mask = n->mask;
			return 0;
		}
	}
	if (len >= sizeof(copy) || len < 5 || !memmem(name, len, "GFP_", 4) ||
	    g->next_bit == END_OF_BITS)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return -EINVAL;
	memcpy(copy, name, len);
	copy[len] = '\0';
	*mask = UINT64_C(1) << g->next_bit++;
	g->nr_new++;
	return gfp_names_add(&g->names, *mask, copy);
}

static int parse_hex(const char *text, size_t len, uint64_t *out)
{
	const char *end = text + len;

	if (len < 3 || memcmp(text, "0x", 2) != 0)
		return -EINVAL;
	text += 2;
	return number_read(&text, end, 16, UINT64_MAX, out) || text < end ? -EINVAL : 0;
}

static int parse(struct text_gfp *g, const char *text, size_t len, uint64_t *flags)
{
	const char *end = text + len, *p = text;

	*flags = 0;
	if (len == strlen(g->none) && !memcmp(text, g->none, len))
		return 0;
	while (p < end) {
		const char *bar = memchr(p, '|', (size_t)(end - p));
		size_t n = (size_t)((bar ? bar : end) - p);
		uint64_t mask;
		int ret = parse_hex(p, n, &mask);

		if (ret)
			ret = name_mask(g, p, n, &mask);
		if (ret)
			return ret;
		*flags |= mask;
		p += n + 1;
	}
	return 0;
}

/* Parses a value that is not yet known. */
static int take(struct text_gfp *g, const char *text, size_t len, uint64_t *flags)
{
	struct strbuf __auto_free again = { 0 };
	int ret = parse(g, text, len, flags);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		*flags = 0;
		g->nr_unreadable++;
		return 0;
	}
	gfp_format_long(&g->names, *flags, &again);
	if (again.failed)
		ret = -ENOMEM;
	else if (*flags && (again.size != len || memcmp(again.data, text, len) != 0))
		g->nr_other++;
	return ret;
}

int text_gfp_value(struct text_gfp *g, const char *text, size_t len, uint64_t *flags)
{
	size_t before = g->values.nr;
	uint32_t id;
	int ret = 0;

	*flags = 0;
	if (len > MAX_TEXT || before >= MAX_TEXTS) {
		g->nr_unreadable++;
		return 0;
	}
	id = KEYED_ID_OF(&g->values, text, len);
	if (!id)
		return -ENOMEM;
	if (g->values.nr > before)
		ret = take(g, text, len, &g->values.of[id - 1]);
	*flags = ret ? 0 : g->values.of[id - 1];
	return ret;
}

void text_gfp_pairs(const struct text_gfp *g, struct strbuf *out)
{
	for (size_t i = 0; i < g->names.count; i++)
		strbuf_printf(out, "%s{0x%" PRIx64 "%s, \"%s\"}", i ? ", " : "",
			      g->names.names[i].mask,
			      g->names.names[i].mask > UINT32_MAX ? "UL" : "",
			      g->names.names[i].name);
}
