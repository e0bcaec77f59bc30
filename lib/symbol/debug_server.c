// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbol/debug_server.h"

#ifndef HAVE_DEBUGINFOD

int debug_server_check(void)
{
	return -EOPNOTSUPP;
}

int debug_server_open(struct debug_server **out, const struct debug_fetching *fetching)
{
	*out = NULL;
	return -EOPNOTSUPP;
}

void debug_server_close(struct debug_server *server)
{
}

int debug_server_find(struct debug_server *server, const char *id, struct strbuf *path)
{
	return -EOPNOTSUPP;
}

#else

#include <ctype.h>
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "symbol/elf.h"

/* New in elfutils 0.187. */
#ifndef DEBUGINFOD_MAXSIZE_ENV_VAR
#define DEBUGINFOD_MAXSIZE_ENV_VAR "DEBUGINFOD_MAXSIZE"
#endif

#define TIME_NS	   (600 * 1000000000ULL)
#define SIZE_LIMIT (8ULL << 30)
#define ID_MAX	   129
/* The libraries that it loads cannot be unloaded safely. */
#define HOW	   (RTLD_LAZY | RTLD_NODELETE)

/**
 * struct debug_server - the loaded library, and a client of it
 * @left_ns: time left for all files; @end_ns: deadline for this one, on a monotonic clock
 * @size_limit: maximum bytes of a file
 * @id: of the file being fetched; @asked: a server was asked for it
 * @stopped: why fetching() stopped the fetch; 0: it did not
 * @part_fd: the library's partial file; -1: not found yet; @part: its path
 * @err: nonzero: nothing more is fetched
 */
struct debug_server {
	void *library;
	debuginfod_client *client;
	__typeof__(&debuginfod_find_debuginfo) find;
	__typeof__(&debuginfod_end) end;
	struct debug_fetching fetching;
	uint64_t left_ns, end_ns, size_limit;
	const char *id;
	bool asked;
	int part_fd;
	char part[PATH_MAX];
	int stopped, err;
};

static bool has_servers(void)
{
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);

	return urls && urls[strspn(urls, " ")];
}

int debug_server_check(void)
{
	void *library = dlopen(DEBUGINFOD_SONAME, HOW);

	if (!library)
		return -ELIBACC;
	dlclose(library);
	return has_servers() ? 0 : -ENODATA;
}

/* The library passes @client to fetching(); the server is the client's user data. */
static struct debug_server *server_of(debuginfod_client *client)
{
	void *library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_NOLOAD);
	__typeof__(&debuginfod_get_user_data) user_data;
	struct debug_server *s;

	if (!library)
		return NULL;
	user_data = (__typeof__(user_data))dlsym(library, "debuginfod_get_user_data");
	s = user_data ? user_data(client) : NULL;
	dlclose(library);
	return s;
}

/* Finds the file that the library is writing, STORE/ID/debuginfo.XXXXXX: it reports no name. */
static void find_part(struct debug_server *s)
{
	DIR *dir __auto_dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	char name[ID_MAX + 16];
	ssize_t size;

	snprintf(name, sizeof(name), "/%s/debuginfo.", s->id);
	while (dir && s->part_fd < 0 && (entry = readdir(dir))) {
		size = readlinkat(dirfd(dir), entry->d_name, s->part, sizeof(s->part));
		if (size <= 0 || size == sizeof(s->part))
			continue;
		s->part[size] = '\0';
		if (strstr(s->part, name))
			s->part_fd = (int)strtol(entry->d_name, NULL, 10);
	}
}

/* Bytes of the file so far: more than were received if the transfer is compressed. */
static uint64_t part_size(struct debug_server *s)
{
	struct stat st;

	if (s->part_fd < 0)
		find_part(s);
	return s->part_fd >= 0 && !fstat(s->part_fd, &st) ? (uint64_t)st.st_size : 0;
}

/* Progress callback; if the size is unknown, @bytes may count calls. Nonzero stops the fetch. */
static int fetching(debuginfod_client *client, long bytes, long total)
{
	struct debug_server *s = server_of(client);
	uint64_t size = total > 0 ? (uint64_t)total : 0;

	if (!s)
		return 1;
	s->asked = true;
	if (clock_ns(CLOCK_MONOTONIC) > s->end_ns)
		s->stopped = -ETIME;
	else if (size > s->size_limit || part_size(s) > s->size_limit)
		s->stopped = -EFBIG;
	else if (s->fetching.fn &&
		 s->fetching.fn(s->fetching.ctx, size ? (uint64_t)bytes : 0, size))
		s->stopped = -EINTR;
	return s->stopped;
}

