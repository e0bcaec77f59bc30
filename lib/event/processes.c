// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/processes.h"

#include <ctype.h>

#include "base/array.h"
#include "base/number.h"
#include "event/stream.h"

#define BATCH 128

/* --- a value of each key that changes over time ------------------------------------- */

/* Gives @key a value from @ts on, which is not before the key's last span. 0 or -ENOMEM. */
static int spans_add(struct spans *s, uint32_t key, uint64_t ts, uint32_t value)
{
	uint32_t *last;
	uint32_t rank;

	if (s->nr == UINT32_MAX || array_grow(&s->of, s->nr))
		return -ENOMEM;
	last = u64_map_insert(&s->last, key, UINT32_MAX);
	if (!last)
		return -ENOMEM;
	if (s->latest && *last != UINT32_MAX) {
		s->of[*last].value = value;
		return 0;
	}
	rank = *last == UINT32_MAX ? 0 : s->of[*last].rank + 1;
	s->of[s->nr] = (struct timed_value){ s->latest ? 0 : ts, key, value, rank };
	*last = (uint32_t)s->nr++;
	return 0;
}

ORDER_BY(compare, struct timed_value, key, rank)

/* Call it after the last change, before spans_find(). */
static void spans_sort(struct spans *s)
{
	if (s->nr)
		qsort(s->of, s->nr, sizeof(*s->of), compare);
	for (size_t i = 0; i < s->nr; i++)
		*u64_map_find(&s->last, s->of[i].key) = (uint32_t)i;
}

uint32_t spans_before(const struct timed_value *last, uint64_t ts)
{
	const struct timed_value *first = last - last->rank;
	size_t nr = COUNT_FIRST(i, last->rank, first[i].ts <= ts);

	return nr ? first[nr - 1].value : 0;
}

static void spans_free(struct spans *s)
{
	u64_map_free(&s->last);
	free(s->of);
}

/* clone(2): the new task has the same parent; is a thread of the process that starts it; is in a
 * control group that its starter chose.
 */
#define CLONE_PARENT_BIT      0x00008000ULL
#define CLONE_THREAD_BIT      0x00010000ULL
#define CLONE_INTO_CGROUP_BIT 0x200000000ULL

/* The process that starts all other threads of the kernel. */
#define KTHREADD 2

/* A new process; UINT32_MAX: no memory. */
static uint32_t add_process(struct processes *p, const struct process *process)
{
	if (array_grow(&p->all, p->nr))
		return UINT32_MAX;
	p->all[p->nr] = *process;
	return (uint32_t)p->nr++;
}

/* Adds the unknown and the idle process, which every recording has. */
static int begin(struct processes *p)
{
	if (p->nr)
		return 0;
	if (add_process(p, &(struct process){ .tgid = -1 }) == UINT32_MAX ||
	    add_process(p, &(struct process){ .name = intern_id(&p->names, "<idle>", 6),
					      .kernel = true }) == UINT32_MAX)
		return -ENOMEM;
	return 0;
}

bool processes_known(const struct recording *rec)
{
	return recording_meta(rec, RECORDING_META_PROCESSES ".before") ||
	       recording_meta(rec, RECORDING_META_PROCESSES ".after");
}

bool processes_groups_known(const struct recording *rec)
{
	return strchr(recording_meta_text(rec, RECORDING_META_PROCESSES ".before"),
		      '\t') ||
	       strchr(recording_meta_text(rec, RECORDING_META_PROCESSES ".after"), '\t');
}

/* --- lists ------------------------------------------------------------------------------- */

/* A line of a list. @parent -1: it is not the first thread; @path NULL: not known. */
struct listed {
	int32_t pid, tgid, parent, hierarchy;
	const char *name, *path;
	size_t name_size, path_size;
};

/* Reads a number and the character @end after it, or the end of the line. */
static bool take_number(const char **text, int32_t *number, char end)
{
	const char *rest = *text;
	uint64_t n;

	*number = -1;
	if (number_read(&rest, NULL, 10, INT32_MAX, &n) ||
	    (*rest && *rest != '\n' && *rest != end))
		return false;
	*number = (int32_t)n;
	*text = rest + (*rest == end);
	return true;
}

/* Reads the line at *@text and moves on to the next. False: the line is malformed. */
static bool take_line(const char **text, struct listed *l)
{
	const char *at = *text, *end = strchrnul(at, '\n'), *tab;

	*text = end + (*end == '\n');
	*l = (struct listed){ .parent = -1 };
	if (!take_number(&at, &l->pid, ' ') || !take_number(&at, &l->tgid, ' ') ||
	    !l->pid || !l->tgid)
		return false;
	if (l->pid != l->tgid)
		return true;
	if (!take_number(&at, &l->parent, ' '))
		return false;
	tab = memchr(at, '\t', (size_t)(end - at));
	l->name = at;
	l->name_size = (size_t)((tab ? tab : end) - at);
	at = tab ? tab + 1 : end;
	if (tab && take_number(&at, &l->hierarchy, ':') && at < end) {
		l->path = at;
		l->path_size = (size_t)(end - at);
	}
	return true;
}

