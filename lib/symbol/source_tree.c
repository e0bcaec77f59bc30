// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/source_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "symbol/fold.h"
#include "symbol/source_path.h"

#define FILES_MAX     1000000
#define FILE_SIZE_MAX (16U << 20)

/* One directory of a name, and the next of the same name. */
struct place {
	uint32_t dir;  /* number in @dirs */
	uint32_t next; /* index + 1; 0: none */
};

/* Names, and the directories of each. */
struct name_dirs {
	struct intern names;
	uint32_t *first; /* by name number - 1: index + 1 of a place */
	size_t first_capacity;
	struct place *places;
	size_t nr, capacity;
	struct u64_map known; /* while reading: numbers of a name and of a directory */
};

struct source_tree {
	struct intern dirs;
	struct name_dirs functions, modules;
	size_t nr_files;
	/* While reading: */
	struct directory_walk walk;
	struct strbuf name;
	char *content;
	uint32_t dir; /* of the current file */
};

static int add_place(struct name_dirs *nd, const char *name, size_t size, uint32_t dir)
{
	uint32_t known = nd->names.count, id = intern_id(&nd->names, name, size);
	size_t nr;

	if (!id || array_reserve(&nd->first, &nd->first_capacity, id, sizeof(*nd->first)))
		return -ENOMEM;
	if (id > known)
		nd->first[id - 1] = 0;
	/* A name may occur in each of a hundred thousand directories. */
	nr = nd->known.count;
	if (!u64_map_insert(&nd->known, (uint64_t)id << 32 | dir, 0))
		return -ENOMEM;
	if (nd->known.count == nr)
		return 0;
	if (nd->nr == UINT32_MAX ||
	    array_reserve(&nd->places, &nd->capacity, nd->nr + 1, sizeof(*nd->places)))
		return -ENOMEM;
	nd->places[nd->nr++] = (struct place){ dir, nd->first[id - 1] };
	nd->first[id - 1] = (uint32_t)nd->nr;
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

	(void)prefix;
	strbuf_reset(&tree->name);
	strbuf_add(&tree->name, name, size);
	if (tree->name.failed)
		return -ENOMEM;
	while ((p = strchr(tree->name.data, '-')))
		*p = '_';
	return add_place(&tree->modules, tree->name.data, tree->name.size, tree->dir);
}

/* Reads up to FILE_SIZE_MAX; an unreadable file counts as empty. */
static size_t read_file(struct source_tree *tree, int fd)
{
	size_t size = 0;
	ssize_t got;

	while (size < FILE_SIZE_MAX &&
	       (got = read(fd, tree->content + size, FILE_SIZE_MAX - size)) > 0)
		size += (size_t)got;
	return size;
}

static int scan_file(void *ctx, int directory, const char *name)
{
	struct source_tree *tree = ctx;
	bool makefile = !strcmp(name, "Makefile") || !strcmp(name, "Kbuild");
	size_t length = strlen(name), size;
	struct stat st;
	int fd;

	/* A header's functions would get the header's directory, not that of the code. */
	if (!makefile && (length < 3 || strcmp(name + length - 2, ".c")))
		return 0;
	if (tree->nr_files == FILES_MAX)
		return 0;
	fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return 0;
	size = fstat(fd, &st) || !S_ISREG(st.st_mode) ? 0 : read_file(tree, fd);
	close(fd);
	tree->nr_files++;
	tree->dir = intern_id(&tree->dirs, strbuf_text(&tree->walk.path),
			      tree->walk.path.size);
	if (!tree->dir)
		return -ENOMEM;
	return makefile ? c_scan_objects(tree->content, size, add_module, tree)
			: c_scan_functions(tree->content, size, add_function, tree);
}

/* Separate programs, whose functions have the same names as the kernel's. */
static bool is_no_kernel(const char *path, const char *name)
{
	static const char *const top[] = { "Documentation", "scripts", "samples", "tools",
					   "usr" };
	static const char *const arch[] = { "boot", "purgatory", "tools", "um" };

	if (*name == '.')
		return true;
	for (size_t i = 0; !*path && i < ARRAY_SIZE(top); i++)
		if (!strcmp(name, top[i]))
			return true;
	for (size_t i = 0; !strncmp(path, "arch/", 5) && i < ARRAY_SIZE(arch); i++)
		if (!strcmp(name, arch[i]))
			return true;
	return false;
}

static bool enter(void *ctx, const char *path, const char *name)
{
	(void)ctx;
	return !is_no_kernel(path, name);
}

int source_tree_open(struct source_tree **out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY), ret;
	struct source_tree *tree;

	if (fd < 0)
		return -errno;
	tree = calloc(1, sizeof(*tree));
	if (tree)
		tree->content = malloc(FILE_SIZE_MAX);
	if (!tree || !tree->content) {
		source_tree_free(tree);
		close(fd);
		return -ENOMEM;
	}
	tree->walk =
		(struct directory_walk){ .enter = enter, .file = scan_file, .ctx = tree };
	ret = directory_walk(&tree->walk, fd);
	free(tree->content);
	tree->content = NULL;
	strbuf_free(&tree->walk.path);
	strbuf_free(&tree->name);
	u64_map_free(&tree->functions.known);
	u64_map_free(&tree->modules.known);
	if (!ret && !tree->functions.names.count)
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
	intern_free(&nd->names);
	free(nd->first);
	free(nd->places);
	u64_map_free(&nd->known);
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
	free(tree->content);
	free(tree);
}

/* --- look-ups ---------------------------------------------------------------------------- */

/**
 * @arch: as for source_tree_find()
 * @below: only this directory and those below it; NULL: all
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
	uint32_t id = intern_find(&nd->names, name, size), i;
	size_t nr = 0;

	for (i = id ? nd->first[id - 1] : 0; i; i = nd->places[i - 1].next) {
		const char *place =
			intern_get(&q->tree->dirs, nd->places[i - 1].dir, NULL);

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
