// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/snapshot.h"

#include "base/array.h"
#include "base/number.h"

#define NAME_MAX_LEN 255
/* More memory than any machine has. */
#define PAGES_MAX    (1ULL << 40)

static bool same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

/* The next line without its end; false at the text's end. */
static bool next_line(const char **text, const char **line, const char **end)
{
	if (!**text)
		return false;
	*line = *text;
	*end = *line + strcspn(*line, "\n");
	*text = **end ? *end + 1 : *end;
	return true;
}

/* The next word before @end; false if there is none. */
static bool next_word(const char **at, const char *end, const char **word, size_t *len)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
	*word = *at;
	while (*at < end && **at != ' ' && **at != '\t')
		++*at;
	*len = (size_t)(*at - *word);
	return *len != 0;
}

/* The same, if it is not too long for a name. */
static bool next_name(const char **at, const char *end, const char **name, size_t *len)
{
	return next_word(at, end, name, len) && *len <= NAME_MAX_LEN;
}

/* The rest of the line from the next word on: a function with its module. */
static bool last_name(const char **at, const char *end, const char **name, size_t *len)
{
	bool found = next_word(at, end, name, len);

	*len = (size_t)(end - *name);
	*at = end;
	return found && *len <= NAME_MAX_LEN;
}

/* A word that is a number of at most @max. */
static bool next_most(const char **at, const char *end, uint64_t max, uint64_t *value)
{
	const char *word;
	size_t len;

	return next_word(at, end, &word, &len) &&
	       !number_read(&word, *at, 10, max, value) && word == *at;
}

static bool next_number(const char **at, const char *end, uint64_t *value)
{
	return next_most(at, end, SNAPSHOT_MAX, value);
}

/* A time in nanoseconds, up to thirty years. */
static bool next_time(const char **at, const char *end, uint64_t *ns)
{
	return next_most(at, end, 1000000000ULL << 30, ns);
}

/* A number up to @max, as a truth value. */
static bool next_bool(const char **at, const char *end, uint64_t max, bool *value)
{
	uint64_t n = 0;
	bool found = next_number(at, end, &n);

	*value = n != 0;
	return found && n <= max;
}

/* Defines a function that reads the next line of a list with @fits, from @at to @end, to @out. */
#define NEXT_LINE(name, type, fits)                  \
	bool name(const char **text, type *out)      \
	{                                            \
		const char *at, *end;                \
                                                     \
		while (next_line(text, &at, &end)) { \
			if (fits)                    \
				return true;         \
		}                                    \
		return false;                        \
	}

/* "FILE:LINE [MODULE] func:FUNCTION", and words that newer kernels add. */
static bool read_allocinfo(struct allocinfo_line *line, const char *at, const char *end)
{
	const char *word;
	size_t len;

	if (!next_number(&at, end, &line->bytes) ||
	    !next_number(&at, end, &line->calls) ||
	    !next_word(&at, end, &line->place, &line->place_len) ||
	    line->place_len > NAME_MAX_LEN)
		return false;
	line->module_len = 0;
	while (next_word(&at, end, &word, &len)) {
		if (len > 2 && word[0] == '[' && word[len - 1] == ']' &&
		    len <= NAME_MAX_LEN) {
			line->module = word + 1;
			line->module_len = len - 2;
		} else if (len > 5 && !memcmp(word, "func:", 5) && len <= NAME_MAX_LEN) {
			line->function = word + 5;
			line->function_len = len - 5;
			return true;
		}
	}
	return false;
}

NEXT_LINE(allocinfo_next, struct allocinfo_line, read_allocinfo(out, at, end))

/* ": tunables LIMIT BATCHCOUNT SHARED : ...", or no limit. */
static bool read_tunables(const char *at, const char *end, uint64_t *limit)
{
	static const char tunables[] = ": tunables ";

	while (at < end && *at == ' ')
		at++;
	if ((size_t)(end - at) > strlen(tunables) &&
	    !memcmp(at, tunables, strlen(tunables)))
		at += strlen(tunables);
	else
		at = end;
	if (!next_number(&at, end, limit))
		*limit = 0;
	return true;
}

static bool read_page_owner(struct page_owner_line *line, const char *at, const char *end)
{
	char *rest;

	if (!next_number(&at, end, &line->pages) || line->pages > PAGES_MAX ||
	    end - at < 4 || memcmp(at, " 0x", 3) != 0)
		return false;
	line->gfp_flags = strtoull(at + 3, &rest, 16);
	line->names = rest < end ? rest + 1 : end;
	line->len = (size_t)(end - line->names);
	return true;
}

NEXT_LINE(page_owner_next, struct page_owner_line, read_page_owner(out, at, end))

NEXT_LINE(alloc_trace_next, struct alloc_trace_line,
	  next_name(&at, end, &out->cache, &out->cache_len) &&
		  next_number(&at, end, &out->objects) &&
		  last_name(&at, end, &out->name, &out->name_len))