/* The process of the task, as far as lists and events were read. */
static uint32_t process_now(const struct processes *p, int32_t pid)
{
	return processes_find(p, pid, UINT64_MAX);
}

/* The first thread of a process; UINT32_MAX: no memory. */
static uint32_t read_process(struct processes *p, const struct listed *l, bool late)
{
	uint32_t process = add_process(
		p, &(struct process){
			   .tgid = l->tgid,
			   .name = intern_id(&p->names, l->name, l->name_size),
			   .kernel = l->tgid == KTHREADD || l->parent == KTHREADD,
			   .late = late,
		   });

	if (process == UINT32_MAX || !l->path)
		return process;
	p->hierarchy = l->hierarchy;
	return spans_add(&p->group_of, process, 0,
			 intern_id(&p->paths, l->path, l->path_size))
		       ? UINT32_MAX
		       : process;
}

/* Processes come before their threads; parents may come later. */
int processes_read_list(struct processes *p, const char *text, bool late)
{
	const char *all = text;
	uint32_t process;
	struct listed l;

	if (begin(p))
		return -ENOMEM;
	while (*text) {
		if (!take_line(&text, &l))
			continue;
		process =
			l.parent < 0 ? process_now(p, l.tgid) : read_process(p, &l, late);
		if (process == UINT32_MAX ||
		    spans_add(&p->of_task, (uint32_t)l.pid, 0, process))
			return -ENOMEM;
	}
	for (text = all; *text;) {
		if (!take_line(&text, &l) || l.parent <= 0)
			continue;
		process = process_now(p, l.tgid);
		if (process > PROCESS_IDLE)
			p->all[process].parent = process_now(p, l.parent);
	}
	return 0;
}

int processes_read(struct processes *p, const struct recording *rec)
{
	static const char before[] = RECORDING_META_PROCESSES ".before",
			  begun[] = RECORDING_META_PROCESSES ".begun",
			  after[] = RECORDING_META_PROCESSES ".after";
	int ret = begin(p);

	/* Later lists win: a process in both the first and the last was there at the start. */
	ret = ret ?: processes_read_list(p, recording_meta_text(rec, after), true);
	ret = ret ?: processes_read_list(p, recording_meta_text(rec, before), false);
	return ret ?: processes_read_list(p, recording_meta_text(rec, begun), true);
}

void processes_go_live(struct processes *p, void (*look)(int32_t pid, struct strbuf *out))
{
	p->of_task.latest = p->group_of.latest = true;
	p->look = look;
}

/* --- events ------------------------------------------------------------------------------ */

/* Which control group the running process @pid is in; unknown if it has ended. */
static uint32_t look_up(struct processes *p, int32_t pid)
{
	struct strbuf __auto_free line = { 0 };
	const char *path;
	uint32_t group = GROUP_UNKNOWN;

	p->look(pid, &line);
	path = strchr(strbuf_text(&line), ':');
	if (path && path[1])
		group = intern_id(&p->paths, path + 1, strlen(path + 1));
	return group;
}

/* The control group in which the new process of @ev begins: its starter's, or one chosen for it,
 * which only a later look or list tells.
 */
static uint32_t first_group(struct processes *p, const struct kmem_event *ev,
			    uint32_t starter)
{
	uint32_t listed = process_now(p, ev->task.pid);

	if (!(ev->task.clone_flags & CLONE_INTO_CGROUP_BIT))
		return spans_last(&p->group_of, starter);
	if (p->look)
		return look_up(p, ev->task.pid);
	return p->all[listed].late ? spans_last(&p->group_of, listed) : GROUP_UNKNOWN;
}

static int new_task(struct processes *p, const struct kmem_event *ev)
{
	uint32_t starter = process_now(p, ev->pid), process = starter, group;

	if (!(ev->task.clone_flags & CLONE_THREAD_BIT)) {
		group = first_group(p, ev, starter);
		process = add_process(
			p, &(struct process){
				   .tgid = ev->task.pid,
				   .name = intern_id(&p->names, ev->task.name,
						     ev->task.name_size),
				   .parent = ev->task.clone_flags & CLONE_PARENT_BIT
						     ? p->all[starter].parent
						     : starter,
				   .kernel = p->all[starter].kernel,
			   });
		if (process == UINT32_MAX ||
		    spans_add(&p->group_of, process, ev->ts, group))
			return -ENOMEM;
	}
	return spans_add(&p->of_task, (uint32_t)ev->task.pid, ev->ts, process);
}

