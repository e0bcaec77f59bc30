// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/mappings.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "event/formats.h"
#include "symbol/user_symbols.h"

/* Bytes of a CPU's buffer, a power of two: an exec of a program with ten libraries takes 1.5 KB. */
#define RING_BYTES (512UL << 10)
/* struct userstack_entry of the kernel, after the common fields. */
#define TGID_AT	   8U
#define FRAMES_AT  (8U + sizeof(long))

struct mapping_ring {
	int fd;
	uint8_t *pages; /* the control page, then RING_BYTES */
};

struct mappings {
	struct user_maps maps;
	struct mapping_ring *rings;
	size_t nr, page_size;
	uint64_t lost;
	uint16_t id; /* of user_stack events */
	bool failed; /* memory ran out */
	const struct log *log;
};

/* --- the kernel's reports ------------------------------------------------------------------- */

/* Sets the clock of the kernel's records to the trace clock. False: perf has no such clock. */
static bool set_clock(struct perf_event_attr *attr, const char *clock)
{
	static const char *const own[] = { "perf", "local", "global" };
	clockid_t id = 0;
	bool has = facts_clock(clock, &id);

	attr->use_clockid = has;
	attr->clockid = id;
	return has || ANY(i, ARRAY_SIZE(own), !strcmp(clock, own[i]));
}

static int open_ring(struct mappings *m, struct perf_event_attr *attr, int cpu)
{
	struct mapping_ring *ring = &m->rings[m->nr];
	void *pages;

	ring->fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1,
				PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	pages = mmap(NULL, m->page_size + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		     ring->fd, 0);
	if (pages == MAP_FAILED) {
		int err = -errno;

		close(ring->fd);
		return err;
	}
	ring->pages = pages;
	m->nr++;
	return 0;
}

/* Linux 5.12 and later report build IDs. */
static void ask_build_ids(struct perf_event_attr *attr, bool ask)
{
#ifdef PERF_RECORD_MISC_MMAP_BUILD_ID
	attr->build_id = ask;
#else
	(void)attr;
#endif
}

static int open_rings(struct mappings *m, struct perf_event_attr *attr)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int ret = 0;

	m->rings = calloc((size_t)(cpus > 0 ? cpus : 1), sizeof(*m->rings));
	if (!m->rings)
		return -ENOMEM;
	for (int cpu = 0; !ret && cpu < cpus; cpu++) {
		ret = open_ring(m, attr, cpu);
		if (ret == -EINVAL && !m->nr) {
			ask_build_ids(attr, false);
			ret = open_ring(m, attr, cpu);
		}
		if (ret == -ENODEV) /* offline */
			ret = 0;
	}
	return ret;
}

static void take_record(struct mappings *m, const uint8_t *p, size_t size)
{
	struct perf_record rec = { .type = get_u32(p, HOST_BIG_ENDIAN),
				   .misc = get_u16(p + 4, HOST_BIG_ENDIAN),
				   .data = p + 8,
				   .size = (uint32_t)(size - 8),
				   .big_endian = HOST_BIG_ENDIAN };

	if (rec.type == PERF_RECORD_LOST && rec.size >= 16)
		m->lost += get_u64(p + 16, HOST_BIG_ENDIAN);
	/* Every record ends with its time. */
	if (rec.size < 8)
		return;
	if (user_maps_record(&m->maps, &rec, get_u64(p + size - 8, HOST_BIG_ENDIAN)))
		m->failed = true;
}

static void read_ring(struct mappings *m, const struct mapping_ring *ring)
{
	struct perf_event_mmap_page *control = (struct perf_event_mmap_page *)ring->pages;
	const uint8_t *data = ring->pages + m->page_size;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = control->data_tail;
	uint8_t whole[UINT16_MAX + 1];

	while (tail + 8 <= head) {
		const size_t at = tail % RING_BYTES;
		/* The header is 8 bytes, aligned, so it is in one piece. */
		const size_t size = get_u16(data + at + 6, HOST_BIG_ENDIAN);
		const size_t first = SMALLER(RING_BYTES - at, size);

		if (size < 8)
			break;
		memcpy(whole, data + at, first);
		memcpy(whole + first, data, size - first);
		take_record(m, whole, size);
		tail += size;
	}
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

void mappings_read(struct mappings *m)
{
	for (size_t i = 0; m && i < m->nr; i++)
		read_ring(m, &m->rings[i]);
}

/* --- at the start ---------------------------------------------------------------------------- */

static int add_process(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	struct mappings *m = ctx;
	struct strbuf __auto_free text = { 0 };
	char path[40];
	int ret;

	(void)task_fd;
	if (pid != tgid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	ret = text_file_read(&text, path, IO_FILE);
	ret = ret ?: user_maps_add_proc(&m->maps, pid, strbuf_text(&text));
	return ret == -ENOMEM ? ret : 0;
}

static int read_id(struct mappings *m)
{
	struct strbuf __auto_free text = { 0 };
	int ret = instance_read_top("events/ftrace/user_stack/format", &text);
	char name[128];

	if (!ret && !format_head(strbuf_text(&text), text.size, name, &m->id))
		ret = -ENOTSUP;
	return ret;
}

static int begin(struct mappings *m, const char *clock)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY,
					.sample_type = PERF_SAMPLE_TIME,
					.mmap = 1,
					.mmap2 = 1,
					.comm = 1,
					.comm_exec = 1,
					.task = 1,
					.sample_id_all = 1 };
	int ret = read_id(m);

	if (ret)
		return ret;
	if (!set_clock(&attr, clock)) {
		log_msg(m->log, LOG_ERROR,
			"--user-stack cannot be used with the clock %s, of which the kernel tells no mappings\n  Leave out --clock, or use mono, boot or local",
			clock);
		return -EINVAL;
	}
	ask_build_ids(&attr, true);
	ret = open_rings(m, &attr);
	log_errno(
		m->log, LOG_WARN, ret,
		"the kernel does not tell of mappings: %m; frames of programs that start now have no names");
	ret = threads_walk("/proc", add_process, m, 0);
	return ret == -ENOMEM ? ret : 0;
}

