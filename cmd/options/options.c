// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/options.h"

#include "cmd/options/message.h"
#include "cmd/options/options_value.h"

/* One parse: the cursor over argv. */
struct parser {
	const struct command *command;
	struct option_entry *options;
	size_t nr; /* of them, with OPTION_END */
	int argc;
	char **argv;
	int next;   /* index of the next argument to read */
	bool brief; /* -h does not show all options */
};

static bool takes_value(const struct option_entry *opt)
{
	return opt->type != OPTION_FLAG && opt->type != OPTION_SWITCH &&
	       opt->type != OPTION_COUNT && opt->type != OPTION_HELP;
}

/* Is there a --no-NAME? */
static bool has_opposite(const struct option_entry *opt)
{
	return opt->type == OPTION_FLAG || opt->type == OPTION_SWITCH ||
	       opt->type == OPTION_COUNT || opt->type == OPTION_OPTIONAL;
}

/* Ends a usage error; its argument is the command's name. */
#define HINT "\n  Options: kmemx %s -h"

/* Called when the command line has @opt: drops values that settings gave to it and to options that
 * it excludes.
 */
static void forget_settings(const struct parser *p, const struct option_entry *opt)
{
	struct option_entry *given = &p->options[opt - p->options], *other;

	if (opt->from_file && opt->type == OPTION_STRINGS)
		((struct option_strings *)opt->value)->count = 0;
	if (opt->from_file && opt->type == OPTION_COUNT)
		*(unsigned int *)opt->value = 0;
	given->from_file = false;
	if (!(opt->marks & OPTION_CHOICE))
		return;
	for (other = p->options; other->type != OPTION_END; other++) {
		if (!(other->marks & OPTION_CHOICE) || !other->from_file)
			continue;
		other->from_file = false;
		if (other->type == OPTION_STRING)
			*(const char **)other->value = NULL;
		else
			*(bool *)other->value = false;
	}
}

static int apply_value(const struct parser *p, const struct option_entry *opt,
		       const char *value)
{
	int err;

	forget_settings(p, opt);
	err = option_value_store(opt, value);
	if (!err)
		return GO_ON;
	if (err == -ENOMEM)
		return message_fail(EXIT_FAILED, p->command->name, "--%s: out of memory",
				    opt->name);
	return message_fail(EXIT_USAGE, p->command->name, "--%s: '%s' is %s; expected %s",
			    opt->name, value, option_value_problem(err),
			    option_value_form(opt->type));
}

/* Applies an option without a value. */
static int apply_switch(const struct parser *p, const struct option_entry *opt, bool on)
{
	forget_settings(p, opt);
	switch (opt->type) {
	case OPTION_FLAG:
		*(bool *)opt->value = on;
		return GO_ON;
	case OPTION_SWITCH:
		*(enum option_switch *)opt->value = on ? SWITCH_ON : SWITCH_OFF;
		return GO_ON;
	case OPTION_OPTIONAL: /* --no-NAME */
		*(const char **)opt->value = NULL;
		return GO_ON;
	case OPTION_COUNT:
		if (on)
			++*(unsigned int *)opt->value;
		else
			*(unsigned int *)opt->value = 0;
		return GO_ON;
	default:
		options_help(p->command, p->options, p->brief, false, stdout);
		return EXIT_DONE;
	}
}

/* The next argument is the value, even if it begins with '-': "-s -bytes". */
static int apply_next(struct parser *p, const struct option_entry *opt)
{
	if (p->next >= p->argc)
		return message_fail(EXIT_USAGE, p->command->name,
				    "--%s needs a value: %s" HINT, opt->name, opt->arg,
				    p->command->name);
	return apply_value(p, opt, p->argv[p->next++]);
}

/* Applies an option without "=VALUE". If the next argument is one of its values, the user forgot
 * the '=': fail rather than take it for an operand.
 */
static int apply_optional(const struct parser *p, const struct option_entry *opt)
{
	const char *next = p->next < p->argc ? p->argv[p->next] : "";

	if (!*next || !text_has_word(opt->arg, '|', next))
		return apply_value(p, opt, "");
	return message_fail(
		EXIT_USAGE, p->command->name,
		"--%s takes its value after '=': --%s=%s\n  For a file of that name: --%s ./%s",
		opt->name, opt->name, next, opt->name, next);
}

