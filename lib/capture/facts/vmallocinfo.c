// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: who has memory from vmalloc.
 * In: /proc/vmallocinfo. Out: a line for each caller, "AREAS PAGES FUNCTION [MODULE]".
 */
#include "capture/facts/lists.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"

struct caller_sum {
	uint64_t areas, pages;
};

/* @names: function and module; number n + 1 has the sum n */
struct callers {
	struct intern names;
	struct caller_sum *sums;
	size_t nr, capacity;
};

/* Reads "0xADDRESS-0xADDRESS BYTES FUNCTION+0x94/0x3e0 [MODULE] pages=4 vmalloc N0=4". False: the
 * area has no caller or no pages of its own. Cuts @line.
 */
static bool parse_area(char *line, const char **function, const char **module,
		       uint64_t *pages)
{
	bool vmalloc = false;
	char *word, *rest;

	*pages = 0;
	*module = NULL;
	if (!strtok_r(line, " \n", &rest) || !strtok_r(NULL, " \n", &rest))
		return false;
	word = strtok_r(NULL, " \n", &rest);
	if (!word || strchr(word, '='))
		return false;
	word[strcspn(word, "+")] = '\0';
	*function = word;
	while ((word = strtok_r(NULL, " \n", &rest))) {
		if (*word == '[')
			*module = word;
		else if (strncmp(word, "pages=", 6) == 0)
			*pages = strtoull(word + 6, NULL, 10);
		else if (strcmp(word, "vmalloc") == 0)
			vmalloc = true;
	}
	return vmalloc && *pages;
}

static int add_area(struct callers *c, char *line)
{
	const char *function, *module;
	uint64_t pages;
	char name[256];
	uint32_t id;

	if (!parse_area(line, &function, &module, &pages))
		return 0;
	snprintf(name, sizeof(name), "%s%s%s", function, module ? " " : "",
		 module ? module : "");
	id = intern_id(&c->names, name, strlen(name));
	if (!id || array_reach(&c->sums, &c->nr, &c->capacity, id, sizeof(*c->sums)))
		return -ENOMEM;
	c->sums[id - 1].areas++;
	c->sums[id - 1].pages += pages;
	return 0;
}

int vmallocinfo_sum(const char *path, uint64_t most_ns, struct strbuf *out)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + most_ns;
	struct callers c = { 0 };
	FILE *file __auto_file = fopen(path, "re");
	size_t size = 0;
	char *line __auto_mem = NULL;
	int ret = file ? 0 : -errno;

	while (!ret && getline(&line, &size, file) > 0) {
		ret = add_area(&c, line);
		if (!ret && clock_ns(CLOCK_MONOTONIC) > end)
			ret = -ETIME;
	}
	if (!ret && ferror(file))
		ret = -EIO;
	for (uint32_t i = 0; !ret && i < c.nr; i++)
		strbuf_printf(out, "%" PRIu64 " %" PRIu64 " %s\n", c.sums[i].areas,
			      c.sums[i].pages,
			      (const char *)intern_get(&c.names, i + 1, NULL));
	if (out->failed)
		ret = -ENOMEM;
	intern_free(&c.names);
	free(c.sums);
	return ret;
}
