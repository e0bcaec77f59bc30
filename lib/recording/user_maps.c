// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/user_maps.h"

#include <linux/perf_event.h>

#include "base/array.h"
#include "base/bytes.h"

#define MISC_MAP_BUILD_ID  (1U << 14)
#define MISC_BUILD_ID_SIZE (1U << 15)
#define BUILD_ID_MAX	   20U
/* Layout of a build ID record, and of a mapping record. */
#define HEADER_ID	   4U
#define HEADER_ID_SIZE	   24U
#define HEADER_ID_NAME	   28U
#define MAP_ID_SIZE	   32U
#define MAP_ID		   36U
#define MAP_INODE	   40U
/* A frame is USER_FRAME | file << FILE_SHIFT | offset. */
#define FILE_SHIFT	   48U
/* How far a mapping is moved to its place in time, and how many are checked for a frame. */
#define MAX_MOVES	   256U
#define MAX_LOOKS	   1024U
#define MAX_PARENTS	   16U
/* Room for everything before the path of a line. */
#define LINE_MAX_HEAD	   160U
/* Instead of a file: an exec removed all mappings, a fork copied those of the process @offset. */
#define FILE_NONE	   0U
#define FILE_PARENT	   UINT32_MAX

struct user_map {
	uint64_t time, start, last, offset;
	uint32_t file;
};

struct user_process {
	struct user_map *maps;
	size_t nr;
	uint32_t pid;
	bool used;
};

/* --- mappings ---------------------------------------------------------------------------- */

static struct user_process *find_process(const struct user_maps *u, uint32_t pid)
{
	const uint32_t *found = u64_map_find(&u->processes.index, pid);

	return found ? &u->processes.of[*found] : NULL;
}

/* Records of other CPUs may come first in the file, so this sorts them by time. */
static int add_map(struct user_maps *u, uint32_t pid, const struct user_map *map)
{
	struct user_process *p;
	size_t at;

	if (u->nr_maps == USER_MAPS_MAPS)
		return 0;
	p = INDEXED_ITEM(&u->processes, pid);
	if (p)
		p->pid = pid;
	if (!p || array_grow(&p->maps, p->nr))
		return -ENOMEM;
	for (at = p->nr; at && p->nr - at < MAX_MOVES; at--) {
		if (p->maps[at - 1].time <= map->time)
			break;
		p->maps[at] = p->maps[at - 1];
	}
	p->maps[at] = *map;
	p->nr++;
	u->nr_maps++;
	return 0;
}

/* Sets @out to the number of the file @path, 0 if there are too many. Containers have different
 * files of the same path: @mark tells them apart, "" if nothing does.
 */
static int get_file(struct user_maps *u, const char *path, size_t len, const char *mark,
		    uint32_t *out)
{
	const uint32_t known = u->files.keys.count;
	struct strbuf __auto_free key = { 0 };

	strbuf_add(&key, path, len);
	if (*mark)
		strbuf_add(&key, "", 1);
	strbuf_puts(&key, mark);
	*out = 0;
	if (key.failed)
		return -ENOMEM;
	if (known < USER_MAPS_FILES)
		*out = KEYED_ID_OF(&u->files, key.data, key.size);
	else
		*out = intern_find(&u->files.keys, key.data, key.size);
	return *out > u->files.nr || (known < USER_MAPS_FILES && !*out) ? -ENOMEM : 0;
}

