// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/filter_words.h"

#include "base/safe_text.h"
#include "cmd/options/message.h"
#include "cmd/options/options_value.h"

#define NR_FILTERS 10

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

/* How to add a word of an option: one of these. */
struct adder {
	int (*who)(struct event_filter *who, const char *word);
	int (*alloc)(struct alloc_filter *filter, const char *word);
	int (*other)(void *ctx, const char *word);
};

/* Where the words of an option go, and what is needed to parse them. */
struct target {
	struct alloc_filter *filter;
	const struct gfp_names *gfps;
	const struct log *log;
	const struct adder *adder;
};

static int add_word(void *ctx, const char *word)
{
	const struct target *t = ctx;

	if (t->adder->other)
		return t->adder->other(ctx, word);
	return t->adder->who ? t->adder->who(&t->filter->who, word)
			     : t->adder->alloc(t->filter, word);
}

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

/* Lists the options in the order of the help. */
static void list(const struct filter_words *w, struct filter_option options[NR_FILTERS])
{
	const struct filter_option all[NR_FILTERS] = {
		{ "--pid", "a process or a range: 1,100-199", &w->pids },
		{ "--comm", "a task's name", &w->comms },
		{ "--cgroup",
		  "a control group as in stat --by cgroup: /web, '[kernel threads]'",
		  &w->groups },
		{ "--cpu", "a CPU or a range: 0,2-3", &w->cpus },
		{ "--node", "a memory node or a range: 0,1, or -1", &w->nodes },
		{ "--callsite", "function, function+0x1f or 0xffff...", &w->sites },
		{ "--dir",
		  "a directory of the kernel's source: fs/ext4 (rows by directory: stat --by dir)",
		  &w->dirs },
		{ "--cache", "a cache's name (rows by cache: stat --by cache)",
		  &w->caches },
		{ "--gfp", "GFP_ATOMIC, __GFP_ZERO, 'GFP_KERNEL|__GFP_ZERO' or 0x400",
		  &w->gfps },
		{ "--order", "an order or a range: 3-10", &w->orders },
	};

	memcpy(options, all, sizeof(all));
}

bool filter_words_any(const struct filter_words *w)
{
	struct filter_option options[NR_FILTERS];
	size_t nr = 0;

	list(w, options);
	for (size_t i = 0; i < NR_FILTERS; i++)
		nr += options[i].values->count;
	return nr;
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
	static const struct adder adders[NR_FILTERS] = {
		{ .who = event_filter_add_pid },
		{ .who = event_filter_add_comm },
		{ .who = event_filter_add_group },
		{ .who = event_filter_add_cpu },
		{ .alloc = alloc_filter_add_node },
		{ .other = add_site },
		{ .alloc = alloc_filter_add_dir },
		{ .alloc = alloc_filter_add_cache },
		{ .other = add_gfp },
		{ .alloc = alloc_filter_add_order },
	};
	struct target target = { filter, event_formats_gfp(fmts), log, NULL };
	struct filter_option options[NR_FILTERS];
	int ret = GO_ON;

	list(w, options);
	for (size_t i = 0; i < NR_FILTERS && ret == GO_ON; i++) {
		target.adder = &adders[i];
		ret = filter_each_word(&options[i], add_word, &target, log);
	}
	return ret;
}

void filter_words_text(const struct filter_words *w, struct strbuf *out)
{
	struct filter_option options[NR_FILTERS];

	list(w, options);
	filter_options_text(options, NR_FILTERS, out);
}

const char filter_words_unnamed[] =
	"This kernel's kmem_cache_alloc event does not name the cache: --cache finds only kmalloc-N, and all others as [unnamed]";

/* The rows of kmemx stat that show the values of the first option given: " --by comm" or "". */
static const char *rows_of_filter(const struct filter_words *w)
{
	static const char *const rows[NR_FILTERS] = {
		" --by pid",	  " --by comm", " --by cgroup", " --by cpu", " --by node",
		" --by callsite", "",		" --by cache",	"",	     ""
	};
	struct filter_option options[NR_FILTERS];

	list(w, options);
	for (size_t i = 0; i < NR_FILTERS; i++)
		if (options[i].values->count)
			return rows[i];
	return "";
}

int filter_words_nothing(const struct filter_words *w, const char *command,
			 const char *path, bool unnamed)
{
	struct strbuf __auto_free text = { 0 };

	filter_words_text(w, &text);
	if (unnamed)
		message_error(command, "%s has no allocations that match %s\n  %s", path,
			      strbuf_text(&text), filter_words_unnamed);
	else
		message_error(
			command,
			"%s has no allocations that match %s\n  Show what it contains: kmemx stat -i %s%s",
			path, strbuf_text(&text), SHELL_NAME(path), rows_of_filter(w));
	return EXIT_FAILED;
}

void filter_words_free(struct filter_words *w)
{
	struct filter_option options[NR_FILTERS];

	list(w, options);
	for (size_t i = 0; i < NR_FILTERS; i++)
		free((void *)options[i].values->items);
	*w = (struct filter_words){ 0 };
}
