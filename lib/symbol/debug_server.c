// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: debug information from a server.
 * In: a build ID. Out: the path of a file, which libdebuginfod fetches and keeps.
 */
#include "symbol/debug_server.h"

#include <errno.h>

#ifndef HAVE_DEBUGINFOD

int debug_server_check(void)
{
	return -EOPNOTSUPP;
}

int debug_server_open(struct debug_server **out, const struct debug_fetching *fetching)
{
	*out = NULL;
	(void)fetching;
	return -EOPNOTSUPP;
}

void debug_server_close(struct debug_server *server)
{
	(void)server;
}

int debug_server_find(struct debug_server *server, const char *id, size_t size,
		      struct strbuf *path)
{
	(void)server;
	(void)id;
	(void)size;
	(void)path;
	return -EOPNOTSUPP;
}

#else

#include <ctype.h>
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define TIME_NS	   (600 * 1000000000ULL)
#define SIZE_LIMIT (8ULL << 30)
#define ID_MAX	   129
/* What it has loaded itself is not made to be unloaded. */
#define HOW	   (RTLD_LAZY | RTLD_NODELETE)

/**
 * struct debug_server - an open library, and a client of it
 * @left_ns: of the time for all files; @end_ns: of a monotonic clock, for this one
 * @stopped: why the file that is being fetched is not fetched further
 * @err: no more are asked for
 */
struct debug_server {
	void *library;
	debuginfod_client *client;
	__typeof__(&debuginfod_find_debuginfo) find;
	__typeof__(&debuginfod_end) end;
	struct debug_fetching fetching;
	uint64_t left_ns, end_ns;
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

/* The library hands @client to fetching(), and has the rest. */
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

/* Called as a file is fetched; without a size, @bytes counts calls. Not 0: it is to stop. */
static int fetching(debuginfod_client *client, long bytes, long total)
{
	struct debug_server *s = server_of(client);
	uint64_t size = total > 0 ? (uint64_t)total : 0;

	if (!s)
		return 1;
	if (clock_ns(CLOCK_MONOTONIC) > s->end_ns)
		s->stopped = -ETIME;
	else if (size > SIZE_LIMIT)
		s->stopped = -EFBIG;
	else if (s->fetching.fn)
		s->fetching.fn(s->fetching.ctx, size ? (uint64_t)bytes : 0, size);
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

int debug_server_open(struct debug_server **out, const struct debug_fetching *told)
{
	struct debug_server *s;
	int ret;

	*out = NULL;
	if (!has_servers())
		return -ENODATA;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->fetching = *told;
	s->left_ns = TIME_NS;
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

/* In lower case, as files are named; false: it is none. */
static bool lower_id(const char *id, size_t size, unsigned char lower[ID_MAX])
{
	size_t i;

	for (i = 0; i < size && i + 1 < ID_MAX && isxdigit((unsigned char)id[i]); i++)
		lower[i] = (unsigned char)tolower((unsigned char)id[i]);
	lower[i] = '\0';
	return size && i == size;
}

/* Asks within the time that is left. 0 and the library's @path, or a negative errno. */
static int fetch(struct debug_server *s, const unsigned char *id, char **path)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC), took;
	int fd;

	s->end_ns = start + s->left_ns;
	s->stopped = 0;
	fd = s->find(s->client, id, 0, path);
	took = clock_ns(CLOCK_MONOTONIC) - start;
	s->left_ns -= took < s->left_ns ? took : s->left_ns;
	if (s->fetching.done)
		s->fetching.done(s->fetching.ctx);
	if (fd >= 0)
		close(fd);
	if (fd >= 0)
		return *path ? 0 : -ENOMEM;
	return s->stopped ? s->stopped : fd;
}

int debug_server_find(struct debug_server *s, const char *id, size_t size,
		      struct strbuf *path)
{
	unsigned char lower[ID_MAX];
	char *fetched = NULL;
	int ret;

	if (!lower_id(id, size, lower))
		return -EINVAL;
	if (s->err)
		return s->err;
	ret = fetch(s, lower, &fetched);
	if (!ret)
		strbuf_puts(path, fetched);
	free(fetched);
	if (ret && ret != -ENOENT)
		s->err = ret;
	return ret ? ret : path->failed ? -ENOMEM : 0;
}

#endif
