// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/user_symbols.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "symbol/debug_units.h"
#include "symbol/elf.h"

/* Maximum number of processes through which a container's file is tried. */
#define CONTAINER_PROCESSES 8U

/* --- files ----------------------------------------------------------------------------------- */

/* A mapped file; @id and @inode as in struct user_maps. */
struct user_path {
	const char *path, *id;
	uint64_t inode;
};

/* Is the open file the one that was mapped? */
static bool is_same(const struct user_symbols_options *opts, int fd, const char *id,
		    uint64_t inode)
{
	char found[ELF_BUILD_ID_MAX];
	struct stat st;

	if (*id)
		return !elf_build_id(fd, found) && !strcmp(found, id);
	return opts->chosen || (inode && !fstat(fd, &st) && st.st_ino == inode);
}

static int open_as(const struct user_symbols_options *opts, const struct user_path *p,
		   uint32_t pid)
{
	int fd = opts->open ? opts->open(opts->ctx, p->path, pid) : -ENOENT;

	if (fd >= 0 && !is_same(opts, fd, p->id, p->inode)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

/* A container has its own files, which are reachable through its processes that still run. */
static int open_mapped(const struct user_symbols_options *opts, const struct user_maps *u,
		       const struct user_path *p, uint32_t file)
{
	uint32_t pids[CONTAINER_PROCESSES];
	int fd = open_as(opts, p, 0);
	size_t nr;

	if (fd >= 0 || fd == -ENOMEM || !opts->containers)
		return fd;
	nr = user_maps_users(u, file, pids, ARRAY_SIZE(pids));
	for (size_t i = 0; fd < 0 && fd != -ENOMEM && i < nr; i++)
		fd = open_as(opts, p, pids[i]);
	return fd;
}

/* Sources of names for the addresses of one file; NULL: not available. */
struct user_file {
	const char *path;
	struct program *program;
	struct debug_units *units;
};

/* Anyone can create a perf map, so it is read only if its owner may name the process's functions.
 */
static bool may_name(const struct user_symbols_options *opts, int fd, uint32_t pid)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (!st.st_uid || st.st_uid == geteuid() || st.st_uid == opts->owner ||
		(opts->runs_as && opts->runs_as(pid, st.st_uid)));
}

static int open_jit(struct user_file *f, const struct user_symbols_options *opts,
		    uint32_t pid)
{
	int fd __auto_fd = opts->open ? opts->open(opts->ctx, f->path, 0) : -ENOENT;
	int ret = fd >= 0 && may_name(opts, fd, pid) ? program_open_jit(&f->program, fd)
						     : 0;

	f->path = "JIT";
	return fd == -ENOMEM ? fd : ret;
}

/* Opens the debug information in @fd, which stays open, if it has any. 0 or -ENOMEM. */
static int open_lines(struct user_file *f, int fd)
{
	int copy = fd < 0 || f->units ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int ret = copy < 0 ? -ENOENT : debug_units_open_fd(&f->units, copy, f->path);

	return ret == -ENOMEM ? ret : 0;
}

/* Opens file @file and its debug symbols, if they exist here. 0 or -ENOMEM. */
static int open_file(struct user_file *f, const struct user_maps *u, uint32_t file,
		     const struct user_symbols_options *opts)
{
	struct user_path p = { KEYED_KEY(&u->files, file - 1), u->files.of[file - 1].id,
			       u->files.of[file - 1].inode };
	int symbols_fd __auto_fd = -1, fd __auto_fd = -1, ret;
	char debug[128], found[ELF_BUILD_ID_MAX];
	uint32_t pid;

	f->path = p.path;
	if (user_maps_is_jit(p.path, &pid))
		return open_jit(f, opts, pid);
	fd = *p.path == '/' && p.path[1] != '/' ? open_mapped(opts, u, &p, file)
						: -ENOENT;
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	if (!*p.id && !elf_build_id(fd, found))
		p.id = found;
	if (strlen(p.id) > 2) {
		snprintf(debug, sizeof(debug), "/usr/lib/debug/.build-id/%.2s/%s.debug",
			 p.id, p.id + 2);
		p.path = debug;
		symbols_fd = open_as(opts, &p, 0);
	}
	ret = program_open(&f->program, fd, symbols_fd);
	ret = ret ?: open_lines(f, symbols_fd);
	ret = ret ?: open_lines(f, fd);
	return ret == -ENOMEM ? ret : 0;
}

static void close_file(struct user_file *f)
{
	program_close(f->program);
	debug_units_free(f->units);
	f->program = NULL;
	f->units = NULL;
}

/* --- symbols --------------------------------------------------------------------------------- */

/* Appends @name as one word, without the brackets of "[vdso]". */
static void put_word(struct strbuf *out, const char *name, size_t len)
{
	size_t i = len && *name == '[';

	for (; i < len; i++) {
		char c = name[i] <= ' ' || name[i] == 0x7f || name[i] == '[' ? '_'
									     : name[i];

		if (c != ']')
			strbuf_add(out, &c, 1);
	}
}

/* Appends the file's name without its directory. */
static void put_name(struct strbuf *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;

	put_word(out, name, strlen(name));
}

/* Adds the symbol of @frame, unless it is in the function that begins at @last. */
static void put_symbol(const struct user_file *f, uint64_t frame, uint64_t *last,
		       struct strbuf *out)
{
	uint64_t address = USER_FRAME_OFFSET(frame), start = 0;
	const char *function = NULL;

	if (f->program) {
		address = program_address(f->program, address);
		function = program_function(f->program, address, &start);
	}
	if (function && frame - (address - start) == *last)
		return;
	*last = function ? frame - (address - start) : frame;
	strbuf_printf(out, "%016" PRIx64 " T %s", *last, function ? "" : "[");
	put_name(out, f->path);
	if (function) {
		strbuf_puts(out, "`");
		put_word(out, function, strlen(function));
		strbuf_puts(out, "\n");
	} else {
		strbuf_printf(out, "+0x%" PRIx64 "]\n", address);
	}
}

/* --- lines ----------------------------------------------------------------------------------- */

static void put_line(const struct user_file *f, uint64_t frame,
		     const struct source_frame *at, struct strbuf *out)
{
	/* A line break in a path would begin a new line. */
	bool known = at->line && at->file && !strchr(at->file, '\n');

	strbuf_printf(out, "%" PRIx64 " %" PRIu32 " ", frame, known ? at->line : 0);
	if (at->inlined && at->function) {
		put_name(out, f->path);
		strbuf_puts(out, "`");
		put_word(out, at->function, strlen(at->function));
	} else {
		strbuf_puts(out, "-");
	}
	strbuf_printf(out, " %s\n", known ? at->file : "-");
}

/* Appends the functions at @frame, with their lines. A call may be the last instruction of its
 * function, so for a return address, the byte before it is looked up. 0 or -ENOMEM.
 */
static int put_lines(struct user_file *f, const struct u64_map_slot *frame,
		     struct strbuf *out)
{
	const uint64_t before = frame->value == USER_FRAME_INNERMOST ? 0 : 1;
	struct source_frame frames[SOURCE_FRAMES_MAX];
	uint64_t address;
	size_t nr = 0;
	int ret;

	if (!f->units)
		return 0;
	address = program_address(f->program, USER_FRAME_OFFSET(frame->key));
	ret = debug_units_frames(f->units, address - before, frames, &nr);
	for (size_t i = 0; !ret && i < nr; i++)
		put_line(f, frame->key, &frames[i], out);
	if (ret == -EFBIG) {
		debug_units_free(f->units);
		f->units = NULL;
		ret = 0;
	}
	return ret;
}

int user_symbols(const struct user_maps *u, const struct user_symbols_options *opts,
		 struct user_texts *out)
{
	struct u64_map_slot *frames __auto_mem = u64_map_sorted(&u->used);
	struct user_file f = { 0 };
	uint32_t file = 0;
	uint64_t last = 0;
	int ret = frames ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < u->used.count; i++) {
		uint64_t frame = frames[i].key;
		uint32_t its = USER_FRAME_FILE(frame);

		if (!i)
			strbuf_printf(&out->symbols, "%016" PRIx64 " T [unknown]\n",
				      (uint64_t)USER_FRAME);
		if (its != file) {
			close_file(&f);
			ret = open_file(&f, u, its, opts);
			file = its;
		}
		if (ret)
			break;
		put_symbol(&f, frame, &last, &out->symbols);
		ret = put_lines(&f, &frames[i], &out->lines);
	}
	close_file(&f);
	return out->symbols.failed || out->lines.failed ? -ENOMEM : ret;
}
