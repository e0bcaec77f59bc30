// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/filter/event_filter.h"

#include <ctype.h>
#include <fnmatch.h>

#include "base/array.h"
#include "symbol/fold.h"

/* --- directories of the kernel's source, as the user names them --------------------- */

int dir_words_append(struct dir_words *words, const char *word, size_t len)
{
	char *copy;

	if (array_reserve(&words->items, &words->capacity, words->nr + 1,
			  sizeof(*words->items)))
		return -ENOMEM;
	copy = strndup(word, len);
	if (!copy)
		return -ENOMEM;
	words->items[words->nr++] = copy;
	return 0;
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
	return dir_words_append(words, word, len);
}

bool dir_words_has(const struct dir_words *words, const char *dir)
{
	for (size_t i = 0; i < words->nr; i++) {
		size_t len = strlen(words->items[i]);

		if (!strncmp(words->items[i], dir, len) && (!dir[len] || dir[len] == '/'))
			return true;
		if (!fnmatch(words->items[i], dir, 0))
			return true;
	}
	return false;
}

void dir_words_free(struct dir_words *words)
{
	for (size_t i = 0; i < words->nr; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct dir_words){ 0 };
}

/* --- words ------------------------------------------------------------------------------- */

/* Reads a number without a sign, up to its last digit. */
static int read_number(const char **text, int base, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = isxdigit((unsigned char)**text) ? strtoull(*text, &end, base) : 0;
	if (!isxdigit((unsigned char)**text) || end == *text || errno)
		return -EINVAL;
	*text = end;
	return 0;
}

/* In hexadecimal, with or without 0x. */
static int read_address(const char *text, uint64_t *value)
{
	return read_number(&text, 16, value) || *text ? -EINVAL : 0;
}

static int add_range(struct filter_ranges *r, uint64_t first, uint64_t last)
{
	if (array_reserve(&r->items, &r->capacity, r->nr + 1, sizeof(*r->items)))
		return -ENOMEM;
	r->items[r->nr++] = (struct filter_range){ first, last };
	return 0;
}

int filter_ranges_add(struct filter_ranges *r, const char *word)
{
	uint64_t first, last;

	if (read_number(&word, 10, &first))
		return -EINVAL;
	last = first;
	if (*word == '-') {
		word++;
		if (read_number(&word, 10, &last))
			return -EINVAL;
	}
	if (*word || last < first || last > UINT32_MAX)
		return -EINVAL;
	return add_range(r, first, last);
}

int event_filter_add_cpu(struct event_filter *f, const char *word)
{
	return filter_ranges_add(&f->cpus, word);
}

int event_filter_add_pid(struct event_filter *f, const char *word)
{
	return filter_ranges_add(&f->pids, word);
}

int event_filter_add_ptr(struct event_filter *f, const char *word)
{
	uint64_t value;
	int err = read_address(word, &value);

	return err ?: add_range(&f->ptrs, value, value);
}

int event_filter_add_comm(struct event_filter *f, const char *word)
{
	return *word ? dir_words_append(&f->comms, word, strlen(word)) : -EINVAL;
}

int event_filter_add_group(struct event_filter *f, const char *word)
{
	/* Root's path has nothing after its slash. */
	if (!strcmp(word, "/"))
		return dir_words_append(&f->groups, "", 0);
	word += *word == '/';
	return dir_words_add(&f->groups, word);
}

