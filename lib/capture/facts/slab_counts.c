// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/slab_counts.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"

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

/* Descriptors for all else: pipes of many CPUs, a flight of files. */
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
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0 ||
		    getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return 0;
	}
	return limit.rlim_cur > OTHER_FILES ? limit.rlim_cur - OTHER_FILES : 0;
}

/* Opens and reads the files of one cache in @dir. */
static void open_cache(int dir, const char *name, struct slab_files_cache *c)
{
	char path[320], byte;

	snprintf(c->name, sizeof(c->name), "%s", name);
	for (int i = 0; i < SLAB_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", name, names[i]);
		c->fds[i] = openat(dir, path,
				   (i == SLAB_SHRINK ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
		/* The kernel allocates a page when it is read first. */
		if (i != SLAB_SHRINK && i != SLAB_RECLAIM_ACCOUNT && c->fds[i] >= 0 &&
		    pread(c->fds[i], &byte, 1, 0) < 0)
			continue;
	}
}

static void close_cache(const struct slab_files_cache *c)
{
	for (int i = 0; i < SLAB_FILES; i++)
		io_close(&c->fds[i]);
}

/* Parses a line of slabinfo: the cache's name, its free objects and the bytes of a
 * slab's objects.
 */
static bool parse_line(const char *line, struct cache *c)
{
	uint64_t active, total, size, per_slab;
	char copy[512]; /* sscanf() searches for the end of the whole text */

	*c = (struct cache){ 0 };
	snprintf(copy, sizeof(copy), "%.*s", (int)strnlen(line, sizeof(copy) - 1), line);
	if (sscanf(copy, "%255s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, c->name,
		   &active, &total, &size, &per_slab) != 5)
		return false;
	c->slab_bytes = size * per_slab;
	c->free = total > active ? total - active : 0;
	return c->name[0] != '#' && c->name[0] != '.' && !strchr(c->name, '/');
}

/* The caches of slabinfo; NULL without memory. */
static struct cache *list_caches(const char *slabinfo, size_t *nr)
{
	size_t lines = 1;
	struct cache *caches;
	const char *at;

	*nr = 0;
	for (at = slabinfo; *at; at++)
		lines += *at == '\n';
	caches = calloc(lines, sizeof(*caches));
	for (at = slabinfo; caches && *at && *nr < lines;) {
		*nr += parse_line(at, &caches[*nr]);
		at = text_next_line(at);
	}
	return caches;
}

void slab_files_open(struct slab_files *f, const char *path, const char *slabinfo)
{
	int dir __auto_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct cache *caches;
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
	free(caches);
}

const struct slab_files_cache *slab_files_of(const struct slab_files *f, const char *name)
{
	for (size_t i = 0; i < f->nr; i++)
		if (!strcmp(f->caches[i].name, name))
			return &f->caches[i];
	return NULL;
}

void slab_files_close(struct slab_files *f)
{
	for (size_t i = 0; i < f->nr; i++)
		close_cache(&f->caches[i]);
	free(f->caches);
	*f = (struct slab_files){ 0 };
}

/* --- counting ------------------------------------------------------------------------------ */

/* Reads the beginning of an open file; false if it cannot be read. */
static bool read_open(int fd, char text[FILE_TEXT])
{
	ssize_t n = fd < 0 ? -1 : pread(fd, text, FILE_TEXT - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Reads the beginning of CACHE/FILE; false if it cannot be read. */
static bool read_text(int dir, const char *cache, const char *file, char text[FILE_TEXT])
{
	int fd __auto_fd = -1;
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", cache, file);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	return read_open(fd, text);
}

/* The number that the file begins with; 0 if it cannot be read. */
static uint64_t read_number(int dir, const char *cache, const char *file)
{
	char text[FILE_TEXT];

	return read_text(dir, cache, file, text) ? strtoull(text, NULL, 10) : 0;
}

/* The most slabs that CPUs may hold. cpu_slabs omits a CPU's list of partial slabs while that CPU
 * has no slab of its own (show_slab_objects() of mm/slub.c: "if (!slab) continue").
 * slabs_cpu_partial, "OBJECTS(SLABS) ...", has all the lists. The CPUs' own slabs are at most
 * cpu_slabs, and at most one per CPU.
 */
static uint64_t held_slabs(const char *cpu_slabs, const char *cpu_partial, uint64_t cpus)
{
	uint64_t slabs = strtoull(cpu_slabs, NULL, 10), listed, own;
	const char *paren = strchr(cpu_partial, '(');

	if (!*cpu_partial)
		return slabs;
	listed = paren ? strtoull(paren + 1, NULL, 10) : 0;
	own = slabs < cpus ? slabs : cpus;
	return slabs > listed + own ? slabs : listed + own;
}

static uint64_t read_held(int dir, const char *cache, uint64_t cpus)
{
	char slabs[FILE_TEXT], listed[FILE_TEXT];

	read_text(dir, cache, "cpu_slabs", slabs);
	read_text(dir, cache, "slabs_cpu_partial", listed);
	return held_slabs(slabs, listed, cpus);
}

static uint64_t read_held_open(const int fds[SLAB_FILES], uint64_t cpus)
{
	char slabs[FILE_TEXT], listed[FILE_TEXT];

	read_open(fds[SLAB_CPU_SLABS], slabs);
	read_open(fds[SLAB_CPU_PARTIAL], listed);
	return held_slabs(slabs, listed, cpus);
}

/* Objects of a sheaf; 0: the cache has none. */
static uint64_t read_sheaf(const int fds[SLAB_FILES])
{
	char text[FILE_TEXT];

	return read_open(fds[SLAB_SHEAF_CAPACITY], text) ? strtoull(text, NULL, 10) : 0;
}

/* The machine's CPUs. The C library reads a file on every call. */
static uint64_t nr_cpus(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return cpus > 0 ? (uint64_t)cpus : UINT64_MAX;
}

void slab_counts_held(struct strbuf *out, const char *path, bool sheaves)
{
	DIR *dir __auto_dir = opendir(path);
	uint64_t cpus = nr_cpus();
	struct dirent *entry;

	if (!dir)
		return; /* no SLUB, or no sysfs */
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		/* Merged caches have a name of their own, ":0000192", which slabinfo
		 * does not use.
		 */
		if (name[0] == '.' || name[0] == ':')
			continue;
		strbuf_printf(out, "%s %" PRIu64 " %" PRIu64 "\n", name,
			      read_held(dirfd(dir), name, cpus),
			      sheaves ? read_number(dirfd(dir), name, "sheaf_capacity")
				      : 0);
	}
}

void slab_counts_reclaim(struct strbuf *out, const char *path)
{
	DIR *dir __auto_dir = opendir(path);
	struct dirent *entry;
	char text[FILE_TEXT];

	if (!dir)
		return; /* no SLUB, or no sysfs */
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (name[0] != '.' && name[0] != ':' &&
		    read_text(dirfd(dir), name, "reclaim_account", text))
			strbuf_printf(out, "%s %d\n", name, text[0] == '1');
	}
}

/* Counts one cache, and shrinks it first if there is time left. Allocates nothing, as no event
 * would record this process's allocations.
 */
static void count_once(struct counting *to, struct cache *c, const int fds[SLAB_FILES],
		       bool may_shrink)
{
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
	c->held = read_held_open(fds, to->cpus);
	c->counted = read_open(fds[SLAB_OBJECTS], text);
	c->objects = strtoull(text, NULL, 10);
	held = read_held_open(fds, to->cpus);
	c->held = c->held > held ? c->held : held;
	c->end = clock_ns(to->clock);
}

/* Counts the cache a few times, as CPUs may take slabs again at once, and keeps the count of which
 * CPUs hide least.
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
	c->sheaf = read_sheaf(files->fds);
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

static bool is_one_of(const char *const *words, const char *name)
{
	while (*words && strcmp(*words, name) != 0)
		words++;
	return *words;
}

/* Reading a sysfs file for the first time allocates objects of these caches. They are counted
 * first, so that reading the files of other caches does not change their counts.
 */
static const char *const of_files[] = { "dentry", "inode_cache", "lsm_inode_cache",
					"kernfs_iattrs_cache", NULL };
/* Each open file is an object of these caches. They are counted last: if such objects are freed
 * after their count, those frees may be of counted objects and make the result less exact.
 */
static const char *const of_open_files[] = { "filp", "lsm_file_cache", "seq_file", NULL };

/* The caches of which CPUs may hide most come first. */
static int by_worth(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;
	const bool last = is_one_of(of_open_files, x->name);

	if (last != is_one_of(of_open_files, y->name))
		return last ? 1 : -1;
	return x->worth < y->worth ? 1 : -(x->worth > y->worth);
}

/* Estimates the bytes that CPUs may hide of each cache; sheaves count as 16 slabs more. */
static void estimate(const struct counting *by, struct cache *caches, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct cache *c = &caches[i];
		uint64_t held = c->files ? read_held_open(c->files->fds, by->cpus)
					 : read_held(by->dir, c->name, by->cpus);

		if (c->files ? read_sheaf(c->files->fds)
			     : read_number(by->dir, c->name, "sheaf_capacity"))
			held += 16;
		caches[i].worth = held * c->slab_bytes;
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
static bool any_left_alone(void)
{
	static const char *const files[] = { ISOLATED, NOHZ };
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		int fd __auto_fd = open(files[i], O_RDONLY | O_CLOEXEC);
		char text[FILE_TEXT];

		/* "2-3\n"; none: "\n", or "(null)\n" for nohz_full. */
		any |= read_open(fd, text) && text[0] >= '0' && text[0] <= '9';
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
	struct cache *caches = NULL;
	size_t nr = 0;

	if (by.dir < 0)
		return 0;
	if (by.to_spend != UINT64_MAX && any_left_alone())
		by.to_spend = 0;
	caches = list_caches(opts->slabinfo, &nr);
	for (size_t i = 0; i < nr && opts->open; i++)
		caches[i].files = slab_files_of(opts->open, caches[i].name);
	for (size_t i = 0; i < nr; i++)
		if (is_one_of(of_files, caches[i].name))
			count(&by, &caches[i], true);
	estimate(&by, caches, nr);
	if (nr)
		qsort(caches, nr, sizeof(*caches), by_worth);
	for (size_t i = 0; i < nr; i++)
		if (!is_one_of(of_files, caches[i].name))
			count(&by, &caches[i],
			      caches[i].worth != 0 || by.to_spend == UINT64_MAX);
	for (size_t i = 0; i < nr; i++)
		if (caches[i].counted)
			print(out, &caches[i]);
	free(caches);
	close(by.dir);
	return by.spent;
}
