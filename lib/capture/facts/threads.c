// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/threads.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/number.h"

/* Limit of CPU time for a walk with tracing on: meanwhile nothing is read from the ring buffers. */
#define WALK_NS 50000000

/* include/linux/sched.h */
#define PF_KTHREAD 0x00200000U

/* Reads a process number that consists of digits only. */
static bool parse_pid(const char *text, uint32_t *pid)
{
	uint64_t v = 0;
	bool is_pid = number_is(text, INT32_MAX, &v);

	*pid = (uint32_t)v;
	return is_pid;
}

ssize_t thread_read(int task_fd, uint32_t pid, const char *file, char *text, size_t size)
{
	int fd __auto_fd = -1;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%u/%s", pid, file);
	fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (n >= 0)
		text[n] = '\0';
	return n;
}

/* @until: by CLOCK_THREAD_CPUTIME_ID; 0: no limit. */
static int walk_process(int proc_fd, const char *name, thread_fn fn, void *ctx,
			uint64_t until)
{
	DIR *dir __auto_dir = NULL;
	struct dirent *entry;
	uint32_t pid, tgid;
	char path[280];
	int fd, ret = 0;

	if (!parse_pid(name, &tgid))
		return 0;
	snprintf(path, sizeof(path), "%s/task", name);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	dir = io_list(fd);
	if (!dir)
		return -ENOMEM;
	while (!ret && (entry = readdir(dir)))
		if (parse_pid(entry->d_name, &pid))
			ret = until && clock_ns(CLOCK_THREAD_CPUTIME_ID) > until
				      ? -ETIME
				      : fn(ctx, fd, pid, tgid);
	return ret;
}

int threads_walk(const char *proc, thread_fn fn, void *ctx, uint64_t most_ns)
{
	uint64_t until = most_ns ? clock_ns(CLOCK_THREAD_CPUTIME_ID) + most_ns : 0;
	DIR *dir __auto_dir = opendir(proc);
	struct dirent *entry;
	int ret = dir ? 0 : -errno;

	while (!ret && (entry = readdir(dir)))
		ret = walk_process(dirfd(dir), entry->d_name, fn, ctx, until);
	return ret;
}

/* What follows a thread's name in its stat file; @name is within @text. */
struct thread_stat {
	char text[256], *name;
	unsigned long parent, flags;
};

/* proc(5): "PID (NAME) STATE PARENT GROUP SESSION TTY GROUP-OF-TTY FLAGS ..."; a name may have
 * parentheses and line breaks.
 */
static bool read_stat(int task_fd, uint32_t pid, struct thread_stat *s)
{
	char *end;

	if (thread_read(task_fd, pid, "stat", s->text, sizeof(s->text)) <= 0)
		return false;
	s->name = strchr(s->text, '(');
	end = strrchr(s->text, ')');
	if (!s->name || !end || end < s->name || strlen(end) < 4)
		return false;
	s->name++;
	*end = '\0';
	s->parent = s->flags = 0;
	(void)sscanf(end + 4, "%lu %*d %*d %*d %*d %lu", &s->parent, &s->flags);
	return true;
}

/* --- processes and control groups ---------------------------------------------------------- */

/* The path in the line of /proc/PID/cgroup that says where memory is charged: that of the cgroup v1
 * memory controller, else that of cgroup v2. NULL: none. Cuts up @text.
 */
