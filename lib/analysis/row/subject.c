// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/row/subject.h"

#include "analysis/row/entry.h"

/* Kinds of rows. */
static const struct subject_type {
	const char *word;
	enum dimension dimension;
} types[SUBJECT_NR + 1] = {
	[SUBJECT_CALLSITE] = { "callsite", DIMENSION_NONE },
	[SUBJECT_STACK] = { "stack", DIMENSION_STACK },
	[SUBJECT_COMM] = { "comm", DIMENSION_COMM },
	[SUBJECT_PID] = { "pid", DIMENSION_PID },
	[SUBJECT_CPU] = { "cpu", DIMENSION_CPU },
	[SUBJECT_NODE] = { "node", DIMENSION_NODE },
	[SUBJECT_CACHE] = { "cache", DIMENSION_KMALLOC },
	[SUBJECT_MODULE] = { "module", DIMENSION_NONE },
	[SUBJECT_DIR] = { "dir", DIMENSION_NONE },
	[SUBJECT_FUNCTION] = { "function", DIMENSION_NONE },
	[SUBJECT_FILE] = { "file", DIMENSION_NONE },
	[SUBJECT_LINE] = { "line", DIMENSION_NONE },
	[SUBJECT_ENTRY] = { "entry", DIMENSION_STACK },
	[SUBJECT_PROCESS] = { "process", DIMENSION_PROCESS },
	[SUBJECT_CGROUP] = { "cgroup", DIMENSION_CGROUP },
	[SUBJECT_USER_FUNCTION] = { "user-function", DIMENSION_STACK },
	[SUBJECT_USER_LINE] = { "user-line", DIMENSION_STACK },
	[SUBJECT_ORDER] = { "order", DIMENSION_NONE },
};

/* Drops the name if rows are also by pid, which determines it. */
static void drop_comm(struct dimensions *all)
{
	int i = dimensions_find(all, DIMENSION_COMM);

	for (; i >= 0 && i < DIMENSIONS_MAX; i++)
		all->of[i] = i + 1 < DIMENSIONS_MAX ? all->of[i + 1] : DIMENSION_NONE;
}

/* The dimensions that an account needs for rows of @kind. */
static struct dimensions dimensions_of(enum subject_kind kind)
{
	struct dimensions all = { 0 };

	for (unsigned int i = 0; i < SUBJECT_PARTS_MAX; i++) {
		enum dimension d = types[subject_part(kind, i)].dimension;

		if (d)
			dimensions_add(&all, d, DIMENSIONS_MAX);
	}
	/* A task has one name. */
	if (subject_rows(kind) & ROWS(PID))
		drop_comm(&all);
	return all;
}

struct dimensions subjects_slab_dimensions(const struct analysis_options *opts,
					   const struct analysis_env *env)
{
	struct dimensions all = dimensions_of(analysis_subject(opts));
	enum dimension first = all.of[0];

	if ((opts->tree.roots && !opts->tree.processes) ||
	    (callsite_rule_extended(env->rule) &&
	     (!first || first == DIMENSION_KMALLOC || subject_part(opts->by, 1))))
		dimensions_add(&all, DIMENSION_STACK, DIMENSIONS_ASKED);
	if (opts->by_cache)
		dimensions_add(&all, DIMENSION_KMALLOC, DIMENSIONS_ASKED);
	return all;
}

struct dimensions subjects_page_dimensions(enum subject_kind kind)
{
	const struct dimensions all = dimensions_of(kind);
	struct dimensions others = { 0 };
	unsigned int i, nr = 0;

	for (i = 0; i < DIMENSIONS_MAX; i++) {
		if (all.of[i] != DIMENSION_STACK)
			others.of[nr++] = all.of[i];
	}
	return others;
}

void subjects_dimensions(const struct analysis_options *opts,
			 const struct analysis_env *env,
			 struct dimensions of[MEMORY_KINDS])
{
	int i, process;

