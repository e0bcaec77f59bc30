// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"

/* Why a file or directory cannot be trusted; NULL if only this user and root can write to it. */
static const char *distrust(const struct stat *st)
{
	uid_t user = geteuid();

	if (st->st_uid != user && st->st_uid)
		return "it belongs to another user";
	if (st->st_mode & S_IWOTH)
		return "anyone can write to it";
	if (!user && st->st_mode & S_IWGRP && st->st_gid)
		return "users other than root can write to it";
	return NULL;
}

/* Sets the path, and whether the user named the file itself. If not, the directory that the path
 * begins with must be trusted: root does not read a file from another user's home.
 */
static int find_path(struct config *c, bool *named)
{
	/* Ignore the environment if the process has more privileges than its user. */
	const char *file = secure_getenv("KMEMX_CONFIG");
	const char *dir = secure_getenv("XDG_CONFIG_HOME");
	const char *home = secure_getenv("HOME");
	struct strbuf text = { 0 };
	struct stat st;

	*named = file != NULL;
	if (file && !*file)
		return 0;
	if (!dir || *dir != '/')
		dir = home && *home == '/' ? home : NULL;
	if (file)
		strbuf_puts(&text, file);
	else if (dir)
		strbuf_printf(&text, "%s%s/kmemx/config", dir,
			      dir == home ? "/.config" : "");
	else
		return 0;
	if (!file && !stat(dir, &st))
		c->why = distrust(&st);
	c->path = strbuf_detach(&text);
	return c->path ? 0 : -ENOMEM;
}

/* Opens the file's directory, and checks it unless the user named the file. Returns a descriptor or
 * -errno.
 */
static int open_directory(struct config *c, bool named)
{
	const char *slash = strrchr(c->path, '/');
	char *dir = slash ? strndup(c->path, (size_t)(slash - c->path) + 1) : strdup(".");
	int fd = dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int err = dir ? errno : ENOMEM;
	struct stat st;

	free(dir);
	if (fd < 0)
		return -err;
	if (!named && !c->why && !fstat(fd, &st))
		c->why = distrust(&st);
	return fd;
}

/* Opens the file in its directory @dir, and checks it. Returns a descriptor or -errno. */
static int open_file(struct config *c, int dir)
{
	int fd = openat(dir, text_after_slash(c->path),
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		ret = -ENODATA; /* /dev/null */
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		ret = -ENODEV;
	else if (st.st_size > SETTINGS_TEXT_MAX)
		ret = -EFBIG;
	else if (!c->why)
		c->why = distrust(&st);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

_Static_assert(SETTINGS_TEXT_MAX == 64 << 10 && SETTINGS_MAX == 1000,
	       "as the messages say");

static const char *const problems[] = {
	[SETTINGS_BAD_SECTION] = "not a section; write it as [stat]",
	[SETTINGS_NO_SECTION] =
		"the setting has no section; write it as stat.sort = bytes",
	[SETTINGS_BAD_NAME] = "not a setting; write it as stat.sort = bytes",
	[SETTINGS_BAD_ASSIGNMENT] = "missing '=' after the name of the setting",
	[SETTINGS_OPEN_QUOTE] = "unterminated quote",
	[SETTINGS_BAD_ESCAPE] = "unknown escape sequence; write a backslash twice",
	[SETTINGS_BAD_CHARACTER] = "control character in the value",
	[SETTINGS_TOO_MANY] = "more than 1000 settings",
};

static int parse(struct config *c, const char *text, size_t size)
{
	struct settings_error error;
	int err = settings_parse(&c->settings, text, size, &error);

	if (!err) {
		c->state = CONFIG_READ;
		return GO_ON;
	}
	if (err != -EINVAL)
		return message_fail(EXIT_FAILED, NULL, "cannot read %s: %s", c->path,
				    strerror(-err));
	return message_fail(EXIT_USAGE, NULL,
			    "%s:%u: %s\n  To ignore the file: kmemx --no-config COMMAND",
			    c->path, error.line, problems[error.problem]);
}

static const char *read_problem(int err)
{
	return err == -EFBIG ? "it is larger than 64 KiB" : io_strerror(err);
}

static int read_settings(struct config *c, int fd)
{
	struct strbuf __auto_free text = { 0 };
	int err = text_read(&text, fd, SETTINGS_TEXT_MAX);

	if (err)
		return message_fail(EXIT_FAILED, NULL, "cannot read %s: %s", c->path,
				    read_problem(err));
	return parse(c, strbuf_text(&text), text.size);
}

/* @err is why the file could not be opened. */
static int not_opened(struct config *c, bool named, int err)
{
	if (err == -ENODATA) {
		c->state = CONFIG_NONE;
		return GO_ON;
	}
	if (!named && (err == -ENOENT || err == -ENOTDIR)) {
		c->state = CONFIG_ABSENT;
		return GO_ON;
	}
	/* For example, su leaves HOME set to root's home, which the new user cannot read. */
	if (!named && err == -EACCES) {
		c->state = CONFIG_IGNORED;
		c->why = "permission denied";
		return GO_ON;
	}
	return message_fail(
		EXIT_FAILED, NULL,
		"cannot read the configuration file %s: %s\n  To ignore it: kmemx --no-config COMMAND",
		c->path, read_problem(err));
}

int config_load(struct config *c)
{
	bool named;
	int dir, fd, ret = find_path(c, &named);

	if (ret)
		return message_no_memory(NULL);
	ret = GO_ON;
	if (!c->path)
		return GO_ON;
	dir = open_directory(c, named);
	if (dir < 0)
		return not_opened(c, named, dir);
	fd = open_file(c, dir);
	close(dir);
	if (fd < 0)
		return not_opened(c, named, fd);
	if (c->why)
		c->state = CONFIG_IGNORED;
	else
		ret = read_settings(c, fd);
	close(fd);
	return ret;
}

void config_free(struct config *c)
{
	settings_free(&c->settings);
	free(c->path);
	*c = (struct config){ 0 };
}

/* Appends the settings of command @name: "--setting", "FILE:LINE", "NAME=VALUE", each with its
 * NUL. Returns how many settings.
 */
static size_t add_settings(struct strbuf *text, const struct config *c, const char *name)
{
	size_t nr = 0;

	for_each(s, c->settings.items, c->settings.nr) {
		if (strcmp(s->section, name) != 0)
			continue;
		strbuf_add(text, OPTIONS_SETTING, sizeof(OPTIONS_SETTING));
		strbuf_printf(text, "%s:%u", c->path, s->line);
		strbuf_add(text, "", 1);
		strbuf_printf(text, "%s%s%s", s->name, s->value ? "=" : "",
			      s->value ? s->value : "");
		strbuf_add(text, "", 1);
		nr++;
	}
	return nr;
}

int config_args(struct config_args *to, const struct config *c, int argc, char **argv)
{
	struct strbuf text = { 0 };
	size_t words = 3 * add_settings(&text, c, argv[0]), i;
	char *p;

	*to = (struct config_args){ 0 };
	to->argv = calloc(words + (size_t)argc + 1, sizeof(*to->argv));
	to->text = strbuf_detach(&text);
	if (!to->argv || !to->text) {
		config_args_free(to);
		return -ENOMEM;
	}
	to->argv[to->argc++] = argv[0];
	for (i = 0, p = to->text; i < words; i++, p += strlen(p) + 1)
		to->argv[to->argc++] = p;
	for (i = 1; i < (size_t)argc; i++)
		to->argv[to->argc++] = argv[i];
	return 0;
}

void config_args_free(struct config_args *args)
{
	free(args->argv);
	free(args->text);
	*args = (struct config_args){ 0 };
}
