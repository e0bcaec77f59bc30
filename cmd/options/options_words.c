// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the typed option table, values that are words of a list, and which settings were given.
 * In: a value and the words. Out: the word's index, or a message that lists them.
 */

#include "base/strbuf.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"

/* A message lists at most this many words. */
#define LISTED_MAX 20

int option_unknown(const char *option, const char *word, const char *const *words,
		   size_t nr, const char *command)
{
	const char *near = options_nearest(word, words, nr);
	struct strbuf __auto_free list = { 0 };

	for (size_t i = 0; i < nr; i++)
		strbuf_printf(&list, " %s", words[i]);
	message_error(command, "unknown %s '%s'%s%s%s\n  One of:%s", option, word,
		      near ? ". Did you mean '" : "", near ? near : "", near ? "'?" : "",
		      strbuf_text(&list));
	return EXIT_USAGE;
}

int option_choose(const char *option, const char *word, const char *const *words,
		  size_t nr, const char *command)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(word, words[i]))
			return (int)i;
	}
	option_unknown(option, word, words, nr, command);
	return -1;
}

int option_cgroup_names(const char *word, const char *command)
{
	static const char *const words[] = { "short", "full" };

	return word ? option_choose("--cgroup-names", word, words, 2, command) : 0;
}

/* Strips blanks around the @len bytes at *@text. Returns the new length. */
static size_t trim(const char **text, size_t len)
{
	for (; len && **text == ' '; len--)
		++*text;
	while (len && (*text)[len - 1] == ' ')
		len--;
	return len;
}

char *option_next_word(char **list)
{
	char *item = strsep(list, ",");
	const char *word = item;
	size_t len = trim(&word, strlen(item));

	item += word - item;
	item[len] = '\0';
	return item;
}

static bool is_one(const char *const *words, const char *word, size_t len)
{
	for (; *words; words++) {
		if (!strncmp(*words, word, len) && !(*words)[len])
			return true;
	}
	return false;
}

/* The first word of @value that is not one of @w, and its length @len; NULL if all are. */
static const char *first_unknown(const struct option_words *w, const char *value,
				 size_t *len)
{
	const char *next;

	for (;; value = next + 1) {
		next = value + (w->list ? strcspn(value, ",") : strlen(value));
		*len = (size_t)(next - value);
		if (w->list)
			*len = trim(&value, *len);
		if (w->list && (*value == '+' || *value == '-')) {
			value++;
			--*len;
		}
		if (!is_one(w->words, value, *len))
			return value;
		if (!*next)
			return NULL;
	}
}

static int unknown_word(const char *setting, const char *word, const char *const *words)
{
	const char *near;
	struct strbuf __auto_free list = { 0 };
	size_t nr = 0;

	while (words[nr])
		nr++;
	near = options_nearest(word, words, nr);
	for (size_t i = 0; nr <= LISTED_MAX && i < nr; i++)
		strbuf_printf(&list, " %s", words[i]);
	message_error(NULL,
		      list.size ? "%s: unknown word '%s'%s%s%s\n  One of:%s"
				: "%s: unknown word '%s'%s%s%s%s",
		      setting, word, near ? ". Did you mean '" : "", near ? near : "",
		      near ? "'?" : "", strbuf_text(&list));
	return EXIT_USAGE;
}

int option_words_check(const struct option_usage *usage, const char *origin,
		       const char *name, const char *value)
{
	const struct option_words *w = usage->words;
	struct strbuf __auto_free setting = { 0 }, word = { 0 };
	const char *unknown;
	int ret = GO_ON;
	size_t len;

	while (w && w->option && strcmp(w->option, name) != 0)
		w++;
	if (!w || !w->option)
		return GO_ON;
	unknown = first_unknown(w, value, &len);
	if (unknown) {
		strbuf_printf(&setting, "%s: %s.%s", origin, usage->command, name);
		strbuf_add(&word, unknown, len);
		ret = unknown_word(strbuf_text(&setting), strbuf_text(&word), w->words);
	}
	return ret;
}

bool options_is_setting(int argc, char *const *argv, const char *value)
{
	for (int i = 1; argc - i >= 3 && !strcmp(argv[i], OPTIONS_SETTING); i += 3) {
		const char *equals = strchr(argv[i + 2], '=');

		if (equals && equals + 1 == value)
			return true;
	}
	return false;
}

bool options_have_setting(int argc, char *const *argv, const char *name)
{
	size_t size = strlen(name);

	for (int i = 1; argc - i >= 3 && !strcmp(argv[i], OPTIONS_SETTING); i += 3) {
		if (!strncmp(argv[i + 2], name, size) &&
		    (argv[i + 2][size] == '=' || !argv[i + 2][size]))
			return true;
	}
	return false;
}
