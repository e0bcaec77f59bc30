// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the dispatcher.
 * In: argv. Out: one command runs; its exit code, after stdout was checked.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "cmd/options/config_file.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/stat/tables.h"

/* Sorted by group: the help lists commands in this order. */
static const struct command *const commands[] = {
	&command_record,
	&command_boot,
	&command_extract,
	&command_recover,
	&tables_commands[TABLES_SUMMARY].command,
	&tables_commands[TABLES_BALANCE].command,
	&command_report,
	&command_stat,
	&tables_commands[TABLES_LEAKS].command,
	&tables_commands[TABLES_PEAK].command,
	&tables_commands[TABLES_ADVISE].command,
	&tables_commands[TABLES_OWNERS].command,
	&tables_commands[TABLES_FRAG].command,
	&tables_commands[TABLES_PERCPU].command,
	&command_footprint,
	&command_top,
	&command_query,
	&command_script,
	&command_info,
	&command_diff,
	&command_export,
	&command_import,
	&command_split,
	&command_config,
	&command_version,
};

static const char *const group_words[] = {
	[COMMAND_RECORD] = "Record",   [COMMAND_LOOK] = "Look",
	[COMMAND_COMPARE] = "Compare", [COMMAND_CONVERT] = "Convert",
	[COMMAND_OTHER] = "Other",
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/* Is @s an alias that no command hides? */
static bool is_alias(const struct setting *s)
{
	return !strcmp(s->section, "alias") && !find_command(s->name);
}

/* argv[0] is the command's name. Returns the exit code. */
static int run_command(const struct command *command, int argc, char **argv)
{
	int ret = command->run(argc, argv);

	return ret == EXIT_DONE ? EXIT_OK : ret;
}

/* Prints the names of one group's rarely used commands, the first of which is commands[@i]. Returns
 * how many.
 */
static size_t print_names(FILE *out, size_t i)
{
	size_t first = i;

	for (; i < ARRAY_SIZE(commands) && commands[i]->seldom &&
	       commands[i]->group == commands[first]->group;
	     i++)
		fprintf(out, "%s%s", i > first ? ", " : "", commands[i]->name);
	fputs("\n", out);
	return i - first;
}

/* Fits on a 24-line screen, leaving one line for the shell's prompt. */
static void print_overview(FILE *out)
{
	size_t i = 0;

	fputs("kmemx records a kernel's memory allocations and reports who made them.\n\n"
	      "usage: kmemx COMMAND [options]\n"
	      "       kmemx COMMAND -h            the common options (--help-all: all)\n\n",
	      out);
	while (i < ARRAY_SIZE(commands)) {
		const struct command *c = commands[i];
		bool first = !i || commands[i - 1]->group != c->group;

		fprintf(out, "%-8s  ", first ? group_words[c->group] : "");
		if (c->seldom) {
			i += print_names(out, i);
			continue;
		}
		fprintf(out, "%-8s  %s\n", c->name, c->purpose);
		i++;
	}
	fputs("\nexample: sudo kmemx record -- make -j2 && kmemx summary\n", out);
}

/* Names that other tools use for a command, or that users may guess. */
static const struct {
	const char *word, *instead;
} other_words[] = {
	{ "html", "report" },	    { "show", "stat" },	       { "sql", "query" },
	{ "kmem", "stat" },	    { "overview", "summary" }, { "slab", "stat --slab" },
	{ "slabs", "stat --slab" }, { "page", "stat --page" }, { "pages", "stat --page" },
	{ "leak", "leaks" },	    { "memleak", "leaks" },    { "live", "stat --live" },
	{ "start", "record" },	    { "trace", "record" },     { "capture", "record" },
	{ "run", "record" },	    { "compare", "diff" },     { "dump", "script" },
	{ "print", "script" },	    { "events", "script" },    { "view", "script" },
	{ "cut", "split" },	    { "convert", "import" },   { "header", "info" },
	{ "check", "info" },	    { "evlist", "info" },      { "rescue", "recover" },
	{ "page_owner", "owners" }, { "owner", "owners" },     { "max", "peak" },
	{ "advice", "advise" },	    { "extfrag", "frag" },     { "size", "footprint" },
	{ "bloat", "footprint" },
};

/* The nearest command or alias; NULL if none is near. */
static const char *nearest_name(const struct config *config, const char *name)
{
	const char *names[ARRAY_SIZE(commands) + SETTINGS_MAX];
	size_t nr;

	for (nr = 0; nr < ARRAY_SIZE(commands); nr++)
		names[nr] = commands[nr]->name;
	for (size_t i = 0; i < config->settings.nr; i++) {
		if (is_alias(&config->settings.items[i]))
			names[nr++] = config->settings.items[i].name;
	}
	return options_nearest(name, names, nr);
}

static int unknown_command(const struct config *config, const char *name)
{
	const char *nearest;

	for_each(other, other_words, ARRAY_SIZE(other_words)) {
		if (!strcmp(other->word, name))
			return message_fail(EXIT_USAGE, NULL,
					    "'%s' is not a kmemx command. Try: kmemx %s",
					    name, other->instead);
	}
	nearest = nearest_name(config, name);
	if (nearest)
		return message_fail(EXIT_USAGE, NULL,
				    "'%s' is not a kmemx command. Did you mean '%s'?",
				    name, nearest);
	return message_fail(
		EXIT_USAGE, NULL,
		"'%s' is not a kmemx command\n  List all commands: kmemx help", name);
}

static int run_help(const char *name)
{
	const struct config none = { 0 };
	const struct command *command;
	char help[] = "--help";
	char *args[3];

	if (!name) {
		print_overview(stdout);
		return EXIT_OK;
	}
	command = find_command(name);
	if (!command)
		return unknown_command(&none, name);
	args[0] = (char *)command->name;
	args[1] = help;
	args[2] = NULL;
	return run_command(command, 2, args);
}

/* For shell completion. Ignores a configuration file that cannot be read. */
static int list_commands(void)
{
	struct config config = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("%s\t%s\n", commands[i]->name, commands[i]->purpose);
	if (config_load(&config) == GO_ON) {
		for_each(s, config.settings.items, config.settings.nr) {
			if (is_alias(s))
				printf("%s\tan alias from the configuration file\n",
				       s->name);
		}
	}
	config_free(&config);
	return EXIT_OK;
}

/* Warns about sections that are neither a command nor "alias", and aliases that a command hides. */
static void warn_sections(const struct config *c)
{
	const struct setting *before = NULL;

	for (size_t i = 0; i < c->settings.nr; before = &c->settings.items[i++]) {
		const struct setting *s = &c->settings.items[i];
		bool alias = !strcmp(s->section, "alias");

		if (alias && find_command(s->name))
			message_info(
				"%s:%u: warning: alias.%s is ignored: kmemx has a command of this name",
				c->path, s->line, s->name);
		if (alias || find_command(s->section) ||
		    (before && !strcmp(before->section, s->section)))
			continue;
		message_info(
			"%s:%u: warning: unknown section '%s': neither a kmemx command nor alias",
			c->path, s->line, s->section);
	}
}

/* Is the option @name on the command line, spelled in full? */
static bool is_given(const char *name, int argc, char **argv)
{
	size_t len = strlen(name);

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strncmp(argv[i], "--", 2) && !strncmp(argv[i] + 2, name, len) &&
		    (!argv[i][len + 2] || argv[i][len + 2] == '='))
			return true;
	}
	return false;
}

