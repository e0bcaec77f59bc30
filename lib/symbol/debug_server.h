/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: debug information from a server.
 * In: a build ID. Out: the path of a file, which libdebuginfod fetches and keeps.
 */
#ifndef KMEMX_SYMBOL_DEBUG_SERVER_H
#define KMEMX_SYMBOL_DEBUG_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

struct debug_server;

/**
 * struct debug_fetching - whom to tell how far it is
 * @fn: receives bytes; @total is 0 where the server did not say; called about once a second also
 *	while nothing comes, and from within debug_server_find() only; NULL: nobody
 * @done: after each file
 */
struct debug_fetching {
	void (*fn)(void *ctx, uint64_t bytes, uint64_t total);
	void (*done)(void *ctx);
	void *ctx;
};

/* Can servers be asked? 0; -EOPNOTSUPP built without it; -ENODATA the user names no server
 * (DEBUGINFOD_URLS); -ELIBACC the library is not installed.
 */
int debug_server_check(void);

/**
 * debug_server_open() - get ready to ask
 * @fetching: copied
 *
 * The library, which takes longer to load than a report, is loaded only here.
 *
 * Return: 0; as debug_server_check(); -ENOMEM.
 */
int debug_server_open(struct debug_server **out,
		      const struct debug_fetching *fetching) __must_check;
void debug_server_close(struct debug_server *server);

/**
 * debug_server_find() - fetch a file with debug information
 * @id: build ID, @size hexadecimal digits
 * @path: where it is on this machine is appended
 *
 * The servers of DEBUGINFOD_URLS are asked, after the library's own store. All calls together
 * take ten minutes at most, and each as long as the library's own settings allow
 * (DEBUGINFOD_TIMEOUT: so many seconds without progress); a file has at most 8 GiB. After a call
 * that failed for another reason than that nobody has the file, none is asked any more. What
 * arrives is not checked.
 *
 * Return: 0; -EINVAL @id is none; -ENOENT no server has it; -ETIME; -EFBIG; -ENOMEM; another
 * negative errno.
 */
int debug_server_find(struct debug_server *server, const char *id, size_t size,
		      struct strbuf *path) __must_check;

#endif