static const char *find_group(char *text, unsigned long *hierarchy)
{
	const char *found = NULL;
	char *line, *rest;
	bool memory = false;

	for (line = strtok_r(text, "\n", &rest); line && !memory;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(++controllers, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		memory = text_has_word(controllers, ',', "memory");
		if (memory || !*controllers) {
			found = path;
			*hierarchy = strtoul(line, NULL, 10);
		}
	}
	return found;
}

/* Appends @before and "HIERARCHY:PATH". */
static void add_group(struct strbuf *out, int task_fd, uint32_t pid, const char *before)
{
	unsigned long hierarchy;
	const char *path;
	char text[8192];

	if (thread_read(task_fd, pid, "cgroup", text, sizeof(text)) <= 0)
		return;
	path = find_group(text, &hierarchy);
	if (path)
		strbuf_printf(out, "%s%lu:%s", before, hierarchy, path);
}

void processes_list_group(int32_t pid, struct strbuf *out)
{
	int proc __auto_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (proc >= 0)
		add_group(out, proc, (uint32_t)pid, "");
}

static void add_process(struct strbuf *out, int task_fd, uint32_t pid)
{
	struct thread_stat s;

	if (!read_stat(task_fd, pid, &s))
		return;
	for (char *c = s.name; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	/* What started the recorder has nothing to do with what it records. */
	strbuf_printf(out, "%" PRIu32 " %" PRIu32 " %lu %s", pid, pid,
		      pid == (uint32_t)getpid() ? 0 : s.parent, s.name);
	add_group(out, task_fd, pid, "\t");
	strbuf_puts(out, "\n");
}

static int add_thread(struct strbuf *out, int task_fd, uint32_t pid, uint32_t tgid)
{
	if (pid != tgid)
		strbuf_printf(out, "%" PRIu32 " %" PRIu32 "\n", pid, tgid);
	else
		add_process(out, task_fd, pid);
	return out->failed ? -ENOMEM : 0;
}

static int list_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	const struct list *l = ctx;

	return add_thread(l->out, task_fd, pid, tgid) ?: list_check(l);
}

int processes_list(struct list *l, const char *proc)
{
	/* Reports need all of them. */
	l->most_bytes = SIZE_MAX;
	return threads_walk(proc, list_thread, l, 0);
}

struct newcomers {
	struct u64_map earlier; /* thread numbers */
	struct strbuf *out;
};

static int list_newcomer(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	const struct newcomers *n = ctx;

	return u64_map_find(&n->earlier, pid) ? 0
					      : add_thread(n->out, task_fd, pid, tgid);
}

static int note_threads(struct u64_map *threads, const char *list)
{
	for (; *list; list = text_next_line(list))
		if (!u64_map_insert(threads, strtoull(list, NULL, 10), 1))
			return -ENOMEM;
	return 0;
}

int processes_list_new(const char *earlier, const char *proc, struct strbuf *out)
{
	struct newcomers n = { .out = out };
	int ret = note_threads(&n.earlier, earlier);

	ret = ret ?: threads_walk(proc, list_newcomer, &n, WALK_NS);
	u64_map_free(&n.earlier);
	return ret;
}

int processes_list_gone(const char *earlier, const char *now, struct strbuf *out)
{
	struct u64_map threads = { 0 };
	int ret = note_threads(&threads, now);

	for (const char *next; !ret && *earlier; earlier = next) {
		next = text_next_line(earlier);
		if (!u64_map_find(&threads, strtoull(earlier, NULL, 10)))
			strbuf_add(out, earlier, (size_t)(next - earlier));
	}
	u64_map_free(&threads);
	return ret ?: out->failed ? -ENOMEM : 0;
}

/* --- which of them ran ----------------------------------------------------------------------- */

struct walk_at_end {
	const struct tasks_ran *since;
	struct strbuf *out;
	uint32_t self;
};

/* How long the thread has run, from "RAN WAITED TIMES". False: it is gone. */
static bool read_ran(int task_fd, uint32_t pid, uint64_t *ns)
{
	char text[96];

	if (thread_read(task_fd, pid, "schedstat", text, sizeof(text)) <= 0)
		return false;
	*ns = strtoull(text, NULL, 10);
	return true;
}

static bool is_kernel_thread(int task_fd, uint32_t pid)
{
	struct thread_stat s;

	return !read_stat(task_fd, pid, &s) || s.flags & PF_KTHREAD;
}

static int begin_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	struct tasks_ran *t = ctx;
	uint64_t ns, *item;

	if (!read_ran(task_fd, pid, &ns))
		return 0;
	item = INDEXED_ITEM(&t->ns, pid);
	if (!item)
		return -ENOMEM;
	*item = ns;
	return 0;
}

static int end_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	const struct walk_at_end *w = ctx;
	const uint32_t *at = u64_map_find(&w->since->ns.index, pid);
	uint64_t before = at ? w->since->ns.of[*at] : 0, ns;

	if (pid == w->self || !read_ran(task_fd, pid, &ns) || ns == before)
		return 0;
	/* If it has run less than before, it is another task with that number. */
	if (!is_kernel_thread(task_fd, pid))
		strbuf_printf(w->out, "%" PRIu32 " %" PRIu64 "\n", pid,
			      ns < before ? ns : ns - before);
	return 0;
}

int tasks_ran_begin(struct tasks_ran *t, const char *proc)
{
	int ret = threads_walk(proc, begin_thread, t, WALK_NS);

	if (!ret && !t->ns.nr)
		ret = -EOPNOTSUPP;
	t->begun = !ret;
	return ret;
}

int tasks_ran_end(const struct tasks_ran *t, const char *proc, uint32_t self,
		  struct strbuf *out)
{
	struct walk_at_end w = { t, out, self };
	int ret = t->begun ? threads_walk(proc, end_thread, &w, WALK_NS) : -EINVAL;

	return !ret && out->failed ? -ENOMEM : ret;
}

void tasks_ran_free(struct tasks_ran *t)
{
	INDEXED_FREE(&t->ns);
	*t = (struct tasks_ran){ 0 };
}
