// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other users of this machine can connect, and so can a page of any site in its browser. A request
 * must contain the token of the printed address and name that address as its Host, so that no other
 * name leads here (DNS rebinding); and it must not come from a page of another origin.
 */
#include "cmd/output/page_server.h"

#include "cmd/options/message.h"

#ifndef HAVE_MICROHTTPD

int page_server_run(const struct page_server *s)
{
	return message_fail(
		EXIT_USAGE, s->command,
		"--serve needs libmicrohttpd, which this kmemx was built without\n  Install %s and build it again, or write a page: -o report.html",
		version_packages("microhttpd"));
}

#else

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define SONAME	    "libmicrohttpd.so.12"
#define SCHEME	    "http://"
#define CONNECTIONS 16U
#define IDLE_S	    10U
#define TIME_MAX    64U	  /* characters of START,STOP */
#define PART_MAX    1536U /* characters of what a script asks for */

#if MHD_VERSION >= 0x00097002
typedef enum MHD_Result mhd_result;
#else
typedef int mhd_result;
#endif

#define CALLS(CALL)                       \
	CALL(start_daemon)                \
	CALL(create_response_from_buffer) \
	CALL(add_response_header)         \
	CALL(queue_response)              \
	CALL(destroy_response)            \
	CALL(set_connection_option)       \
	CALL(get_connection_values)

/* The library is loaded only when needed: linking it would slow down every start of kmemx. */
struct mhd_calls {
#define CALL(name) __typeof__(&MHD_##name) name;
	CALLS(CALL)
#undef CALL
};

/**
 * struct server - what is open
 * @path: "/TOKEN/"
 * @hosts: allowed values of Host, and of Origin after "http://"
 * @all: the page of the whole recording
 */
struct server {
	const struct page_server *s;
	struct mhd_calls mhd;
	char path[40];
	char hosts[2][32];
	struct strbuf all;
};

/* The headers and arguments of a request. @hosts: number of Host headers; @site: Sec-Fetch-Site;
 * @strange: number of unknown arguments.
 */
struct request {
	const char *host, *origin, *site, *time, *part;
	unsigned int hosts, strange;
};

