// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the typed option table, values that are words of a list, which settings were given, and the
 * command line as text.
 * In: a value and the words; arguments. Out: the word's index, or a message that lists them.
 */

#include "base/safe_text.h"
#include "base/strbuf.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"

/* A message lists at most this many words. */
#define LISTED_MAX 20

/* Says "LEAD 'WORD'" and what the user may mean, and lists the words; for a setting (@command is
 * NULL), only if they are few. Returns EXIT_USAGE.
 */
static int unknown(const char *command, const char *lead, const char *word,
		   const char *const *words)
{
	struct strbuf __auto_free list = { 0 };
	const char *near;
	size_t nr = 0;

	while (words[nr])
		nr++;
	near = options_nearest(word, words, nr);
	for (size_t i = 0; (command || nr <= LISTED_MAX) && i < nr; i++)
		strbuf_printf(&list, " %s", words[i]);
	return message_fail(EXIT_USAGE, command,
			    list.size ? "%s '%s'%s%s%s\n  One of:%s" : "%s '%s'%s%s%s%s",
			    lead, word, near ? ". Did you mean '" : "", near ? near : "",
			    near ? "'?" : "", strbuf_text(&list));
}

int option_unknown(const char *option, const char *word, const char *const *words,
		   const char *command)
{
	struct strbuf __auto_free lead = { 0 };

	strbuf_printf(&lead, "unknown %s", option);
	return unknown(command, strbuf_text(&lead), word, words);
}

int option_choose(const char *option, const char *word, const char *const *words,
		  const char *command)
{
	for (size_t i = 0; words[i]; i++) {
		if (!strcmp(word, words[i]))
			return (int)i;
	}
	option_unknown(option, word, words, command);
	return -1;
}

int option_cgroup_names(const char *word, const char *command)
{
	static const char *const words[] = { "short", "full", NULL };

	return word ? option_choose("--cgroup-names", word, words, command) : 0;
}

void option_words_join(char *to, size_t size, const char *separator,
		       const char *const *words)
{
	size_t used = 0;

	to[0] = '\0';
	for (size_t i = 0; words[i] && used < size; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%s",
					 i ? separator : "", words[i]);
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

static bool is_one(const char *const *words, const char *word, size_t len)
{
	for (; *words; words++) {
		if (!strncmp(*words, word, len) && !(*words)[len])
			return true;
	}
	return false;
}

/* The first word of @value that is not one of @opt's, and its length @len; NULL if all are. A value
 * that may be given several times, such as "order=3", begins with a word.
 */
static const char *first_unknown(const struct option_entry *opt, const char *value,
				 size_t *len)
{
	const bool list = opt->type == OPTION_LIST;
	const char *next;

	for (;; value = next + 1) {
		next = value + (list ? strcspn(value, ",") : strlen(value));
		*len = (size_t)(next - value);
		if (list)
			*len = trim(&value, *len);
		if (list && (*value == '+' || *value == '-')) {
			value++;
			--*len;
		}
		if (!is_one(opt->words, value,
			    opt->type == OPTION_STRINGS ? strcspn(value, "=") : *len))
			return value;
		if (!*next)
			return NULL;
	}
}

int option_words_check(const struct command *command, const struct option_entry *opt,
		       const char *origin, const char *value)
{
	struct strbuf __auto_free setting = { 0 }, word = { 0 };
	const char *wrong;
	size_t len;

	wrong = opt->words ? first_unknown(opt, value, &len) : NULL;
	if (!wrong)
		return GO_ON;
	strbuf_printf(&setting, "%s: %s.%s: unknown word", origin, command->name,
		      opt->name);
	strbuf_add(&word, wrong, len);
	return unknown(NULL, strbuf_text(&setting), strbuf_text(&word), opt->words);
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

/* Appends a blank, @before and @word, quoted for a shell if needed: an option's "=" needs no quotes. */
static void add_word(struct strbuf *sb, const char *before, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./,:@%";

	strbuf_printf(sb, " %s", before);
	if (*word && !word[strspn(word, plain)])
		strbuf_puts(sb, word);
	else
		shell_word(sb, word, strlen(word));
}

/* Is @text, such as "html" or "htm=FILE", the option @name, perhaps abbreviated? */
static bool is_named(const char *text, const char *name)
{
	size_t len = strcspn(text, "=");

	return name && len && !strncmp(text, name, len);
}

void options_command_line(struct strbuf *sb, int argc, char *const *argv,
			  const char *without)
{
	int i = 1;

	strbuf_puts(sb, "kmemx");
	if (argc)
		add_word(sb, "", argv[0]);
	/* Write a setting as an option: its file and line mean nothing elsewhere. */
	for (; argc - i >= 3 && !strcmp(argv[i], OPTIONS_SETTING); i += 3)
		if (!is_named(argv[i + 2], without))
			add_word(sb, "--", argv[i + 2]);
	for (; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			without = NULL;
		if (strncmp(argv[i], "--", 2) || !is_named(argv[i] + 2, without))
			add_word(sb, "", argv[i]);
		else if (!strchr(argv[i], '='))
			i++; /* its value */
	}
}
