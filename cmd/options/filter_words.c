// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/filter_words.h"

#include "base/safe_text.h"
#include "cmd/options/message.h"
#include "cmd/options/options_value.h"

bool filter_words_has_deep(const struct filter_words *w)
{
	return ANY(i, w->sites.count, text_has_word(w->sites.items[i], ',', FILTER_DEEP));
}

/* Is each word of @text FILTER_DEEP? */
static bool only_deep(const char *text)
{
	const size_t size = strlen(FILTER_DEEP);

	while (!strncmp(text, FILTER_DEEP ",", size + 1))
		text += size + 1;
	return !strcmp(text, FILTER_DEEP);
}

int filter_words_deep(struct filter_words *w, struct option_strings *skip,
		      const char *command)
{
	bool deep = filter_words_has_deep(w);
	size_t kept = 0;

	for (size_t i = 0; i < w->sites.count; i++) {
		if (!only_deep(w->sites.items[i]))
			w->sites.items[kept++] = w->sites.items[i];
	}
	w->sites.count = kept;
	if (deep && option_value_append(skip, CALLSITE_WRAPPERS))
		return message_no_memory(command);
	return GO_ON;
}

struct filter_kind;

/* Where the words of an option go, and what is needed to parse them. */
struct target {
	struct alloc_filter *filter;
	const struct gfp_names *gfps;
	const struct study *study;
};

static int add_site(const struct target *t, const char *word)
{
	if (!strcmp(word, FILTER_DEEP))
		return 0;
	return alloc_filter_add_site(t->filter, word);
}

static int add_gfp(const struct target *t, const char *word)
{
	const char *near = OPTIONS_NEAREST_OF(word, t->gfps->names, t->gfps->count, name);
	int err = alloc_filter_add_gfp(t->filter, word, t->gfps);

	if (err != -ENOENT)
		return err;
	log_msg(&t->study->log, LOG_ERROR,
		"--gfp: the recording has no flag '%s'%s%s%s\n  For example: %s", word,
		near ? ". Did you mean '" : "", near ? near : "", near ? "'?" : "",
		t->gfps->count ? "GFP_KERNEL, __GFP_ZERO, 'GFP_KERNEL|__GFP_ZERO', 0x400"
			       : "0x400 (the recording names no flags)");
	return EXIT_USAGE;
}

static int add_event(const struct target *t, const char *word)
{
	const struct study *s = t->study;
	const char *name = strchr(word, ':');
	const char *near = OPTIONS_NEAREST_OF(name ? name + 1 : word, s->fmts->list,
					      s->fmts->count, name);
	int err = alloc_filter_add_event(t->filter, word, s->fmts);

	if (err != -ENOENT)
		return err;
	if (near)
		log_msg(&s->log, LOG_ERROR, "%s has no event '%s'. Did you mean '%s'?",
			s->path, word, near);
	else
		log_msg(&s->log, LOG_ERROR,
			"%s has no event '%s'\n  List its events: kmemx info -i %s",
			s->path, word, SHELL_NAME(s->path));
	return EXIT_USAGE;
}

/* The options, in the order of the help. @at: offset of the values in struct filter_words. @rows:
 * the option of kmemx stat whose rows show such values. A word is added by @add, by @other, which
 * may return an exit code after a message, or, if @ranged, to the ranges at offset @ranges in
 * struct alloc_filter.
 */
static const struct filter_kind {
	const char *option, *expected;
	size_t at;
	const char *rows;
	int (*add)(struct alloc_filter *filter, const char *word);
	int (*other)(const struct target *t, const char *word);
	bool ranged;
	size_t ranges;
} kinds[] = {
#define AT(member)     offsetof(struct filter_words, member)
#define RANGES(member) .ranged = true, .ranges = offsetof(struct alloc_filter, member)
	{ "--pid", "a process or a range: 1,100-199", AT(pids), " --by pid",
	  RANGES(pids) },
	{ "--comm", "a task's name", AT(comms), " --by comm",
	  .add = alloc_filter_add_comm },
	{ "--cgroup", "a control group as in stat --by cgroup: /web, '[kernel threads]'",
	  AT(groups), " --by cgroup", .add = alloc_filter_add_group },
	{ "--cpu", "a CPU or a range: 0,2-3", AT(cpus), " --by cpu", RANGES(cpus) },
	{ "--node", "a memory node or a range: 0,1, or -1", AT(nodes), " --by node",
	  .add = alloc_filter_add_node },
	{ "--callsite", "function, function+0x1f or 0xffff...", AT(sites),
	  " --by callsite", .other = add_site },
	{ "--dir",
	  "a directory of the kernel's source: fs/ext4 (rows by directory: stat --by dir)",
	  AT(dirs), "", .add = alloc_filter_add_dir },
	{ "--cache", "a cache's name (rows by cache: stat --by cache)", AT(caches),
	  " --by cache", .add = alloc_filter_add_cache },
	{ "--gfp", "GFP_ATOMIC, __GFP_ZERO, 'GFP_KERNEL|__GFP_ZERO' or 0x400", AT(gfps),
	  "", .other = add_gfp },
	{ "--order", "an order or a range: 3-10", AT(orders), "", RANGES(orders) },
	{ "--event", "an event's name", AT(events), "", .other = add_event },
	{ "--ptr", "an address in hexadecimal", AT(ptrs), "",
	  .add = alloc_filter_add_ptr },
#undef AT
#undef RANGES
};