	for (i = 0; i < MEMORY_KINDS; i++) {
		of[i] = i == MEMORY_SLAB ? subjects_slab_dimensions(opts, env)
					 : subjects_page_dimensions(opts->by);
		process = dimensions_find(&of[i], DIMENSION_PROCESS);
		if (opts->by_program && process >= 0)
			of[i].of[process] = DIMENSION_PROGRAM;
		if (opts->by_program && i == MEMORY_SLAB &&
		    dimensions_find(&of[i], DIMENSION_CGROUP) >= 0)
			dimensions_add(&of[i], DIMENSION_CHARGED, DIMENSIONS_MAX);
	}
}

bool subjects_of_tasks(enum subject_kind kind)
{
	const uint32_t others = ROWS(PID) | ROWS(COMM) | ROWS(CPU) | ROWS(NODE);
	uint32_t rows = subject_rows(kind);

	return rows & ROWS(PID) && !(rows & ~others);
}

enum estimate_of subjects_share(enum subject_kind kind)
{
	const uint32_t own =
		ROWS(CALLSITE) | ROWS(STACK) | ROWS(FUNCTION) | ROWS(FILE) | ROWS(LINE);
	uint32_t rows = subject_rows(kind);

	if (rows & own)
		return ESTIMATE_OWN;
	return rows & ROWS(CACHE) ? ESTIMATE_CACHES : ESTIMATE_SHARED;
}

const char *subjects_word(enum subject_kind kind)
{
	return types[kind].word;
}

size_t subjects_of_rows(uint32_t rows, const char *words[SUBJECT_NR])
{
	size_t nr = 0;

	for (unsigned int kind = SUBJECT_NONE + 1; kind < SUBJECT_NR; kind++) {
		if (rows >> kind & 1)
			words[nr++] = subjects_word(kind);
	}
	return nr;
}

const char *subjects_words(enum subject_kind kind, char words[SUBJECT_WORDS])
{
	size_t used = 0;

	words[0] = '\0';
	for (unsigned int i = 0; i < SUBJECT_PARTS_MAX && subject_part(kind, i); i++)
		used += (size_t)snprintf(words + used, SUBJECT_WORDS - used, "%s%s",
					 i ? "," : "", types[subject_part(kind, i)].word);
	return words;
}

int subjects_init(struct subjects *s, const struct analysis_env *env,
		  enum subject_kind kind, struct sites *sites,
		  const struct dimensions *dimensions)
{
	bool tasks = false;

	*s = (struct subjects){ .env = env,
				.kind = kind,
				.sites = sites,
				.names = dimensions->tasks,
				.processes = dimensions->processes };
	for (unsigned int i = 0; i < SUBJECT_PARTS_MAX && subject_part(kind, i); i++) {
		struct subject_part *part = &s->parts[s->nr_parts++];
		enum dimension d;

		part->kind = subject_part(kind, i);
		d = types[part->kind].dimension;
		part->dim = d ? dimensions_find(dimensions, d) : -1;
		if (d == DIMENSION_COMM && part->dim < 0) {
			part->dim = dimensions_find(dimensions, DIMENSION_PID);
			part->of_pid = true;
		}
		if (d == DIMENSION_PROCESS && part->dim < 0) {
			part->dim = dimensions_find(dimensions, DIMENSION_PROGRAM);
			s->by_program = true;
		}
		tasks |= d == DIMENSION_PID || part->of_pid;
	}
	return tasks ? tasks_read(&s->tasks, env->rec->cmdlines) : 0;
}

static uint32_t row_of(struct subject_part *p, const void *key, size_t size)
{
	uint32_t id = intern_id(&p->keys, key, size);

	return id ? id - 1 : UINT32_MAX;
}

static uint32_t row_of_text(struct subject_part *p, const char *text)
{
	return row_of(p, text, strlen(text));
}

/* The key of a row of allocations without a callchain begins with a NUL, which no text does;
 * callsites tell them apart.
 */
struct stackless_key {
	char nul;
	char pad[3]; /* zero: keys are compared as bytes */
	uint32_t group;
};

static const char no_stack[] = "[no stack]";

