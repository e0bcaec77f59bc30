// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/slab_counts.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/io.h"
#include "recording/snapshot.h"

#define FILE_TEXT   64
/* Shrinking a cache walks its partial slabs with interrupts off, so a cache with more free objects
 * than this is counted without shrinking. If shrinking one cache takes this long, as when a CPU is
 * too busy to take part, no more are shrunk.
 */
#define GENTLE_FREE 50000
#define GENTLE_NS   10000000
/* CPUs that must not be disturbed: shrinking runs a worker on each CPU that holds slabs. */
#define ISOLATED    "/sys/devices/system/cpu/isolated"
#define NOHZ	    "/sys/devices/system/cpu/nohz_full"

/* Descriptors left for everything else: the pipes of many CPUs, a flight recorder's files. */
#define OTHER_FILES 512

/* One cache of slabinfo. */
struct cache {
	char name[256];
	uint64_t slab_bytes; /* bytes of a slab's objects */
	uint64_t worth;	     /* bytes of the cache that CPUs may hide */
	uint64_t free;	     /* objects that slabinfo says are free */
	uint64_t objects, held, sheaf, begin, read, end;
	bool counted, shrunk;
	const struct slab_files_cache *files; /* those that stay open; NULL: none */
};

struct counting {
	const struct slab_files *open;
	int dir;
	clockid_t clock;
	uint64_t cpus;	   /* of the machine */
	uint64_t to_spend; /* on shrinking, ns; UINT64_MAX: no limit of any kind */
	uint64_t spent;
	int tries; /* attempts to count a cache while CPUs hold none of it */
};

/* --- files that stay open ------------------------------------------------------------------ */

static const char *const names[SLAB_FILES] = { "shrink",	 "objects",
					       "cpu_slabs",	 "slabs_cpu_partial",
					       "sheaf_capacity", "reclaim_account" };

/* How many files may be opened: all of @caches, or as many as the limit leaves. */
static size_t room_for(size_t caches)
{
	rlim_t wanted = caches * SLAB_FILES + OTHER_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	if (limit.rlim_cur < wanted) {
		limit.rlim_cur = SMALLER(limit.rlim_max, wanted);
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0 ||
		    getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return 0;
	}
	return less(limit.rlim_cur, OTHER_FILES);
}

