// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: what an input is if it is not a recording.
 * In: a path. Out: a message that says what it is and which command reads it.
 */
#include "cmd/input/input.h"

#include <limits.h>
#include <unistd.h>

#include "base/io.h"
#include "base/safe_text.h"
#include "cmd/options/message.h"
#include "cmd/output/output.h"

#define START_SIZE  4096
#define ENTRIES_MAX 10000 /* read from a directory; further entries are ignored */

/* A kind of file: its first bytes, what it is, and advice that goes before and after its path. */
struct kind {
	const char *magic;
	size_t size;
	const char *what, *advice, *more;
};

#define MAGIC(text) text, sizeof(text) - 1

/* Indices in @kinds that the code uses by name. */
enum { PERF, PERF_SWAPPED, TEXT_LOG };

static const struct kind kinds[] = {
	[PERF] = { MAGIC("PERFILE2"), "a perf.data file",
		   "Convert it to a recording: kmemx import --perf ", "" },
	[PERF_SWAPPED] = { MAGIC("2ELIFREP"), "a perf.data file",
			   "Convert it to a recording: kmemx import --perf ", "" },
	[TEXT_LOG] = { MAGIC("# tracer:"), "a kernel's text log",
		       "Convert it to a recording: kmemx import --ftrace-text ", "" },
	{ MAGIC("\x1f\x8b"), "compressed with gzip",
	  "If it is a kernel's text log: kmemx import --ftrace-text ",
	  "    if not: gzip -d " },
	{ MAGIC("\xfd"
		"7zXZ"),
	  "compressed with xz", "Decompress it: xz -d ", "" },
	{ MAGIC("\x28\xb5\x2f\xfd"), "compressed with zstd", "Decompress it: zstd -d ",
	  "" },
	{ MAGIC("BZh"), "compressed with bzip2", "Decompress it: bzip2 -d ", "" },
	{ MAGIC("\x7f"
		"ELF"),
	  "an ELF file, such as a kernel",
	  "For the size of a kernel: kmemx footprint --vmlinux ",
	  "    for its symbols: kmemx stat --vmlinux " },
	{ MAGIC("{"), "JSON, such as a report", "Give the recording instead of ", "" },
};

/* Does @start have lines of an ftrace text log? For a log without its header. */
static bool has_events(const char *start)
{
	static const char *const events[] = {
		": kmalloc: ", ": kfree: ", ": kmem_cache_alloc: ", ": mm_page_alloc: "
	};

	return ANY(i, ARRAY_SIZE(events), strstr(start, events[i]));
}

static const struct kind *find_kind(const char *start, size_t size)
{
	return FIND(one, kinds, ARRAY_SIZE(kinds),
		    size >= one->size && !memcmp(start, one->magic, one->size))
		       ?: has_events(start) ? &kinds[TEXT_LOG]
					    : NULL;
}

/* Reads up to START_SIZE bytes and adds a NUL. Returns how many bytes, or -errno. */
static ssize_t read_start(const char *path, char *start)
{
	int fd __auto_fd = io_open_input(path, IO_FILE);
	ssize_t size = fd < 0 ? fd : pread(fd, start, START_SIZE, 0);

	if (size >= 0)
		start[size] = '\0';
	return size < 0 && fd >= 0 ? -errno : size;
}

/* If @path is named like a recorder's temporary file, .NAME.TOKEN.tmp, says so. Else false. */
static bool leftover_tell(const char *command, const char *path)
{
	const char *name = text_after_slash(path);

	if (name[0] != '.' || !text_ends(name + 1, ".tmp"))
		return false;
	message_error(
		command,
		"%s was left by an interrupted recorder\n  Recover it: kmemx recover %s",
		path, SHELL_NAME(path));
	return true;
}

bool input_kind_tell(const char *command, const char *path)
{
	char start[START_SIZE + 1];
	const struct kind *kind;
	ssize_t size;

	if (leftover_tell(command, path))
		return true;
	size = read_start(path, start);
	if (size == 0)
		message_error(
			command,
			"%s is empty\n  Record again: sudo kmemx record -o %s -- CMD",
			path, SHELL_NAME(path));
	if (size <= 0)
		return size == 0;
	kind = find_kind(start, (size_t)size);
	if (!kind)
		return false;
	message_error(command, "%s is %s, not a recording\n  %s%s%s%s", path, kind->what,
		      kind->advice, SHELL_NAME(path), kind->more,
		      *kind->more ? SHELL_NAME(path) : "");
	return true;
}