static uint32_t row_of_stackless(struct subjects *s, struct subject_part *p,
				 uint64_t callsite)
{
	struct stackless_key key = { 0 };

	if (!callsite) /* a page's, which is only known from its callchain */
		return row_of_text(p, no_stack);
	key.group = sites_group(s->sites, callsite);
	return key.group == UINT32_MAX ? UINT32_MAX : row_of(p, &key, sizeof(key));
}

/* The row of what only a callchain says: "callsite;its caller;...", how the kernel was entered, or
 * from where in a program.
 */
static uint32_t row_of_stack(struct subjects *s, struct subject_part *p,
			     const struct subject *who)
{
	bool whole = p->kind == SUBJECT_STACK;
	const uint64_t pair[] = { whole ? who->callsite : 0, who->stack };
	struct strbuf __auto_free name = { 0 };
	uint32_t nr = 0, row, *known;
	const uint64_t *frames =
		who->stack ? event_stream_stack(s->env->stream, who->stack, &nr) : NULL;

	/* A callchain may only have a system call: event_stream_set_calls(). */
	if (whole && !(frames && nr))
		return row_of_stackless(s, p, who->callsite);
	known = KEYED_ITEM(&p->by_stack, &pair);
	if (!known || *known)
		return known ? *known - 1 : UINT32_MAX;
	if (whole)
		sites_callchain(s->sites, who->stack, who->callsite, &name);
	else if (p->kind == SUBJECT_ENTRY)
		entry_name(s->env, who->stack, &name);
	else if (frames && nr)
		entry_user(s->env, p->kind, frames, nr, &name);
	else
		strbuf_puts(&name, ENTRY_NO_STACK);
	row = name.failed ? UINT32_MAX : row_of_text(p, strbuf_text(&name));
	*known = row + 1;
	return row;
}

/* kmalloc events name no cache: it follows from the object's @bytes. */
static uint32_t row_of_cache(struct subjects *s, struct subject_part *p,
			     const struct subject *who, uint32_t bytes)
{
	const char *known = event_stream_cache(s->env->stream, who->cache);
	struct strbuf __auto_free name = { 0 };

	if (!who->kmalloc)
		return row_of_text(p, known ? known : "[unnamed]");
	if (p->dim < 0)
		return row_of_text(p, "[kmalloc]");
	comparison_name_kmalloc(s->env, bytes, &name);
	return name.failed ? UINT32_MAX : row_of_text(p, strbuf_text(&name));
}

/* The row by module, directory, function, file or line in the source. */
static uint32_t row_of_source(struct subjects *s, struct subject_part *p,
			      uint64_t callsite)
{
	struct strbuf __auto_free name = { 0 };

	comparison_name_by(s->env, p->kind, callsite, s->env->dir_depth, &name);
	return name.failed ? UINT32_MAX : row_of_text(p, strbuf_text(&name));
}

/* The number of @who among the values of one part; UINT32_MAX: no memory. */
static uint32_t part_row(struct subjects *s, struct subject_part *p,
			 const struct subject *who)
{
	uint32_t value = p->dim < 0 ? 0 : who->dims.of[p->dim];

	switch (p->kind) {
	case SUBJECT_STACK:
	case SUBJECT_ENTRY:
	case SUBJECT_USER_FUNCTION:
	case SUBJECT_USER_LINE:
		return row_of_stack(s, p, who);
	case SUBJECT_COMM:
		return row_of_text(p, p->of_pid ? tasks_name(&s->tasks, (int32_t)value)
						: tasks_numbered(s->names, value));
	case SUBJECT_CACHE:
		return row_of_cache(s, p, who, value);
	case SUBJECT_MODULE:
	case SUBJECT_DIR:
	case SUBJECT_FUNCTION:
	case SUBJECT_FILE:
	case SUBJECT_LINE:
		return row_of_source(s, p, who->callsite);
	case SUBJECT_ORDER:
		value = who->order;
		break;
	case SUBJECT_CALLSITE:
		value = sites_group(s->sites, who->callsite);
		if (value == UINT32_MAX)
			return UINT32_MAX;
		break;
	default:
		break;
	}
	return row_of(p, &value, sizeof(value));
}