NEXT_LINE(slabinfo_next, struct slabinfo_line,
	  next_name(&at, end, &out->name, &out->name_len) && out->name[0] != '#' &&
		  next_number(&at, end, &out->active) &&
		  next_number(&at, end, &out->total) &&
		  next_number(&at, end, &out->size) &&
		  next_number(&at, end, &out->per_slab) &&
		  next_number(&at, end, &out->pages) &&
		  read_tunables(at, end, &out->cpu_limit))

NEXT_LINE(slab_cpu_next, struct slab_cpu_line,
	  next_name(&at, end, &out->name, &out->name_len) &&
		  next_number(&at, end, &out->slabs) &&
		  next_number(&at, end, &out->sheaf))

NEXT_LINE(slab_count_next, struct slab_count_line,
	  next_name(&at, end, &out->name, &out->name_len) &&
		  next_number(&at, end, &out->objects) &&
		  next_number(&at, end, &out->held) &&
		  next_number(&at, end, &out->sheaf) &&
		  next_bool(&at, end, SNAPSHOT_MAX, &out->shrunk) &&
		  next_time(&at, end, &out->begin) && next_time(&at, end, &out->read) &&
		  next_time(&at, end, &out->end) && out->begin <= out->read &&
		  out->read <= out->end)

NEXT_LINE(slab_reclaim_next, struct slab_reclaim_line,
	  next_name(&at, end, &out->name, &out->name_len) &&
		  next_bool(&at, end, 1, &out->reclaimable))

NEXT_LINE(vmallocinfo_next, struct vmallocinfo_line,
	  next_number(&at, end, &out->areas) && next_number(&at, end, &out->pages) &&
		  last_name(&at, end, &out->name, &out->name_len))

/* The headings of percpu_stats: "Allocation Info:", "Global Stats:", "Chunk: <- First Chunk",
 * "Chunk: <- Reserved Chunk", and those of other chunks, "Chunk:" and "Chunk (to_depopulate)".
 */
enum percpu_part {
	PERCPU_NONE,
	PERCPU_SIZES,
	PERCPU_ALL,
	PERCPU_FIRST,
	PERCPU_RESERVED,
	PERCPU_CHUNK,
};

/* @reserved, @dynamic: bytes of the chunk of that name, and of the first one */
struct percpu_reading {
	struct percpu_stats *stats;
	enum percpu_part part;
	uint64_t unit, reserved, dynamic;
};

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static enum percpu_part percpu_part(const char *line)
{
	return begins(line, "Allocation Info:")	    ? PERCPU_SIZES
	       : begins(line, "Global Stats:")	    ? PERCPU_ALL
	       : begins(line, "Chunk: <- First")    ? PERCPU_FIRST
	       : begins(line, "Chunk: <- Reserved") ? PERCPU_RESERVED
	       : begins(line, "Chunk")		    ? PERCPU_CHUNK
						    : PERCPU_NONE;
}

/* Adds a chunk that has @free bytes left. */
static bool add_chunk(struct percpu_reading *r, uint64_t free)
{
	uint64_t size = r->part == PERCPU_FIRST	     ? r->dynamic
			: r->part == PERCPU_RESERVED ? r->reserved
						     : r->unit;

	if (free > size)
		return false;
	r->stats->allocated += size - free;
	return r->stats->allocated <= SNAPSHOT_MAX;
}

/* Takes "NAME: VALUE". False: the value is impossible. */
static bool take_percpu(struct percpu_reading *r, const char *name, uint64_t value)
{
	const struct {
		const char *name;
		enum percpu_part part;
		uint64_t *value;
	} values[] = {
		{ "unit_size ", PERCPU_SIZES, &r->unit },
		{ "static_size ", PERCPU_SIZES, &r->stats->statics },
		{ "reserved_size ", PERCPU_SIZES, &r->reserved },
		{ "dyn_size ", PERCPU_SIZES, &r->dynamic },
		{ "nr_cur_alloc ", PERCPU_ALL, &r->stats->areas },
		{ "nr_chunks ", PERCPU_ALL, &r->stats->chunks },
		{ "empty_pop_pages ", PERCPU_ALL, &r->stats->empty_pages },
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i].part == r->part && begins(name, values[i].name))
			*values[i].value = value;
	return r->part < PERCPU_FIRST || !begins(name, "free_bytes ") ||
	       add_chunk(r, value);
}

bool percpu_stats_read(struct percpu_stats *stats, const char *text)
{
	struct percpu_reading r = { .stats = stats };
	const char *at, *end, *name, *colon;
	uint64_t value;
	size_t len;

	*stats = (struct percpu_stats){ 0 };
	while (next_line(&text, &at, &end)) {
		if (*at != ' ' && *at != '-')
			r.part = percpu_part(at);
		if (*at == ' ' && next_word(&at, end, &name, &len) &&
		    next_word(&at, end, &colon, &len) &&
		    (!next_number(&at, end, &value) || !take_percpu(&r, name, value)))
			return false;
	}
	stats->addresses = r.unit * stats->chunks;
	return r.unit && stats->chunks && r.unit <= SNAPSHOT_MAX / stats->chunks;
}

