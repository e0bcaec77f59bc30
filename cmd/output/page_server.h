/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: pages for a browser on this machine.
 * In: a function that makes a page. Out: the page, over HTTP, to who has its address and token.
 */
#ifndef KMEMX_CMD_PAGE_SERVER_H
#define KMEMX_CMD_PAGE_SERVER_H

#include "base/strbuf.h"

/**
 * struct page_server - what is served
 * @command: its name, for messages
 * @port: of 127.0.0.1; 0: one that is free
 * @make: appends the page of the time @time, "START,STOP"; of all if it is NULL. EXIT_OK, or an
 *	exit code after a message
 * @part: appends what the page's script asked for as "?part=WORDS", untrusted, after it was made
 *	of all; 0 or -errno
 *
 * Both are called for one request after the other, in any thread.
 */
struct page_server {
	const char *command;
	uint16_t port;
	int (*make)(void *ctx, const char *time, struct strbuf *page);
	int (*part)(void *ctx, const char *words, struct strbuf *to);
	void *ctx;
};

/* Makes the page of all, prints the address, and answers until a signal ends the process. Returns
 * an exit code after a message if it cannot, such as without libmicrohttpd.
 */
int page_server_run(const struct page_server *s);

#endif
