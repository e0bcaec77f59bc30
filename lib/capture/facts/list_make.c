// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: makes a list from a long file: limits, lines, sums.
 * In: the file, and a function that reads it. Out: the list's text.
 */
#include "capture/facts/lists.h"

#include "base/clock.h"

/* The time is checked once in this many lines. */
#define LIST_LINES 16

int list_check(const struct list *l)
{
	if (l->out->size > l->most_bytes)
		return -EFBIG;
	return clock_ns(CLOCK_MONOTONIC) > l->end_ns ? -ETIME : 0;
}

int list_lines(const struct list *l, FILE *file, int (*add)(void *ctx, char *line),
	       void *ctx)
{
	char *line __auto_mem = NULL;
	size_t size = 0, nr = 0;
	int ret = file ? 0 : -errno;

	while (!ret && getline(&line, &size, file) > 0) {
		ret = add(ctx, line);
		if (!ret && nr++ % LIST_LINES == 0)
			ret = list_check(l);
	}
	return !ret && ferror(file) ? -EIO : ret;
}

int list_add(struct list *l, const char *key, size_t len, const struct list_sum *more)
{
	uint32_t id = KEYED_ID_OF(&l->sums, key, len);

	if (!id)
		return -ENOMEM;
	l->sums.of[id - 1].nr += more->nr;
	l->sums.of[id - 1].pages += more->pages;
	return 0;
}

static int add_sums(struct list *l)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < l->sums.nr; i++) {
		const struct list_sum *sum = &l->sums.of[i];
		size_t size;
		const char *key = intern_get(&l->sums.keys, (uint32_t)i + 1, &size);
		const char *end = memchr(key, '\0', size);

		if (end)
			strbuf_printf(l->out, "%s ", key);
		strbuf_printf(l->out, "%" PRIu64 " ", sum->nr);
		if (sum->pages)
			strbuf_printf(l->out, "%" PRIu64 " ", sum->pages);
		strbuf_printf(l->out, "%s\n", end ? end + 1 : key);
		if (l->out->size > l->most_bytes)
			ret = -EFBIG;
	}
	return ret;
}

int list_make(list_fn *read, const char *path, uint64_t most_ns, size_t most_bytes,
	      struct strbuf *out)
{
	struct list l = { .out = out,
			  .most_ns = most_ns,
			  .end_ns = clock_ns(CLOCK_MONOTONIC) + most_ns,
			  .most_bytes = most_bytes };
	int ret = read(&l, path) ?: add_sums(&l);

	KEYED_FREE(&l.sums);
	return out->failed ? -ENOMEM : ret;
}
