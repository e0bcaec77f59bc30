// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the words of a filter.
 * In: words of the user. Out: a filter, which alloc_filter.c applies.
 */
#include "analysis/filter/alloc_filter.h"

#include <fnmatch.h>

#include "base/array.h"
#include "base/number.h"

/* --- directories of the kernel's source, as the user names them --------------------- */

/* Adds the first @len characters of @word. 0 or -ENOMEM. */
static int append(struct dir_words *words, const char *word, size_t len)
{
	char *copy = strndup(word, len);

	if (copy && !ARRAY_ADD(words->items, words->nr, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

/* "fs/ext4", including its subdirectories; * and ? are wildcards. 0; -EINVAL: it cannot be a
 * directory of the source; -ENOMEM.
 */
static int dir_words_add(struct dir_words *words, const char *word)
{
	size_t len = strlen(word);

	while (len && word[len - 1] == '/')
		len--;
	if (!len || *word == '/' || *word == '-')
		return -EINVAL;
	return append(words, word, len);
}

/* Is @dir the directory @word, or below it? */
static bool is_below(const char *dir, const char *word)
{
	const size_t len = strlen(word);

	return !strncmp(word, dir, len) && (!dir[len] || dir[len] == '/');
}

bool dir_words_has(const struct dir_words *words, const char *dir)
{
	return ANY(i, words->nr,
		   is_below(dir, words->items[i]) || !fnmatch(words->items[i], dir, 0));
}

void dir_words_free(struct dir_words *words)
{
	for (size_t i = 0; i < words->nr; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct dir_words){ 0 };
}

/* --- words ------------------------------------------------------------------------------- */

/* In hexadecimal, with or without 0x. */
static int read_address(const char *text, uint64_t *value)
{
	text += !strncasecmp(text, "0x", 2) ? 2 : 0;
	return number_read(&text, NULL, 16, UINT64_MAX, value) || *text ? -EINVAL : 0;
}

static int add_range(struct filter_ranges *r, uint64_t first, uint64_t last)
{
	return ARRAY_ADD(r->items, r->nr, (struct filter_range){ first, last });
}

int filter_ranges_add(struct filter_ranges *r, const char *word)
{
	uint64_t first, last;

	if (number_read(&word, NULL, 10, UINT32_MAX, &first))
		return -EINVAL;
	last = first;
	if (*word == '-') {
		word++;
		if (number_read(&word, NULL, 10, UINT32_MAX, &last))
			return -EINVAL;
	}
	if (*word || last < first)
		return -EINVAL;
	return add_range(r, first, last);
}

int alloc_filter_add_ptr(struct alloc_filter *f, const char *word)
{
	uint64_t value;
	int err = read_address(word, &value);

	return err ?: add_range(&f->ptrs, value, value);
}

int alloc_filter_add_comm(struct alloc_filter *f, const char *word)
{
	return *word ? append(&f->comms, word, strlen(word)) : -EINVAL;
}

int alloc_filter_add_group(struct alloc_filter *f, const char *word)
{
	/* Root's path has nothing after its slash. */
	if (!strcmp(word, "/"))
		return append(&f->groups, "", 0);
	word += *word == '/';
	return dir_words_add(&f->groups, word);
}

int alloc_filter_add_event(struct alloc_filter *f, const char *word,
			   const struct event_formats *fmts)
{
	const char *colon = strchr(word, ':'), *name = colon ? colon + 1 : word;
	char system[128] = "*";
	bool found = false;

	if (!f->ids)
		f->ids = calloc(UINT16_MAX + 1, sizeof(*f->ids));
	if (!f->ids)
		return -ENOMEM;
	if (colon && (size_t)(colon - word) >= sizeof(system))
		return -ENOENT;
	if (colon) {
		memcpy(system, word, (size_t)(colon - word));
		system[colon - word] = '\0';
	}
	for (uint32_t i = 0; i < fmts->count; i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		if (fnmatch(system, fmt->system, 0) || fnmatch(name, fmt->name, 0))
			continue;
		f->ids[fmt->id] = true;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

int alloc_filter_add_site(struct alloc_filter *f, const char *word)
{
	const char *plus = strchr(word, '+');
	struct filter_site site = { 0 };
	bool address = !strncmp(word, "0x", 2) ||
		       (strlen(word) == 16 && strspn(word, "0123456789abcdef") == 16);
	const char *value = address ? word : plus ? plus + 1 : NULL;

	if (!*word || plus == word || (value && read_address(value, &site.value)))
		return -EINVAL;
	if (!address) {
		site.exact = plus != NULL;
		site.name = strndup(word, plus ? (size_t)(plus - word) : strlen(word));
	}
	if ((site.name || address) && !ARRAY_ADD(f->sites, f->nr_sites, site))
		return 0;
	free(site.name);
	return -ENOMEM;
}

int alloc_filter_add_dir(struct alloc_filter *f, const char *word)
{
	return dir_words_add(&f->dirs, word);
}

int alloc_filter_add_node(struct alloc_filter *f, const char *word)
{
	size_t before = f->nodes.nr, i;
	int err = strcmp(word, "-1") ? filter_ranges_add(&f->nodes, word) : 0;

	if (err)
		return err;
	if (f->nodes.nr == before)
		return filter_ranges_add(&f->nodes, "0");
	for (i = before; i < f->nodes.nr; i++) {
		f->nodes.items[i].first++;
		f->nodes.items[i].last++;
	}
	return 0;
}

int alloc_filter_add_cache(struct alloc_filter *f, const char *word)
{
	/* A leading '-' is an option in place of a name; no cache has such a name. */
	if (!*word || *word == '-')
		return -EINVAL;
	return append(&f->caches, word, strlen(word));
}

/* Adds one flag's name to @gfp. */
static int add_flag(struct filter_gfp *gfp, const char *name, size_t len,
		    const struct gfp_names *names)
{
	char *end;

	if (len > 2 && !strncmp(name, "0x", 2)) {
		errno = 0;
		gfp->bits |= strtoull(name, &end, 16);
		return errno || end != name + len ? -EINVAL : 0;
	}
	if (len == 4 && !strncmp(name, "none", 4)) {
		gfp->none = true;
		return 0;
	}
	for (size_t i = 0; len && i < names->count && i < 64; i++) {
		const struct gfp_name *known = &names->names[i];

		if ((strncmp(known->name, name, len) != 0 || known->name[len]) &&
		    (strncmp(known->short_name, name, len) != 0 ||
		     known->short_name[len]))
			continue;
		if (strncmp(known->name, "__", 2) != 0)
			gfp->names |= 1ULL << i;
		else
			gfp->bits |= known->mask;
		return 0;
	}
	return len ? -ENOENT : -EINVAL;
}

int alloc_filter_add_gfp(struct alloc_filter *f, const char *word,
			 const struct gfp_names *names)
{
	struct filter_gfp gfp = { 0 };
	int err;

	for (;; word++) {
		size_t len = strcspn(word, "|");

		err = add_flag(&gfp, word, len, names);
		if (err)
			return err;
		word += len;
		if (!*word)
			break;
	}
	return ARRAY_ADD(f->gfps, f->nr_gfps, gfp);
}
