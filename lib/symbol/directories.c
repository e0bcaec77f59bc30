// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/directories.h"

#include "base/hash.h"

struct directories {
	const struct directory_sources *sources;
	const struct symbols *syms;
	uint64_t offset;
	const char *arch;
	struct u64_map
		known; /* function's first address, or address -> number in @texts */
	struct intern texts;
	struct strbuf cut;
	struct directory_counts counts;
};

void directory_sources_free(struct directory_sources *sources)
{
	debug_units_free(sources->vmlinux);
	module_files_free(sources->modules);
	source_tree_free(sources->tree);
	*sources = (struct directory_sources){ 0 };
}

bool directory_sources_any(const struct directory_sources *sources)
{
	return sources->vmlinux || sources->modules || sources->tree;
}

int directories_new(struct directories **out, const struct directory_sources *sources,
		    const struct symbols *syms, uint64_t offset, const char *machine)
{
	struct directories *d = calloc(1, sizeof(*d));

	*out = d;
	if (!d)
		return -ENOMEM;
	d->sources = sources;
	d->syms = syms;
	d->offset = offset;
	d->arch = source_tree_arch(machine);
	return 0;
}

void directories_free(struct directories *dirs)
{
	if (!dirs)
		return;
	u64_map_free(&dirs->known);
	intern_free(&dirs->texts);
	strbuf_free(&dirs->cut);
	free(dirs);
}

/* Asks the sources: 1 and @dir, 0, -ENOTUNIQ, -ENOMEM. @sym: NULL if @addr has no symbol. */
static int ask(const struct directories *d, uint64_t addr, const struct symbol *sym,
	       const char **dir)
{
	const struct directory_sources *s = d->sources;
	bool module = sym && sym->module;
	int ret = 0;

	if (s->vmlinux && !module) {
		*dir = debug_units_at(s->vmlinux, (sym ? sym->addr : addr) - d->offset);
		ret = *dir != NULL;
	}
	if (!ret && s->modules && module)
		ret = module_files_find(s->modules, sym->module, sym->name, dir);
	if (!ret && s->tree && sym)
		ret = source_tree_find(s->tree, sym->name, sym->module, d->arch, dir);
	return ret;
}

/* The number in @texts of the function's directory; 0: memory ran out. */
static uint32_t look_up(struct directories *d, uint64_t addr)
{
	struct symbol sym;
	bool named = symbols_find(d->syms, addr, &sym);
	uint64_t key = named ? sym.addr : addr;
	const char *text = DIRECTORY_UNKNOWN;
	uint32_t *known = u64_map_find(&d->known, key), id;
	int ret;

	if (known)
		return *known;
	ret = ask(d, addr, named ? &sym : NULL, &text);
	if (ret == -ENOMEM)
		return 0;
	d->counts.all++;
	d->counts.unknown += !ret;
	d->counts.ambiguous += ret < 0;
	if (ret <= 0)
		text = ret ? DIRECTORY_AMBIGUOUS : DIRECTORY_UNKNOWN;
	id = intern_id(&d->texts, text, strlen(text));
	return id && u64_map_insert(&d->known, key, id) ? id : 0;
}

const char *directories_find(struct directories *dirs, uint64_t addr, unsigned int depth)
{
	const char *text = intern_get(&dirs->texts, look_up(dirs, addr), NULL), *p = text;

	if (!text || !depth)
		return text;
	while (depth && (p = strchr(p, '/')))
		p += --depth != 0;
	if (!p)
		return text;
	strbuf_reset(&dirs->cut);
	strbuf_add(&dirs->cut, text, (size_t)(p - text));
	return dirs->cut.failed ? NULL : strbuf_text(&dirs->cut);
}

struct directory_counts directories_counts(const struct directories *dirs)
{
	return dirs->counts;
}

bool dir_files_any(const struct dir_files *files)
{
	return files->vmlinux || files->modules || files->source;
}

int dir_files_open(struct directory_sources *sources, const struct dir_files *files,
		   struct dir_failure *failure)
{
	int no_debug = 0, err = 0;

	*sources = (struct directory_sources){ 0 };
	*failure = (struct dir_failure){ DIR_FILE_VMLINUX, files->vmlinux };
	/* A vmlinux without debug information still gives symbols; other files may give
	 * directories.
	 */
	if (files->vmlinux)
		no_debug = debug_units_open(&sources->vmlinux, files->vmlinux);
	if (no_debug && no_debug != -ENODATA && no_debug != -EOPNOTSUPP)
		return no_debug;
	if (files->modules)
		err = module_files_open(&sources->modules, files->modules);
	if (err == -ENOMEM || (err && !files->found)) {
		*failure = (struct dir_failure){ DIR_FILE_MODULES, files->modules };
		return err;
	}
	if (no_debug && !sources->modules && !files->source)
		return no_debug;
	*failure = (struct dir_failure){ DIR_FILE_SOURCE, files->source };
	return files->source ? source_tree_open(&sources->tree, files->source) : 0;
}

int dir_files_open_lines(struct directory_sources *sources, const struct dir_files *files,
			 const struct log *log)
{
	int err = 0;

	*sources = (struct directory_sources){ 0 };
	if (files->vmlinux)
		err = debug_units_open(&sources->vmlinux, files->vmlinux);
	if (err == -EFBIG)
		log_msg(log, LOG_WARN,
			"the debug information in %s takes too long to read for a file of its size: inlined functions are not told apart",
			files->vmlinux);
	if (err != -ENOMEM && files->modules)
		err = module_files_open(&sources->modules, files->modules);
	return err == -ENOMEM ? err : 0;
}
