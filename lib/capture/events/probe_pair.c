// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: an array that a function fills, on kernels that do not know a function's arguments when
 * it returns: Linux 5.15 to 6.8.
 * In: a function. Out: an event in the group, as that of one probe would be.
 */
#include "capture/events/probes.h"

#include <stdarg.h>
#include <tracefs.h>

#define EXIT "alloc_out"
/* Stacks of threads are aligned to their size, which is this or more; so each has a key of its own.
 * Few threads are in the function at a time, and stacks are used again.
 */
#define KEY  "hist:keys=stack.buckets=16384"
#define SIZE ":size=8192"

static const struct instance top = { .lock_fd = -1 };

/* Appends the formatted text to a file of the top-level instance. 0 or -errno. */
static int __printf_fmt(2, 3) append(const char *file, const char *format, ...)
{
	char text[320];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return instance_append(&top, file, text);
}

static int create_one(struct tracefs_dynevent *event)
{
	int ret = event ? 0 : -ENOMEM;

	errno = EINVAL;
	if (event && tracefs_dynevent_create(event) < 0)
		ret = -errno;
	tracefs_dynevent_free(event);
	return ret;
}

/* Sets or, with @bang "!", removes the triggers. 0 or -errno. */
static int write_entry(const char *group, const char *bang)
{
	char file[128];

	snprintf(file, sizeof(file), "events/%s/" PROBE_PAIR_ENTRY "/trigger", group);
	return append(file, "%s" KEY ":n=nr,q=p" SIZE, bang);
}

static int write_exit(const char *group, const char *bang)
{
	char file[128];

	snprintf(file, sizeof(file), "events/%s/" EXIT "/trigger", group);
	return append(file,
		      "%s" KEY ":a=$n,b=$q:onmatch(%s." PROBE_PAIR_ENTRY
		      ").trace(%s_bulk,$a,$b,ret,__probe_ret_ip)" SIZE,
		      bang, group, group);
}

/* Some of it may not be there. */
void probe_pair_end(const char *group)
{
	write_exit(group, "!");
	write_entry(group, "!");
	append("dynamic_events", "-:synthetic/%s_bulk", group);
}

int probe_pair_create(const struct probe_pair *pair)
{
	char synthetic[64];
	int ret = create_one(tracefs_kprobe_alloc(pair->group, PROBE_PAIR_ENTRY,
						  pair->function, pair->entry));

	if (ret)
		return ret;
	snprintf(synthetic, sizeof(synthetic), "%s_bulk", pair->group);
	ret = create_one(tracefs_kretprobe_alloc(pair->group, EXIT, pair->function,
						 "ret=$retval:s32 stack=$stack:x64", 0));
	if (!ret)
		ret = append("dynamic_events",
			     "s:%s u64 nr; u64 p; s32 ret; unsigned long ip", synthetic);
	if (!ret)
		ret = create_one(tracefs_eprobe_alloc(
			pair->group, pair->name, "synthetic", synthetic, pair->args));
	if (!ret)
		ret = write_entry(pair->group, "");
	if (!ret)
		ret = write_exit(pair->group, "");
	if (!ret)
		return 0;
	append("dynamic_events", "-:%s/%s", pair->group, pair->name);
	probe_pair_end(pair->group);
	append("dynamic_events", "-:%s/" EXIT, pair->group);
	append("dynamic_events", "-:%s/" PROBE_PAIR_ENTRY, pair->group);
	return ret == -ENOENT ? -EINVAL : ret;
}
