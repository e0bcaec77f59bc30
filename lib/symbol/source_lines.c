// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/source_lines.h"

#include "base/keyed.h"

/* Maximum length of a user address's line before the file name. */
#define LINE_HEAD_MAX 1024U

/* The frames of an address. */
struct chain {
	struct source_frame *frames;
	size_t nr;
};

/* A file that may have debug information. @units is NULL if it has none or needs too much work. */
struct file {
	struct debug_units *units;
	bool opened;
};

/**
 * struct source_lines - the results so far
 * @files: by module; the kernel's name is ""
 * @chains: by address; callers keep pointers to the frames
 */
struct source_lines {
	const struct directory_sources *sources;
	const struct symbols *syms;
	uint64_t offset;
	KEYED(struct file) files;
	INDEXED(struct chain) chains;
	struct intern texts;
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
	for_each(chain, lines->chains.of, lines->chains.nr)
		free(chain->frames);
	KEYED_FREE(&lines->files);
	INDEXED_FREE(&lines->chains);
	intern_free(&lines->texts);
	free(lines);
}

/* A lasting copy of @len characters; NULL if memory ran out, with *@failed set. */
static const char *keep(struct source_lines *l, const char *text, size_t len,
			bool *failed)
{
	const char *kept = intern_get(&l->texts, intern_id(&l->texts, text, len), NULL);

	*failed |= !kept;
	return kept;
}

/* Opens the debug information of a file. 0 or -ENOMEM. */
static int open_file(struct source_lines *l, const char *module, struct file *file)
{
	const struct directory_sources *s = l->sources;
	int ret = 0;

	file->units = *module ? NULL : s->vmlinux;
	if (*module && s->modules)
		ret = module_files_units(s->modules, module, &file->units);
	if (!ret && file->units)
		debug_units_restart(file->units);
	file->opened = !ret;
	return ret;
}

/* The file of @module; "" for the kernel itself. NULL: memory ran out. */
static struct file *find_file(struct source_lines *l, const char *module)
{
	struct file *file = KEYED_ITEM_OF(&l->files, module, strlen(module));

	return file && (file->opened || !open_file(l, module, file)) ? file : NULL;
}

/* The address of @addr as linked: 1 and @place, 0, or -ENOMEM. @sym is NULL if it has none. */
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

/* A return address follows its call, which may be the last instruction of its function, so the byte
 * before it is looked up. The frame of an interrupt is the next instruction, which may be the first
 * of its function: if no named function precedes it, the address itself is looked up.
 */
static int ask(struct file *file, uint64_t place,
	       struct source_frame frames[SOURCE_FRAMES_MAX], size_t *nr)
{
	int ret = debug_units_frames(file->units, place - 1, frames, nr);
	bool any = *nr;

	if (ret || is_named(frames, *nr))
		return ret;
	ret = debug_units_frames(file->units, place, frames, nr);
	if (ret || is_named(frames, *nr) || !any)
		return ret;
	return debug_units_frames(file->units, place - 1, frames, nr);
}

/* Stops using a file that needs too much work. */
static int give_up(struct source_lines *l, struct file *file, size_t *nr)
{
	*nr = 0;
	l->counts.given_up = true;
	file->units = NULL;
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
	ret = file->units ? place_in_file(l, file, sym, addr, &place) : 0;
	if (ret > 0)
		ret = ask(file, place, frames, nr);
	return ret == -EFBIG ? give_up(l, file, nr) : ret;
}

/* Stores a chain. 0 or -ENOMEM. */
static int add_chain(struct source_lines *l, uint64_t addr,
		     const struct source_frame *frames, size_t nr)
{
	struct source_frame *copy = malloc((nr + 1) * sizeof(*frames));
	struct chain *chain = copy ? INDEXED_ITEM(&l->chains, addr) : NULL;
	bool failed = !chain;

	for (size_t i = 0; i < nr && !failed; i++) {
		copy[i] = frames[i];
		if (copy[i].function)
			copy[i].function = keep(l, copy[i].function,
						strlen(copy[i].function), &failed);
		if (copy[i].file)
			copy[i].file =
				keep(l, copy[i].file, strlen(copy[i].file), &failed);
	}
	if (failed) {
		free(copy);
		return -ENOMEM;
	}
	*chain = (struct chain){ copy, nr };
	if (!symbols_is_user(addr)) {
		l->counts.all++;
		l->counts.unknown += !nr || !frames[0].line;
	}
	return 0;
}

/* The functions at one user address. */
struct user_chain {
	struct source_frame frames[SOURCE_FRAMES_MAX];
	size_t nr;
	uint64_t addr;
};

/* Stores the completed chain and begins that of @addr. 0 or -ENOMEM. */
static int end_user_chain(struct source_lines *l, struct user_chain *c, uint64_t addr)
{
	struct source_frame *last = c->nr ? &c->frames[c->nr - 1] : NULL;
	struct symbol sym;
	int ret = 0;

	if (last && symbols_find(l->syms, c->addr, &sym))
		last->function = sym.name;
	if (last)
		last->inlined = false;
	if (last && !u64_map_find(&l->chains.index, c->addr))
		ret = add_chain(l, c->addr, c->frames, c->nr);
	c->nr = 0;
	c->addr = addr;
	return ret;
}

/* Parses a line of @len characters. 0 or -ENOMEM. */
static int add_user_line(struct source_lines *l, struct user_chain *c, const char *text,
			 size_t len)
{
	struct source_frame *f;
	uint64_t addr;
	uint32_t line;
	int function = 0, function_end = 0, file = 0, ret = 0;
	char head[LINE_HEAD_MAX];
	bool failed = false;

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
	f = &c->frames[c->nr++];
	*f = (struct source_frame){ .line = line, .inlined = true };
	head[function_end] = '\0';
	if (strcmp(head + function, "-"))
		f->function = keep(l, head + function, strlen(head + function), &failed);
	if (line)
		f->file = keep(l, text + file, len - (size_t)file, &failed);
	return failed ? -ENOMEM : 0;
}

int source_lines_add_user(struct source_lines *lines, const char *text)
{
	struct user_chain c = { .nr = 0 };
	int ret = 0;

	for (; !ret && *text; text = text_next_line(text))
		ret = add_user_line(lines, &c, text, strcspn(text, "\n"));
	return ret ?: end_user_chain(lines, &c, 0);
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
	const uint32_t *known = u64_map_find(&lines->chains.index, addr);
	const struct chain *chain;

	*frames = NULL;
	if (!known && find_new(lines, addr)) {
		lines->failed = true;
		return 0;
	}
	known = u64_map_find(&lines->chains.index, addr);
	chain = &lines->chains.of[*known];
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