/* Does the option change only how the result looks? */
static bool is_appearance(const char *name)
{
	static const char *const names[] = {
		"by",	   "depth", "jobs",	  "min-share", "tree",	  "color",
		"columns", "csv",   "dir-depth",  "human",     "json",	  "lines",
		"ns",	   "pager", "no-pager",	  "quiet",     "raw-ip",  "raw-names",
		"sites",   "sort",  "no-summary", "summary",   "verbose", "wide",
	};

	return ANY(i, ARRAY_SIZE(names), !strcmp(names[i], name));
}

/* After a failure: lists the settings that may be the cause, which the user may have forgotten. */
static void name_settings(const struct config *c, const struct command *command,
			  int status, int argc, char **argv)
{
	struct strbuf __auto_free names = { 0 };

	for_each(s, c->settings.items, c->settings.nr) {
		if (!strcmp(s->section, command->name) &&
		    !is_given(s->name, argc, argv) &&
		    (status == EXIT_USAGE || !is_appearance(s->name)))
			strbuf_printf(&names, "%s--%s (line %u)", names.size ? ", " : "",
				      s->name, s->line);
	}
	if (names.size)
		message_info("%s sets %s\n  To ignore it: kmemx --no-config %s ...",
			     c->path, strbuf_text(&names), command->name);
}

