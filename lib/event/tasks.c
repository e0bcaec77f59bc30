// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/tasks.h"

#include "base/number.h"

int tasks_read(struct tasks *t, const char *text)
{
	const char *line, *end;

	for (line = text ? text : ""; *line; line = *end ? end + 1 : end) {
		uint64_t pid;
		uint32_t name, *slot;

		end = strchrnul(line, '\n');
		if (number_read(&line, NULL, 10, INT32_MAX, &pid) || *line++ != ' ')
			continue;
		name = intern_id(&t->names, line, (size_t)(end - line));
		slot = name ? u64_map_insert(&t->by_pid, pid, name) : NULL;
		if (!slot)
			return -ENOMEM;
		*slot = name;
	}
	return 0;
}

const char *tasks_name(const struct tasks *t, int32_t pid)
{
	return tasks_numbered(t, tasks_number(t, pid));
}

const char *tasks_numbered(const struct tasks *t, uint32_t number)
{
	const char *name = intern_get(&t->names, number, NULL);

	if (number == TASKS_IDLE)
		return "<idle>";
	return name ? name : "<...>";
}

void tasks_free(struct tasks *t)
{
	intern_free(&t->names);
	u64_map_free(&t->by_pid);
}
