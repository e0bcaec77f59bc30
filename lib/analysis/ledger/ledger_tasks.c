// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: tasks that ran during a recording and have no event.
 * In: how long tasks ran (RECORDING_META_TASKS_RAN), events. Out: a note.
 */
#include "analysis/ledger/ledger.h"

#include "event/tasks.h"
#include "report/text_cell.h"

/* How many tasks are named. */
#define NAMED_MOST 5

/* A longer time means damage. */
#define NS_MOST (1ULL << 56)

static int add_task(struct ledger_tasks *t, uint64_t pid, uint64_t ns)
{
	struct ledger_task *task;

	if (!pid || pid > INT32_MAX || !ns || ns > NS_MOST)
		return 0;
	task = INDEXED_ITEM(&t->tasks, pid);
	if (!task)
		return -ENOMEM;
	if (!task->pid) /* else it is listed twice: damage */
		*task = (struct ledger_task){ .ran_ns = ns, .pid = (uint32_t)pid };
	return 0;
}

int ledger_tasks_init(struct ledger_tasks *t, const struct recording *rec)
{
	const char *line = recording_is_part(rec)
				   ? ""
				   : recording_meta_text(rec, RECORDING_META_TASKS_RAN);
	int ret = 0;

	*t = (struct ledger_tasks){ .last = -1 };
	while (*line && !ret) {
		char *end;
		uint64_t pid = strtoull(line, &end, 10);

		if (*end == ' ')
			ret = add_task(t, pid, strtoull(end, NULL, 10));
		line = text_next_line(line);
	}
	return ret;
}

void ledger_tasks_see(struct ledger_tasks *t, int32_t pid)
{
	const uint32_t *at =
		pid < 0 ? NULL : u64_map_find(&t->tasks.index, (uint64_t)pid);

	t->last = pid;
	if (at)
		t->tasks.of[*at].seen = true;
}

ORDER_LARGEST(compare_tasks, struct ledger_task, ran_ns, pid)

static void name_tasks(const struct ledger_task *order, const struct ledger_task_sum *sum,
		       const struct tasks *names, struct strbuf *out)
{
	strbuf_printf(out, "%" PRIu64 " task%s ran, ", sum->nr, plural(sum->nr));
	text_duration(out, sum->ran_ns, " ");
	strbuf_puts(out, sum->nr == 1 ? ", and has no slab or page event: "
				      : " together, and have no slab or page event: ");
	for (uint64_t i = 0; i < sum->nr && i < NAMED_MOST; i++)
		strbuf_printf(out, "%s%s (%" PRIu32 ")", i ? ", " : "",
			      tasks_name(names, (int32_t)order[i].pid), order[i].pid);
	if (sum->nr > NAMED_MOST)
		strbuf_printf(out, " and %" PRIu64 " more", sum->nr - NAMED_MOST);
}

int ledger_tasks_note(const struct ledger_tasks *t, const char *cmdlines,
		      struct ledger_task_sum *sum, struct strbuf *out)
{
	struct ledger_task *order __auto_mem = calloc(t->tasks.nr + 1, sizeof(*order));
	struct tasks names = { 0 };
	int ret = order ? tasks_read(&names, cmdlines) : -ENOMEM;

	*sum = (struct ledger_task_sum){ 0 };
	for (size_t i = 0; i < t->tasks.nr && !ret; i++) {
		if (t->tasks.of[i].seen)
			continue;
		order[sum->nr++] = t->tasks.of[i];
		sum->ran_ns += t->tasks.of[i].ran_ns;
	}
	if (!ret && sum->nr) {
		qsort(order, sum->nr, sizeof(*order), compare_tasks);
		name_tasks(order, sum, &names, out);
	}
	tasks_free(&names);
	return ret ? ret : out->failed ? -ENOMEM : 0;
}

void ledger_tasks_free(struct ledger_tasks *t)
{
	INDEXED_FREE(&t->tasks);
}