/* A descriptor of a cache's file in @dir; -1: it cannot be opened. */
static int open_file(int dir, const char *cache, enum slab_file file)
{
	char path[NAME_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", cache, names[file]);
	return openat(dir, path, (file == SLAB_SHRINK ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* Opens and reads the files of one cache in @dir. */
static void open_cache(int dir, const char *name, struct slab_files_cache *c)
{
	char byte;

	snprintf(c->name, sizeof(c->name), "%s", name);
	for (int i = 0; i < SLAB_FILES; i++) {
		c->fds[i] = open_file(dir, name, (enum slab_file)i);
		/* The kernel allocates a page on the first read. */
		if (i != SLAB_SHRINK && i != SLAB_RECLAIM_ACCOUNT && c->fds[i] >= 0 &&
		    pread(c->fds[i], &byte, 1, 0) < 0)
			continue;
	}
}

static void close_cache(struct slab_files_cache *c)
{
	for (int i = 0; i < SLAB_FILES; i++)
		io_close(&c->fds[i]);
}

/* The caches of slabinfo that can be found by their names, as far as memory allows. */
static struct cache *list_caches(const char *slabinfo, size_t *nr)
{
	struct cache *caches = NULL;
	struct slabinfo_line line;

	*nr = 0;
	while (slabinfo_next(&slabinfo, &line)) {
		struct cache c = { .slab_bytes = line.size * line.per_slab,
				   .free = line.total > line.active
						   ? line.total - line.active
						   : 0 };

		if (line.name[0] == '.' || memchr(line.name, '/', line.name_len))
			continue;
		snprintf(c.name, sizeof(c.name), "%.*s", (int)line.name_len, line.name);
		if (ARRAY_ADD(caches, *nr, c))
			break;
	}
	return caches;
}

void slab_files_open(struct slab_files *f, const char *path, const char *slabinfo)
{
	int dir __auto_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct cache *caches __auto_mem = NULL;
	size_t nr, room;

	if (dir < 0)
		return;
	caches = list_caches(slabinfo, &nr);
	room = room_for(nr) / SLAB_FILES;
	f->caches = calloc(nr + 1, sizeof(*f->caches));
	while (f->caches && f->nr < nr && f->nr < room) {
		open_cache(dir, caches[f->nr].name, &f->caches[f->nr]);
		f->nr++;
	}
}

const struct slab_files_cache *slab_files_of(const struct slab_files *f, const char *name)
{
	return FIND(cache, f->caches, f->nr, !strcmp(cache->name, name));
}

void slab_files_close(struct slab_files *f)
{
	for (size_t i = 0; i < f->nr; i++)
		close_cache(&f->caches[i]);
	free(f->caches);
	*f = (struct slab_files){ 0 };
}

/* --- counting ------------------------------------------------------------------------------ */

/* A cache's files: open in @fds, or, if that is NULL, in the directory @name of @dir. */
struct place {
	const int *fds;
	int dir;
	const char *name;
};

/* Reads the beginning of a file; false if it cannot be read. */
static bool read_text(const struct place *p, enum slab_file file, char text[FILE_TEXT])
{
	int own __auto_fd = p->fds ? -1 : open_file(p->dir, p->name, file);
	int fd = p->fds ? p->fds[file] : own;
	ssize_t n;

	n = fd < 0 ? -1 : pread(fd, text, FILE_TEXT - 1, 0);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Objects of a sheaf; 0: the cache has none. */
static uint64_t read_sheaf(const struct place *p)
{
	char text[FILE_TEXT];

	read_text(p, SLAB_SHEAF_CAPACITY, text);
	return strtoull(text, NULL, 10);
}

/* The most slabs that CPUs may hold. cpu_slabs omits a CPU's list of partial slabs while that CPU
 * has no slab of its own (show_slab_objects() of mm/slub.c: "if (!slab) continue").
 * slabs_cpu_partial, "OBJECTS(SLABS) ...", has all the lists. The CPUs' own slabs are at most
 * cpu_slabs, and at most one per CPU.
 */
static uint64_t read_held(const struct place *p, uint64_t cpus)
{
	char text[FILE_TEXT], partial[FILE_TEXT];
	uint64_t slabs, listed, own;
	const char *paren;

	read_text(p, SLAB_CPU_SLABS, text);
	slabs = strtoull(text, NULL, 10);
	if (!read_text(p, SLAB_CPU_PARTIAL, partial))
		return slabs;
	paren = strchr(partial, '(');
	listed = paren ? strtoull(paren + 1, NULL, 10) : 0;
	own = SMALLER(slabs, cpus);
	return LARGER(slabs, listed + own);
}

/* The machine's CPUs. The C library reads a file on every call. */
static uint64_t nr_cpus(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return cpus > 0 ? (uint64_t)cpus : UINT64_MAX;
}

/* The next cache of @dir; NULL: none. Merged caches have a name of their own, ":0000192", which
 * slabinfo does not use.
 */
static const char *next_cache(DIR *dir)
{
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && entry->d_name[0] != ':')
			return entry->d_name;
	return NULL; /* also without SLUB, or sysfs */
}

void slab_counts_held(struct strbuf *out, const char *path, bool sheaves)
{
	DIR *dir __auto_dir = opendir(path);
	struct place p = { .dir = dir ? dirfd(dir) : -1 };
	uint64_t cpus = nr_cpus();

	while ((p.name = next_cache(dir)))
		strbuf_printf(out, "%s %" PRIu64 " %" PRIu64 "\n", p.name,
			      read_held(&p, cpus), sheaves ? read_sheaf(&p) : 0);
}

void slab_counts_reclaim(struct strbuf *out, const char *path)
{
	DIR *dir __auto_dir = opendir(path);
	struct place p = { .dir = dir ? dirfd(dir) : -1 };
	char text[FILE_TEXT];

	while ((p.name = next_cache(dir)))
		if (read_text(&p, SLAB_RECLAIM_ACCOUNT, text))
			strbuf_printf(out, "%s %d\n", p.name, text[0] == '1');
}

/* Counts one cache, and shrinks it first if there is time left. Allocates nothing, as no event
 * would record this process's allocations.
 */
static void count_once(struct counting *to, struct cache *c, const int fds[SLAB_FILES],
		       bool may_shrink)
{
	const struct place files = { .fds = fds };
	uint64_t held;
	char text[FILE_TEXT];

	c->begin = clock_ns(to->clock);
	c->shrunk = may_shrink && to->spent < to->to_spend &&
		    (c->free <= GENTLE_FREE || to->to_spend == UINT64_MAX) &&
		    fds[SLAB_SHRINK] >= 0 && pwrite(fds[SLAB_SHRINK], "1", 1, 0) == 1;
	c->read = clock_ns(to->clock);
	to->spent += c->read - c->begin;
	if (c->read - c->begin > GENTLE_NS && to->to_spend != UINT64_MAX)
		to->to_spend = 0;
	/* The held slabs change meanwhile: read them before and after, and keep the
	 * larger count.
	 */
	c->held = read_held(&files, to->cpus);
	c->counted = read_text(&files, SLAB_OBJECTS, text);
	c->objects = strtoull(text, NULL, 10);
	held = read_held(&files, to->cpus);
	c->held = LARGER(c->held, held);
	c->end = clock_ns(to->clock);
}

/* Counts the cache a few times, as CPUs may take slabs again at once, and keeps the count with the
 * fewest held slabs.
 */
static void count(struct counting *to, struct cache *c, bool may_shrink)
{
	struct slab_files_cache own = { 0 };
	const struct slab_files_cache *files = c->files ? c->files : &own;
	struct cache again;

	/* The kernel allocates for opening and first reading. This happens before the cache is
	 * shrunk, so that this process does not make a CPU take a slab again.
	 */
	if (!c->files)
		open_cache(to->dir, c->name, &own);
	c->sheaf = read_sheaf(&(struct place){ .fds = files->fds });
	count_once(to, c, files->fds, may_shrink);
	for (int tries = 1; tries < to->tries && c->shrunk && c->held; tries++) {
		again = *c;
		count_once(to, &again, files->fds, may_shrink);
		if (again.counted && again.held < c->held)
			*c = again;
	}
	if (!c->files)
		close_cache(&own);
}

/* Reading a sysfs file for the first time allocates objects of these caches. They are counted
 * first, so that reading the files of other caches does not change their counts.
 */
static const char of_files[] = "dentry inode_cache lsm_inode_cache kernfs_iattrs_cache";
/* Each open file is an object of these caches. They are counted last: if such objects are freed
 * after their count, those frees may be of counted objects and make the result less exact.
 */
static const char of_open_files[] = "filp lsm_file_cache seq_file";

/* Caches of which CPUs may hide most come first, those of open files last. */
ORDER(by_worth, struct cache,
      COMPARE(text_has_word(of_open_files, ' ', x->name),
	      text_has_word(of_open_files, ' ', y->name))
	      ?: DOWN(worth))

/* Estimates the bytes that CPUs may hide of each cache; sheaves count as 16 slabs more. */
static void estimate(const struct counting *by, struct cache *caches, size_t nr)
{
	for_each(c, caches, nr) {
		const struct place p = { c->files ? c->files->fds : NULL, by->dir,
					 c->name };

		c->worth = (read_held(&p, by->cpus) + (read_sheaf(&p) ? 16 : 0)) *
			   c->slab_bytes;
	}
}

static void print(struct strbuf *out, const struct cache *c)
{
	const uint64_t values[] = { c->objects, c->held, c->sheaf, c->shrunk,
				    c->begin,	c->read, c->end };

	strbuf_puts(out, c->name);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		strbuf_printf(out, " %" PRIu64, values[i]);
	strbuf_puts(out, "\n");
}

/* Are there CPUs that must not be disturbed? */
static bool has_isolated_cpus(void)
{
	static const char *const files[] = { ISOLATED, NOHZ };
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int fd __auto_fd = open(files[i], O_RDONLY | O_CLOEXEC);
		char first;

		/* "2-3\n"; none: "\n", or "(null)\n" for nohz_full. */
		any |= fd >= 0 && read(fd, &first, 1) == 1 && first >= '0' &&
		       first <= '9';
	}
	return any;
}

uint64_t slab_counts_take(struct strbuf *out, const struct slab_counts_options *opts)
{
	struct counting by = { .dir = open(opts->path,
					   O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			       .clock = opts->clock,
			       .cpus = nr_cpus(),
			       .to_spend = opts->shrink_ns,
			       .tries = opts->shrink_ns == UINT64_MAX ? 16 : 3 };
	struct cache *caches __auto_mem = NULL;
	size_t nr = 0;

	if (by.dir < 0)
		return 0;
	if (by.to_spend != UINT64_MAX && has_isolated_cpus())
		by.to_spend = 0;
	caches = list_caches(opts->slabinfo, &nr);
	for (size_t i = 0; i < nr && opts->open; i++)
		caches[i].files = slab_files_of(opts->open, caches[i].name);
	for (size_t i = 0; i < nr; i++)
		if (text_has_word(of_files, ' ', caches[i].name))
			count(&by, &caches[i], true);
	estimate(&by, caches, nr);
	if (nr)
		qsort(caches, nr, sizeof(*caches), by_worth);
	for (size_t i = 0; i < nr; i++)
		if (!text_has_word(of_files, ' ', caches[i].name))
			count(&by, &caches[i],
			      caches[i].worth != 0 || by.to_spend == UINT64_MAX);
	for (size_t i = 0; i < nr; i++)
		if (caches[i].counted)
			print(out, &caches[i]);
	close(by.dir);
	return by.spent;
}

/* --- shrinking all of them ----------------------------------------------------------------- */

/* The outcome for the caches of one directory. */
struct shrunk {
	unsigned int caches, failed;
	int err; /* errno of the first failure */
	char first[NAME_MAX + 1];
};

/* Is it a real directory, not an alias? Any other name counts as gone. */
static bool is_cache(int dir, const char *name)
{
	struct stat st;

	return name[0] != '.' && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st.st_mode);
}

/* Do CPUs hold slabs of it? Yes if the kernel does not say. */
static bool is_held(int dir, const char *name)
{
	const struct place p = { .dir = dir, .name = name };
	char text[FILE_TEXT];

	return !read_text(&p, SLAB_CPU_SLABS, text) || text[0] != '0';
}

/* 0 or -errno. Allocates nothing. */
static int shrink_cache(int dir, const char *name)
{
	int fd __auto_fd = open_file(dir, name, SLAB_SHRINK);

	return fd < 0 || write(fd, "1", 1) != 1 ? -errno : 0;
}

static void shrink_all(DIR *dir, bool again, struct shrunk *s, const struct log *log)
{
	struct dirent *entry;

	rewinddir(dir);
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;
		int ret;

		if (!is_cache(dirfd(dir), name) || (again && !is_held(dirfd(dir), name)))
			continue;
		ret = shrink_cache(dirfd(dir), name);
		if (ret && !is_cache(dirfd(dir), name))
			continue;
		s->caches++;
		log_errno(log, LOG_INFO, ret, "cannot shrink the slab cache %s: %m",
			  name);
		if (ret && !s->failed++) {
			s->err = ret;
			snprintf(s->first, sizeof(s->first), "%s", name);
		}
	}
}

bool shrink_caches(const char *path, enum log_level level, const struct log *log)
{
	DIR *dir __auto_dir = opendir(path);
	int err = dir ? ENOENT : errno;
	struct shrunk s = { 0 };

	if (dir)
		shrink_all(dir, false, &s, log);
	if (!s.caches)
		log_msg(log, level,
			"cannot shrink slab caches: %s: %s\n  The recording continues; free objects held by CPUs count as in use",
			path, strerror(err));
	else if (s.failed)
		log_msg(log, level,
			"cannot shrink %u of %u slab caches: %s/%s/shrink: %s\n  The recording continues; free objects held by CPUs count as in use",
			s.failed, s.caches, path, s.first, strerror(-s.err));
	return s.caches && !s.failed;
}

void shrink_again(const char *path, const struct log *log)
{
	DIR *dir __auto_dir = opendir(path);
	struct shrunk s = { 0 };

	if (dir)
		shrink_all(dir, true, &s, log);
}
