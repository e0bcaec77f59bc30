// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/options.h"

#include "cmd/options/message.h"
#include "cmd/options/options_value.h"

/* The state of an option while parsing. */
struct option_state {
	bool choice;	/* OPTION_CHOICE */
	bool everyday;	/* OPTION_EVERYDAY */
	bool from_file; /* its value is from a setting */
};

/* One parse: the cursor over argv. */
struct parser {
	const struct option_usage *usage;
	const struct option_entry *options;
	int argc;
	char **argv;
	int next;		     /* index of the next argument to read */
	struct option_state *states; /* one for each of @options */
	bool *left_out;		     /* for each: only --help-all shows it; or NULL */
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

/* How messages name the option: "--sort", or "-s" if it has no long name. */
static const char *option_label(const struct option_entry *opt, char *buf, size_t size)
{
	if (opt->name)
		snprintf(buf, size, "--%s", opt->name);
	else
		snprintf(buf, size, "-%c", opt->short_name);
	return buf;
}

static int usage_hint(const struct parser *p)
{
	fprintf(stderr, "  Options: kmemx %s -h\n", p->usage->command);
	return EXIT_USAGE;
}

/* The command line has @opt: drops its values from the file, and if it is one of several options
 * that exclude each other, those of the others.
 */
static void forget_settings(const struct parser *p, const struct option_entry *opt)
{
	struct option_state *state = &p->states[opt - p->options];
	const struct option_entry *other;

	if (state->from_file && opt->type == OPTION_STRINGS)
		((struct option_strings *)opt->value)->count = 0;
	if (state->from_file && opt->type == OPTION_COUNT)
		*(unsigned int *)opt->value = 0;
	state->from_file = false;
	if (!state->choice)
		return;
	for (other = p->options; other->type != OPTION_END; other++) {
		state = &p->states[other - p->options];
		if (!state->choice || !state->from_file)
			continue;
		state->from_file = false;
		if (other->type == OPTION_STRING)
			*(const char **)other->value = NULL;
		else
			*(bool *)other->value = false;
	}
}

static int apply_value(const struct parser *p, const struct option_entry *opt,
		       const char *value)
{
	char label[64];
	int err;

	forget_settings(p, opt);
	err = option_value_store(opt, value);
	if (!err)
		return GO_ON;
	option_label(opt, label, sizeof(label));
	if (err == -ENOMEM)
		return message_fail(EXIT_FAILED, p->usage->command, "%s: out of memory",
				    label);
	return message_fail(EXIT_USAGE, p->usage->command, "%s: '%s' is %s; expected %s",
			    label, value, option_value_problem(err),
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
		options_help(p->usage, p->options, p->left_out, stdout);
		return EXIT_OK;
	}
}

/* The next argument is the value, even if it begins with '-': "-s -bytes". */
static int apply_next(struct parser *p, const struct option_entry *opt)
{
	char label[64];

	if (p->next >= p->argc) {
		message_error(p->usage->command, "%s needs a value: %s",
			      option_label(opt, label, sizeof(label)),
			      opt->arg ? opt->arg : "VALUE");
		return usage_hint(p);
	}
	return apply_value(p, opt, p->argv[p->next++]);
}

/* The option has no "=VALUE". If the next argument is one of its values, the user forgot the '=':
 * an error, as it would be taken for an operand.
 */
static int apply_optional(const struct parser *p, const struct option_entry *opt)
{
	const char *next = p->next < p->argc ? p->argv[p->next] : "", *word = opt->arg;
	size_t size;

	for (; *next && *word; word += size + (word[size] == '|')) {
		size = strcspn(word, "|");
		if (strlen(next) != size || strncmp(next, word, size) != 0)
			continue;
		return message_fail(
			EXIT_USAGE, p->usage->command,
			"--%s takes its value after '=': --%s=%s\n  For a file of that name: --%s ./%s",
			opt->name, opt->name, next, opt->name, next);
	}
	return apply_value(p, opt, "");
}

static const char *nearest_option(const struct parser *p, const char *word)
{
	const char *nearest = NULL;
	const char **names;
	size_t count = 0;

	for (const struct option_entry *opt = p->options; opt->type != OPTION_END; opt++)
		count++;
	names = calloc(count + 1, sizeof(*names));
	if (!names)
		return NULL;
	count = 0;
	for (const struct option_entry *opt = p->options; opt->type != OPTION_END; opt++)
		if (opt->name)
			names[count++] = opt->name;
	nearest = options_nearest(word, names, count);
	free(names);
	return nearest;
}

/* Is it a filter of the commands that read a recording? */
static bool is_filter(const char *word)
{
	static const char all[] = ",time,pid,comm,cpu,node,callsite,dir,cache,gfp,order,";
	char key[72];

	snprintf(key, sizeof(key), ",%s,", word);
	return strstr(all, key);
}

static int unknown_long(const struct parser *p, const char *name, size_t len)
{
	char word[64];
	const char *nearest;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60), name);
	if (!strcmp(word, "no-config"))
		return message_fail(
			EXIT_USAGE, p->usage->command,
			"--no-config goes before the command\n  Try: kmemx --no-config %s",
			p->usage->command);
	if (*p->usage->unfiltered && is_filter(word))
		return message_fail(EXIT_USAGE, p->usage->command,
				    "no --%s here: %s\n  %s", word,
				    p->usage->unfiltered[0], p->usage->unfiltered[1]);
	nearest = nearest_option(p, word);
	if (nearest)
		message_error(p->usage->command,
			      "unknown option '--%s'. Did you mean '--%s'?", word,
			      nearest);
	else
		message_error(p->usage->command, "unknown option '--%s'", word);
	return usage_hint(p);
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