/* The filters of the commands that read a recording. */
static const char filters[] = "time,pid,comm,cpu,node,callsite,dir,cache,gfp,order";

static int unknown_long(const struct parser *p, const char *name, size_t len)
{
	char word[64];
	const char *nearest;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60), name);
	if (!strcmp(word, "no-config"))
		return message_fail(
			EXIT_USAGE, p->command->name,
			"--no-config goes before the command\n  Try: kmemx --no-config %s",
			p->command->name);
	if (*p->command->unfiltered && text_has_word(filters, ',', word))
		return message_fail(EXIT_USAGE, p->command->name,
				    "no --%s here: %s\n  %s", word,
				    p->command->unfiltered[0], p->command->unfiltered[1]);
	nearest = OPTIONS_NEAREST_OF(word, p->options, p->nr, name);
	if (nearest)
		return message_fail(EXIT_USAGE, p->command->name,
				    "unknown option '--%s'. Did you mean '--%s'?" HINT,
				    word, nearest, p->command->name);
	return message_fail(EXIT_USAGE, p->command->name, "unknown option '--%s'" HINT,
			    word, p->command->name);
}

/* How the text of a long option matches a name of the table. */
enum fit { FIT_NONE, FIT_PREFIX, FIT_EXACT };

static enum fit fit_name(const char *name, const char *text, size_t len)
{
	if (!name || strncmp(name, text, len))
		return FIT_NONE;
	return name[len] ? FIT_PREFIX : FIT_EXACT;
}

/* Finds the option that @text names or abbreviates. *@clash is a second option that it also
 * abbreviates, or NULL.
 */
static const struct option_entry *find_long(const struct parser *p, const char *text,
					    size_t len, const struct option_entry **clash)
{
	const struct option_entry *found = NULL;

	*clash = NULL;
	for (const struct option_entry *opt = p->options; opt->type != OPTION_END;
	     opt++) {
		enum fit fit = fit_name(opt->name, text, len);

		if (fit == FIT_EXACT) {
			*clash = NULL;
			return opt;
		}
		if (fit == FIT_PREFIX && found && !*clash)
			*clash = opt;
		if (fit == FIT_PREFIX && !found)
			found = opt;
	}
	return found;
}

/* The option --no-NAME whose NAME is the @len bytes at @text, or NULL. */
static const struct option_entry *find_negated(const struct parser *p, const char *text,
					       size_t len)
{
	const struct option_entry *opt;

	for (opt = p->options; opt->type != OPTION_END; opt++) {
		if (opt->type == OPTION_FLAG && opt->name &&
		    !strncmp(opt->name, "no-", 3) &&
		    fit_name(opt->name + 3, text, len) == FIT_EXACT)
			return opt;
	}
	return NULL;
}

/* The current name of the option whose earlier name is the @len bytes at @text, or NULL. */
static const char *new_name(const struct parser *p, const char *text, size_t len)
{
	const struct option_renamed *r = p->command->renamed;

	for (; r && r->old; r++) {
		if (fit_name(r->old, text, len) == FIT_EXACT)
			return r->name;
	}
	return NULL;
}

static int parse_long(struct parser *p, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : strlen(text);
	const struct option_entry *opt, *clash, *other, *other_clash;
	const char *renamed;
	bool on = true;

	if (!strcmp(text, "help-all")) {
		options_help(p->command, p->options, p->brief, true, stdout);
		return EXIT_DONE;
	}
	renamed = new_name(p, text, len);
	if (renamed) {
		message_error(p->command->name, "--%.*s is called --%s now", (int)len,
			      text, renamed);
		text = renamed;
		len = strlen(renamed);
	}
	opt = find_long(p, text, len, &clash);
	if (len > 3 && !strncmp(text, "no-", 3)) {
		enum fit fit = opt ? fit_name(opt->name, text, len) : FIT_NONE;

		other = find_long(p, text + 3, len - 3, &other_clash);
		if (other && has_opposite(other) &&
		    fit_name(other->name, text + 3, len - 3) > fit) {
			opt = other;
			clash = other_clash;
			on = false;
		}
	}
	if (!opt) {
		opt = find_negated(p, text, len);
		on = false;
	}
	if (!opt)
		return unknown_long(p, text, len);
	if (clash)
		return message_fail(EXIT_USAGE, p->command->name,
				    "'--%s' is ambiguous: --%s or --%s" HINT, text,
				    opt->name, clash->name, p->command->name);
	if (on && equals && opt->type == OPTION_OPTIONAL && !equals[1])
		return message_fail(EXIT_USAGE, p->command->name,
				    "--%s= has no value\n  Write --%s=%s, or --%s alone",
				    opt->name, opt->name, opt->arg, opt->name);
	if (on && equals && takes_value(opt))
		return apply_value(p, opt, equals + 1);
	if (on && opt->type == OPTION_OPTIONAL)
		return apply_optional(p, opt);
	if (takes_value(opt) && opt->type != OPTION_OPTIONAL)
		return apply_next(p, opt);
	if (equals)
		return message_fail(EXIT_USAGE, p->command->name,
				    "--%s takes no value, but got '%s'" HINT, opt->name,
				    equals + 1, p->command->name);
	return apply_switch(p, opt, on);
}

