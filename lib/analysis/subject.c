// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a row of a report stands for.
 * In: who allocated. Out: one number per row, its columns and cells.
 */
#include "analysis/subject.h"

#include <errno.h>
#include <string.h>

/* A kind of row. @columns end with one without a name. */
static const struct subject_type {
	const char *word;
	enum dimension dimension;
	struct column columns[3];
} types[SUBJECT_NR] = {
	[SUBJECT_CALLSITE] = { "callsite",
			       DIMENSION_NONE,
			       { { .name = "callsite",
				   .title = "Callsite",
				   .last = true } } },
	[SUBJECT_STACK] = { "stack",
			    DIMENSION_STACK,
			    { { .name = "callsite", .title = "Callsite", .last = true },
			      { .name = "stack",
				.title = "Callchain",
				.below = true } } },
	[SUBJECT_COMM] = { "comm",
			   DIMENSION_PID,
			   { { .name = "comm", .title = "Command", .last = true } } },
	[SUBJECT_PID] = { "pid",
			  DIMENSION_PID,
			  { { .name = "pid", .title = "PID" },
			    { .name = "comm", .title = "Command", .last = true } } },
	[SUBJECT_CPU] = { "cpu", DIMENSION_CPU, { { .name = "cpu", .title = "CPU" } } },
	[SUBJECT_NODE] = { "node",
			   DIMENSION_NODE,
			   { { .name = "node", .title = "Node" } } },
	[SUBJECT_CACHE] = { "cache",
			    DIMENSION_NONE,
			    { { .name = "cache", .title = "Cache", .last = true } } },
	[SUBJECT_MODULE] = { "module",
			     DIMENSION_NONE,
			     { { .name = "module", .title = "Module", .last = true } } },
	[SUBJECT_DIR] = { "dir",
			  DIMENSION_NONE,
			  { { .name = "dir", .title = "Directory", .last = true } } },
};

enum dimension subjects_dimension(enum subject_kind kind)
{
	return types[kind].dimension;
}

const char *subjects_word(enum subject_kind kind)
{
	return types[kind].word;
}

int subjects_init(struct subjects *s, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites)
{
	*s = (struct subjects){ .env = env, .kind = kind, .sites = sites };
	return types[kind].dimension == DIMENSION_PID
		       ? tasks_read(&s->tasks, env->rec->cmdlines)
		       : 0;
}

static uint32_t row_of(struct subjects *s, const void *key, size_t size)
{
	uint32_t id = intern_id(&s->keys, key, size);

	return id ? id - 1 : UINT32_MAX;
}

static uint32_t row_of_text(struct subjects *s, const char *text)
{
	return row_of(s, text, strlen(text));
}

/* A row of allocations without a callchain has a key that begins with a NUL, which no text
 * does: they are told apart by callsite.
 */
struct stackless_key {
	char nul;
	char pad[3]; /* zero: keys are compared as bytes */
	uint32_t group;
};

static const char no_stack[] = "[no stack]";

static uint32_t row_of_stackless(struct subjects *s, uint64_t callsite)
{
	struct stackless_key key = { 0 };

	if (!callsite) /* a page's, which only its callchain would tell */
		return row_of_text(s, no_stack);
	key.group = sites_group(s->sites, callsite);
	return key.group == UINT32_MAX ? UINT32_MAX : row_of(s, &key, sizeof(key));
}

/* "callsite;its caller;...": from the callsite outward. */
static uint32_t row_of_stack(struct subjects *s, const struct subject *who)
{
	const uint64_t pair[] = { who->callsite, who->stack };
	uint32_t id, *known;
	struct strbuf sb = { 0 };
	uint32_t row;

	if (!who->stack)
		return row_of_stackless(s, who->callsite);
	id = intern_id(&s->stacks, pair, sizeof(pair));
	known = u64_map_find(&s->by_stack, id);
	if (known)
		return *known;
	sites_callchain(s->sites, who->stack, who->callsite, &sb);
	row = sb.failed ? UINT32_MAX : row_of_text(s, strbuf_text(&sb));
	strbuf_free(&sb);
	if (!id || row == UINT32_MAX || !u64_map_insert(&s->by_stack, id, row))
		return UINT32_MAX;
	return row;
}