static void format_id(char out[USER_MAPS_ID], const uint8_t *id, size_t size)
{
	*out = '\0';
	for (size_t i = 0; i < size && i < BUILD_ID_MAX; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

static int read_mmap(struct user_maps *u, const struct perf_record *rec, uint64_t time)
{
	const size_t name_at = rec->type == PERF_RECORD_MMAP ? 32 : 64;
	const bool big = rec->big_endian;
	const uint8_t *d = rec->data;
	struct user_map map = { .time = time };
	char id[USER_MAPS_ID] = "";
	uint64_t size;
	size_t len;
	int ret;

	if (rec->size <= name_at ||
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
	    rec->misc & PERF_RECORD_MISC_MMAP_DATA)
		return 0;
	len = strnlen((const char *)d + name_at, rec->size - name_at);
	size = get_u64(d + 16, big);
	map.start = get_u64(d + 8, big);
	map.offset = get_u64(d + 24, big);
	if (!len || !size || __builtin_add_overflow(map.start, size - 1, &map.last))
		return 0;
	if (rec->type == PERF_RECORD_MMAP2 && rec->misc & MISC_MAP_BUILD_ID)
		format_id(id, d + MAP_ID, d[MAP_ID_SIZE]);
	ret = get_file(u, (const char *)d + name_at, len, id, &map.file);
	if (ret)
		return ret;
	if (map.file && *id)
		memcpy(u->files.of[map.file - 1].id, id, sizeof(id));
	else if (map.file && rec->type == PERF_RECORD_MMAP2)
		u->files.of[map.file - 1].inode = get_u64(d + MAP_INODE, big);
	return add_map(u, get_u32(d, big), &map);
}

/* pid, parent, tid, parent's tid: a thread has its process's mappings anyway. */
static int read_fork(struct user_maps *u, const struct perf_record *rec, uint64_t time)
{
	struct user_map map = { .time = time, .last = UINT64_MAX, .file = FILE_PARENT };
	uint32_t pid;

	if (rec->size < 16)
		return 0;
	pid = get_u32(rec->data, rec->big_endian);
	map.offset = get_u32(rec->data + 4, rec->big_endian);
	return pid == map.offset ? 0 : add_map(u, pid, &map);
}

int user_maps_record(struct user_maps *u, const struct perf_record *rec, uint64_t time)
{
	const struct user_map exec = { .time = time,
				       .last = UINT64_MAX,
				       .file = FILE_NONE };

	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return read_mmap(u, rec, time);
	case PERF_RECORD_FORK:
		return read_fork(u, rec, time);
	case PERF_RECORD_COMM:
		if (rec->size < 8 || !(rec->misc & PERF_RECORD_MISC_COMM_EXEC))
			return 0;
		return add_map(u, get_u32(rec->data, rec->big_endian), &exec);
	default:
		return 0;
	}
}

int user_maps_build_id(struct user_maps *u, const struct perf_record *rec)
{
	const char *name = (const char *)rec->data + HEADER_ID_NAME;
	size_t id_size = BUILD_ID_MAX;
	uint32_t file;
	int ret;

	if (rec->size <= HEADER_ID_NAME ||
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return 0;
	if (rec->misc & MISC_BUILD_ID_SIZE)
		id_size = rec->data[HEADER_ID_SIZE];
	ret = get_file(u, name, strnlen(name, rec->size - HEADER_ID_NAME), "", &file);
	if (!ret && file)
		format_id(u->files.of[file - 1].id, rec->data + HEADER_ID, id_size);
	return ret;
}

/* Copies the line's beginning, without the path: sscanf() measures all the text that it gets. */
static size_t next_line(const char *text, char *line)
{
	size_t len = strcspn(text, "\n");

	snprintf(line, LINE_MAX_HEAD, "%.*s",
		 (int)(len < LINE_MAX_HEAD ? len : LINE_MAX_HEAD - 1), text);
	return len;
}

/* A line of @len characters: "START-LAST PERMISSIONS OFFSET DEVICE INODE   PATH". */
static int add_proc_line(struct user_maps *u, uint32_t pid, const char *text, size_t len)
{
	static const char deleted[] = " (deleted)", anon[] = "//anon";
	struct user_map map = { 0 };
	uint64_t inode;
	char perms[5], device[16], mark[40], line[LINE_MAX_HEAD];
	int at = 0, ret;

	next_line(text, line);
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %15s %" SCNu64 " %n",
		   &map.start, &map.last, perms, &map.offset, device, &inode, &at) != 6 ||
	    !at || (size_t)at > len || strlen(perms) < 3 || perms[2] != 'x' ||
	    map.last <= map.start)
		return 0;
	map.last--;
	text += at;
	len -= (size_t)at;
	if (len >= sizeof(deleted) &&
	    !memcmp(text + len - strlen(deleted), deleted, strlen(deleted)))
		len -= strlen(deleted);
	snprintf(mark, sizeof(mark), "%s %" PRIu64, device, inode);
	ret = len ? get_file(u, text, len, inode ? mark : "", &map.file)
		  : get_file(u, anon, strlen(anon), "", &map.file);
	if (ret)
		return ret;
	if (map.file && !u->files.of[map.file - 1].inode)
		u->files.of[map.file - 1].inode = inode;
	return add_map(u, pid, &map);
}

