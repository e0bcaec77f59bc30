// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: a fuzzer's input that consists of a command line and the files it reads.
 */
#include "case.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is it a name below the directory, without characters special to a shell or a path? */
static bool good_name(const char *name)
{
	if (!*name || *name == '/' || strstr(name, "..") || strstr(name, "//"))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._-/+", *name))
			return false;
	return name[-1] != '/';
}

/* Copies a line without its line break; returns its length with it, 0 if there is none. */
static size_t take_line(char *out, size_t room, const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - data) : 0;

	if (!end || len >= room || memchr(data, 0, len + 1))
		return 0;
	memcpy(out, data, len);
	out[len] = '\0';
	return len + 1;
}

static bool parse_file(struct case_file *f, const uint8_t *data, size_t size,
		       size_t *used)
{
	char line[CASE_MAX_NAME + 48], *space, *end;
	unsigned long bytes;

	*used = take_line(line, sizeof(line), data, size);
	space = *used ? strchr(line, ' ') : NULL;
	if (!space || space - line >= CASE_MAX_NAME)
		return false;
	*space = '\0';
	bytes = strtoul(space + 1, &end, 10);
	if (end == space + 1 || !good_name(line))
		return false;
	f->at = *end == ' ' ? strtoul(end + 1, &end, 10) : 0;
	if (*end || f->at > CASE_MAX_AT)
		return false;
	memcpy(f->name, line, (size_t)(space - line) + 1);
	f->data = data + *used;
	f->size = bytes < size - *used ? bytes : size - *used;
	*used += f->size;
	return true;
}

/* Removes "fail=N" from the line. */
static void take_fail(struct fuzz_case *c)
{
	char *end;

	c->fail = 0;
	if (strncmp(c->line, "fail=", 5) != 0)
		return;
	c->fail = strtoul(c->line + 5, &end, 10);
	end += *end == ' ';
	memmove(c->line, end, strlen(end) + 1);
}

bool case_parse(struct fuzz_case *c, const uint8_t *data, size_t size)
{
	size_t at = take_line(c->line, sizeof(c->line), data, size), used;

	c->nr_files = 0;
	if (!at)
		return false;
	take_fail(c);
	while (at < size && c->nr_files < CASE_MAX_FILES &&
	       parse_file(&c->files[c->nr_files], data + at, size - at, &used)) {
		c->nr_files++;
		at += used;
	}
	return true;
}

size_t case_write(const struct fuzz_case *c, uint8_t *out, size_t max)
{
	char fail[32] = "";
	size_t at, i, len = strlen(c->line);

	if (c->fail)
		snprintf(fail, sizeof(fail), "fail=%lu ", c->fail);
	at = strlen(fail);
	if (at + len + 1 > max || at + len >= CASE_MAX_LINE)
		return 0;
	memcpy(out, fail, at);
	memcpy(out + at, c->line, len);
	at += len;
	out[at++] = '\n';
	for (i = 0; i < c->nr_files; i++) {
		const struct case_file *f = &c->files[i];
		char head[CASE_MAX_NAME + 48], place[24] = "";

		if (f->at)
			snprintf(place, sizeof(place), " %lu", f->at);
		len = (size_t)snprintf(head, sizeof(head), "%s %zu%s\n", f->name, f->size,
				       place);
		if (max - at < len + f->size)
			return 0;
		memcpy(out + at, head, len);
		at += len;
		if (f->size)
			memcpy(out + at, f->data, f->size);
		at += f->size;
	}
	return at;
}

bool case_split(char *line, char **argv, int *argc)
{
	char *save, *word;

	*argc = 0;
	for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		const char *slash = strchr(word, '/');

		if (*argc == CASE_MAX_ARGS || strstr(word, "..") || *word == '/' ||
		    (slash && (*word == '-' || strchr(word, '='))))
			return false;
		argv[(*argc)++] = word;
	}
	argv[*argc] = NULL;
	return true;
}
