/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: finds a kernel's debug information on this machine.
 * In: the release and build ID of a recorded kernel. Out: paths of matching files.
 */
#ifndef KMEMX_SYMBOL_DEBUG_SEARCH_H
#define KMEMX_SYMBOL_DEBUG_SEARCH_H

#include "symbol/debug_server.h"

/**
 * struct debug_places - the user's places to search
 * @kernel: a build tree; NULL: not given. @symfs: the root of the recorded machine's files; NULL:
 *	this machine's
 * @debuginfod: ask servers, too
 */
struct debug_places {
	const char *kernel, *symfs;
	bool debuginfod;
};

/* Did the user give any place? */
static inline bool debug_places_any(const struct debug_places *places)
{
	return places->kernel || places->symfs || places->debuginfod;
}

/**
 * struct debug_wanted - what to search for, and where
 * @server: asked last, if @places allow it
 * @release: of the kernel, as uname reports it
 * @build_id: of the kernel, in hex; "": unknown
 *
 * @release and @build_id come from a recording and are not trusted.
 */
struct debug_wanted {
	struct debug_places places;
	struct debug_server *server;
	const char *release, *build_id;
};

enum debug_verdict {
	DEBUG_MISSING,	   /* no such file */
	DEBUG_UNREADABLE,  /* @err is the reason */
	DEBUG_NO_ELF,	   /* not an ELF file, or damaged */
	DEBUG_OTHER_BUILD, /* its build ID, @build_id, differs; "": it has none */
	DEBUG_UNPROVEN,	   /* the recording has no build ID to compare with */
	DEBUG_NOT_SERVED,  /* no server has it; @err is the reason */
	DEBUG_TAKEN,
};

/* A place that was searched. */
struct debug_place {
	char *path;
	enum debug_verdict verdict;
	int err;
	char build_id[129];
};

#define DEBUG_PLACES_MAX 8

/**
 * struct debug_found - the result
 * @places: for the kernel, in search order; only the last one can be accepted
 * @vmlinux: the accepted file; NULL if none was
 * @modules: a directory with the modules' files; NULL if none was found
 */
struct debug_found {
	struct debug_place places[DEBUG_PLACES_MAX];
	size_t nr;
	const char *vmlinux;
	char *modules;
};

/**
 * debug_search() - search for a kernel's files
 *
 * Searches @kernel's vmlinux; then, below @symfs or the root: /usr/lib/debug/boot/vmlinux-RELEASE,
 * /usr/lib/debug/lib/modules/RELEASE/vmlinux, /lib/modules/RELEASE/build/vmlinux and
 * /usr/lib/debug/.build-id/xx/yy.debug; then the server. Accepts the first with the recording's
 * build ID. If the recording has none, accepts only a file that the user named; the caller must
 * check that it fits.
 *
 * Return: 0, also if nothing was found; -ENOMEM. Call debug_found_free() in any case.
 */
int debug_search(struct debug_found *out, const struct debug_wanted *wanted) __must_check;
void debug_found_free(struct debug_found *found);

#endif
