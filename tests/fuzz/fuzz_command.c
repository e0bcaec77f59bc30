// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: whole commands.
 * In: a command line and the files it reads (case.h). Out: findings are a crash, an exit code that
 * kmemx does not define, a failure without a message, output with control sequences for terminals,
 * invalid JSON where JSON was asked for, and leftover temporary files or descriptors.
 *
 * With FUZZ_SHOW set, shows what was run and printed. Does not run commands that trace the running
 * kernel; all others see the input's directory "tracing" instead of tracefs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/io.h"
#include "case.h"
#include "json_check.h"
#include "scarce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int kmemx_main(int argc, char **argv);

#define main kmemx_main
#include "../../cmd/main.c"
#undef main

/* The commands' working directory: empty before and after. */
static struct {
	int home_fd, dir_fd;
	char path[64];
} place = { .home_fd = -1, .dir_fd = -1 };

/* A command's output, up to a limit above any report of a small file. */
struct printed {
	char *data;
	size_t size;
};

#define PRINTED_MAX (64U << 20)

static void finding(const char *what, const char *detail)
{
	dprintf(STDERR_FILENO, "\nfuzz_command: %s: %s\n", what, detail);
	abort();
}

/* --- the directory ----------------------------------------------------------------------- */

static void leave(void)
{
	if (place.dir_fd >= 0)
		rmdir(place.path);
}

/* Fuzzers must not touch the machine's own tracefs. */
static char no_tracefs[] = "tracing";

static void make_place(void)
{
	const char *dir = getenv("TMPDIR");

	if (place.dir_fd >= 0)
		return;
	snprintf(place.path, sizeof(place.path), "%s/kmemx-fuzz-XXXXXX",
		 dir && *dir && strlen(dir) < 32 ? dir : "/tmp");
	place.home_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place.home_fd < 0 || !mkdtemp(place.path))
		finding("cannot make a directory", place.path);
	place.dir_fd = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place.dir_fd < 0)
		finding("cannot open", place.path);
	setenv("KMEMX_PAGER", "", 1);
	setenv("KMEMX_CONFIG", "", 1);
	tracefs_set_tracing_dir(no_tracefs);
	atexit(leave);
}

/* Makes the parent directories of @name. */
static void make_directories(const char *name)
{
	char path[CASE_MAX_NAME];
	size_t i;

	for (i = 0; name[i]; i++) {
		path[i] = name[i];
		if (name[i] == '/') {
			path[i] = '\0';
			mkdir(path, 0700);
			path[i] = '/';
		}
	}
}

static void make_file(const struct case_file *f)
{
	int fd;

	make_directories(f->name);
	fd = open(f->name, O_WRONLY | O_CREAT | (f->at ? 0 : O_TRUNC) | O_CLOEXEC, 0600);
	if (fd < 0)
		return; /* a directory of this name exists */
	if (io_pwrite_all(fd, f->data, f->size, f->at))
		finding("cannot write", f->name);
	close(fd);
}

static bool is_input(const struct fuzz_case *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->nr_files; i++)
		if (!strncmp(c->files[i].name, name, strlen(name)))
			return true;
	return false;
}

/* Removes everything in @dir_fd and closes it. @c: the case for the top directory, else NULL */
static void empty_directory(int dir_fd, const struct fuzz_case *c)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *entry;

	if (!dir)
		finding("cannot read", place.path);
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		if (c && *name == '.' && !is_input(c, name))
			finding("a temporary file was left behind", name);
		if (!unlinkat(dirfd(dir), name, 0))
			continue;
		empty_directory(
			openat(dirfd(dir), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			NULL);
		unlinkat(dirfd(dir), name, AT_REMOVEDIR);
	}
	closedir(dir);
}

/* --- output ------------------------------------------------------------------------------- */

static ssize_t keep_printed(void *cookie, const char *data, size_t size)
{
	struct printed *p = cookie;
	size_t room = PRINTED_MAX - p->size;

	memcpy(p->data + p->size, data, size < room ? size : room);
	p->size += size < room ? size : room;
	return (ssize_t)size;
}

/* Not malloc(), which may be out of memory; pages are allocated as they are written. */
static void reset_printed(struct printed *p)
{
	if (!p->data)
		p->data = mmap(NULL, PRINTED_MAX, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->data == MAP_FAILED)
		finding("out of memory", "mmap");
	p->size = 0;
}

static FILE *open_printed(struct printed *p)
{
	FILE *file =
		fopencookie(p, "w", (cookie_io_functions_t){ .write = keep_printed });

	if (!file)
		finding("out of memory", "fopencookie");
	return file;
}

/* The first byte that a terminal would interpret instead of showing it. */
static const char *find_control(const struct printed *p)
{
	const unsigned char *s = (const unsigned char *)p->data;
	size_t i;

	for (i = 0; i < p->size; i++) {
		if ((s[i] < ' ' && s[i] != '\n' && s[i] != '\t') || s[i] == 0x7f)
			return p->data + i;
		/* C1, and characters that change the direction of text */
		if (s[i] == 0xc2 && i + 1 < p->size && s[i + 1] >= 0x80 &&
		    s[i + 1] < 0xa0)
			return p->data + i;
		if (s[i] == 0xe2 && i + 2 < p->size &&
		    ((s[i + 1] == 0x80 && s[i + 2] >= 0xaa && s[i + 2] <= 0xae) ||
		     (s[i + 1] == 0x81 && s[i + 2] >= 0xa6 && s[i + 2] <= 0xa9)))
			return p->data + i;
	}
	return NULL;
}