/* Today's name of the option that the text names by an earlier one, or NULL. */
static const char *new_name(const struct parser *p, const char *text, size_t len)
{
	const struct option_renamed *r = p->usage->renamed;

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
		options_help_all(p->usage, p->options, p->left_out, stdout);
		return EXIT_OK;
	}
	renamed = new_name(p, text, len);
	if (renamed) {
		message_error(p->usage->command, "--%.*s is called --%s now", (int)len,
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
	if (clash) {
		message_error(p->usage->command, "'--%s' is ambiguous: --%s or --%s",
			      text, opt->name, clash->name);
		return usage_hint(p);
	}
	if (on && equals && opt->type == OPTION_OPTIONAL && !equals[1])
		return message_fail(EXIT_USAGE, p->usage->command,
				    "--%s= has no value\n  Write --%s=%s, or --%s alone",
				    opt->name, opt->name, opt->arg, opt->name);
	if (on && equals && takes_value(opt))
		return apply_value(p, opt, equals + 1);
	if (on && opt->type == OPTION_OPTIONAL)
		return apply_optional(p, opt);
	if (takes_value(opt) && opt->type != OPTION_OPTIONAL)
		return apply_next(p, opt);
	if (equals) {
		message_error(p->usage->command, "--%s takes no value, but got '%s'",
			      opt->name, equals + 1);
		return usage_hint(p);
	}
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
		if (opt->type == OPTION_END) {
			message_error(p->usage->command, "unknown option '-%c'", *text);
			return usage_hint(p);
		}
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

/* The option of a setting, by its full name. *@not: the setting is its opposite, as "pager" is of
 * --no-pager.
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
	const char *nearest = nearest_option(p, name);

	if (!strcmp(name, "help") || !strcmp(name, "help-all")) {
		message_error(NULL, "%s: warning: --%s works only on the command line",
			      origin, name);
		return GO_ON;
	}
	message_error(NULL, "%s: warning: kmemx %s has no option --%s%s%s%s", origin,
		      p->usage->command, name, nearest ? ". Did you mean '" : "",
		      nearest ? nearest : "", nearest ? "'?" : "");
	return GO_ON;
}

/* 0; -ENODATA if a value is missing; else as option_value_store(). */
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

/* Applies the setting @text, "NAME=VALUE" or "NAME". */
static int apply_setting(const struct parser *p, const char *origin, const char *text)
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
	p->states[opt - p->options].from_file = !err;
	if (!err)
		return GO_ON;
	if (err == -ENOMEM)
		return message_no_memory(p->usage->command);
	form = takes_value(opt) ? option_value_form(opt->type) : "true or false";
	if (equals)
		return message_fail(EXIT_USAGE, NULL,
				    "%s: %s.%s: '%s' is %s; expected %s", origin,
				    p->usage->command, name, equals + 1,
				    option_value_problem(err), form);
	return message_fail(EXIT_USAGE, NULL,
			    "%s: %s.%s has no value; write it as %s.%s = %s", origin,
			    p->usage->command, name, p->usage->command, name, opt->arg);
}

/* Is OPTIONS_CHECK the only argument after the settings? */
static bool only_check(const struct parser *p)
{
	int i = p->next;

	while (p->argc - i >= 3 && !strcmp(p->argv[i], OPTIONS_SETTING))
		i += 3;
	return i == p->argc - 1 && !strcmp(p->argv[i], OPTIONS_CHECK);
}

static int check_setting(const struct parser *p, const char *origin, const char *text)
{
	const char *equals = strchr(text, '=');
	int ret = apply_setting(p, origin, text);
	const struct option_entry *opt;
	char name[64];
	bool not ;

	if (ret != GO_ON || !equals)
		return ret;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	opt = find_setting(p, name, &not );
	/* The optional value is empty: no word to check. */
	if (opt && opt->type == OPTION_OPTIONAL && !equals[1])
		return GO_ON;
	return opt ? option_words_check(p->usage, origin, opt->name, equals + 1) : GO_ON;
}

static int parse_settings(struct parser *p)
{
	bool check = only_check(p);
	int ret = GO_ON, one;

	while ((ret == GO_ON || check) && p->argc - p->next >= 3 &&
	       !strcmp(p->argv[p->next], OPTIONS_SETTING)) {
		const char *origin = p->argv[p->next + 1], *text = p->argv[p->next + 2];

		one = check ? check_setting(p, origin, text)
			    : apply_setting(p, origin, text);
		ret = one == GO_ON ? ret : one;
		p->next += 3;
	}
	return check && ret == GO_ON ? EXIT_OK : ret;
}

/* Copies @options, with nested tables expanded, to @flat if it is not NULL; the marks of their
 * types go to @states. Returns how many, with OPTION_END.
 */
static size_t flatten(const struct option_entry *options, struct option_entry *flat,
		      struct option_state *states)
{
	size_t nr = 0;

	for (; options->type != OPTION_END; options++) {
		if (options->type == OPTION_TABLE) {
			nr += flatten(options->value, flat ? flat + nr : NULL,
				      flat ? states + nr : NULL) -
			      1;
			continue;
		}
		if (flat) {
			flat[nr] = *options;
			flat[nr].type &= OPTION_TYPES;
			states[nr].choice = options->type & OPTION_CHOICE;
			states[nr].everyday = options->type & OPTION_EVERYDAY;
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
		options_list(p->options, p->usage, p->left_out, stdout);
		return EXIT_OK;
	}
	while (ret == GO_ON && p->next < p->argc) {
		char *arg = p->argv[p->next++];

		if (!strcmp(arg, "--"))
			break;
		if (arg[0] != '-' || !arg[1]) { /* "-" alone is standard input */
			if (p->usage->stop_at_operand) {
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

int options_parse(const struct option_usage *usage, const struct option_entry *options,
		  int argc, char **argv, int *operands)
{
	size_t nr = flatten(options, NULL, NULL), i;
	struct option_entry *flat __auto_mem = calloc(nr, sizeof(*flat));
	struct option_state *states __auto_mem = calloc(nr, sizeof(*states));
	char **kept __auto_mem = calloc((size_t)argc + 1, sizeof(*kept));
	bool *left_out __auto_mem = calloc(nr, sizeof(*left_out));
	struct parser p = { usage, flat, argc, argv, 1, states, NULL };

	if (!flat || !states || !kept || !left_out) {
		message_no_memory(usage->command);
		return EXIT_FAILED;
	}
	flatten(options, flat, states);
	for (i = 0; i < nr; i++)
		left_out[i] = !states[i].everyday && flat[i].type != OPTION_HELP;
	if (usage->short_help)
		p.left_out = left_out;
	return parse(&p, kept, operands);
}
