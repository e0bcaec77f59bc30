// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: who has pages, by page_owner.
 * In: /sys/kernel/debug/page_owner. Out: a line for each callchain, "PAGES 0xGFP FUNCTION ...".
 */
#include "capture/facts/page_owner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"

#define CHAIN_MAX 512
#define ORDER_MAX 20

/* @key: "0xGFP FUNCTION ..." of the block that is being read, of @pages; 0: none is. */
struct page_sums {
	struct intern keys;
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
	id = intern_id(&s->keys, s->key, s->len);
	if (!id || array_reserve(&s->pages_of, &s->capacity, id, sizeof(*s->pages_of)))
		return -ENOMEM;
	if (id > s->nr)
		s->pages_of[s->nr++] = 0;
	s->pages_of[id - 1] += s->pages;
	s->pages = 0;
	return 0;
}

/* Reads "Page allocated via order 0, mask 0x141cca(...), ...", or " FUNCTION+0x6f/0xc2 [MODULE]". */
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
	len = *line == ' ' ? strcspn(line + 1, "+ \n") : 0;
	if (!s->pages || !len || s->len + len + 1 >= sizeof(s->key))
		return 0;
	memcpy(s->key + s->len, line, len + 1);
	s->len += len + 1;
	return 0;
}

int page_owner_sum(const char *path, uint64_t most_ns, size_t most_bytes,
		   struct strbuf *out)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + most_ns;
	struct page_sums s = { 0 };
	FILE *file = fopen(path, "re");
	size_t size = 0;
	char *line = NULL;
	uint32_t i;
	int ret = file ? 0 : -errno;

	while (!ret && getline(&line, &size, file) > 0) {
		ret = add_line(&s, line);
		if (!ret && *line != ' ' && clock_ns(CLOCK_MONOTONIC) > end)
			ret = -ETIME;
	}
	if (!ret)
		ret = end_block(&s);
	if (file) {
		if (!ret && ferror(file))
			ret = -EIO;
		fclose(file);
	}
	for (i = 0; !ret && i < s.nr; i++) {
		size_t len = 0;
		const char *key = intern_get(&s.keys, i + 1, &len);

		strbuf_printf(out, "%" PRIu64 " %.*s\n", s.pages_of[i], (int)len, key);
		if (out->size > most_bytes)
			ret = -EFBIG;
	}
	if (out->failed)
		ret = -ENOMEM;
	free(line);
	intern_free(&s.keys);
	free(s.pages_of);
	return ret;
}
