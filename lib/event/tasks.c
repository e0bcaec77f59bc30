// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/tasks.h"

/* The number at the start of a line of @size bytes, followed by a space; -1: none. */
static int64_t line_pid(const char *line, size_t size, size_t *digits)
{
	int64_t pid = 0;
	size_t i;

	for (i = 0; i < size && line[i] >= '0' && line[i] <= '9'; i++) {
		pid = pid * 10 + (line[i] - '0');
		if (pid > INT32_MAX)
			return -1;
	}
	*digits = i;
	return i && i < size && line[i] == ' ' ? pid : -1;
}

int tasks_read(struct tasks *t, const char *text)
{
	const char *line, *end;

	for (line = text ? text : ""; *line; line = *end ? end + 1 : end) {
		size_t digits = 0;
		int64_t pid;
		uint32_t name, *slot;

		end = strchrnul(line, '\n');
		pid = line_pid(line, (size_t)(end - line), &digits);
		if (pid < 0)
			continue;
		name = intern_id(&t->names, line + digits + 1,
				 (size_t)(end - line) - digits - 1);
		slot = name ? u64_map_insert(&t->by_pid, (uint64_t)pid, name) : NULL;
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
