// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/tasks_ran.h"

#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "capture/facts/threads.h"

/* CPU time. Nothing is read from the ring buffers meanwhile. */
#define WALK_NS 50000000

/* include/linux/sched.h */
#define PF_KTHREAD 0x00200000U

struct walk {
	struct tasks_ran *begun;       /* filled at the start */
	const struct tasks_ran *since; /* at the end: what it holds */
	struct strbuf *out;
	uint64_t until;
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

/* proc(5): state, parent, group, session, tty and its group, flags come after the name, which may
 * hold any character.
 */
static bool is_kernels(int task_fd, uint32_t pid)
{
	char text[256];
	const char *at;
	char *end;

	if (thread_read(task_fd, pid, "stat", text, sizeof(text)) <= 0)
		return true;
	at = strrchr(text, ')');
	if (!at || strlen(at) < 4)
		return true;
	at += 3;
	for (int i = 0; i < 5; i++) {
		(void)strtol(at, &end, 10);
		at = end;
	}
	return strtoul(at, NULL, 10) & PF_KTHREAD;
}

static int begin_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	struct walk *w = ctx;
	struct tasks_ran *t = w->begun;
	uint64_t ns;

	if (clock_ns(CLOCK_THREAD_CPUTIME_ID) > w->until)
		return -ETIME;
	if (!read_ran(task_fd, pid, &ns))
		return 0;
	if (array_reserve(&t->ns, &t->capacity, t->nr + 1, sizeof(*t->ns)) ||
	    !u64_map_insert(&t->by_pid, pid, (uint32_t)t->nr))
		return -ENOMEM;
	t->ns[t->nr++] = ns;
	return 0;
}

static int end_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	const struct walk *w = ctx;
	const uint32_t *at = u64_map_find(&w->since->by_pid, pid);
	uint64_t before = at ? w->since->ns[*at] : 0, ns;

	if (clock_ns(CLOCK_THREAD_CPUTIME_ID) > w->until)
		return -ETIME;
	if (pid == w->self || !read_ran(task_fd, pid, &ns) || ns == before)
		return 0;
	/* If it has run less than before, it is another task with that number. */
	if (!is_kernels(task_fd, pid))
		strbuf_printf(w->out, "%" PRIu32 " %" PRIu64 "\n", pid,
			      ns < before ? ns : ns - before);
	return 0;
}

int tasks_ran_begin(struct tasks_ran *t, const char *proc)
{
	struct walk w = { .begun = t,
			  .until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + WALK_NS };
	int ret = threads_walk(proc, begin_thread, &w);

	if (!ret && !t->nr)
		ret = -EOPNOTSUPP;
	t->begun = !ret;
	return ret;
}

int tasks_ran_end(const struct tasks_ran *t, const char *proc, uint32_t self,
		  struct strbuf *out)
{
	struct walk w = { .since = t,
			  .out = out,
			  .until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + WALK_NS,
			  .self = self };
	int ret = t->begun ? threads_walk(proc, end_thread, &w) : -EINVAL;

	return !ret && out->failed ? -ENOMEM : ret;
}

void tasks_ran_free(struct tasks_ran *t)
{
	free(t->ns);
	u64_map_free(&t->by_pid);
	*t = (struct tasks_ran){ 0 };
}