bool vmstat_value(const char *text, const char *name, uint64_t *value)
{
	size_t want = strlen(name), len;
	const char *at, *end, *word;

	while (next_line(&text, &at, &end)) {
		if (next_word(&at, end, &word, &len) && len == want &&
		    !memcmp(word, name, len))
			return next_number(&at, end, value);
	}
	return false;
}

bool vmstat_sum(const char *text, const char *prefix, uint64_t *sum)
{
	size_t want = strlen(prefix), len;
	const char *at, *end, *word;
	bool found = false;
	uint64_t value;

	*sum = 0;
	while (next_line(&text, &at, &end)) {
		if (!next_word(&at, end, &word, &len) || len < want ||
		    memcmp(word, prefix, want) || !next_number(&at, end, &value))
			continue;
		if (*sum + value > SNAPSHOT_MAX)
			return false;
		*sum += value;
		found = true;
	}
	return found;
}

/* --- zones ------------------------------------------------------------------------------ */

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

/* Reads the number at *@at, after blanks; false if it exceeds SNAPSHOT_MAX. */
static bool take_number(const char **at, uint64_t *value)
{
	const char *p = *at + strspn(*at, " \t");

	if (number_read(&p, NULL, 10, SNAPSHOT_MAX, value))
		return false;
	*at = p;
	return true;
}

/* Reads a line "WORD 5". */
static bool value_of(const char *line, const char *word, uint64_t *value)
{
	return skip_word(&line, word) && take_number(&line, value);
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

static bool read_buddy(struct buddy_line *line, const char *at)
{
	line->nr = 0;
	if (!take_zone(&at, &line->node, &line->zone, &line->zone_len))
		return false;
	while (line->nr < BUDDY_ORDERS_MAX && take_number(&at, &line->blocks[line->nr]))
		line->nr++;
	return line->nr;
}

NEXT_LINE(buddyinfo_next, struct buddy_line, read_buddy(out, at))

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
			counts = !same(zone, len, "HighMem", 7) &&
				 !same(zone, len, "Movable", 7);
			boost = 0;
			continue;
		}
		if (value_of(text, "boost ", &boost) || !counts ||
		    !value_of(text, "min ", &value))
			continue;
		*pages += less(value, boost);
		if (*pages > SNAPSHOT_MAX)
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
ORDER(compare_spans, struct node_span, COMPARE(x->end - x->start, y->end - y->start))

int node_map_read(struct node_map *map, const char *zoneinfo)
{
	static const char *const names[] = { "spanned", "start_pfn:" };
	struct zone_stat stat = { .node = UINT32_MAX };
	uint64_t spanned = 0;

	while (zoneinfo_next(&zoneinfo, names, ARRAY_SIZE(names), &stat)) {
		const struct node_span span = { stat.value, stat.value + spanned,
						stat.node };

		if (stat.name && spanned && stat.node < UINT32_MAX &&
		    ARRAY_ADD(map->spans, map->nr, span))
			return -ENOMEM;
		spanned = stat.name ? 0 : stat.value;
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

/* "Node 0, zone   Normal  26119  33787 ...": the numbers are blocks of order 0, 1, ... */
bool buddyinfo_pages(const char *text, uint64_t *pages)
{
	struct buddy_line line;
	bool found = false;

	*pages = 0;
	while (buddyinfo_next(&text, &line)) {
		for (unsigned int order = 0; order < line.nr; order++)
			*pages += line.blocks[order] << order;
		if (*pages > SNAPSHOT_MAX)
			return false;
		found = true;
	}
	return found;
}

bool zoneinfo_pcp_pages(const char *text, uint64_t *pages)
{
	static const char *const count[] = { "count:" };
	struct zone_stat stat = { 0 };
	bool found = false;

	*pages = 0;
	while (zoneinfo_next(&text, count, 1, &stat)) {
		*pages += stat.value;
		if (*pages > SNAPSHOT_MAX)
			return false;
		found = true;
	}
	return found;
}

NEXT_LINE(slab_alias_next, struct slab_alias,
	  next_name(&at, end, &out->name, &out->name_len) &&
		  next_name(&at, end, &out->target, &out->target_len))

void slab_aliases_of(const char *text, const char *name, struct strbuf *out)
{
	const char *at = text;
	struct slab_alias own, other;
	bool found = false;
	size_t start = out->size;

	while (!found && slab_alias_next(&at, &own))
		found = same(own.name, own.name_len, name, strlen(name));
	for (at = text; found && slab_alias_next(&at, &other);) {
		if (!same(own.target, own.target_len, other.target, other.target_len) ||
		    same(own.name, own.name_len, other.name, other.name_len))
			continue;
		strbuf_puts(out, out->size > start ? "," : "");
		strbuf_add(out, other.name, other.name_len);
	}
}