/* What is in a directory. */
struct content {
	size_t nr_recordings;
	char name[256]; /* the first recording by name */
	bool raw_pages, perf_header, perf_data;
};

static int look_into(const char *path, struct content *c)
{
	DIR *dir __auto_dir = opendir(path);
	const struct dirent *entry;

	if (!dir)
		return -errno;
	for (size_t nr = 0; nr < ENTRIES_MAX && (entry = readdir(dir)); nr++) {
		if (!strcmp(entry->d_name, "per_cpu"))
			c->raw_pages = true;
		c->perf_header |= !strcmp(entry->d_name, "data");
		c->perf_data |= !strcmp(entry->d_name, "data.0");
		if (entry->d_name[0] == '.' || !text_ends(entry->d_name, ".dat"))
			continue;
		if (!c->nr_recordings++ || strcmp(entry->d_name, c->name) < 0)
			snprintf(c->name, sizeof(c->name), "%s", entry->d_name);
	}
	return 0;
}

bool input_perf_tell(const char *command, const char *path, const char *wanted)
{
	const char *what = kinds[PERF].what;
	char start[START_SIZE + 1] = "";
	struct content c = { 0 };

	if (read_start(path, start) == -EISDIR && !look_into(path, &c)) {
		what = "a directory that perf record --threads wrote";
		if (!c.perf_header || !c.perf_data)
			return false;
	} else if (memcmp(start, kinds[PERF].magic, kinds[PERF].size) != 0 &&
		   memcmp(start, kinds[PERF_SWAPPED].magic, kinds[PERF_SWAPPED].size) !=
			   0) {
		return false;
	}
	message_error(command, "%s is %s, not %s\n  %s%s", path, what, wanted,
		      kinds[PERF].advice, SHELL_NAME(path));
	return true;
}

bool input_command_tell(const char *command, char *const *argv)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char start[START_SIZE + 1] = "";

	if (!argv || (!strchr(argv[0], '/') && program_in_path(argv[0])))
		return false;
	if (input_perf_tell(command, argv[0], "a command"))
		return true;
	if (read_start(argv[0], start) < (ssize_t)strlen(magic) ||
	    memcmp(start, magic, strlen(magic)) != 0)
		return false;
	message_error(
		command,
		"%s is a recording, not a command\n  Report what it holds: kmemx stat -i %s",
		argv[0], SHELL_NAME(argv[0]));
	return true;
}

void input_directory_tell(const char *command, const char *path)
{
	size_t size = strlen(path);
	const char *slash = size && path[size - 1] == '/' ? "" : "/";
	struct content c = { 0 };
	int err = look_into(path, &c);
	char one[PATH_MAX];

	if (leftover_tell(command, path))
		return;
	snprintf(one, sizeof(one), "%s%s%s", path, slash, c.name);
	if (err)
		message_error(command, "cannot open %s: %s", path, strerror(-err));
	else if (c.nr_recordings)
		message_error(
			command,
			"%s is a directory with %zu recording%s\n  One of them: kmemx %s -i %s    all together: kmemx diff OLD/ %s",
			path, c.nr_recordings, plural(c.nr_recordings), command,
			SHELL_NAME(one), SHELL_NAME(path));
	else if (c.raw_pages)
		message_error(
			command,
			"%s is a directory of raw pages\n  Convert it to a recording: kmemx import --raw-pages %s",
			path, SHELL_NAME(path));
	else if (c.perf_header && c.perf_data)
		message_error(
			command,
			"%s is a directory that perf record --threads wrote\n  Convert it to a recording: kmemx import --perf %s",
			path, SHELL_NAME(path));
	else
		message_error(
			command,
			"%s is a directory without recordings (*.dat)\n  Name a file: kmemx %s -i FILE",
			path, command);
}