/* Parses a bundle such as "vl5": switches, then at most one option whose value is the rest. */
static int parse_short(struct parser *p, const char *text)
{
	for (; *text; text++) {
		const struct option_entry *opt = p->options;
		int ret;

		while (opt->type != OPTION_END && opt->short_name != *text)
			opt++;
		if (opt->type == OPTION_END)
			return message_fail(EXIT_USAGE, p->command->name,
					    "unknown option '-%c'" HINT, *text,
					    p->command->name);
		if (takes_value(opt))
			return text[1] ? apply_value(p, opt, text + 1)
				       : apply_next(p, opt);
		ret = apply_switch(p, opt, true);
		if (ret != GO_ON)
			return ret;
	}
	return GO_ON;
}

/* Parses a word for yes or no into @on; false if @value is neither. */
static bool is_switch(const char *value, bool *on)
{
	static const char *const words[] = { "false", "true", "no", "yes",
					     "off",   "on",   "0",  "1" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(value, words[i]) != 0)
			continue;
		*on = i % 2;
		return true;
	}
	return false;
}

/* The option that a setting names in full. *@not: the setting is the option's opposite, as "pager"
 * is of --no-pager.
 */
static const struct option_entry *find_setting(const struct parser *p, const char *name,
					       bool * not )
{
	const char *renamed = new_name(p, name, strlen(name));
	const struct option_entry *opt;

	name = renamed ? renamed : name;
	*not = false;
	for (opt = p->options; opt->type != OPTION_END; opt++) {
		if (opt->name && opt->type != OPTION_HELP && !strcmp(opt->name, name))
			return opt;
	}
	*not = true;
	return find_negated(p, name, strlen(name));
}

static int unknown_setting(const struct parser *p, const char *origin, const char *name)
{
	const char *nearest = OPTIONS_NEAREST_OF(name, p->options, p->nr, name);

	if (!strcmp(name, "help") || !strcmp(name, "help-all"))
		return message_fail(GO_ON, NULL,
				    "%s: warning: --%s works only on the command line",
				    origin, name);
	return message_fail(GO_ON, NULL, "%s: warning: kmemx %s has no option --%s%s%s%s",
			    origin, p->command->name, name,
			    nearest ? ". Did you mean '" : "", nearest ? nearest : "",
			    nearest ? "'?" : "");
}

/* Returns 0, -ENODATA if a value is missing, or what option_value_store() returns. */
static int store_setting(const struct option_entry *opt, bool not, const char *value)
{
	bool on = true;

	if (opt->type == OPTION_OPTIONAL)
		return option_value_store(opt, value ? value : "");
	if (takes_value(opt))
		return value ? option_value_store(opt, value) : -ENODATA;
	if (value && !is_switch(value, &on))
		return -EINVAL;
	if (opt->type == OPTION_COUNT)
		*(unsigned int *)opt->value = on;
	else if (opt->type == OPTION_SWITCH)
		*(enum option_switch *)opt->value = on ? SWITCH_ON : SWITCH_OFF;
	else
		*(bool *)opt->value = on != not ;
	return 0;
}

