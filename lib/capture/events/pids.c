// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/pids.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "capture/events/ring_reader.h"
#include "recording/subbuf.h"

/* include/linux/proc_ns.h: PROC_PID_INIT_INO */
#define FIRST_NAMESPACE 0xEFFFFFFCU

bool pids_in_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_NAMESPACE;
}

/* proc(5): state and parent come after the name, which may hold any character. */
static int read_stat(pid_t pid, char *state, pid_t *parent)
{
	struct strbuf __auto_free sb = { 0 };
	const char *at;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	ret = instance_read_top(path, &sb);
	at = ret ? NULL : strrchr(strbuf_text(&sb), ')');
	if (!ret && (!at || at[1] != ' ' || !at[2]))
		ret = -EINVAL;
	if (!ret) {
		*state = at[2];
		*parent = (pid_t)strtol(at + 3, NULL, 10);
	}
	return ret;
}

static bool has_ended(char state)
{
	return state == 'Z' || state == 'X';
}

bool pids_runs(pid_t pid)
{
	pid_t parent;
	char state;
	int ret = read_stat(pid, &state, &parent);

	return ret ? ret != -ENOENT && ret != -ESRCH : !has_ended(state);
}

pid_t pids_parent(pid_t pid)
{
	pid_t parent;
	char state;

	return read_stat(pid, &state, &parent) || has_ended(state) ? -1 : parent;
}

int pids_begin(const struct instance *in)
{
	int fd = instance_open(in, "trace_marker", O_WRONLY);
	int ret = fd < 0 ? fd : instance_write(in, "tracing_on", "1");

	if (ret < 0)
		io_close(&fd);
	return ret < 0 ? ret : fd;
}

/* --- reading ----------------------------------------------------------------------------- */

/* The process number of @rec; common_pid has been at this offset since 2.6.31. */
static pid_t pid_of(const struct raw_record *rec)
{
	return rec->size < 8 ? 0 : (pid_t)get_u32(rec->data + 4, HOST_BIG_ENDIAN);
}

static bool has_line(const struct raw_record *rec, const char *line)
{
	return memmem(rec->data, rec->size, line, strlen(line)) != NULL;
}

static void find_lines(struct pids *out, const uint8_t *page, size_t size,
		       const struct ring_reader_layout *layout)
{
	uint64_t commit = get_uint(page + 8, layout->long_size, HOST_BIG_ENDIAN);
	uint32_t room = (uint32_t)size - layout->data_offset;
	struct subbuf sb = { .data = page + layout->data_offset,
			     .size = (uint32_t)commit & 0x3fffffff };
	struct subbuf_iter it;
	struct raw_record rec;

	if (sb.size > room)
		sb.size = room;
	it = subbuf_iter(&sb, HOST_BIG_ENDIAN);
	while (subbuf_iter_next(&it, &rec) > 0) {
		if (has_line(&rec, PIDS_RECORDER))
			out->self = pid_of(&rec);
		else if (has_line(&rec, PIDS_COMMAND))
			out->command = pid_of(&rec);
	}
}

static void read_cpu(struct pids *out, const struct instance *in, const char *cpu,
		     const struct ring_reader_layout *layout, uint8_t *page)
{
	int fd __auto_fd = -1;
	char file[300];
	ssize_t n;

	snprintf(file, sizeof(file), "per_cpu/%s/trace_pipe_raw", cpu);
	fd = instance_open(in, file, O_RDONLY | O_NONBLOCK);
	while (fd >= 0 &&
	       (n = read(fd, page, layout->subbuf_size)) > (ssize_t)layout->data_offset)
		find_lines(out, page, (size_t)n, layout);
}

static int read_lines(struct pids *out, const struct instance *in)
{
	struct strbuf __auto_free sb = { 0 };
	struct ring_reader_layout layout;
	uint8_t *page __auto_mem = NULL;
	DIR *dir __auto_dir = NULL;
	struct dirent *entry;
	int ret = instance_read(in, "events/header_page", &sb);

	if (!ret)
		ret = ring_reader_parse_layout(strbuf_text(&sb), &layout);
	if (ret)
		return ret;
	page = malloc(layout.subbuf_size);
	dir = io_list(instance_open(in, "per_cpu", O_RDONLY | O_DIRECTORY));
	while (page && dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "cpu", 3))
			read_cpu(out, in, entry->d_name, &layout, page);
	return 0;
}

/* Does /proc use the kernel's number for this process? */
static bool proc_agrees(pid_t self)
{
	char text[32] = "";

	return self && readlink("/proc/self", text, sizeof(text) - 1) > 0 &&
	       strtol(text, NULL, 10) == self;
}

void pids_end(struct pids *out, const struct instance *in, int marker_fd, pid_t command,
	      const struct log *log)
{
	int ret = marker_fd;

	*out = (struct pids){ 0 };
	if (marker_fd >= 0) {
		ret = write(marker_fd, PIDS_RECORDER, strlen(PIDS_RECORDER)) < 0 ? -errno
										 : 0;
		close(marker_fd);
		if (!ret)
			ret = instance_write(in, "tracing_on", "0");
		if (!ret)
			ret = read_lines(out, in);
		if (instance_write(in, "trace", "") < 0)
			log_msg(log, LOG_DEBUG, "cannot clear %s", in->name);
	}
	if (!out->self && pids_in_first_namespace())
		*out = (struct pids){ .self = getpid(), .command = command };
	if (!out->self)
		log_msg(log, LOG_INFO,
			"cannot determine the kernel's ID of this process: %s",
			ret < 0 ? strerror(-ret) : "its line did not come back");
	out->proc_agrees = proc_agrees(out->self);
}