int user_maps_add_proc(struct user_maps *u, uint32_t pid, const char *text)
{
	int ret = 0;

	for (; !ret && *text; text = text_next_line(text))
		ret = add_proc_line(u, pid, text, strcspn(text, "\n"));
	return ret;
}

/* --- frames ------------------------------------------------------------------------------ */

bool user_maps_is_jit(const char *path, uint32_t *pid)
{
	int at = 0;

	return sscanf(path, "/tmp/perf-%" SCNu32 ".map%n", pid, &at) == 1 && at &&
	       !path[at];
}

/* Is this the name of memory that belongs to no file? */
static bool is_anonymous(const char *path)
{
	static const char *const starts[] = { "//anon", "/memfd:", "/dev/zero",
					      "/anon_hugepage", "[anon" };

	return ANY(i, ARRAY_SIZE(starts), !strncmp(path, starts[i], strlen(starts[i])));
}

/* What process @pid had mapped at @address, and the process that mapped it: @pid or an ancestor.
 * NULL: unknown.
 */
static const struct user_map *find_map(const struct user_maps *u, uint32_t *pid,
				       uint64_t time, uint64_t address)
{
	unsigned int looks = MAX_LOOKS, parents = 0;
	struct user_process *p = find_process(u, *pid);
	size_t i = p ? p->nr : 0;

	if (p)
		p->used = true;
	while (i && looks) {
		const struct user_map *m = &p->maps[--i];

		looks--;
		if (m->time > time || address < m->start || address > m->last)
			continue;
		if (m->file != FILE_PARENT)
			return m->file == FILE_NONE ? NULL : m;
		time = m->time;
		p = find_process(u, (uint32_t)m->offset);
		if (!p || parents++ == MAX_PARENTS)
			return NULL;
		p->used = true;
		*pid = p->pid;
		i = p->nr;
	}
	return NULL;
}

size_t user_maps_users(const struct user_maps *u, uint32_t file, uint32_t *pids,
		       size_t max)
{
	size_t nr = 0;

	for (size_t i = u->processes.nr; i-- && nr < max;) {
		const struct user_process *p = &u->processes.of[i];

		if (ANY(k, p->nr, p->maps[k].file == file))
			pids[nr++] = p->pid;
	}
	return nr;
}

/* The frame, or USER_FRAME; 0: memory ran out. */
static uint64_t find_frame(struct user_maps *u, uint32_t pid, uint64_t time,
			   uint64_t address)
{
	const struct user_map *m = find_map(u, &pid, time, address);
	uint64_t offset;
	uint32_t file;
	char jit[40];

	if (!m || m->file > USER_MAPS_FILES)
		return USER_FRAME;
	file = m->file;
	offset = m->offset + (address - m->start);
	if (is_anonymous(KEYED_KEY(&u->files, file - 1))) {
		snprintf(jit, sizeof(jit), USER_MAPS_JIT, pid);
		if (get_file(u, jit, strlen(jit), "", &file))
			return 0;
		offset = address;
	}
	return USER_FRAME | (uint64_t)file << FILE_SHIFT | USER_FRAME_OFFSET(offset);
}

/* Frames repeat: if nothing was mapped since @from, the result is the same. */
static struct user_recent *recent_frame(struct user_maps *u, uint32_t pid, uint64_t time,
					uint64_t address)
{
	struct user_recent *r =
		&u->recent[(address ^ address >> 9 ^ pid) % USER_MAPS_RECENT];

	if (r->pid != pid || r->address != address || r->nr_maps != u->nr_maps ||
	    time < r->from)
		r->frame = 0;
	return r;
}

static uint64_t last_change(const struct user_maps *u, uint32_t pid)
{
	const struct user_process *p = find_process(u, pid);

	return p && p->nr ? p->maps[p->nr - 1].time : 0;
}

uint64_t user_maps_frame(struct user_maps *u, uint32_t pid, uint64_t time,
			 uint64_t address)
{
	struct user_recent *recent = recent_frame(u, pid, time, address);
	uint64_t frame = recent->frame, from;

	if (frame)
		return frame;
	frame = find_frame(u, pid, time, address);
	if (frame > USER_FRAME && !u64_map_find(&u->used, frame)) {
		if (u->used.count >= USER_MAPS_FRAMES)
			frame = USER_FRAME;
		else if (!u64_map_insert(&u->used, frame, USER_FRAME_RETURN))
			frame = 0;
	}
	from = last_change(u, pid);
	if (time >= from)
		*recent = (struct user_recent){ address, from, frame, u->nr_maps, pid };
	return frame;
}