/* The name of a process is that of its first thread. */
static void rename_task(struct processes *p, const struct kmem_event *ev)
{
	uint32_t process = process_now(p, ev->task.pid);

	if (process > PROCESS_IDLE && p->all[process].tgid == ev->task.pid)
		p->all[process].name =
			intern_id(&p->names, ev->task.name, ev->task.name_size);
}

/* A single thread that moves does not take its process with it. */
static int move(struct processes *p, const struct kmem_event *ev)
{
	uint32_t process = process_now(p, ev->group.pid), group;

	if (process <= PROCESS_IDLE || p->all[process].tgid != ev->group.pid)
		return 0;
	group = intern_id(&p->paths, ev->group.path, ev->group.path_size);
	return group ? spans_add(&p->group_of, process, ev->ts, group) : -ENOMEM;
}

static int remove_group(struct processes *p, const struct kmem_event *ev)
{
	uint32_t group = intern_id(&p->paths, ev->group.path, ev->group.path_size);

	return group && u64_map_insert(&p->removed, group, 1) ? 0 : -ENOMEM;
}

static int learn(struct processes *p, const struct kmem_event *ev)
{
	switch (ev->type) {
	case KMEM_TASK_NEW:
		return new_task(p, ev);
	case KMEM_TASK_RENAME:
		rename_task(p, ev);
		return 0;
	default:
		if (ev->group.hierarchy != p->hierarchy || !ev->group.path_size)
			return 0;
		return ev->type == KMEM_GROUP_MOVE ? move(p, ev) : remove_group(p, ev);
	}
}

int processes_learn(struct processes *p, const struct kmem_event *evs, size_t nr)
{
	const struct kmem_event *end = evs + nr;
	int ret = begin(p);

	for (; !ret && evs < end; evs++) {
		if (unlikely(kmem_is_task(evs->type)))
			ret = learn(p, evs);
	}
	return ret;
}

int processes_learned(struct processes *p)
{
	spans_sort(&p->of_task);
	spans_sort(&p->group_of);
	return begin(p);
}

/* --- forgetting -------------------------------------------------------------------------- */

/* Keeps the processes of tasks that run, or have ended since the last call; forgets others. */
static int mark_running(struct processes *p, bool (*runs)(int32_t pid), uint32_t *of)
{
	struct u64_map ended = { 0 };

	for_each(task, p->of_task.of, p->of_task.nr) {
		const uint32_t *before = u64_map_find(&p->ended, task->key);
		bool running = runs((int32_t)task->key);

		if (!running && (!task->value || (before && *before == task->value))) {
			task->value = PROCESS_UNKNOWN;
			continue;
		}
		of[task->value] = 1;
		if (!running && !u64_map_insert(&ended, task->key, task->value)) {
			u64_map_free(&ended);
			return -ENOMEM;
		}
	}
	u64_map_free(&p->ended);
	p->ended = ended;
	return 0;
}

/* Adds to @few the kept processes, and numbers them and their control groups. */
static int keep_processes(const struct processes *p, struct processes *few, uint32_t *of,
			  uint32_t *groups)
{
	int ret = begin(few);

	for (uint32_t i = PROCESS_IDLE + 1; i < p->nr && !ret; i++) {
		struct process process = p->all[i];
		const char *name = intern_get(&p->names, process.name, NULL);
		uint32_t group = spans_last(&p->group_of, i);

		if (!of[i])
			continue;
		process.name = name ? intern_id(&few->names, name, strlen(name)) : 0;
		of[i] = add_process(few, &process);
		if (of[i] == UINT32_MAX)
			return -ENOMEM;
		groups[group] = 1;
		ret = spans_add(&few->group_of, of[i], 0, group);
	}
	of[PROCESS_UNKNOWN] = PROCESS_UNKNOWN;
	of[PROCESS_IDLE] = PROCESS_IDLE;
	for (uint32_t i = PROCESS_IDLE + 1; i < few->nr; i++)
		few->all[i].parent = of[few->all[i].parent];
	return ret;
}

static int keep_groups(const struct processes *p, struct processes *few, uint32_t *groups)
{
	groups[GROUP_UNKNOWN] = GROUP_UNKNOWN;
	for (uint32_t i = 1; i <= p->paths.count; i++) {
		const char *path = intern_get(&p->paths, i, NULL);

		if (!groups[i])
			continue;
		groups[i] = intern_id(&few->paths, path, strlen(path));
		if (!groups[i] || (u64_map_find(&p->removed, i) &&
				   !u64_map_insert(&few->removed, groups[i], 1)))
			return -ENOMEM;
	}
	for (size_t i = 0; i < few->group_of.nr; i++)
		few->group_of.of[i].value = groups[few->group_of.of[i].value];
	return 0;
}