/* Loads the library. 0 or -ELIBACC. */
static int load(struct debug_server *s)
{
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_set_user_data) set_user_data;
	__typeof__(&debuginfod_set_progressfn) set_progress;

	s->library = dlopen(DEBUGINFOD_SONAME, HOW);
	if (!s->library)
		return -ELIBACC;
	begin = (__typeof__(begin))dlsym(s->library, "debuginfod_begin");
	set_user_data =
		(__typeof__(set_user_data))dlsym(s->library, "debuginfod_set_user_data");
	set_progress =
		(__typeof__(set_progress))dlsym(s->library, "debuginfod_set_progressfn");
	s->find = (__typeof__(s->find))dlsym(s->library, "debuginfod_find_debuginfo");
	s->end = (__typeof__(s->end))dlsym(s->library, "debuginfod_end");
	if (!begin || !set_user_data || !set_progress || !s->find || !s->end)
		return -ELIBACC;
	s->client = begin();
	if (!s->client)
		return -ENOMEM;
	set_user_data(s->client, s);
	set_progress(s->client, fetching);
	return 0;
}

/* The user's limit, but at most SIZE_LIMIT. */
static uint64_t size_limit(void)
{
	const char *text = getenv(DEBUGINFOD_MAXSIZE_ENV_VAR);
	/* Like the library: 0, a negative number or a word mean no limit. */
	long long size = text ? strtoll(text, NULL, 10) : 0;

	return size > 0 && (uint64_t)size < SIZE_LIMIT ? (uint64_t)size : SIZE_LIMIT;
}

int debug_server_open(struct debug_server **out, const struct debug_fetching *fetching)
{
	struct debug_server *s;
	int ret;

	*out = NULL;
	if (!has_servers())
		return -ENODATA;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->fetching = *fetching;
	s->left_ns = TIME_NS;
	s->size_limit = size_limit();
	ret = load(s);
	if (ret) {
		debug_server_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

void debug_server_close(struct debug_server *server)
{
	if (!server)
		return;
	if (server->client)
		server->end(server->client);
	if (server->library)
		dlclose(server->library);
	free(server);
}

/* Converts a build ID to lower case, as in file names; false if it is invalid. */
static bool lower_id(const char *id, char lower[ID_MAX])
{
	size_t i;

	for (i = 0; i + 1 < ID_MAX && isxdigit((unsigned char)id[i]); i++)
		lower[i] = (char)tolower((unsigned char)id[i]);
	lower[i] = '\0';
	return i && !id[i];
}

/* Removes the file at @path from the library's store, and its directory if that is empty. */
static void remove_stored(char *path)
{
	char *slash = strrchr(path, '/');

	unlink(path);
	if (!slash)
		return;
	*slash = '\0';
	rmdir(path);
}

/* The library records an incomplete fetch as an empty file, which for a while means that no server
 * has it. Removes that file.
 */
static void forget_stopped(struct debug_server *s)
{
	char *end = s->part_fd < 0 ? NULL : strrchr(s->part, '.');
	struct stat st;

	if (!end)
		return;
	*end = '\0';
	if (!lstat(s->part, &st) && S_ISREG(st.st_mode) && !st.st_size)
		remove_stored(s->part);
}

/* Is the file the one requested? 0; -ENOEXEC; -EXDEV. */
static int check(const struct debug_server *s, int fd)
{
	char build_id[ELF_BUILD_ID_MAX];
	int ret = elf_build_id(fd, build_id);

	if (ret)
		return ret;
	return strcmp(build_id, s->id) ? -EXDEV : 0;
}

/* Fetches within the time left. 0 and the library's @path, or a negative errno. */
static int fetch(struct debug_server *s, char **path)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC), took;
	int fd, ret;

	s->end_ns = start + s->left_ns;
	s->stopped = 0;
	s->asked = false;
	s->part_fd = -1;
	fd = s->find(s->client, (const unsigned char *)s->id, 0, path);
	took = clock_ns(CLOCK_MONOTONIC) - start;
	s->left_ns -= SMALLER(took, s->left_ns);
	if (fd < 0 && s->stopped)
		forget_stopped(s);
	if (fd < 0)
		return s->stopped ? s->stopped : fd;
	ret = *path ? check(s, fd) : -ENOMEM;
	close(fd);
	if (ret == -ENOEXEC || ret == -EXDEV)
		remove_stored(*path);
	return ret;
}

/* Like fetch(), but retries once if the store already had a wrong file. */
static int fetch_checked(struct debug_server *s, char **path)
{
	int ret;

	if (s->fetching.begin)
		s->fetching.begin(s->fetching.ctx);
	ret = fetch(s, path);
	if ((ret == -ENOEXEC || ret == -EXDEV) && !s->asked) {
		free(*path);
		*path = NULL;
		ret = fetch(s, path);
	}
	if (s->fetching.done)
		s->fetching.done(s->fetching.ctx);
	return ret;
}

int debug_server_find(struct debug_server *s, const char *id, struct strbuf *path)
{
	char lower[ID_MAX];
	char *fetched __auto_mem = NULL;
	int ret;

	if (!lower_id(id, lower))
		return -EINVAL;
	if (s->err)
		return s->err;
	s->id = lower;
	ret = fetch_checked(s, &fetched);
	s->id = NULL;
	if (!ret)
		strbuf_puts(path, fetched);
	if (ret && ret != -ENOENT && ret != -ENOEXEC && ret != -EXDEV)
		s->err = ret;
	return ret ? ret : path->failed ? -ENOMEM : 0;
}

#endif