uint32_t subjects_row(struct subjects *s, const struct subject *who)
{
	uint32_t tuple[SUBJECT_PARTS_MAX] = { 0 }, id;

	for (unsigned int i = 0; i < s->nr_parts; i++) {
		tuple[i] = part_row(s, &s->parts[i], who);
		if (tuple[i] == UINT32_MAX)
			return UINT32_MAX;
	}
	if (s->nr_parts == 1)
		return tuple[0];
	id = intern_id(&s->tuples, tuple, sizeof(tuple));
	return id ? id - 1 : UINT32_MAX;
}

uint32_t subjects_count(const struct subjects *s)
{
	return s->nr_parts == 1 ? s->parts[0].keys.count : s->tuples.count;
}

static int compare_spent(const void *a, const void *b, void *ctx)
{
	const uint64_t *firsts = ctx;
	uint64_t x = firsts[*(const uint32_t *)a], y = firsts[*(const uint32_t *)b];

	return (x > y) - (x < y);
}

int subjects_of_spent(struct subjects *s, const struct intern *keys,
		      const uint64_t *firsts, const struct spent *spent, uint32_t *rows)
{
	uint32_t nr = spent->keys.count, i, k = 0, row = 0;
	uint32_t *order = calloc(nr + 1UL, sizeof(*order));

	for (i = 0; order && i < nr; i++)
		order[i] = i;
	if (order)
		qsort_r(order, nr, sizeof(*order), compare_spent, spent->firsts);
	for (i = 0; order && i <= keys->count && row != UINT32_MAX; i++) {
		const struct row_tail *tail = row_tail_of(keys, i);

		for (; k < nr && row != UINT32_MAX; k++) {
			if (tail && spent->firsts[order[k]] > firsts[i])
				break;
			if (rows[order[k]] == UINT32_MAX)
				continue;
			row = subjects_row(
				s,
				&(struct subject){ .dims = *spent_key(spent, order[k]) });
			rows[order[k]] = row;
		}
		if (tail && !tail->all_tasks && row != UINT32_MAX)
			row = subjects_row(s, &(struct subject){ .dims = tail->dims });
	}
	free(order);
	return order && row != UINT32_MAX ? 0 : -ENOMEM;
}

/* The key of row @r for the part that is one of @rows, a set of ROWS(). Sets *@kind to the part's
 * kind.
 */
static const void *row_key(const struct subject_row *r, uint32_t rows,
			   enum subject_kind *kind)
{
	const struct subjects *s = r->subjects;
	const uint32_t *tuple = intern_get(&s->tuples, r->index + 1, NULL);
	unsigned int i = 0;

	while (i + 1 < s->nr_parts && !(rows >> s->parts[i].kind & 1))
		i++;
	if (kind)
		*kind = s->parts[i].kind;
	return intern_get(&s->parts[i].keys, (s->nr_parts > 1 ? tuple[i] : r->index) + 1,
			  NULL);
}

/* Keys that are not texts are numbers: a group, a pid, a CPU, a node. */
static uint32_t key_value(const void *key)
{
	uint32_t value;

	memcpy(&value, key, sizeof(value));
	return value;
}

static uint32_t row_value(const struct subject_row *r, uint32_t rows)
{
	return key_value(row_key(r, rows, NULL));
}

/* The group of a key that begins with a NUL. */
static uint32_t stackless_group(const void *key)
{
	const struct stackless_key *stackless = key;

	return stackless->group;
}

/* For a callchain: its first frame. */
struct cell subject_callsite(const void *row, struct table *t)
{
	const struct subject_row *r = row;
	const struct sites *sites = r->subjects->sites;
	struct strbuf name = { 0 };
	enum subject_kind kind;
	const char *text = row_key(r, ROWS(CALLSITE) | ROWS(STACK), &kind);

