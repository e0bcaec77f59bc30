/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: pages for a browser on this machine.
 * In: a function that makes a page. Out: the page, over HTTP, for whoever has the address.
 */
#ifndef KMEMX_CMD_PAGE_SERVER_H
#define KMEMX_CMD_PAGE_SERVER_H

#include "base/strbuf.h"

/**
 * struct page_server - what is served
 * @command: its name, for messages
 * @port: on 127.0.0.1; 0: any free port
 * @make: appends the page of @time, "START,STOP", or of the whole recording if it is NULL. EXIT_OK,
 *	or an exit code after a message
 * @part: appends what the page's script asked for with "?part=WORDS", which are untrusted. Called
 *	only after @make made the whole recording's page. 0 or -errno
 *
 * Both are called from any thread, but for one request at a time.
 */
struct page_server {
	const char *command;
	uint16_t port;
	int (*make)(void *ctx, const char *time, struct strbuf *page);
	int (*part)(void *ctx, const char *words, struct strbuf *to);
	void *ctx;
};

/* Makes the whole recording's page, prints the address, and answers requests until a signal ends
 * the process. Returns an exit code after a message if it cannot, such as without libmicrohttpd.
 */
int page_server_run(const struct page_server *s);

#endif