/* Did kmemx itself fail? False for the exit status of a command that it runs. */
static bool has_failed(const struct command *command, int status)
{
	return !command->runs_command &&
	       (status == EXIT_FAILED || status == EXIT_USAGE ||
		status == EXIT_UNREADABLE || status == EXIT_UNTRUSTED);
}

/* Runs @command with its settings from @config. */
static int run_with(const struct config *config, const struct command *command, int argc,
		    char **argv)
{
	struct config_args args;
	int ret;

	if (config_args(&args, config, argc, argv))
		return message_no_memory(command->name);
	ret = run_command(command, args.argc, args.argv);
	if (has_failed(command, ret))
		name_settings(config, command, ret, argc, argv);
	config_args_free(&args);
	return ret;
}

static int alias_failed(const struct config *c, const struct setting *alias,
			const char *problem)
{
	return message_fail(
		EXIT_USAGE, NULL,
		"%s:%u: alias.%s: %s\n  Write it as a command and its options: leak = stat --live",
		c->path, alias->line, alias->name, problem);
}

/* What an alias stands for. The caller frees @items. */
struct alias_words {
	const struct command *command;
	char **items;
	size_t nr;
};

/* GO_ON, or an exit code after a message; @words may be freed in either case. */
static int alias_words(struct alias_words *words, const struct config *config,
		       const struct setting *alias)
{
	int err;

	*words = (struct alias_words){ 0 };
	err = settings_words(alias->value ? alias->value : "", &words->items, &words->nr);
	if (err == -EINVAL)
		return alias_failed(config, alias, "unterminated quote");
	if (err)
		return message_no_memory(NULL);
	words->command = words->nr ? find_command(words->items[0]) : NULL;
	if (!words->command)
		return alias_failed(config, alias, "it does not begin with a command");
	return GO_ON;
}

/* Runs the command that @alias stands for: its words, then the user's. */
static int run_alias(const struct config *config, const struct setting *alias, int argc,
		     char **argv)
{
	struct alias_words words;
	int ret = alias_words(&words, config, alias);
	char **args __auto_mem = calloc(words.nr + (size_t)argc, sizeof(*args));

	if (ret == GO_ON && !args) {
		message_no_memory(NULL);
		ret = EXIT_FAILED;
	} else if (ret == GO_ON) {
		/* Shell completion asks for all options: ignore those of the alias. */
		if (argc == 2 && !strcmp(argv[1], "--list-options"))
			words.nr = 1;
		memcpy(args, words.items, words.nr * sizeof(*args));
		memcpy(args + words.nr, argv + 1, ((size_t)argc - 1) * sizeof(*args));
		ret = run_with(config, words.command, (int)words.nr + argc - 1, args);
		if (has_failed(words.command, ret))
			message_info("'%s' is an alias for '%s' (%s:%u)", alias->name,
				     alias->value, config->path, alias->line);
	}
	free(words.items);
	return ret;
}

/* Checks that each alias begins with a command. */
static int check_aliases(const struct config *config)
{
	int ret = EXIT_OK;

	for_each(alias, config->settings.items, config->settings.nr) {
		struct alias_words words;

		if (!is_alias(alias))
			continue;
		if (alias_words(&words, config, alias) != GO_ON)
			ret = EXIT_USAGE;
		free(words.items);
	}
	return ret;
}

