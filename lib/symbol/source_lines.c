// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/source_lines.h"

#include "base/array.h"
#include "base/hash.h"

/* Of a line about a program's address, everything before the file's name. */
#define LINE_HEAD_MAX 1024U

/* The frames of an address. */
struct chain {
	size_t nr;
	struct source_frame frames[];
};

/**
 * struct file - a file that may have debug information
 * @frames: NULL: no debug information, or it needs too much work
 */
struct file {
	struct debug_units *units;
	struct debug_frames *frames;
};

/**
 * struct source_lines - the results so far
 * @files: by number in @names - 1; the kernel's name is ""
 * @known: address -> number in @chains
 * @texts: allocated one by one, because callers keep them; by number in @ids - 1
 */
struct source_lines {
	const struct directory_sources *sources;
	const struct symbols *syms;
	uint64_t offset;
	struct intern names;
	struct file *files;
	size_t files_capacity;
	struct u64_map known;
	struct chain **chains;
	size_t nr_chains, chains_capacity;
	struct intern ids;
	char **texts;
	size_t nr_texts, texts_capacity;
	struct source_line_counts counts;
	bool failed;
};

int source_lines_new(struct source_lines **out, const struct directory_sources *sources,
		     const struct symbols *syms, uint64_t offset)
{
	struct source_lines *l = calloc(1, sizeof(*l));

	*out = l;
	if (!l)
		return -ENOMEM;
	l->sources = sources;
	l->syms = syms;
	l->offset = offset;
	return 0;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->names.count; i++)
		debug_frames_free(lines->files[i].frames);
	for (size_t i = 0; i < lines->nr_chains; i++)
		free(lines->chains[i]);
	for (size_t i = 0; i < lines->nr_texts; i++)
		free(lines->texts[i]);
	free(lines->files);
	free(lines->chains);
	free(lines->texts);
	intern_free(&lines->names);
	intern_free(&lines->ids);
	u64_map_free(&lines->known);
	free(lines);
}

/* A lasting copy; NULL for NULL, and if memory ran out, with *@failed set. */
static const char *keep(struct source_lines *l, const char *text, bool *failed)
{
	uint32_t id = text ? intern_id(&l->ids, text, strlen(text)) : 0;

	if (!text)
		return NULL;
	if (!id || array_reserve(&l->texts, &l->texts_capacity, id, sizeof(*l->texts))) {
		*failed = true;
		return NULL;
	}
	while (l->nr_texts < id)
		l->texts[l->nr_texts++] = NULL;
	if (!l->texts[id - 1])
		l->texts[id - 1] = strdup(text);
	*failed |= !l->texts[id - 1];
	return l->texts[id - 1];
}

/* Opens the debug information of a file. 0 or -ENOMEM. */
static int open_file(struct source_lines *l, const char *module, struct file *file)
{
	const struct directory_sources *s = l->sources;
	int ret = 0;

	*file = (struct file){ .units = *module ? NULL : s->vmlinux };
	if (*module && s->modules)
		ret = module_files_units(s->modules, module, &file->units);
	if (!ret && file->units)
		ret = debug_frames_new(&file->frames, file->units);
	return ret == -ENOMEM ? ret : 0;
}

/* The file of @module, or of the kernel itself: "". NULL: memory ran out. */
static struct file *find_file(struct source_lines *l, const char *module)
{
	uint32_t id = intern_find(&l->names, module, strlen(module));
	struct file file;

	if (id)
		return &l->files[id - 1];
	if (array_reserve(&l->files, &l->files_capacity, l->names.count + 1UL,
			  sizeof(*l->files)) ||
	    open_file(l, module, &file))
		return NULL;
	id = intern_id(&l->names, module, strlen(module));
	if (!id) {
		debug_frames_free(file.frames);
		return NULL;
	}
	l->files[id - 1] = file;
	return &l->files[id - 1];
}

/* The address in the file of @addr: 1, 0 or -ENOMEM. @sym is NULL if it has no symbol. */
static int place_in_file(const struct source_lines *l, const struct file *file,
			 const struct symbol *sym, uint64_t addr, uint64_t *place)
{
	uint64_t start;
	int ret;

	if (!sym || !sym->module) {
		*place = addr - l->offset;
		return 1;
	}
	ret = debug_units_symbol(file->units, sym->name, &start);
	if (ret == 1)
		*place = start + (addr - sym->addr);
	return ret == -ENOTUNIQ ? 0 : ret;
}

static bool is_named(const struct source_frame *frames, size_t nr)
{
	return nr && frames[nr - 1].function;
}

/* A return address is after its call, which may be the last instruction of its function. The frame
 * of an interrupt has the next instruction, which may be the first of its function: then no
 * function is before it.
 */
static int ask(struct file *file, uint64_t place,
	       struct source_frame frames[SOURCE_FRAMES_MAX], size_t *nr)
{
	int ret = debug_frames_at(file->frames, place - 1, frames, nr);
	bool any = *nr;

	if (ret || is_named(frames, *nr))
		return ret;
	ret = debug_frames_at(file->frames, place, frames, nr);
	if (ret || is_named(frames, *nr) || !any)
		return ret;
	return debug_frames_at(file->frames, place - 1, frames, nr);
}

/* Stops using a file that needs too much work. */
static int give_up(struct source_lines *l, struct file *file, size_t *nr)
{
	*nr = 0;
	l->counts.given_up = true;
	debug_frames_free(file->frames);
	file->frames = NULL;
	return 0;
}

static int look_up(struct source_lines *l, uint64_t addr, const struct symbol *sym,
		   struct source_frame frames[SOURCE_FRAMES_MAX], size_t *nr)
{
	struct file *file = find_file(l, sym && sym->module ? sym->module : "");
	uint64_t place = 0;
	int ret;

