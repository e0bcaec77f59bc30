// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/zones.h"

#include "base/array.h"
#include "base/strbuf.h"

/* Moves *@at after @word and the blanks before it; false: something else is there. */
static bool skip_word(const char **at, const char *word)
{
	size_t len = strlen(word);

	*at += strspn(*at, " \t");
	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

/* Reads the number at *@at, after blanks; false if it exceeds BUDDY_BLOCKS_MAX. */
static bool take_number(const char **at, uint64_t *value)
{
	const char *p = *at + strspn(*at, " \t");

	if (*p < '0' || *p > '9')
		return false;
	for (*value = 0; *p >= '0' && *p <= '9'; p++) {
		*value = *value * 10 + (uint64_t)(*p - '0');
		if (*value > BUDDY_BLOCKS_MAX)
			return false;
	}
	*at = p;
	return true;
}

/* Reads "Node 0, zone   Normal" and moves *@at after it. */
static bool take_zone(const char **at, uint64_t *node, const char **zone, size_t *len)
{
	const char *p = *at;

	if (!skip_word(&p, "Node") || !take_number(&p, node) || !skip_word(&p, ",") ||
	    !skip_word(&p, "zone"))
		return false;
	p += strspn(p, " \t");
	*zone = p;
	*len = strcspn(p, " \t\n,");
	*at = p + *len;
	return *len > 0;
}

bool buddyinfo_next(const char **text, struct buddy_line *line)
{
	while (**text) {
		const char *at = *text;

		*text = text_next_line(at);
		line->nr = 0;
		if (!take_zone(&at, &line->node, &line->zone, &line->zone_len))
			continue;
		while (line->nr < BUDDY_ORDERS_MAX &&
		       take_number(&at, &line->blocks[line->nr]))
			line->nr++;
		if (line->nr)
			return true;
	}
	return false;
}

static bool is_name(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && !memcmp(name, wanted, len);
}

bool zoneinfo_min(const char *text, uint64_t *pages, uint64_t *nodes)
{
	uint64_t node, last = UINT64_MAX, value, boost = 0;
	bool counts = false, found = false;
	const char *zone;
	size_t len;

	*pages = 0;
	*nodes = 0;
	for (; *text; text = text_next_line(text)) {
		const char *at = text;

		if (take_zone(&at, &node, &zone, &len)) {
			*nodes += node != last;
			last = node;
			counts = !is_name(zone, len, "HighMem") &&
				 !is_name(zone, len, "Movable");
			boost = 0;
			continue;
		}
		at = text;
		if (skip_word(&at, "boost ") && take_number(&at, &value)) {
			boost = value;
			continue;
		}
		at = text;
		if (!counts || !skip_word(&at, "min ") || !take_number(&at, &value))
			continue;
		*pages += value > boost ? value - boost : 0;
		if (*pages > BUDDY_BLOCKS_MAX)
			return false;
		found = true;
		counts = false; /* a zone has only one */
	}
	return found;
}

/* Reads "name 5"; several blanks stand for one. */
static bool take_stat(const char *at, const char *name, uint64_t *value)
{
	const char *second = strchr(name, ' ');
	size_t len = second ? (size_t)(second - name) : strlen(name);

	at += strspn(at, " \t");
	if (strncmp(at, name, len) != 0)
		return false;
	at += len;
	if (second && !skip_word(&at, second + 1))
		return false;
	return (*at == ' ' || *at == '\t') && take_number(&at, value);
}

bool zoneinfo_next(const char **text, const char *const *names, size_t nr,
		   struct zone_stat *stat)
{
	uint64_t node;
	const char *zone;
	size_t len;

	while (**text) {
		const char *at = *text;

		*text = text_next_line(at);
		if (take_zone(&at, &node, &zone, &len)) {
			stat->node = node < UINT32_MAX ? (uint32_t)node : UINT32_MAX;
			continue;
		}
		for (stat->name = 0; stat->name < nr; stat->name++)
			if (take_stat(at, names[stat->name], &stat->value))
				return true;
	}
	return false;
}

/* Smaller spans first: of two that have a frame, the inner one is found. */
static int compare_spans(const void *a, const void *b)
{
	const struct node_span *x = a, *y = b;
	uint64_t of_x = x->end - x->start, of_y = y->end - y->start;

	return (of_x > of_y) - (of_x < of_y);
}

int node_map_read(struct node_map *map, const char *zoneinfo)
{
	uint64_t node = UINT64_MAX, spanned = 0, start;
	const char *text, *zone;
	size_t len;

	for (text = zoneinfo; *text; text = text_next_line(text)) {
		const char *at = text;

		if (take_zone(&at, &node, &zone, &len)) {
			spanned = 0;
			continue;
		}
		at = text;
		if (skip_word(&at, "spanned ")) {
			if (!take_number(&at, &spanned))
				spanned = 0;
			continue;
		}
		at = text;
		if (!spanned || node >= UINT32_MAX || !skip_word(&at, "start_pfn:") ||
		    !take_number(&at, &start))
			continue;
		if (array_reserve(&map->spans, &map->capacity, map->nr + 1,
				  sizeof(*map->spans)))
			return -ENOMEM;
		map->spans[map->nr++] =
			(struct node_span){ start, start + spanned, (uint32_t)node };
		spanned = 0;
	}
	if (map->nr)
		qsort(map->spans, map->nr, sizeof(*map->spans), compare_spans);
	return 0;
}

uint32_t node_map_find(const struct node_map *map, uint64_t pfn)
{
	for (size_t i = 0; i < map->nr; i++)
		if (pfn >= map->spans[i].start && pfn < map->spans[i].end)
			return map->spans[i].node;
	return UINT32_MAX;
}

void node_map_free(struct node_map *map)
{
	free(map->spans);
	*map = (struct node_map){ 0 };
}

bool min_free_kbytes_value(const char *text, uint64_t *kbytes)
{
	const char *at = text;

	return take_number(&at, kbytes) && (*at == '\n' || !*at);
}

bool pagetypeinfo_block_order(const char *text, unsigned int *order)
{
	uint64_t value;

	for (; *text; text = text_next_line(text)) {
		const char *at = text;

		if (!skip_word(&at, "Page block order:"))
			continue;
		if (!take_number(&at, &value) || value > BUDDY_ORDERS_MAX)
			return false;
		*order = (unsigned int)value;
		return true;
	}
	return false;
}