/* Checks the settings of all commands. EXIT_OK, or the exit code of the last one that failed. */
static int check_settings(const struct config *config)
{
	char check[] = OPTIONS_CHECK;
	int ret = check_aliases(config), one;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		char *argv[] = { (char *)commands[i]->name, check, NULL };
		struct config_args args;

		if (config_args(&args, config, 2, argv))
			return message_no_memory(NULL);
		one = run_command(commands[i], args.argc, args.argv);
		ret = one == EXIT_OK ? ret : one;
		config_args_free(&args);
	}
	return ret;
}

/* Runs the command or alias argv[0]. */
static int run_named(const struct config *config, int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);
	const struct setting *alias;
	int bad, ret;

	warn_sections(config);
	if (command == &command_config) {
		bad = check_settings(config);
		ret = run_command(command, argc, argv);
		return ret == EXIT_OK ? bad : ret;
	}
	if (command)
		return run_with(config, command, argc, argv);
	alias = settings_find(&config->settings, "alias", argv[0]);
	return alias ? run_alias(config, alias, argc, argv)
		     : unknown_command(config, argv[0]);
}

static int run_configured(int argc, char **argv)
{
	struct config config = { 0 };
	int ret = config_load(&config);

	if (config.state == CONFIG_IGNORED)
		message_info("%s is not read: %s", config.path, config.why);
	if (ret == GO_ON)
		ret = run_named(&config, argc, argv);
	config_free(&config);
	return ret;
}

static int dispatch(int argc, char **argv)
{
	const char *name;

	if (argc > 1 && !strcmp(argv[1], "--no-config")) {
		setenv("KMEMX_CONFIG", "", 1);
		argc--;
		argv++;
	}
	name = argc > 1 ? argv[1] : NULL;
	if (!name) {
		print_overview(stdout);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "help") || !strcmp(name, "-h") || !strcmp(name, "--help"))
		return run_help(argc > 2 ? argv[2] : NULL);
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		char *args[] = { (char *)command_version.name, NULL };

		return command_version.run(1, args);
	}
	if (!strcmp(name, "--list-commands"))
		return list_commands();
	if (name[0] == '-')
		return message_fail(
			EXIT_USAGE, NULL,
			"unknown option '%s'; the command comes first\n  List all commands: kmemx help",
			name);
	return run_configured(argc - 1, argv + 1);
}

/* If the caller closed one of the three standard descriptors, the next file opened would take its
 * number, and output or messages would land in a recording. Fill them with a descriptor that fails
 * when used: /dev/null opened in the wrong direction.
 */
static int fill_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	}
	return 0;
}

/* Checks stdout once for all commands, so that no report is silently cut. */
static int finish_stdout(int ret)
{
	bool failed = ferror(stdout);
	int err;

	errno = 0;
	if (fflush(stdout) == 0 && !failed && fclose(stdout) == 0)
		return ret;
	err = errno;
	/* An earlier write failed and its errno is lost: write again to get it. */
	if (!err && write(STDOUT_FILENO, "\n", 1) < 0)
		err = errno;
	if (err == EPIPE) /* the reader has closed the pipe: exit as SIGPIPE would */
		return 128 + SIGPIPE;
	if (err)
		message_error(NULL, "cannot write to standard output: %s", strerror(err));
	else
		message_error(NULL, "cannot write to standard output");
	return ret == EXIT_OK ? EXIT_FAILED : ret;
}

int main(int argc, char **argv)
{
	if (fill_standard_fds() < 0)
		return EXIT_FAILED;
	/* ulimit -f: let writes fail with EFBIG, so that kmemx prints a message instead of being
	 * killed.
	 */
	signal(SIGXFSZ, SIG_IGN);
	hash_keep_secret();
	return finish_stdout(dispatch(argc, argv));
}
