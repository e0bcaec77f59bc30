// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/filter_words.h"

#include "base/safe_text.h"
#include "cmd/options/message.h"
#include "cmd/options/options_value.h"

static int word_failed(const struct filter_option *o, const char *word, int err,
		       const struct log *log)
{
	if (err == -ENOMEM) {
		log_msg(log, LOG_ERROR, "%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	log_msg(log, LOG_ERROR, "%s: '%s' is not valid; expected %s", o->option, word,
		o->expected);
	return EXIT_USAGE;
}

int filter_each_word(const struct filter_option *o,
		     int (*add)(void *ctx, const char *word), void *ctx,
		     const struct log *log)
{
	int ret = GO_ON;

	for (size_t i = 0; i < o->values->count && ret == GO_ON; i++) {
		const char *p = o->values->items[i];

		do {
			size_t len = strcspn(p, ",");
			char *word = strndup(p, len);
			int err = word ? add(ctx, word) : -ENOMEM;

			if (err > 0) /* an exit code: @add printed the message */
				ret = err;
			else if (err)
				ret = word_failed(o, word, err, log);
			free(word);
			p += len;
		} while (ret == GO_ON && *p++);
	}
	return ret;
}

void filter_options_text(const struct filter_option *options, size_t nr,
			 struct strbuf *out)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < options[i].values->count; k++)
			strbuf_printf(out, "%s%s %s", out->size ? " " : "",
				      options[i].option, options[i].values->items[k]);
}

/* Is FILTER_DEEP among the words of @text? @others: are there other words? */
static bool has_deep(const char *text, bool *others)
{
	const size_t size = strlen(FILTER_DEEP);
	bool deep = false;

	*others = false;
	do {
		size_t len = strcspn(text, ",");

		if (len == size && !memcmp(text, FILTER_DEEP, size))
			deep = true;
		else
			*others = true;
		text += len;
	} while (*text++);
	return deep;
}

bool filter_words_has_deep(const struct filter_words *w)
{
	bool others, deep = false;

	for (size_t i = 0; i < w->sites.count && !deep; i++)
		deep = has_deep(w->sites.items[i], &others);
	return deep;
}

