/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: where a kernel's debug information is on this machine.
 * In: the release and the build ID of a recorded kernel. Out: paths of files that belong to it.
 */
#ifndef KMEMX_SYMBOL_DEBUG_SEARCH_H
#define KMEMX_SYMBOL_DEBUG_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "symbol/debug_server.h"

/**
 * struct debug_places - where a user says that it is
 * @kernel: a built tree; NULL: none. @symfs: the root of the recorded machine's files; NULL: this
 *	    machine's
 * @debuginfod: servers are asked, too
 */
struct debug_places {
	const char *kernel, *symfs;
	bool debuginfod;
};

/* Has anything been said? */
static inline bool debug_places_any(const struct debug_places *places)
{
	return places->kernel || places->symfs || places->debuginfod;
}

/**
 * struct debug_wanted - what to look for, and where
 * @server: is asked last, if @places say so
 * @release: of the kernel, as uname says it
 * @build_id: of the kernel, in hex, @build_id_len characters; 0: not known
 *
 * @release and @build_id are from a recording, and are not trusted.
 */
struct debug_wanted {
	struct debug_places places;
	struct debug_server *server;
	const char *release, *build_id;
	size_t build_id_len;
};

enum debug_verdict {
	DEBUG_MISSING,	   /* there is no such file */
	DEBUG_UNREADABLE,  /* @err says why */
	DEBUG_NO_ELF,	   /* not an ELF file, or damaged */
	DEBUG_OTHER_BUILD, /* its build ID, @build_id, is another; "": it has none */
	DEBUG_UNPROVEN,	   /* the recording has no build ID to compare with */
	DEBUG_NOT_SERVED,  /* no server gave it; @err says why */
	DEBUG_TAKEN,
};

/* A place that was looked at. */
struct debug_place {
	char *path;
	enum debug_verdict verdict;
	int err;
	char build_id[129];
};

#define DEBUG_PLACES_MAX 8

/**
 * struct debug_found - the result
 * @places: for the kernel, in the order that they were looked at; the last one is taken, or none
 * @vmlinux: of the one that was taken; NULL: none
 * @modules: a directory with the modules' files; NULL: there is none
 */
struct debug_found {
	struct debug_place places[DEBUG_PLACES_MAX];
	size_t nr;
	const char *vmlinux;
	char *modules;
};

/**
 * debug_search() - look for a kernel's files
 *
 * @kernel's vmlinux; then below @symfs, or the root: /usr/lib/debug/boot/vmlinux-RELEASE,
 * /usr/lib/debug/lib/modules/RELEASE/vmlinux, /lib/modules/RELEASE/build/vmlinux and
 * /usr/lib/debug/.build-id/xx/yy.debug; then the server. The first with the recording's build ID
 * is taken. Where the recording has none, only what the user asked for is, and others have to
 * prove that it fits.
 *
 * Return: 0, also if nothing was found; -ENOMEM. debug_found_free() in any case.
 */
int debug_search(struct debug_found *out, const struct debug_wanted *wanted) __must_check;
void debug_found_free(struct debug_found *found);

#endif