/* --- a command --------------------------------------------------------------------------- */

static bool has_word(int argc, char **argv, const char *word)
{
	while (argc-- > 0)
		if (!strncmp(argv[argc], word, strlen(word)))
			return true;
	return false;
}

/* Refuses commands that trace, and those that only a signal ends. */
static bool may_run(int argc, char **argv)
{
	return !argc || (strcmp(argv[0], "record") && strcmp(argv[0], "extract") &&
			 (strcmp(argv[0], "report") || !has_word(argc, argv, "--se")));
}

/* Adds --jobs 1 unless the input has --jobs: with a sanitizer, threads take longer than all the
 * rest.
 */
static int add_jobs(int argc, char **argv)
{
	static char jobs[] = "--jobs=1";

	if (!argc || (strcmp(argv[0], "stat") && strcmp(argv[0], "diff")))
		return argc;
	memmove(argv + 2, argv + 1, (size_t)argc * sizeof(*argv));
	argv[1] = jobs;
	return argc + 1;
}

static void check_verdict(int code, const struct printed *out, const struct printed *err)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", code);
	if (code != EXIT_OK && code != EXIT_FAILED && code != EXIT_USAGE &&
	    code != EXIT_UNREADABLE && code != EXIT_UNTRUSTED)
		finding("no command has this exit code", text);
	if (code != EXIT_OK && !out->size && !err->size)
		finding("nothing is said of exit code", text);
}

static void check_printed(int argc, char **argv, int code, const struct printed *out,
			  const struct printed *err)
{
	const char *at = find_control(err);

	if (!at && !has_word(argc, argv, "--color") && !has_word(argc, argv, "--colour"))
		at = find_control(out);
	if (at)
		finding("a control character was printed", at);
	/* "--json" may be another option's value: checks only output that begins like JSON. */
	if (code == EXIT_OK && out->size && out->size < PRINTED_MAX / 2 &&
	    *out->data == '{' && has_word(argc, argv, "--json") &&
	    !json_check(out->data, out->size))
		finding("not JSON", "standard output");
}

/* Standard input is the file "stdin", if it exists. */
static void set_stdin(void)
{
	int fd = open("stdin", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(fd, STDIN_FILENO);
	close(fd);
}

static int run(int argc, char **argv, unsigned long fail, struct printed *out,
	       struct printed *err)
{
	FILE *old_out = stdout, *old_err = stderr;
	int code, free_fd = dup(STDIN_FILENO), after;

	close(free_fd);
	stdout = open_printed(out);
	stderr = open_printed(err);
	setvbuf(stderr, NULL, _IONBF, 0);
	scarce_set(fail);
	code = kmemx_main(argc, argv); /* closes stdout */
	scarce_set(0);
	fclose(stderr);
	stdout = old_out;
	stderr = old_err;
	after = dup(STDIN_FILENO);
	close(after);
	if (after != free_fd)
		finding("a descriptor is still open", argv[1] ? argv[1] : "");
	return code;
}

static void show(int argc, char **argv, int code, const struct printed *out,
		 const struct printed *err)
{
	int i;

	for (i = 0; i < argc; i++)
		fprintf(stderr, "%s ", argv[i]);
	fprintf(stderr, "\n%.*s%.*sexit code %d\n\n", (int)out->size, out->data,
		(int)err->size, err->data, code);
}

static void run_case(struct fuzz_case *c)
{
	char name[] = "kmemx", *argv[CASE_MAX_ARGS + 3] = { name };
	/* The parser reorders arguments. */
	char *moved[CASE_MAX_ARGS + 3];
	static struct printed out, err;
	int argc, code;
	size_t i;

	if (!case_split(c->line, argv + 1, &argc) || !may_run(argc, argv + 1))
		return;
	argc = add_jobs(argc, argv + 1);
	make_place();
	if (fchdir(place.dir_fd))
		finding("cannot enter", place.path);
	for (i = 0; i < c->nr_files; i++)
		make_file(&c->files[i]);
	set_stdin();
	reset_printed(&out);
	reset_printed(&err);
	memcpy(moved, argv, sizeof(moved));
	mkdir(no_tracefs, 0700); /* otherwise kmemx would mount it */
	code = run(argc + 1, moved, c->fail, &out, &err);
	if (strcmp(tracefs_tracing_dir(), no_tracefs) != 0)
		finding("uses the machine's tracefs", tracefs_tracing_dir());
	rmdir(no_tracefs);
	empty_directory(openat(place.dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), c);
	if (fchdir(place.home_fd))
		finding("cannot go back from", place.path);
	if (getenv("FUZZ_SHOW"))
		show(argc + 1, argv, code, &out, &err);
	check_verdict(code, &out, &err);
	check_printed(argc, argv + 1, code, &out, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_case c;

	if (case_parse(&c, data, size))
		run_case(&c);
	return 0;
}