int mappings_begin(struct mappings **out, const char *clock, const struct log *log)
{
	struct mappings *m = calloc(1, sizeof(*m));
	int ret;

	*out = m;
	if (!m)
		return -ENOMEM;
	m->log = log;
	m->page_size = (size_t)sysconf(_SC_PAGESIZE);
	ret = begin(m, clock);
	if (ret && ret != -EINVAL)
		log_msg(log, LOG_ERROR, "cannot read the mappings of programs: %s",
			strerror(-ret));
	return ret;
}

/* --- at the end ------------------------------------------------------------------------------ */

static int take_event(void *ctx, const struct raw_record *rec)
{
	struct mappings *m = ctx;
	const uint8_t *at = rec->data + FRAMES_AT;
	uint32_t pid;

	if (rec->size < FRAMES_AT + USER_STACK_FRAMES * sizeof(long) ||
	    get_u16(rec->data, HOST_BIG_ENDIAN) != m->id)
		return 0;
	pid = get_u32(rec->data + TGID_AT, HOST_BIG_ENDIAN);
	for (unsigned int i = 0; i < USER_STACK_FRAMES; i++, at += sizeof(long)) {
		uint64_t address = get_uint(at, sizeof(long), HOST_BIG_ENDIAN), frame;

		if (!address)
			break;
		frame = user_maps_frame(&m->maps, pid, rec->ts, address);
		if (!frame)
			return -ENOMEM;
		if (!i)
			user_maps_innermost(&m->maps, frame);
	}
	return 0;
}

/* Opens @path as process @pid sees it. Links in a container could lead out of it. */
static int open_in_container(const char *path, uint32_t pid)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS
	};
	struct stat st;
	char root[40];
	int dir __auto_fd = -1, fd;

	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", pid);
	dir = open(root, O_PATH | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd < 0 ? -ENOENT : fd;
	close(fd);
	return -ENOENT;
}

/* Follows no link: anybody can put one into /tmp, and no mapped file's path ends in one. */
static int open_program(void *ctx, const char *path, uint32_t pid)
{
	struct stat st;
	int fd;

	(void)ctx;
	if (pid)
		return open_in_container(path, pid);
	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool runs_as(uint32_t pid, uint32_t user)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	return !stat(path, &st) && st.st_uid == user;
}

static int add_texts(struct mappings *m, struct facts *f)
{
	const struct user_symbols_options opts = { .open = open_program,
						   .containers = true,
						   .owner = new_file_sudo_id("SUDO_UID"),
						   .runs_as = runs_as };
	struct user_texts texts = { 0 };
	struct strbuf __auto_free maps = { 0 };
	int ret = user_symbols(&m->maps, &opts, &texts);

	user_maps_format(&m->maps, &maps);
	f->failed |= maps.failed;
	facts_add_meta(f, RECORDING_META_USER_MAPS, strbuf_text(&maps), maps.size);
	if (texts.symbols.size)
		facts_add_meta(f, RECORDING_META_USER_SYMBOLS,
			       strbuf_text(&texts.symbols), texts.symbols.size);
	if (texts.lines.size)
		facts_add_meta(f, RECORDING_META_USER_LINES, strbuf_text(&texts.lines),
			       texts.lines.size);
	strbuf_free(&texts.symbols);
	strbuf_free(&texts.lines);
	return ret;
}

int mappings_add(struct mappings *m, struct facts *f, struct ring_reader *reader)
{
	int ret = m->failed ? -ENOMEM : 0;

	mappings_read(m);
	if (m->lost)
		log_msg(m->log, LOG_WARN,
			"the kernel lost %" PRIu64
			" record%s of mappings: some frames of programs have no names",
			m->lost, plural(m->lost));
	for (size_t i = 0; !ret && i < reader->nr_cpus; i++)
		ret = ring_reader_each(reader, i, take_event, m);
	return ret ?: add_texts(m, f);
}

void mappings_end(struct mappings *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr; i++) {
		munmap(m->rings[i].pages, m->page_size + RING_BYTES);
		close(m->rings[i].fd);
	}
	free(m->rings);
	user_maps_free(&m->maps);
	free(m);
}
