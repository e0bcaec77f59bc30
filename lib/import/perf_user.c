// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: the user half of perf.data's callchains.
 * In: mappings, forks and execs; frames of processes. Out: frames that are the same in every
 * process, and their symbols.
 */
#include "import/perf_user.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "symbol/elf.h"
#include "symbol/program.h"
#include "symbol/symbols.h"

#define MISC_CPU_MODE	   7U
#define MISC_USER	   2U
#define MISC_MAPS_DATA	   (1U << 13)
#define MISC_EXEC	   (1U << 13)
#define MISC_MAP_BUILD_ID  (1U << 14)
#define MISC_BUILD_ID_SIZE (1U << 15)
#define BUILD_ID_MAX	   20U
/* Layout of a build ID record, and of a mapping's. */
#define HEADER_ID	   4U
#define HEADER_ID_SIZE	   24U
#define HEADER_ID_NAME	   28U
#define MAP_ID_SIZE	   32U
#define MAP_ID		   36U
#define MAP_INODE	   40U
/* A frame is SYMBOLS_USER | file << FILE_SHIFT | offset. */
#define FILE_SHIFT	   48U
#define OFFSET_MASK	   ((1ULL << FILE_SHIFT) - 1)
/* How far a mapping is moved to its place in time, and how many are looked at for a frame. */
#define MAX_MOVES	   256U
#define MAX_LOOKS	   1024U
#define MAX_PARENTS	   16U
/* Instead of a file: an exec removed all mappings, a fork copied those of the process @offset. */
#define FILE_NONE	   0U
#define FILE_PARENT	   UINT32_MAX

struct user_map {
	uint64_t time, start, last, offset;
	uint32_t file;
};

struct user_process {
	struct user_map *maps;
	size_t nr, capacity;
};

/* --- mappings ---------------------------------------------------------------------------- */

static struct user_process *get_process(struct perf_user *u, uint32_t pid)
{
	const uint32_t *found = u64_map_find(&u->by_pid, pid);

	if (found)
		return &u->processes[*found];
	if (array_reserve(&u->processes, &u->capacity, u->nr_processes + 1,
			  sizeof(*u->processes)) ||
	    !u64_map_insert(&u->by_pid, pid, (uint32_t)u->nr_processes))
		return NULL;
	u->processes[u->nr_processes] = (struct user_process){ 0 };
	return &u->processes[u->nr_processes++];
}

