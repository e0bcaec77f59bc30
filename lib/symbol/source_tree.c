// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/source_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/keyed.h"
#include "symbol/symbols.h"
#include "symbol/source_path.h"

#define FILES_MAX     1000000
#define FILE_SIZE_MAX (16U << 20)

/* A directory that contains a name, and the next one that does. */
struct place {
	uint32_t dir;  /* number in @dirs */
	uint32_t next; /* index + 1; 0: none */
};

/* Names, and the directories of each. */
struct name_dirs {
	KEYED(uint32_t) first; /* by name: index + 1 of a place; 0: none yet */
	INDEXED(struct place)
	places; /* while reading: by a name's number and a directory's */
};

struct source_tree {
	struct intern dirs;
	struct name_dirs functions, modules;
	size_t nr_files;
	/* While reading: */
	struct directory_walk walk;
	struct strbuf name;
	struct strbuf content;
	uint32_t dir; /* of the current file */
};

static int add_place(struct name_dirs *nd, const char *name, size_t size, uint32_t dir)
{
	uint32_t id = KEYED_ID_OF(&nd->first, name, size);
	struct place *place = NULL;

	/* A name may occur in each of a hundred thousand directories. */
	if (id && nd->places.nr < UINT32_MAX)
		place = INDEXED_ITEM(&nd->places, (uint64_t)id << 32 | dir);
	if (!place)
		return -ENOMEM;
	if (!place->dir) {
		*place = (struct place){ dir, nd->first.of[id - 1] };
		nd->first.of[id - 1] = (uint32_t)nd->places.nr;
	}
	return 0;
}

static int add_function(void *ctx, const char *prefix, const char *name, size_t size)
{
	struct source_tree *tree = ctx;

	strbuf_reset(&tree->name);
	strbuf_puts(&tree->name, prefix);
	strbuf_add(&tree->name, name, size);
	if (tree->name.failed)
		return -ENOMEM;
	return add_place(&tree->functions, tree->name.data, tree->name.size, tree->dir);
}

/* A module's name has '_' where its file's name has '-'. */
static int add_module(void *ctx, const char *prefix, const char *name, size_t size)
{
	struct source_tree *tree = ctx;
	char *p;

	strbuf_reset(&tree->name);
	strbuf_add(&tree->name, name, size);
	if (tree->name.failed)
		return -ENOMEM;
	while ((p = strchr(tree->name.data, '-')))
		*p = '_';
	return add_place(&tree->modules, tree->name.data, tree->name.size, tree->dir);
}

static int scan_file(void *ctx, int directory, const char *name)
{
	struct source_tree *tree = ctx;
	bool makefile = !strcmp(name, "Makefile") || !strcmp(name, "Kbuild");
	size_t length = strlen(name);
	struct stat st;
	int fd __auto_fd = -1;

	/* A header's functions would get the header's directory, not that of the code. */
	if (!makefile && (length < 3 || strcmp(name + length - 2, ".c")))
		return 0;
	if (tree->nr_files == FILES_MAX)
		return 0;
	fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return 0;
	strbuf_reset(&tree->content);
	/* Scans what was read: nothing on an error, the first bytes of a file that is too large. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    text_read(&tree->content, fd, FILE_SIZE_MAX) == -ENOMEM)
		return -ENOMEM;
	tree->nr_files++;
	tree->dir = intern_id(&tree->dirs, strbuf_text(&tree->walk.path),
			      tree->walk.path.size);
	if (!tree->dir)
		return -ENOMEM;
	return makefile ? c_scan_objects(strbuf_text(&tree->content), tree->content.size,
					 add_module, tree)
			: c_scan_functions(strbuf_text(&tree->content),
					   tree->content.size, add_function, tree);
}

/* Is it part of a separate program? Its functions may have the same names as the kernel's. */
static bool is_no_kernel(const char *path, const char *name)
{
	static const char *const top[] = { "Documentation", "scripts", "samples", "tools",
					   "usr" };
	static const char *const arch[] = { "boot", "purgatory", "tools", "um" };

	return *name == '.' ||
	       (!*path && ANY(i, ARRAY_SIZE(top), !strcmp(name, top[i]))) ||
	       (!strncmp(path, "arch/", 5) &&
		ANY(i, ARRAY_SIZE(arch), !strcmp(name, arch[i])));
}

static bool enter(void *ctx, const char *path, const char *name)
{
	return !is_no_kernel(path, name);
}

int source_tree_open(struct source_tree **out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY), ret;
	struct source_tree *tree;

	if (fd < 0)
		return -errno;
	tree = calloc(1, sizeof(*tree));
	if (!tree) {
		close(fd);
		return -ENOMEM;
	}
	tree->walk =
		(struct directory_walk){ .enter = enter, .file = scan_file, .ctx = tree };
	ret = directory_walk(&tree->walk, fd);
	strbuf_free(&tree->content);
	strbuf_free(&tree->walk.path);
	strbuf_free(&tree->name);
	u64_map_free(&tree->functions.places.index);
	u64_map_free(&tree->modules.places.index);
	if (!ret && !tree->functions.first.nr)
		ret = -ENODATA;
	if (ret) {
		source_tree_free(tree);
		return ret;
	}
	*out = tree;
	return 0;
}