static int word_failed(const struct target *t, const struct filter_kind *kind,
		       const char *word, int err)
{
	if (err == -ENOMEM) {
		log_msg(&t->study->log, LOG_ERROR, "%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	log_msg(&t->study->log, LOG_ERROR, "%s: '%s' is not valid; expected %s",
		kind->option, word, kind->expected);
	return EXIT_USAGE;
}

/* Adds a word: GO_ON, or the exit code after a message. */
static int add_word(const struct target *t, const struct filter_kind *kind,
		    const char *word)
{
	int err;

	if (kind->ranged)
		err = filter_ranges_add((void *)((char *)t->filter + kind->ranges), word);
	else if (kind->other)
		err = kind->other(t, word);
	else
		err = kind->add(t->filter, word);
	return !err ? GO_ON : err > 0 ? err : word_failed(t, kind, word, err);
}

/* Adds every word of "A,B". */
static int add_words(const struct target *t, const struct filter_kind *kind,
		     const char *list)
{
	int ret;

	do {
		size_t len = strcspn(list, ",");
		char *word __auto_mem = strndup(list, len);

		ret = word ? add_word(t, kind, word) : word_failed(t, kind, "", -ENOMEM);
		list += len;
	} while (ret == GO_ON && *list++);
	return ret;
}

static const struct option_strings *values_of(const struct filter_words *w,
					      const struct filter_kind *kind)
{
	return (const void *)((const char *)w + kind->at);
}

/* The first option given, or NULL. */
static const struct filter_kind *first_given(const struct filter_words *w)
{
	return FIND(kind, kinds, ARRAY_SIZE(kinds), values_of(w, kind)->count);
}

bool filter_words_any(const struct filter_words *w)
{
	return first_given(w);
}

int filter_words_foreign(const struct filter_words *w, const char **slab,
			 const char **page, const char *command)
{
	*slab = w->orders.count ? "--order" : NULL;
	*page = w->caches.count ? "--cache" : w->nodes.count ? "--node" : NULL;
	if (!*slab || !*page)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command,
		"%s and %s cannot be used together: one is for pages, the other for slab objects",
		*slab, *page);
}

int filter_words_resolve(const struct filter_words *w, struct alloc_filter *filter,
			 const struct study *study)
{
	const struct target target = { filter, &study->fmts->gfp, study };
	int ret = GO_ON;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct option_strings *values = values_of(w, &kinds[i]);

		for (size_t k = 0; k < values->count && ret == GO_ON; k++)
			ret = add_words(&target, &kinds[i], values->items[k]);
	}
	return ret;
}

void filter_words_text(const struct filter_words *w, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct option_strings *values = values_of(w, &kinds[i]);

		for (size_t k = 0; k < values->count; k++)
			strbuf_printf(out, "%s%s %s", out->size ? " " : "",
				      kinds[i].option, values->items[k]);
	}
}

void filter_words_banner(const struct filter_words *w, bool unnamed, struct report *r)
{
	struct strbuf __auto_free text = { 0 };

	if (!filter_words_any(w))
		return;
	filter_words_text(w, &text);
	report_add_banner(r, false, "Filter: only allocations with %s",
			  strbuf_text(&text));
	report_banner_if(r, unnamed, true, "%s", filter_words_unnamed);
	report_add_text_fact(r, "filter", strbuf_text(&text));
	r->failed |= text.failed;
}

const char filter_words_unnamed[] =
	"This kernel's kmem_cache_alloc event does not name the cache: --cache finds only kmalloc-N, and all others as [unnamed]";

int filter_words_nothing(const struct filter_words *w, const char *command,
			 const char *path, bool unnamed)
{
	const struct filter_kind *given = first_given(w);
	struct strbuf __auto_free text = { 0 };

	filter_words_text(w, &text);
	if (unnamed)
		return message_fail(EXIT_FAILED, command,
				    "%s has no allocations that match %s\n  %s", path,
				    strbuf_text(&text), filter_words_unnamed);
	return message_fail(
		EXIT_FAILED, command,
		"%s has no allocations that match %s\n  Show what it contains: kmemx stat -i %s%s",
		path, strbuf_text(&text), SHELL_NAME(path), given ? given->rows : "");
}

void filter_words_free(struct filter_words *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		free((void *)values_of(w, &kinds[i])->items);
	*w = (struct filter_words){ 0 };
}