/* Records of other CPUs may come first in the file, so this sorts them by time. */
static int add_map(struct perf_user *u, uint32_t pid, const struct user_map *map)
{
	struct user_process *p;
	size_t at;

	if (u->nr_maps == PERF_USER_MAPS)
		return 0;
	p = get_process(u, pid);
	if (!p || array_reserve(&p->maps, &p->capacity, p->nr + 1, sizeof(*p->maps)))
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

/* Sets @out to the number of the file @path, 0 if there are too many. */
static int get_file(struct perf_user *u, const char *path, size_t len, uint32_t *out)
{
	const uint32_t known = u->files.count;

	*out = known < PERF_USER_FILES ? intern_id(&u->files, path, len)
				       : intern_find(&u->files, path, len);
	if (known < PERF_USER_FILES && !*out)
		return -ENOMEM;
	if (u->files.count == known)
		return 0;
	if (array_reserve(&u->ids, &u->ids_capacity, *out + 1, sizeof(*u->ids)) ||
	    array_reserve(&u->inodes, &u->inodes_capacity, *out + 1, sizeof(*u->inodes)))
		return -ENOMEM;
	*u->ids[*out] = '\0';
	u->inodes[*out] = 0;
	return 0;
}

static void set_id(struct perf_user *u, uint32_t file, const uint8_t *id, size_t size)
{
	for (size_t i = 0; file && i < size && i < BUILD_ID_MAX; i++)
		snprintf(u->ids[file] + 2 * i, 3, "%02x", id[i]);
}

static int read_mmap(struct perf_user *u, const struct perf_record *rec, uint64_t time,
		     bool big)
{
	const size_t name_at = rec->type == PERF_MMAP ? 32 : 64;
	const uint8_t *d = rec->data;
	struct user_map map = { .time = time };
	uint64_t size;
	size_t len;
	int ret;

	if (rec->size <= name_at || (rec->misc & MISC_CPU_MODE) != MISC_USER ||
	    rec->misc & MISC_MAPS_DATA)
		return 0;
	len = strnlen((const char *)d + name_at, rec->size - name_at);
	size = get_u64(d + 16, big);
	map.start = get_u64(d + 8, big);
	map.offset = get_u64(d + 24, big);
	if (!len || !size || __builtin_add_overflow(map.start, size - 1, &map.last))
		return 0;
	ret = get_file(u, (const char *)d + name_at, len, &map.file);
	if (ret)
		return ret;
	if (map.file && rec->type == PERF_MMAP2 && rec->misc & MISC_MAP_BUILD_ID)
		set_id(u, map.file, d + MAP_ID, d[MAP_ID_SIZE]);
	else if (map.file && rec->type == PERF_MMAP2)
		u->inodes[map.file] = get_u64(d + MAP_INODE, big);
	return add_map(u, get_u32(d, big), &map);
}

/* pid, parent, tid, parent's tid: a thread has its process's mappings anyway. */
static int read_fork(struct perf_user *u, const uint8_t *data, uint64_t time, bool big)
{
	const struct user_map map = { .time = time,
				      .last = UINT64_MAX,
				      .offset = get_u32(data + 4, big),
				      .file = FILE_PARENT };
	const uint32_t pid = get_u32(data, big);

	return pid == map.offset ? 0 : add_map(u, pid, &map);
}

static int read_build_id(struct perf_user *u, uint16_t misc, const uint8_t *data,
			 size_t size)
{
	const char *name = (const char *)data + HEADER_ID_NAME;
	size_t id_size = BUILD_ID_MAX;
	uint32_t file;
	int ret;

	if (size <= HEADER_ID_NAME || (misc & MISC_CPU_MODE) != MISC_USER)
		return 0;
	if (misc & MISC_BUILD_ID_SIZE)
		id_size = data[HEADER_ID_SIZE];
	ret = get_file(u, name, strnlen(name, size - HEADER_ID_NAME), &file);
	if (!ret)
		set_id(u, file, data + HEADER_ID, id_size);
	return ret;
}

int perf_user_build_ids(struct perf_user *u, const uint8_t *data, size_t size,
			bool big_endian)
{
	int ret = 0;

	while (!ret && size >= PERF_RECORD_HEADER) {
		uint16_t len = get_u16(data + 6, big_endian);

		if (len < PERF_RECORD_HEADER || len > size)
			return 0;
		ret = read_build_id(u, get_u16(data + 4, big_endian),
				    data + PERF_RECORD_HEADER, len - PERF_RECORD_HEADER);
		data += len;
		size -= len;
	}
	return ret;
}

int perf_user_record(struct perf_user *u, const struct perf_attrs *attrs,
		     const struct perf_record *rec)
{
	const struct user_map exec = { .last = UINT64_MAX, .file = FILE_NONE };
	const bool big = attrs->big_endian;
	struct perf_sample at;
	struct user_map map = exec;

	switch (rec->type) {
	case PERF_HEADER_BUILD_ID:
		return read_build_id(u, rec->misc, rec->data, rec->size);
	case PERF_MMAP:
	case PERF_MMAP2:
	case PERF_FORK:
	case PERF_COMM:
		perf_sample_parse_trailer(attrs, rec->data, rec->size, &at);
		break;
	default:
		return 0;
	}
	if (rec->type == PERF_MMAP || rec->type == PERF_MMAP2)
		return read_mmap(u, rec, at.time, big);
	if (rec->type == PERF_FORK)
		return rec->size < 16 ? 0 : read_fork(u, rec->data, at.time, big);
	map.time = at.time;
	if (rec->size < 8 || !(rec->misc & MISC_EXEC))
		return 0;
	return add_map(u, get_u32(rec->data, big), &map);
}

/* --- frames ------------------------------------------------------------------------------ */

/* What process @pid had mapped at @address; NULL: unknown. */
static const struct user_map *find_map(const struct perf_user *u, uint32_t pid,
				       uint64_t time, uint64_t address)
{
	unsigned int looks = MAX_LOOKS, parents = 0;
	const uint32_t *found = u64_map_find(&u->by_pid, pid);
	const struct user_process *p = found ? &u->processes[*found] : NULL;
	size_t i = p ? p->nr : 0;

	while (i && looks) {
		const struct user_map *m = &p->maps[--i];

		looks--;
		if (m->time > time || address < m->start || address > m->last)
			continue;
		if (m->file != FILE_PARENT)
			return m->file == FILE_NONE ? NULL : m;
		found = u64_map_find(&u->by_pid, m->offset);
		if (!found || parents++ == MAX_PARENTS)
			return NULL;
		time = m->time;
		p = &u->processes[*found];
		i = p->nr;
	}
	return NULL;
}

uint64_t perf_user_frame(struct perf_user *u, uint32_t pid, uint64_t time,
			 uint64_t address)
{
	const struct user_map *m = find_map(u, pid, time, address);
	uint64_t frame = SYMBOLS_USER;

	if (m && m->file <= PERF_USER_FILES)
		frame |= (uint64_t)m->file << FILE_SHIFT |
			 ((m->offset + (address - m->start)) & OFFSET_MASK);
	if (frame == SYMBOLS_USER || u64_map_find(&u->used, frame))
		return frame;
	if (u->used.count >= PERF_USER_FRAMES)
		return SYMBOLS_USER;
	return u64_map_insert(&u->used, frame, 1) ? frame : 0;
}

/* --- symbols ----------------------------------------------------------------------------- */

/* Is the open file the one that was mapped? */
static bool is_same(const struct recording_import_options *opts, int fd, const char *id,
		    uint64_t inode)
{
	char found[ELF_BUILD_ID_MAX];
	struct stat st;

	if (*id)
		return !elf_build_id(fd, found) && !strcmp(found, id);
	return opts->programs_chosen || (inode && !fstat(fd, &st) && st.st_ino == inode);
}

static int open_same(const struct recording_import_options *opts, const char *path,
		     const char *id, uint64_t inode)
{
	int fd = opts->open_program ? opts->open_program(opts->ctx, path) : -ENOENT;

	if (fd >= 0 && !is_same(opts, fd, id, inode)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

/* Opens file @file and its debug symbols. 0 and @out, NULL if it is not here; -ENOMEM. */
static int open_program(const struct perf_user *u,
			const struct recording_import_options *opts, uint32_t file,
			struct program **out)
{
	const char *path = intern_get(&u->files, file, NULL), *id = u->ids[file];
	int fd = *path == '/' && path[1] != '/'
			 ? open_same(opts, path, id, u->inodes[file])
			 : -ENOENT;
	int symbols_fd = -1, ret;
	char debug[128];

	*out = NULL;
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	if (strlen(id) > 2) {
		snprintf(debug, sizeof(debug), "/usr/lib/debug/.build-id/%.2s/%s.debug",
			 id, id + 2);
		symbols_fd = open_same(opts, debug, id, 0);
	}
	ret = program_open(out, fd, symbols_fd);
	close(fd);
	if (symbols_fd >= 0)
		close(symbols_fd);
	return ret == -ENOMEM ? ret : 0;
}

/* The file's name without its directory and the brackets of "[vdso]", in one word. */
static void put_name(struct strbuf *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;

	for (name += *name == '['; *name; name++) {
		char c = *name <= ' ' || *name == 0x7f || *name == '[' ? '_' : *name;

		if (c != ']')
			strbuf_add(out, &c, 1);
	}
}

/* Adds the symbol of @frame, unless it is in the function that begins at @last. */
static void put_symbol(const struct program *p, const char *path, uint64_t frame,
		       uint64_t *last, struct strbuf *out)
{
	uint64_t address = frame & OFFSET_MASK, start = 0;
	const char *function = NULL;

	if (p) {
		address = program_address(p, address);
		function = program_function(p, address, &start);
	}
	if (function && frame - (address - start) == *last)
		return;
	*last = function ? frame - (address - start) : frame;
	strbuf_printf(out, "%016" PRIx64 " T %s", *last, function ? "" : "[");
	put_name(out, path);
	if (function)
		strbuf_printf(out, "`%s\n", function);
	else
		strbuf_printf(out, "+0x%" PRIx64 "]\n", address);
}

int perf_user_symbols(const struct perf_user *u,
		      const struct recording_import_options *opts, struct strbuf *out)
{
	struct u64_map_slot *frames = u64_map_sorted(&u->used);
	struct program *p = NULL;
	uint32_t file = 0;
	uint64_t last = 0;
	int ret = frames ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < u->used.count; i++) {
		uint64_t frame = frames[i].key;
		uint32_t its = (uint32_t)((frame & ~SYMBOLS_USER) >> FILE_SHIFT);

		if (!i)
			strbuf_printf(out, "%016" PRIx64 " T [unknown]\n",
				      (uint64_t)SYMBOLS_USER);
		if (its != file) {
			program_close(p);
			p = NULL;
			ret = open_program(u, opts, its, &p);
			file = its;
		}
		if (!ret)
			put_symbol(p, intern_get(&u->files, file, NULL), frame, &last,
				   out);
	}
	program_close(p);
	free(frames);
	return ret ? ret : out->failed ? -ENOMEM : 0;
}

void perf_user_free(struct perf_user *u)
{
	for (size_t i = 0; i < u->nr_processes; i++)
		free(u->processes[i].maps);
	free(u->processes);
	intern_free(&u->files);
	free(u->ids);
	free(u->inodes);
	u64_map_free(&u->by_pid);
	u64_map_free(&u->used);
}