/* Applies the setting @text, "NAME=VALUE" or "NAME". @check: also checks its words. */
static int apply_setting(const struct parser *p, const char *origin, const char *text,
			 bool check)
{
	const char *equals = strchr(text, '=');
	const struct option_entry *opt;
	const char *form;
	char name[64];
	bool not ;
	int err;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="), text);
	opt = find_setting(p, name, &not );
	if (!opt)
		return unknown_setting(p, origin, name);
	err = store_setting(opt, not, equals ? equals + 1 : NULL);
	p->options[opt - p->options].from_file = !err;
	/* An optional value may be empty: no word to check. */
	if (!err && check && equals && (equals[1] || opt->type != OPTION_OPTIONAL))
		return option_words_check(p->command, opt, origin, equals + 1);
	if (!err)
		return GO_ON;
	if (err == -ENOMEM)
		return message_no_memory(p->command->name);
	form = takes_value(opt) ? option_value_form(opt->type) : "true or false";
	if (equals)
		return message_fail(EXIT_USAGE, NULL,
				    "%s: %s.%s: '%s' is %s; expected %s", origin,
				    p->command->name, name, equals + 1,
				    option_value_problem(err), form);
	return message_fail(EXIT_USAGE, NULL,
			    "%s: %s.%s has no value; write it as %s.%s = %s", origin,
			    p->command->name, name, p->command->name, name, opt->arg);
}

/* Is OPTIONS_CHECK the only argument after the settings? */
static bool only_check(const struct parser *p)
{
	int i = p->next;

	while (p->argc - i >= 3 && !strcmp(p->argv[i], OPTIONS_SETTING))
		i += 3;
	return i == p->argc - 1 && !strcmp(p->argv[i], OPTIONS_CHECK);
}

static int parse_settings(struct parser *p)
{
	bool check = only_check(p);
	int ret = GO_ON, one;

	while ((ret == GO_ON || check) && p->argc - p->next >= 3 &&
	       !strcmp(p->argv[p->next], OPTIONS_SETTING)) {
		one = apply_setting(p, p->argv[p->next + 1], p->argv[p->next + 2], check);
		ret = one == GO_ON ? ret : one;
		p->next += 3;
	}
	return check ? ret ?: EXIT_DONE : ret;
}

/* Copies @options, with nested tables expanded, to @flat if it is not NULL. Returns how many, with
 * OPTION_END.
 */
static size_t flatten(const struct option_entry *options, struct option_entry *flat)
{
	size_t nr = 0;

	for (; options->type != OPTION_END; options++) {
		if (options->type == OPTION_TABLE) {
			nr += flatten(options->value, flat ? flat + nr : NULL) - 1;
			continue;
		}
		if (flat) {
			flat[nr] = *options;
			flat[nr].marks = options->type & ~(unsigned int)OPTION_TYPES;
			flat[nr].type &= OPTION_TYPES;
		}
		nr++;
	}
	if (flat)
		flat[nr] = *options;
	return nr + 1;
}

static int parse(struct parser *p, char **kept, int *operands)
{
	int nr_kept = 0, ret = parse_settings(p);

	if (ret == GO_ON && p->next == p->argc - 1 &&
	    !strcmp(p->argv[p->next], "--list-options")) {
		options_list(p->options, p->brief, stdout);
		return EXIT_DONE;
	}
	while (ret == GO_ON && p->next < p->argc) {
		char *arg = p->argv[p->next++];

		if (!strcmp(arg, "--"))
			break;
		if (arg[0] != '-' || !arg[1]) { /* "-" alone is standard input */
			if (p->command->stop_at_operand) {
				p->next--;
				break;
			}
			kept[nr_kept++] = arg;
			continue;
		}
		ret = arg[1] == '-' ? parse_long(p, arg + 2) : parse_short(p, arg + 1);
	}
	if (ret == GO_ON) {
		*operands = p->next - nr_kept;
		memcpy(p->argv + *operands, kept, (size_t)nr_kept * sizeof(*kept));
	}
	return ret;
}

int options_parse(const struct command *command, const struct option_entry *options,
		  int argc, char **argv, int *operands)
{
	size_t nr = flatten(options, NULL);
	struct option_entry *flat __auto_mem = calloc(nr, sizeof(*flat));
	char **kept __auto_mem = calloc((size_t)argc + 1, sizeof(*kept));
	struct parser p = { command, flat, nr, argc, argv, 1, false };

	if (!flat || !kept)
		return message_no_memory(command->name);
	flatten(options, flat);
	p.brief = !command->whole_help && ANY(i, nr, flat[i].marks & OPTION_EVERYDAY);
	return parse(&p, kept, operands);
}
