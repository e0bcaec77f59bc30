// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what a row of a report stands for.
 * In: who allocated. Out: one number per row, its columns and cells.
 */
#include "analysis/subject.h"

#include <errno.h>
#include <string.h>

/* A kind of row. */
static const struct subject_type {
	const char *word;
	enum dimension dimension;
} types[SUBJECT_NR] = {
	[SUBJECT_CALLSITE] = { "callsite", DIMENSION_NONE },
	[SUBJECT_STACK] = { "stack", DIMENSION_STACK },
	[SUBJECT_COMM] = { "comm", DIMENSION_PID },
	[SUBJECT_PID] = { "pid", DIMENSION_PID },
	[SUBJECT_CPU] = { "cpu", DIMENSION_CPU },
	[SUBJECT_NODE] = { "node", DIMENSION_NODE },
	[SUBJECT_CACHE] = { "cache", DIMENSION_NONE },
	[SUBJECT_MODULE] = { "module", DIMENSION_NONE },
	[SUBJECT_DIR] = { "dir", DIMENSION_NONE },
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

static const void *row_key(const struct subject_row *r)
{
	return intern_get(&r->subjects->keys, r->index + 1, NULL);
}

/* Keys that are no text are numbers: a group, a pid, a CPU, a node. */
static uint32_t row_value(const struct subject_row *r)
{
	uint32_t value;

	memcpy(&value, row_key(r), sizeof(value));
	return value;
}

/* Of a row whose key begins with a NUL. */
static const struct stackless_key *row_stackless(const struct subject_row *r)
{
	return row_key(r);
}

static struct cell strbuf_cell(struct strbuf *sb, struct table *t)
{
	struct cell cell = cell_text(t, strbuf_text(sb));

	t->failed |= sb->failed;
	strbuf_free(sb);
	return cell;
}

/* Of a callchain: its first frame. */
struct cell subject_callsite(const void *row, struct table *t)
{
	const struct subject_row *r = row;
	struct strbuf name = { 0 };
	const char *text = row_key(r);

	if (r->subjects->kind != SUBJECT_STACK)
		sites_name(r->subjects->sites, row_value(r), &name);
	else if (*text)
		strbuf_add(&name, text, strcspn(text, ";"));
	else
		sites_name(r->subjects->sites, row_stackless(r)->group, &name);
	return strbuf_cell(&name, t);
}

struct cell subject_stack(const void *row, struct table *t)
{
	const struct subject_row *r = row;
	const char *text = row_key(r);
	struct strbuf folded = { 0 };

	if (*text)
		return cell_text(t, text);
	sites_name(r->subjects->sites, row_stackless(r)->group, &folded);
	strbuf_printf(&folded, ";%s", no_stack);
	return strbuf_cell(&folded, t);
}

struct cell subject_comm(const void *row, struct table *t)
{
	const struct subject_row *r = row;

	if (r->subjects->kind == SUBJECT_PID)
		return cell_text(t,
				 tasks_name(&r->subjects->tasks, (int32_t)row_value(r)));
	return cell_text(t, row_key(r));
}

struct cell subject_text(const void *row, struct table *t)
{
	return cell_text(t, row_key(row));
}

struct cell subject_int(const void *row, struct table *t)
{
	return cell_int((int32_t)row_value(row));
}

struct cell subject_uint(const void *row, struct table *t)
{
	return cell_uint(row_value(row));
}

void subjects_free(struct subjects *s)
{
	tasks_free(&s->tasks);
	intern_free(&s->keys);
	intern_free(&s->stacks);
	u64_map_free(&s->by_stack);
}
