/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: debug information from a server.
 * In: a build ID. Out: the path of a file, which libdebuginfod fetches and stores.
 */
#ifndef KMEMX_SYMBOL_DEBUG_SERVER_H
#define KMEMX_SYMBOL_DEBUG_SERVER_H

#include "base/strbuf.h"

struct debug_server;

/**
 * struct debug_fetching - progress callbacks, called only from debug_server_find(); set all or none
 * @begin: called before each file
 * @fn: receives bytes; @total is 0 if the server did not state it; called about once a second even
 *	if no data arrives. True stops the fetch.
 * @done: called after each file; an incomplete file has been removed by then
 */
struct debug_fetching {
	void (*begin)(void *ctx);
	bool (*fn)(void *ctx, uint64_t bytes, uint64_t total);
	void (*done)(void *ctx);
	void *ctx;
};

/* Can servers be queried? 0; -EOPNOTSUPP if built without libdebuginfod; -ENODATA if the user names
 * no server (DEBUGINFOD_URLS); -ELIBACC if the library is not installed.
 */
int debug_server_check(void);

/**
 * debug_server_open() - load the library
 * @fetching: copied
 *
 * Loading the library takes longer than a report, so kmemx is not linked with it.
 *
 * Return: 0; errors of debug_server_check(); -ENOMEM.
 */
int debug_server_open(struct debug_server **out,
		      const struct debug_fetching *fetching) __must_check;
void debug_server_close(struct debug_server *server);

/**
 * debug_server_find() - fetch a file with debug information
 * @id: build ID, hexadecimal digits
 * @path: the file's path on this machine is appended
 *
 * Looks in the library's own store, then asks the servers of DEBUGINFOD_URLS. All calls together
 * take at most ten minutes, and each as long as the library's own settings allow
 * (DEBUGINFOD_TIMEOUT: seconds without progress). A file has at most 8 GiB, or DEBUGINFOD_MAXSIZE
 * bytes if that is less, whatever size the server states. After a failed call, nothing more is
 * fetched, unless the error concerned this file alone: -ENOENT, -ENOEXEC, -EXDEV. Only an ELF file
 * with this build ID stays in the library's store: any other file there under @id is removed, and
 * fetched again if it was there before the call.
 *
 * Return: 0; -EINVAL if @id is not a build ID; -ENOENT if no server has it; -ENOEXEC if the file is
 * not an ELF file, -EXDEV if it has another build ID; -ETIME; -EFBIG; -EINTR if @fn stopped it;
 * -ENOMEM; another negative errno.
 */
int debug_server_find(struct debug_server *server, const char *id,
		      struct strbuf *path) __must_check;

#endif