static const char *cache_name(const struct subjects *s, const struct subject *who)
{
	const char *name = event_stream_cache(s->env->stream, who->cache);

	if (who->kmalloc)
		return "[kmalloc]";
	return name ? name : "[unnamed]";
}

static const char *module_name(const struct subjects *s, uint64_t callsite)
{
	struct symbol sym;

	if (!symbols_find(s->env->syms, callsite, &sym))
		return "[unknown]";
	return sym.module ? sym.module : "[kernel]";
}

static uint32_t row_of_directory(struct subjects *s, uint64_t callsite)
{
	const struct analysis_env *env = s->env;
	const char *name = directories_find(env->dirs, callsite, env->dir_depth);

	return name ? row_of_text(s, name) : UINT32_MAX;
}

uint32_t subjects_row(struct subjects *s, const struct subject *who)
{
	uint32_t value = who->dim;

	switch (s->kind) {
	case SUBJECT_STACK:
		return row_of_stack(s, who);
	case SUBJECT_COMM:
		return row_of_text(s, tasks_name(&s->tasks, (int32_t)who->dim));
	case SUBJECT_CACHE:
		return row_of_text(s, cache_name(s, who));
	case SUBJECT_MODULE:
		return row_of_text(s, module_name(s, who->callsite));
	case SUBJECT_DIR:
		return row_of_directory(s, who->callsite);
	case SUBJECT_CALLSITE:
		value = sites_group(s->sites, who->callsite);
		if (value == UINT32_MAX)
			return UINT32_MAX;
		break;
	default:
		break;
	}
	return row_of(s, &value, sizeof(value));
}

void subjects_columns(const struct subjects *s, struct table *t)
{
	const struct column *col;

	for (col = types[s->kind].columns; col->name; col++)
		table_add_column(t, col);
}

static struct cell callsite_cell(const struct subjects *s, uint32_t group,
				 struct table *t)
{
	struct strbuf name = { 0 };
	struct cell cell;

	sites_name(s->sites, group, &name);
	cell = cell_text(t, strbuf_text(&name));
	t->failed |= name.failed;
	strbuf_free(&name);
	return cell;
}

/* The first frame, then all of them. */
static void stack_cells(const char *folded, size_t size, struct table *t,
			struct cell *cells)
{
	struct strbuf first = { 0 };

	strbuf_add(&first, folded, size);
	cells[0] = cell_text(t, strbuf_text(&first));
	cells[1] = cell_text(t, folded);
	t->failed |= first.failed;
	strbuf_free(&first);
}

static void stackless_cells(const struct subjects *s, const struct stackless_key *key,
			    struct table *t, struct cell *cells)
{
	struct strbuf folded = { 0 };
	size_t size;

	sites_name(s->sites, key->group, &folded);
	size = folded.size;
	strbuf_printf(&folded, ";%s", no_stack);
	stack_cells(strbuf_text(&folded), size, t, cells);
	t->failed |= folded.failed;
	strbuf_free(&folded);
}

void subjects_fill(const struct subjects *s, uint32_t row, struct table *t,
		   struct cell *cells)
{
	const void *key = intern_get(&s->keys, row + 1, NULL);
	uint32_t value = 0;

	switch (s->kind) {
	case SUBJECT_STACK:
		if (*(const char *)key)
			stack_cells(key, strcspn(key, ";"), t, cells);
		else
			stackless_cells(s, key, t, cells);
		return;
	case SUBJECT_COMM:
	case SUBJECT_CACHE:
	case SUBJECT_MODULE:
	case SUBJECT_DIR:
		cells[0] = cell_text(t, key);
		return;
	default:
		memcpy(&value, key, sizeof(value));
		break;
	}
	if (s->kind == SUBJECT_CALLSITE)
		cells[0] = callsite_cell(s, value, t);
	else if (s->kind == SUBJECT_CPU)
		cells[0] = cell_uint(value);
	else
		cells[0] = cell_int((int32_t)value);
	if (s->kind == SUBJECT_PID)
		cells[1] = cell_text(t, tasks_name(&s->tasks, (int32_t)value));
}

void subjects_free(struct subjects *s)
{
	tasks_free(&s->tasks);
	intern_free(&s->keys);
	intern_free(&s->stacks);
	u64_map_free(&s->by_stack);
}
