/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: debug information from a server.
 * In: a build ID. Out: the path of a file, which libdebuginfod fetches and keeps.
 */
#ifndef KMEMX_SYMBOL_DEBUG_SERVER_H
#define KMEMX_SYMBOL_DEBUG_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

struct debug_server;

/**
 * struct debug_fetching - whom to tell how far it is; all are called from within
 * debug_server_find() only, and all or none are NULL
 * @begin: before each file
 * @fn: receives bytes; @total is 0 where the server did not say; called about once a second also
 *	while nothing comes. True: fetch no more
 * @done: after each file: nothing that is not complete is left of it
 */
struct debug_fetching {
	void (*begin)(void *ctx);
	bool (*fn)(void *ctx, uint64_t bytes, uint64_t total);
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
 * (DEBUGINFOD_TIMEOUT: so many seconds without progress). A file has at most 8 GiB, or
 * DEBUGINFOD_MAXSIZE bytes if that is less, whatever size the server states. After a call that
 * failed, none is asked any more, unless that was about this file alone: -ENOENT, -ENOEXEC, -EXDEV.
 * Only an ELF file with this build ID stays in the library's store: what else is there under @id is
 * removed, and if it was there before, it is asked for again.
 *
 * Return: 0; -EINVAL @id is none; -ENOENT no server has it; -ENOEXEC what came is not an ELF file,
 * -EXDEV of another build ID; -ETIME; -EFBIG; -EINTR @fn wanted it; -ENOMEM; another negative
 * errno.
 */
int debug_server_find(struct debug_server *server, const char *id, size_t size,
		      struct strbuf *path) __must_check;

#endif