	if (kind != SUBJECT_STACK)
		sites_name(sites, key_value(text), &name);
	else if (*text)
		strbuf_add(&name, text, strcspn(text, ";"));
	else
		sites_name(sites, stackless_group(text), &name);
	return cell_strbuf(t, &name);
}

/* Appends the callchain of @r, by its part of kind STACK. */
static void row_callchain(const struct subject_row *r, struct strbuf *out)
{
	const char *text = row_key(r, ROWS(STACK), NULL);

	if (*text) {
		strbuf_puts(out, text);
		return;
	}
	sites_name(r->subjects->sites, stackless_group(text), out);
	strbuf_printf(out, ";%s", no_stack);
}

void subjects_path(const struct subjects *s, uint32_t row, struct strbuf *out)
{
	const struct subject_row r = { s, row };

	if (s->kind == SUBJECT_PROCESS)
		processes_path(s->processes, row_value(&r, ROWS(PROCESS)), out);
	else
		row_callchain(&r, out);
}

struct cell subject_stack(const void *row, struct table *t)
{
	struct strbuf folded = { 0 };

	row_callchain(row, &folded);
	return cell_strbuf(t, &folded);
}

struct cell subject_comm(const void *row, struct table *t)
{
	const struct subject_row *r = row;
	enum subject_kind kind;
	const void *key = row_key(r, ROWS(COMM) | ROWS(PID), &kind);

	if (kind == SUBJECT_PID)
		return cell_text(
			t, tasks_name(&r->subjects->tasks, (int32_t)key_value(key)));
	return cell_text(t, key);
}

/* The keys of these are texts. */
#define TEXT_CELL(name, KIND)                           \
	SHARED_CELL(subject_##name, struct subject_row, \
		    cell_text(t, row_key(r, ROWS(KIND), NULL)))

TEXT_CELL(cache, CACHE)
TEXT_CELL(module, MODULE)
TEXT_CELL(dir, DIR)
TEXT_CELL(function, FUNCTION)
TEXT_CELL(file, FILE)
TEXT_CELL(line, LINE)
TEXT_CELL(entry, ENTRY)
TEXT_CELL(user_function, USER_FUNCTION)
TEXT_CELL(user_line, USER_LINE)

/* The keys of these are numbers; @make makes the cell. */
#define NUMBER_CELL(name, KIND, make, type)             \
	SHARED_CELL(subject_##name, struct subject_row, \
		    make((type)row_value(r, ROWS(KIND))))

NUMBER_CELL(pid, PID, cell_int, int32_t)
NUMBER_CELL(cpu, CPU, cell_uint, uint32_t)
NUMBER_CELL(node, NODE, cell_int, int32_t)
NUMBER_CELL(order, ORDER, cell_uint, uint32_t)

struct cell subject_process(const void *row, struct table *t)
{
	const struct subject_row *r = row;
	const struct processes *all = r->subjects->processes;
	uint32_t process = row_value(r, ROWS(PROCESS));
	const char *name;

	if (!r->subjects->by_program)
		return cell_text(t, processes_name(all, process));
	name = intern_get(&all->names, process, NULL);
	return cell_text(t, name ? name : "[unknown]");
}

struct cell subject_cgroup(const void *row, struct table *t)
{
	const struct subject_row *r = row;
	struct strbuf name = { 0 };

	processes_group_name(r->subjects->processes, row_value(r, ROWS(CGROUP)),
			     r->subjects->env->whole_groups, &name);
	return cell_strbuf(t, &name);
}

struct cell subject_tgid(const void *row, struct table *t)
{
	const struct subject_row *r = row;
	uint32_t process = row_value(r, ROWS(PROCESS));

	if (r->subjects->by_program)
		return (struct cell){ 0 };
	return cell_int(processes_get(r->subjects->processes, process)->tgid);
}

void subjects_free(struct subjects *s)
{
	tasks_free(&s->tasks);
	intern_free(&s->tuples);
	for (unsigned int i = 0; i < s->nr_parts; i++) {
		intern_free(&s->parts[i].keys);
		KEYED_FREE(&s->parts[i].by_stack);
	}
}