static bool load(struct mhd_calls *calls)
{
	/* It stays loaded until kmemx exits. */
	void *library = dlopen(SONAME, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	bool loaded = library;

	if (!library)
		return false;
#define CALL(name)                                                           \
	calls->name = (__typeof__(calls->name))dlsym(library, "MHD_" #name); \
	loaded = loaded && calls->name;
	CALLS(CALL)
#undef CALL
	dlclose(library);
	return loaded;
}

static mhd_result note_header(void *ctx, enum MHD_ValueKind kind, const char *key,
			      const char *value)
{
	struct request *r = ctx;

	if (!strcasecmp(key, "Host")) {
		r->host = value ? value : "";
		r->hosts++;
	} else if (!strcasecmp(key, "Origin")) {
		r->origin = value ? value : "";
	} else if (!strcasecmp(key, "Sec-Fetch-Site")) {
		r->site = value ? value : "";
	}
	return MHD_YES;
}

static mhd_result note_argument(void *ctx, enum MHD_ValueKind kind, const char *key,
				const char *value)
{
	struct request *r = ctx;

	if (!value || r->time || r->part ||
	    (strcmp(key, "time") != 0 && strcmp(key, "part") != 0))
		r->strange++;
	else
		*(*key == 't' ? &r->time : &r->part) = value;
	return MHD_YES;
}

/* Compares in constant time. */
static bool has_token(const struct server *server, const char *url)
{
	size_t size = strlen(server->path), i;
	unsigned int differ = 0;

	if (strlen(url) < size)
		return false;
	for (i = 0; i < size; i++)
		differ |= (unsigned char)(url[i] ^ server->path[i]);
	return !differ;
}

/* A quick check; the command parses it. */
static bool is_time(const char *text)
{
	return strlen(text) <= TIME_MAX && strchr(text, ',') &&
	       strspn(text, "0123456789.,") == strlen(text);
}

static bool is_part(const char *text)
{
	return strlen(text) <= PART_MAX && strspn(text, "0123456789,;") == strlen(text);
}

static bool is_host(const struct server *server, const char *text)
{
	return !strcmp(text, server->hosts[0]) || !strcmp(text, server->hosts[1]);
}

/* Returns the HTTP status that refuses the request, or 0. @why receives the text. */
static unsigned int refusal(const struct server *server, const struct request *r,
			    const char *url, const char *method, const char **why)
{
	*why = "This address is of another machine.\n";
	if (r->hosts != 1 || !is_host(server, r->host))
		return MHD_HTTP_FORBIDDEN;
	*why = "Another page may not ask for this. Open the address in a tab of its own.\n";
	if ((r->origin && (strncmp(r->origin, SCHEME, strlen(SCHEME)) != 0 ||
			   !is_host(server, r->origin + strlen(SCHEME)))) ||
	    (r->site && strcmp(r->site, "same-origin") && strcmp(r->site, "none")))
		return MHD_HTTP_FORBIDDEN;
	*why = "The token is missing or wrong. Open the address that kmemx printed.\n";
	if (!has_token(server, url))
		return MHD_HTTP_FORBIDDEN;
	*why = "There is only one page.\n";
	if (url[strlen(server->path)])
		return MHD_HTTP_NOT_FOUND;
	*why = "Pages can only be read.\n";
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		return MHD_HTTP_METHOD_NOT_ALLOWED;
	*why = "The only arguments are time=START,STOP and, for the page itself, part.\n";
	if (r->strange || (r->time && !is_time(r->time)) ||
	    (r->part && !is_part(r->part)))
		return MHD_HTTP_BAD_REQUEST;
	return 0;
}

/* The body of an answer. @mode says who frees @text; @binary: it is not text. */
struct body {
	unsigned int status;
	bool binary;
	const char *text;
	size_t size;
	enum MHD_ResponseMemoryMode mode;
};

static mhd_result answer(const struct server *server, struct MHD_Connection *to,
			 const struct body *body)
{
	static const char *const headers[][2] = {
		{ "Cache-Control", "no-store" },
		{ "Content-Security-Policy", "frame-ancestors 'none'" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Referrer-Policy", "no-referrer" },
		{ "X-Content-Type-Options", "nosniff" },
	};
	const struct mhd_calls *mhd = &server->mhd;
	/* The library does not change the text. */
	struct MHD_Response *r = mhd->create_response_from_buffer(
		body->size, (void *)(uintptr_t)body->text, body->mode);
	mhd_result ret;

	if (!r)
		return MHD_NO;
	ret = mhd->add_response_header(r, "Content-Type",
				       body->binary ? "application/octet-stream"
				       : body->status == MHD_HTTP_OK
					       ? "text/html; charset=utf-8"
					       : "text/plain; charset=utf-8");
	for (size_t i = 0; i < ARRAY_SIZE(headers) && ret == MHD_YES; i++)
		ret = mhd->add_response_header(r, headers[i][0], headers[i][1]);
	if (ret == MHD_YES && body->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		ret = mhd->add_response_header(r, "Allow", "GET");
	if (ret == MHD_YES)
		ret = mhd->queue_response(to, body->status, r);
	mhd->destroy_response(r);
	return ret;
}

/* Makes the page of a time, or a part that the script of the whole recording's page asked for. */
static mhd_result answer_made(const struct server *server, struct MHD_Connection *to,
			      const struct request *r)
{
	const char *none =
		r->time ? "There is no page of this time: kmemx says why, where it was started.\n"
			: "There is no such part.\n";
	struct body body = { MHD_HTTP_NOT_FOUND, false, none, strlen(none),
			     MHD_RESPMEM_PERSISTENT };
	struct strbuf made = { 0 };
	int err;

	/* Making it may take long: do not time the browser out. */
	server->mhd.set_connection_option(to, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
	err = r->time ? server->s->make(server->s->ctx, r->time, &made)
		      : server->s->part(server->s->ctx, r->part, &made);
	if (!err && !made.failed)
		body = (struct body){ MHD_HTTP_OK, !r->time, made.data, made.size,
				      MHD_RESPMEM_MUST_FREE };
	else
		strbuf_free(&made);
	if (!r->time && err == -EINVAL)
		body.status = MHD_HTTP_BAD_REQUEST;
	return answer(server, to, &body);
}

static mhd_result handle_request(void *ctx, struct MHD_Connection *from, const char *url,
				 const char *method, const char *version,
				 const char *data, size_t *size, void **state)
{
	const struct server *server = ctx;
	struct body body = { MHD_HTTP_OK, false, strbuf_text(&server->all),
			     server->all.size, MHD_RESPMEM_PERSISTENT };
	struct request r = { 0 };
	unsigned int status;
	const char *why;

	server->mhd.get_connection_values(from, MHD_HEADER_KIND, note_header, &r);
	server->mhd.get_connection_values(from, MHD_GET_ARGUMENT_KIND, note_argument, &r);
	status = refusal(server, &r, url, method, &why);
	if (!status && (r.time || r.part))
		return answer_made(server, from, &r);
	if (status)
		body = (struct body){ status, false, why, strlen(why),
				      MHD_RESPMEM_PERSISTENT };
	return answer(server, from, &body);
}

/* Listens on 127.0.0.1. Returns a descriptor or -errno. *@port receives the port. */
static int listen_here(uint16_t *port)
{
	struct sockaddr_in here = { .sin_family = AF_INET,
				    .sin_port = htons(*port),
				    .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(here);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, err;

	if (fd < 0)
		return -errno;
	/* otherwise the port cannot be reused for a minute */
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
	    !bind(fd, (struct sockaddr *)&here, sizeof(here)) &&
	    !listen(fd, CONNECTIONS) &&
	    !getsockname(fd, (struct sockaddr *)&here, &size)) {
		*port = ntohs(here.sin_port);
		return fd;
	}
	err = -errno;
	close(fd);
	return err;
}

/* Makes the token and the allowed hosts. 0 or -errno. */
static int fill_in(struct server *server, uint16_t port)
{
	unsigned char token[16];

	if (getrandom(token, sizeof(token), 0) != sizeof(token))
		return -errno;
	server->path[0] = '/';
	for (size_t i = 0; i < sizeof(token); i++)
		snprintf(server->path + 1 + 2 * i, 4, "%02x/", token[i]);
	snprintf(server->hosts[0], sizeof(server->hosts[0]), "127.0.0.1:%u", port);
	snprintf(server->hosts[1], sizeof(server->hosts[1]), "localhost:%u", port);
	return 0;
}

/* Answers requests. Returns -errno if it cannot; otherwise never. */
static int serve(struct server *server)
{
	uint16_t port = server->s->port;
	int fd = listen_here(&port);
	int err = fd < 0 ? fd : fill_in(server, port);

	if (!err &&
	    !server->mhd.start_daemon(
		    MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle_request,
		    server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		    CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END))
		err = errno ? -errno : -EIO;
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	message_info("open this address in a browser; Ctrl-C ends it:");
	printf(SCHEME "%s%s\n", server->hosts[0], server->path);
	if (fflush(stdout))
		return -errno;
	for (;;)
		pause(); /* only a caught signal ends it */
}

int page_server_run(const struct page_server *s)
{
	struct server server = { .s = s };
	int ret, err;

	if (!load(&server.mhd))
		return message_fail(
			EXIT_FAILED, s->command,
			"--serve needs %s, which is not installed\n  Install it (Debian: libmicrohttpd12), or write a page: -o report.html",
			SONAME);
	ret = s->make(s->ctx, NULL, &server.all);
	if (ret == EXIT_OK && server.all.failed)
		ret = message_no_memory(s->command);
	if (ret == EXIT_OK) {
		err = serve(&server);
		ret = message_fail(
			EXIT_FAILED, s->command,
			"cannot serve on port %u of 127.0.0.1: %s\n  Without --port it takes one that is free",
			s->port, strerror(-err));
	}
	strbuf_free(&server.all);
	return ret;
}

#endif