	*nr = 0;
	if (!file)
		return -ENOMEM;
	ret = file->frames ? place_in_file(l, file, sym, addr, &place) : 0;
	if (ret > 0)
		ret = ask(file, place, frames, nr);
	return ret == -EFBIG ? give_up(l, file, nr) : ret;
}

/* Stores a chain. 0 or -ENOMEM. */
static int add_chain(struct source_lines *l, uint64_t addr,
		     const struct source_frame *frames, size_t nr)
{
	struct chain *chain = malloc(sizeof(*chain) + nr * sizeof(*frames));
	bool failed = !chain;

	for (size_t i = 0; i < nr && !failed; i++) {
		chain->frames[i] = frames[i];
		chain->frames[i].function = keep(l, frames[i].function, &failed);
		chain->frames[i].file = keep(l, frames[i].file, &failed);
	}
	if (failed ||
	    array_reserve(&l->chains, &l->chains_capacity, l->nr_chains + 1,
			  sizeof(*l->chains)) ||
	    !u64_map_insert(&l->known, addr, (uint32_t)l->nr_chains)) {
		free(chain);
		return -ENOMEM;
	}
	chain->nr = nr;
	l->chains[l->nr_chains++] = chain;
	if (!symbols_is_user(addr)) {
		l->counts.all++;
		l->counts.unknown += !nr || !frames[0].line;
	}
	return 0;
}

/* The functions at one address of a program, and room for their texts. */
struct user_chain {
	struct source_frame frames[SOURCE_FRAMES_MAX];
	struct strbuf texts[SOURCE_FRAMES_MAX];
	size_t nr;
	uint64_t addr;
};

/* Stores the chain, which is complete, and begins the one of @addr. 0 or -ENOMEM. */
static int end_user_chain(struct source_lines *l, struct user_chain *c, uint64_t addr)
{
	struct source_frame *last = c->nr ? &c->frames[c->nr - 1] : NULL;
	struct symbol sym;
	int ret = 0;

	if (last && symbols_find(l->syms, c->addr, &sym))
		last->function = sym.name;
	if (last)
		last->inlined = false;
	if (last && !u64_map_find(&l->known, c->addr))
		ret = add_chain(l, c->addr, c->frames, c->nr);
	c->nr = 0;
	c->addr = addr;
	return ret;
}

/* A line of @len characters. 0 or -ENOMEM. */
static int add_user_line(struct source_lines *l, struct user_chain *c, const char *text,
			 size_t len)
{
	struct source_frame *f;
	struct strbuf *sb;
	uint64_t addr;
	uint32_t line;
	int function = 0, function_end = 0, file = 0, ret = 0;
	char head[LINE_HEAD_MAX];

	snprintf(head, sizeof(head), "%.*s",
		 (int)(len < sizeof(head) ? len : sizeof(head) - 1), text);
	if (sscanf(head, "%" SCNx64 " %" SCNu32 " %n%*s%n %n", &addr, &line, &function,
		   &function_end, &file) != 2 ||
	    !file || (size_t)file >= len || !symbols_is_user(addr))
		return 0;
	if (addr != c->addr)
		ret = end_user_chain(l, c, addr);
	if (ret || c->nr == SOURCE_FRAMES_MAX)
		return ret;
	f = &c->frames[c->nr];
	sb = &c->texts[c->nr++];
	strbuf_reset(sb);
	strbuf_add(sb, head + function, (size_t)(function_end - function));
	strbuf_add(sb, "", 1);
	strbuf_add(sb, text + file, len - (size_t)file);
	*f = (struct source_frame){ .line = line, .inlined = true };
	if (sb->failed)
		return -ENOMEM;
	f->function = strcmp(sb->data, "-") ? sb->data : NULL;
	f->file = line ? sb->data + strlen(sb->data) + 1 : NULL;
	return 0;
}

int source_lines_add_user(struct source_lines *lines, const char *text)
{
	struct user_chain *c = calloc(1, sizeof(*c));
	int ret = c ? 0 : -ENOMEM;

	while (!ret && *text) {
		size_t len = strcspn(text, "\n");

		ret = add_user_line(lines, c, text, len);
		text += len + (text[len] == '\n');
	}
	if (!ret)
		ret = end_user_chain(lines, c, 0);
	for (size_t i = 0; c && i < SOURCE_FRAMES_MAX; i++)
		strbuf_free(&c->texts[i]);
	free(c);
	return ret;
}

bool source_lines_of_kernel(const struct source_lines *lines)
{
	return lines && (lines->sources->vmlinux || lines->sources->modules);
}

static int find_new(struct source_lines *l, uint64_t addr)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];
	struct symbol sym;
	bool named = symbols_find(l->syms, addr, &sym);
	size_t nr;
	int ret = look_up(l, addr, named ? &sym : NULL, frames, &nr);

	if (ret)
		return ret;
	if (nr && !frames[nr - 1].function && named)
		frames[nr - 1].function = sym.name;
	return add_chain(l, addr, frames, nr);
}

size_t source_lines_find(struct source_lines *lines, uint64_t addr,
			 const struct source_frame **frames)
{
	const uint32_t *known = u64_map_find(&lines->known, addr);
	const struct chain *chain;

	*frames = NULL;
	if (!known && find_new(lines, addr)) {
		lines->failed = true;
		return 0;
	}
	known = u64_map_find(&lines->known, addr);
	chain = lines->chains[*known];
	*frames = chain->nr ? chain->frames : NULL;
	return chain->nr;
}

bool source_lines_failed(const struct source_lines *lines)
{
	return lines && lines->failed;
}

struct source_line_counts source_lines_counts(const struct source_lines *lines)
{
	return lines->counts;
}
