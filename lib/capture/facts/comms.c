// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/comms.h"

#include "base/array.h"
#include "capture/facts/threads.h"

static struct comm *find_or_add(struct comms *c, uint32_t pid)
{
	uint32_t *index = u64_map_find(&c->by_pid, pid);

	if (index)
		return &c->items[*index];
	if (array_reserve(&c->items, &c->capacity, c->count + 1, sizeof(*c->items)) ||
	    !u64_map_insert(&c->by_pid, pid, (uint32_t)c->count))
		return NULL;
	c->items[c->count].pid = pid;
	return &c->items[c->count++];
}

int comms_add(struct comms *c, uint32_t pid, const char *name)
{
	struct comm *item = find_or_add(c, pid);
	size_t i;

	if (!item)
		return -ENOMEM;
	/* A process may choose any bytes; a newline could forge another line. */
	for (i = 0; i < sizeof(item->name) - 1 && name[i] && name[i] != '\n'; i++)
		item->name[i] = (unsigned char)name[i] < ' ' ? '?' : name[i];
	item->name[i] = '\0';
	return 0;
}

static int add_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	char comm[64];

	if (thread_read(task_fd, pid, "comm", comm, sizeof(comm)) <= 0)
		return 0;
	return comms_add(ctx, pid, comm);
}

int comms_add_proc(struct comms *c, const char *proc)
{
	return threads_walk(proc, add_thread, c);
}

int comms_add_text(struct comms *c, const char *text)
{
	int ret = 0;

	while (!ret && *text) {
		size_t len = strcspn(text, "\n");
		const char *space = memchr(text, ' ', len);
		char number[16];
		uint32_t pid;

		if (space && (size_t)(space - text) < sizeof(number) &&
		    strncmp(space + 1, "<...>", 5) != 0) {
			memcpy(number, text, (size_t)(space - text));
			number[space - text] = '\0';
			if (thread_parse_pid(number, &pid))
				ret = comms_add(c, pid, space + 1);
		}
		text = text_next_line(text);
	}
	return ret;
}

void comms_format(const struct comms *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].name[0])
			strbuf_printf(out, "%u %s\n", c->items[i].pid, c->items[i].name);
}

void comms_free(struct comms *c)
{
	free(c->items);
	u64_map_free(&c->by_pid);
	*c = (struct comms){ 0 };
}