int filter_words_deep(struct filter_words *w, struct option_strings *skip,
		      const char *command)
{
	bool deep = false, others;
	size_t kept = 0;

	for (size_t i = 0; i < w->sites.count; i++) {
		bool here = has_deep(w->sites.items[i], &others);

		deep |= here;
		if (!here || others)
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
	const struct log *log;
	const struct filter_kind *kind;
};

static int add_site(void *ctx, const char *word)
{
	const struct target *t = ctx;

	if (!strcmp(word, FILTER_DEEP))
		return 0;
	return event_filter_add_site(&t->filter->who, word);
}

static int unknown_flag(const struct target *t, const char *word)
{
	const char **names = calloc(t->gfps->count + 1, sizeof(*names));
	const char *near = NULL;

	for (size_t i = 0; names && i < t->gfps->count; i++)
		names[i] = t->gfps->names[i].name;
	if (names)
		near = options_nearest(word, names, t->gfps->count);
	log_msg(t->log, LOG_ERROR,
		"--gfp: the recording has no flag '%s'%s%s%s\n  For example: %s", word,
		near ? ". Did you mean '" : "", near ? near : "", near ? "'?" : "",
		t->gfps->count ? "GFP_KERNEL, __GFP_ZERO, 'GFP_KERNEL|__GFP_ZERO', 0x400"
			       : "0x400 (the recording names no flags)");
	free(names);
	return EXIT_USAGE;
}

static int add_gfp(void *ctx, const char *word)
{
	const struct target *t = ctx;
	int err = alloc_filter_add_gfp(t->filter, word, t->gfps);

	return err == -ENOENT ? unknown_flag(t, word) : err;
}

/* The options in the order of the help. @at: the values in struct filter_words; @rows: of kmemx
 * stat, that show such values; @who, @alloc, @other: how to add a word, one of these.
 */
static const struct filter_kind {
	const char *option, *expected;
	size_t at;
	const char *rows;
	int (*who)(struct event_filter *who, const char *word);
	int (*alloc)(struct alloc_filter *filter, const char *word);
	int (*other)(void *ctx, const char *word);
} kinds[] = {
#define AT(member) offsetof(struct filter_words, member)
	{ "--pid", "a process or a range: 1,100-199", AT(pids), " --by pid",
	  .who = event_filter_add_pid },
	{ "--comm", "a task's name", AT(comms), " --by comm",
	  .who = event_filter_add_comm },
	{ "--cgroup", "a control group as in stat --by cgroup: /web, '[kernel threads]'",
	  AT(groups), " --by cgroup", .who = event_filter_add_group },
	{ "--cpu", "a CPU or a range: 0,2-3", AT(cpus), " --by cpu",
	  .who = event_filter_add_cpu },
	{ "--node", "a memory node or a range: 0,1, or -1", AT(nodes), " --by node",
	  .alloc = alloc_filter_add_node },
	{ "--callsite", "function, function+0x1f or 0xffff...", AT(sites),
	  " --by callsite", .other = add_site },
	{ "--dir",
	  "a directory of the kernel's source: fs/ext4 (rows by directory: stat --by dir)",
	  AT(dirs), "", .alloc = alloc_filter_add_dir },
	{ "--cache", "a cache's name (rows by cache: stat --by cache)", AT(caches),
	  " --by cache", .alloc = alloc_filter_add_cache },
	{ "--gfp", "GFP_ATOMIC, __GFP_ZERO, 'GFP_KERNEL|__GFP_ZERO' or 0x400", AT(gfps),
	  "", .other = add_gfp },
	{ "--order", "an order or a range: 3-10", AT(orders), "",
	  .alloc = alloc_filter_add_order },
#undef AT
};

static int add_word(void *ctx, const char *word)
{
	const struct target *t = ctx;

	if (t->kind->other)
		return t->kind->other(ctx, word);
	return t->kind->who ? t->kind->who(&t->filter->who, word)
			    : t->kind->alloc(t->filter, word);
}

static struct filter_option option_of(const struct filter_words *w,
				      const struct filter_kind *kind)
{
	return (struct filter_option){ kind->option, kind->expected,
				       (const void *)((const char *)w + kind->at) };
}

/* The first option given, or NULL. */
static const struct filter_kind *first_given(const struct filter_words *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (option_of(w, &kinds[i]).values->count)
			return &kinds[i];
	return NULL;
}

bool filter_words_any(const struct filter_words *w)
{
	return first_given(w);
}

bool filter_words_groups(const struct filter_words *w)
{
	return w->groups.count;
}

bool filter_words_dirs(const struct filter_words *w)
{
	return w->dirs.count;
}

void filter_words_foreign(const struct filter_words *w, const char **slab,
			  const char **page)
{
	*slab = w->orders.count ? "--order" : NULL;
	*page = w->caches.count ? "--cache" : w->nodes.count ? "--node" : NULL;
}

int filter_words_resolve(const struct filter_words *w, struct alloc_filter *filter,
			 const struct event_formats *fmts, const struct log *log)
{
	struct target target = { filter, event_formats_gfp(fmts), log, NULL };
	int ret = GO_ON;

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && ret == GO_ON; i++) {
		const struct filter_option option = option_of(w, &kinds[i]);

		target.kind = &kinds[i];
		ret = filter_each_word(&option, add_word, &target, log);
	}
	return ret;
}

void filter_words_text(const struct filter_words *w, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct filter_option option = option_of(w, &kinds[i]);

		filter_options_text(&option, 1, out);
	}
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
		message_error(command, "%s has no allocations that match %s\n  %s", path,
			      strbuf_text(&text), filter_words_unnamed);
	else
		message_error(
			command,
			"%s has no allocations that match %s\n  Show what it contains: kmemx stat -i %s%s",
			path, strbuf_text(&text), SHELL_NAME(path),
			given ? given->rows : "");
	return EXIT_FAILED;
}

void filter_words_free(struct filter_words *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		free((void *)option_of(w, &kinds[i]).values->items);
	*w = (struct filter_words){ 0 };
}