void user_maps_innermost(struct user_maps *u, uint64_t frame)
{
	uint32_t *used = u64_map_find(&u->used, frame);

	if (used)
		*used = USER_FRAME_INNERMOST;
}

/* --- in a recording ------------------------------------------------------------------------ */

static bool is_one_line(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path < ' ' || *path == 0x7f)
			return false;
	return true;
}

static void format_map(const struct user_map *m, struct strbuf *out)
{
	if (m->file == FILE_NONE)
		strbuf_printf(out, "exec %" PRIx64 "\n", m->time);
	else if (m->file == FILE_PARENT)
		strbuf_printf(out, "fork %" PRIx64 " %" PRIx64 "\n", m->time, m->offset);
	else
		strbuf_printf(out,
			      "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %x\n",
			      m->time, m->start, m->last, m->offset, m->file);
}

void user_maps_format(const struct user_maps *u, struct strbuf *out)
{
	for (uint32_t i = 1; i <= u->files.nr; i++) {
		const struct mapped_file *file = &u->files.of[i - 1];
		const char *path = KEYED_KEY(&u->files, i - 1);

		strbuf_printf(out, "file %s %" PRIx64 " ", *file->id ? file->id : "-",
			      file->inode);
		if (is_one_line(path))
			strbuf_printf(out, "%s\n", path);
		else
			strbuf_printf(out, "?%x\n", i);
	}
	for_each(p, u->processes.of, u->processes.nr) {
		if (!p->used)
			continue;
		strbuf_printf(out, "process %x\n", p->pid);
		for (size_t j = 0; j < p->nr; j++)
			format_map(&p->maps[j], out);
	}
}

/* @line: the beginning of the line at @text, which has @len characters */
static int parse_file(struct user_maps *u, const char *line, const char *text, size_t len)
{
	char id[USER_MAPS_ID], mark[16];
	uint64_t inode;
	uint32_t file;
	int at = 0, ret;

	if (sscanf(line, "file %40s %" SCNx64 " %n", id, &inode, &at) != 2 || !at ||
	    (size_t)at >= len)
		return 0;
	/* Each line has a number, even if an earlier one has the same path. */
	snprintf(mark, sizeof(mark), "%" PRIu32, u->files.keys.count);
	ret = get_file(u, text + at, len - (size_t)at, *id != '-' || inode ? mark : "",
		       &file);
	if (ret || !file)
		return ret;
	u->files.of[file - 1].inode = inode;
	snprintf(u->files.of[file - 1].id, sizeof(id), "%s", *id == '-' ? "" : id);
	return 0;
}

static int parse_map(struct user_maps *u, const char *line, uint32_t pid)
{
	struct user_map map = { .file = FILE_NONE };
	uint32_t file = 0;

	if (sscanf(line, "map %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %x",
		   &map.time, &map.start, &map.last, &map.offset, &file) == 5) {
		map.file = file;
		return file && file <= u->files.nr ? add_map(u, pid, &map) : 0;
	}
	map.last = UINT64_MAX;
	if (sscanf(line, "fork %" SCNx64 " %" SCNx64, &map.time, &map.offset) == 2) {
		map.file = FILE_PARENT;
		return add_map(u, pid, &map);
	}
	return sscanf(line, "exec %" SCNx64, &map.time) == 1 ? add_map(u, pid, &map) : 0;
}

int user_maps_parse(struct user_maps *u, const char *text)
{
	uint32_t pid = 0;
	int ret = 0;

	for (; !ret && *text; text = text_next_line(text)) {
		char line[LINE_MAX_HEAD];
		size_t len = next_line(text, line);

		if (!strncmp(line, "file ", 5))
			ret = parse_file(u, line, text, len);
		else if (sscanf(line, "process %x", &pid) != 1)
			ret = parse_map(u, line, pid);
	}
	return ret;
}

void user_maps_free(struct user_maps *u)
{
	for (size_t i = 0; i < u->processes.nr; i++)
		free(u->processes.of[i].maps);
	INDEXED_FREE(&u->processes);
	KEYED_FREE(&u->files);
	u64_map_free(&u->used);
}