int processes_forget(struct processes *p, bool (*runs)(int32_t pid), uint32_t *of,
		     uint32_t *groups)
{
	struct processes few = { .hierarchy = p->hierarchy };
	int ret = begin(p);

	processes_go_live(&few, p->look);
	ret = ret ?: mark_running(p, runs, of);
	ret = ret ?: keep_processes(p, &few, of, groups);
	ret = ret ?: keep_groups(p, &few, groups);
	for (size_t i = 0; i < p->of_task.nr && !ret; i++) {
		const struct timed_value *task = &p->of_task.of[i];

		if (task->value)
			ret = spans_add(&few.of_task, task->key, 0, of[task->value]);
	}
	for (size_t i = 0; i < p->ended.capacity && !ret; i++) {
		struct u64_map_slot *slot = &p->ended.slots[i];

		slot->value = slot->used ? of[slot->value] : 0;
	}
	few.ended = p->ended;
	p->ended = (struct u64_map){ 0 };
	processes_free(p);
	*p = few;
	return ret;
}

int processes_of_recording(struct processes *p, const struct recording *rec,
			   const struct event_formats *fmts, bool read_ahead)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX,
						   .read_ahead = read_ahead };
	struct event_stream *stream = NULL;
	struct kmem_event *evs __auto_mem = malloc(BATCH * sizeof(*evs));
	int ret = evs ? processes_read(p, rec) : -ENOMEM;

	if (!ret && event_formats_any(fmts, kmem_is_task))
		ret = event_stream_open(&stream, rec, fmts, &opts, NULL);
	if (stream)
		event_stream_set_brief(stream, true);
	while (stream && (ret = event_stream_next_batch(stream, evs, BATCH)) > 0) {
		ret = processes_learn(p, evs, (size_t)ret);
		if (ret)
			break;
	}
	event_stream_close(stream);
	return ret ?: processes_learned(p);
}

/* --- answers ----------------------------------------------------------------------------- */

uint32_t processes_group(const struct processes *p, const struct kmem_event *ev)
{
	uint32_t process = processes_find(p, ev->pid, ev->ts);

	if (ev->flags & KMEM_FLAGS_IRQ)
		return GROUP_INTERRUPT;
	if (processes_get(p, process)->kernel)
		return GROUP_KERNEL;
	return spans_find(&p->group_of, process, ev->ts);
}

uint32_t processes_program(const struct processes *p, const struct kmem_event *ev)
{
	return processes_get(p, processes_find(p, ev->pid, ev->ts))->name;
}

const struct process *processes_get(const struct processes *p, uint32_t number)
{
	static const struct process unknown = { .tgid = -1 };

	return number < p->nr ? &p->all[number] : &unknown;
}

const char *processes_name(const struct processes *p, uint32_t number)
{
	const char *name = intern_get(&p->names, processes_get(p, number)->name, NULL);

	if (number == PROCESS_UNKNOWN)
		return "[unknown]";
	return name ? name : "<...>";
}

/* More ancestors than any process has: in a damaged recording, they may form a loop. */
#define ANCESTORS_MAX 256

void processes_path(const struct processes *p, uint32_t number, struct strbuf *out)
{
	unsigned int depth = 0;

	do {
		if (depth)
			strbuf_puts(out, ";");
		for (const char *c = processes_name(p, number); *c; c++)
			strbuf_add(out, *c == ';' ? "," : c, 1);
		number = processes_get(p, number)->parent;
	} while (number && ++depth < ANCESTORS_MAX);
}

/* Digits of a container's ID in the name of its control group, and how many of them are shown. */
#define ID_DIGITS 64
#define ID_SHOWN  12

void processes_group_path(const struct processes *p, uint32_t group, bool whole,
			  struct strbuf *out)
{
	const char *path = group == GROUP_INTERRUPT ? "[interrupt]"
			   : group == GROUP_KERNEL  ? "[kernel threads]"
						    : intern_get(&p->paths, group, NULL);
	size_t digits;

	if (!path)
		path = "[unknown]";
	for (; *path; path += digits + !digits) {
		for (digits = 0; isxdigit((unsigned char)path[digits]);)
			digits++;
		strbuf_add(out, path,
			   !digits			   ? 1
			   : digits == ID_DIGITS && !whole ? ID_SHOWN
							   : digits);
	}
}

void processes_group_name(const struct processes *p, uint32_t group, bool whole,
			  struct strbuf *out)
{
	processes_group_path(p, group, whole, out);
	if (u64_map_find(&p->removed, group))
		strbuf_puts(out, " (removed)");
}

void processes_free(struct processes *p)
{
	intern_free(&p->names);
	intern_free(&p->paths);
	spans_free(&p->of_task);
	spans_free(&p->group_of);
	u64_map_free(&p->removed);
	u64_map_free(&p->ended);
	free(p->all);
}