int event_filter_add_event(struct event_filter *f, const char *word,
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
	for (uint32_t i = 0; i < event_formats_count(fmts); i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		if (fnmatch(system, fmt->system, 0) || fnmatch(name, fmt->name, 0))
			continue;
		f->ids[fmt->id] = true;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

int event_filter_add_site(struct event_filter *f, const char *word)
{
	const char *plus = strchr(word, '+');
	struct filter_site site = { 0 };
	bool address = !strncmp(word, "0x", 2) ||
		       (strlen(word) == 16 && strspn(word, "0123456789abcdef") == 16);

	if (!*word || plus == word)
		return -EINVAL;
	if (array_reserve(&f->sites, &f->sites_capacity, f->nr_sites + 1,
			  sizeof(*f->sites)))
		return -ENOMEM;
	if (address) {
		if (read_address(word, &site.value))
			return -EINVAL;
	} else {
		if (plus && read_address(plus + 1, &site.value))
			return -EINVAL;
		site.exact = plus != NULL;
		site.name = strndup(word, plus ? (size_t)(plus - word) : strlen(word));
		if (!site.name)
			return -ENOMEM;
	}
	f->sites[f->nr_sites++] = site;
	return 0;
}

int event_filter_add_dir(struct event_filter *f, const char *word)
{
	return dir_words_add(&f->dirs, word);
}

void event_filter_free(struct event_filter *f)
{
	for (size_t i = 0; i < f->nr_sites; i++)
		free(f->sites[i].name);
	dir_words_free(&f->comms);
	free(f->sites);
	free(f->ids);
	free(f->cpus.items);
	free(f->pids.items);
	free(f->ptrs.items);
	u64_map_free(&f->group_known);
	u64_map_free(&f->comm_known);
	u64_map_free(&f->site_known);
	u64_map_free(&f->stack_known);
	u64_map_free(&f->dir_known);
	dir_words_free(&f->dirs);
	dir_words_free(&f->groups);
	*f = (struct event_filter){ 0 };
}

/* --- events ------------------------------------------------------------------------------ */

bool filter_ranges_has(const struct filter_ranges *r, uint64_t value)
{
	for (size_t i = 0; i < r->nr; i++) {
		if (value >= r->items[i].first && value <= r->items[i].last)
			return true;
	}
	return !r->nr;
}

bool event_filter_has_cpu(const struct event_filter *f, uint32_t cpu)
{
	return filter_ranges_has(&f->cpus, cpu);
}

static bool comm_matches(const struct event_filter *f, const char *comm)
{
	for (size_t i = 0; i < f->comms.nr; i++) {
		if (!fnmatch(f->comms.items[i], comm, 0))
			return true;
	}
	return false;
}

static bool name_matches(const char *pattern, const char *function)
{
	char name[256];

	return !fnmatch(pattern, function, 0) ||
	       (symbol_plain(function, name, sizeof(name)) && !fnmatch(pattern, name, 0));
}

static bool site_matches(const struct event_filter *f,
			 const struct event_filter_names *names, uint64_t addr)
{
	struct callsite_place place;
	struct symbol sym;
	bool known = symbols_find(names->syms, addr, &sym);

	(void)callsite_look(names->sites->env->rule, names->syms, addr, &place);

	for (size_t i = 0; i < f->nr_sites; i++) {
		const struct filter_site *site = &f->sites[i];

		if (!site->name) {
			if (site->value == addr)
				return true;
			continue;
		}
		if (known && name_matches(site->name, sym.name) &&
		    (!site->exact || site->value == addr - sym.addr))
			return true;
		if (place.function && !site->exact &&
		    name_matches(site->name, place.function))
			return true;
	}
	return false;
}

static bool pass_comm(struct event_filter *f, const struct event_filter_names *names,
		      int32_t pid)
{
	return REMEMBERED(f, comm_known, (uint32_t)pid,
			  comm_matches(f, tasks_name(names->tasks, pid)));
}

static bool group_matches(const struct event_filter *f, uint32_t group, bool whole)
{
	struct strbuf __auto_free path = { 0 };
	const char *text;

	processes_group_path(f->processes, group, whole, &path);
	text = strbuf_text(&path);
	return !path.failed && dir_words_has(&f->groups, text + (*text == '/'));
}

static bool pass_group(struct event_filter *f, const struct kmem_event *ev)
{
	const uint32_t group = processes_group(f->processes, ev);

	return REMEMBERED(f, group_known, group,
			  group_matches(f, group, false) ||
				  group_matches(f, group, true));
}

static bool pass_address(struct event_filter *f, const struct event_filter_names *names,
			 uint64_t addr)
{
	return REMEMBERED(f, site_known, addr, site_matches(f, names, addr));
}

/* Checks the event's call_site, or the callsite in its stack if it has none. */
static bool pass_site(struct event_filter *f, const struct event_filter_names *names,
		      const struct kmem_event *ev)
{
	if (kmem_is_slab_alloc(ev->type) ||
	    (kmem_is_area_alloc(ev->type) && ev->slab_alloc.callsite))
		return pass_address(f, names,
				    sites_beyond(names->sites->env,
						 ev->slab_alloc.callsite, ev->stack));
	if (kmem_is_slab_free(ev->type) || kmem_is_probe(ev->type))
		return pass_address(f, names, ev->slab_free.callsite);
	if (!ev->stack)
		return false;
	return REMEMBERED(
		f, stack_known, ev->stack,
		pass_address(f, names, sites_of_stack(names->sites, ev->stack)));
}

/* @dir: NULL: no memory. */
static bool dir_matches(struct event_filter *f, const char *dir)
{
	f->failed |= !dir;
	return dir && dir_words_has(&f->dirs, dir);
}

/* Checks the directory of the callsite that rows by directory use. */
static bool pass_dir(struct event_filter *f, const struct event_filter_names *names,
		     const struct kmem_event *ev)
{
	const struct analysis_env *env = names->sites->env;
	bool has_site = kmem_is_slab_alloc(ev->type) ||
			(kmem_is_area_alloc(ev->type) && ev->slab_alloc.callsite);
	uint64_t site = has_site ? sites_beyond(env, ev->slab_alloc.callsite, ev->stack)
			: kmem_is_slab_free(ev->type) || kmem_is_probe(ev->type)
				? ev->slab_free.callsite
				: sites_of_stack(names->sites, ev->stack);

	return REMEMBERED(f, dir_known, site,
			  dir_matches(f, directories_find(env->dirs, site, 0)));
}

static bool pass_ptr(const struct event_filter *f, const struct kmem_event *ev)
{
	if (kmem_is_slab_alloc(ev->type) || kmem_is_area_alloc(ev->type))
		return filter_ranges_has(&f->ptrs, ev->slab_alloc.ptr);
	if (kmem_is_slab_free(ev->type) || kmem_is_area(ev->type))
		return filter_ranges_has(&f->ptrs, ev->slab_free.ptr);
	return false;
}

bool event_filter_task(struct event_filter *f, const struct event_filter_names *names,
		       const struct kmem_event *ev)
{
	if (f->pids.nr &&
	    (ev->pid < 0 || !filter_ranges_has(&f->pids, (uint64_t)ev->pid)))
		return false;
	if (f->groups.nr && !pass_group(f, ev))
		return false;
	return !f->comms.nr || pass_comm(f, names, ev->pid);
}

bool event_filter_pass(struct event_filter *f, const struct event_filter_names *names,
		       const struct kmem_event *ev)
{
	if (!filter_ranges_has(&f->cpus, ev->cpu))
		return false;
	if (ev->type == KMEM_LOSS)
		return true;
	if (f->ids && !f->ids[ev->id])
		return false;
	if (!event_filter_task(f, names, ev))
		return false;
	if (f->ptrs.nr && !pass_ptr(f, ev))
		return false;
	if (f->nr_sites && !pass_site(f, names, ev))
		return false;
	return !f->dirs.nr || pass_dir(f, names, ev);
}
