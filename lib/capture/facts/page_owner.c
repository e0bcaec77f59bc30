// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: who has pages, by page_owner.
 * In: /sys/kernel/debug/page_owner. Out: a line for each callchain, "PAGES 0xGFP FUNCTION ...".
 */
#include "capture/facts/lists.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "capture/facts/opening.h"

#define CHAIN_MAX 512
#define ORDER_MAX 20

/* @key: "0xGFP FUNCTION ..." of the block that is being read, of @pages from frame @first on; 0:
 * none is. @runs: also gets each block's frames; may be NULL.
 */
struct page_sums {
	struct intern keys;
	struct opening_runs *runs;
	uint64_t first;
	uint64_t *pages_of, pages;
	size_t nr, capacity;
	char key[CHAIN_MAX];
	size_t len;
};

/* Adds up the block that was read. 0 or -ENOMEM. */
static int end_block(struct page_sums *s)
{
	uint32_t id;

	if (!s->pages)
		return 0;
	if (s->runs) {
		int ret = opening_add(s->runs, s->first, s->pages, s->key, s->len);

		s->pages = 0;
		return ret;
	}
	id = intern_id(&s->keys, s->key, s->len);
	if (!id || array_reserve(&s->pages_of, &s->capacity, id, sizeof(*s->pages_of)))
		return -ENOMEM;
	if (id > s->nr)
		s->pages_of[s->nr++] = 0;
	s->pages_of[id - 1] += s->pages;
	s->pages = 0;
	return 0;
}

/* Reads "Page allocated via order 0, mask 0x141cca(...), ...", "PFN 0x1a38 type ...", or
 * " FUNCTION+0x6f/0xc2 [MODULE]".
 */
static int add_line(struct page_sums *s, const char *line)
{
	const char *mask = strstr(line, ", mask 0x");
	unsigned int order;
	size_t len;

	if (mask && sscanf(line, "Page allocated via order %u", &order) == 1) {
		int ret = end_block(s);

		s->pages = order <= ORDER_MAX ? 1ULL << order : 0;
		s->len = (size_t)snprintf(s->key, sizeof(s->key), "0x%" PRIx64,
					  (uint64_t)strtoull(mask + 7, NULL, 16));
		return ret;
	}
	if (!strncmp(line, "PFN ", 4))
		s->first = strtoull(line + 4, NULL, 0);
	len = *line == ' ' ? strcspn(line + 1, "+ \n") : 0;
	if (!s->pages || !len || s->len + len + 1 >= sizeof(s->key))
		return 0;
	memcpy(s->key + s->len, line, len + 1);
	s->len += len + 1;
	return 0;
}

static int read_blocks(struct page_sums *s, const char *path, uint64_t most_ns,
		       const struct strbuf *frames, size_t most_bytes)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + most_ns;
	FILE *file = fopen(path, "re");
	size_t size = 0;
	char *line = NULL;
	int ret = file ? 0 : -errno;

	while (!ret && getline(&line, &size, file) > 0) {
		ret = add_line(s, line);
		if (!ret && *line != ' ' && clock_ns(CLOCK_MONOTONIC) > end)
			ret = -ETIME;
		if (!ret && frames && frames->size > most_bytes)
			ret = -EFBIG;
	}
	if (!ret)
		ret = end_block(s);
	if (file) {
		if (!ret && ferror(file))
			ret = -EIO;
		fclose(file);
	}
	free(line);
	return ret;
}

int page_owner_frames(const char *path, uint64_t most_ns, size_t most_bytes,
		      struct strbuf *out)
{
	struct opening_runs runs = { .out = out };
	struct page_sums s = { .runs = &runs };
	int ret = read_blocks(&s, path, most_ns, out, most_bytes);

	opening_end(&runs);
	intern_free(&runs.names);
	return out->failed ? -ENOMEM : ret;
}

int page_owner_sum(const char *path, uint64_t most_ns, size_t most_bytes,
		   struct strbuf *out)
{
	struct page_sums s = { 0 };
	int ret = read_blocks(&s, path, most_ns, NULL, 0);
	uint32_t i;

	for (i = 0; !ret && i < s.nr; i++) {
		size_t len = 0;
		const char *key = intern_get(&s.keys, i + 1, &len);

		strbuf_printf(out, "%" PRIu64 " %.*s\n", s.pages_of[i], (int)len, key);
		if (out->size > most_bytes)
			ret = -EFBIG;
	}
	if (out->failed)
		ret = -ENOMEM;
	intern_free(&s.keys);
	free(s.pages_of);
	return ret;
}