static void name_dirs_free(struct name_dirs *nd)
{
	KEYED_FREE(&nd->first);
	INDEXED_FREE(&nd->places);
}

void source_tree_free(struct source_tree *tree)
{
	if (!tree)
		return;
	intern_free(&tree->dirs);
	name_dirs_free(&tree->functions);
	name_dirs_free(&tree->modules);
	strbuf_free(&tree->walk.path);
	strbuf_free(&tree->name);
	strbuf_free(&tree->content);
	free(tree);
}

/* --- look-ups ---------------------------------------------------------------------------- */

/**
 * @arch: as for source_tree_find()
 * @below: only this directory and what is below it; NULL: all
 */
struct query {
	const struct source_tree *tree;
	const char *arch, *below;
};

static bool counts(const struct query *q, const char *dir)
{
	size_t size = q->arch ? strlen(q->arch) : 0, below;

	if (q->arch && !strncmp(dir, "arch/", 5) &&
	    (strncmp(dir + 5, q->arch, size) || (dir[5 + size] && dir[5 + size] != '/')))
		return false;
	if (!q->below)
		return true;
	below = strlen(q->below);
	return !strncmp(dir, q->below, below) && (!dir[below] || dir[below] == '/');
}

/* The number of matching directories with a name; @dir is one of them. */
static size_t look_up(const struct query *q, const struct name_dirs *nd, const char *name,
		      size_t size, const char **dir)
{
	uint32_t id = intern_find(&nd->first.keys, name, size), i;
	size_t nr = 0;

	for (i = id ? nd->first.of[id - 1] : 0; i; i = nd->places.of[i - 1].next) {
		const char *place =
			intern_get(&q->tree->dirs, nd->places.of[i - 1].dir, NULL);

		if (!counts(q, place))
			continue;
		*dir = place;
		nr++;
	}
	return nr;
}

/* "sys_open" for "__x64_sys_open" and "__do_sys_open"; NULL: not a system call. */
static const char *system_call(const char *name)
{
	const char *p = strstr(name, "sys_");

	if (strncmp(name, "__", 2) || !p)
		return NULL;
	return p - name >= 7 && !memcmp(p - 7, "compat_", 7) ? p - 7 : p;
}

/* Looks up the compiler's name, the source's name, and the name of the system call. */
static size_t look_up_function(const struct query *q, const char *name, const char **dir)
{
	const struct name_dirs *nd = &q->tree->functions;
	const char *call = system_call(name);
	size_t size = strcspn(name, "."), nr;

	nr = look_up(q, nd, name, size, dir);
	if (!nr)
		nr = look_up(q, nd, name, symbol_plain_length(name), dir);
	if (!nr && call)
		nr = look_up(q, nd, call, strcspn(call, "."), dir);
	return nr;
}

int source_tree_find(const struct source_tree *tree, const char *name, const char *module,
		     const char *arch, const char **dir)
{
	struct query q = { tree, arch, NULL };
	size_t nr = look_up_function(&q, name, dir), nr_module = 0;
	const char *home = NULL, *inside = NULL;

	if (module)
		nr_module = look_up(&q, &tree->modules, module, strlen(module), &home);
	if (nr_module == 1) {
		q.below = home;
		nr_module = look_up_function(&q, name, &inside);
		if (nr_module == 1 || !nr)
			*dir = nr_module ? inside : home;
		if (nr_module == 1 || !nr)
			return 1;
	}
	return nr > 1 ? -ENOTUNIQ : (int)nr;
}

const char *source_tree_arch(const char *machine)
{
	static const struct {
		const char *machine, *arch;
	} known[] = {
		{ "x86_64", "x86" },	{ "i", "x86" },
		{ "aarch64", "arm64" }, { "arm64", "arm64" },
		{ "arm", "arm" },	{ "s390", "s390" },
		{ "ppc", "powerpc" },	{ "riscv", "riscv" },
		{ "mips", "mips" },	{ "loongarch", "loongarch" },
		{ "parisc", "parisc" }, { "sparc", "sparc" },
		{ "m68k", "m68k" },	{ "sh", "sh" },
		{ "alpha", "alpha" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strncmp(machine, known[i].machine, strlen(known[i].machine)))
			continue;
		if (known[i].machine[1] || strstr(machine, "86")) /* i386 ... i686 */
			return known[i].arch;
	}
	return NULL;
}
