/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the build IDs of the running kernel and its modules.
 * In: ELF notes, /sys/module. Out: hex digits; a line for each module.
 */
#ifndef KMEMX_CAPTURE_BUILD_IDS_H
#define KMEMX_CAPTURE_BUILD_IDS_H

#include "base/strbuf.h"

/* Appends the GNU build ID in ELF notes (host byte order) as hex; -ENOENT if there is none. */
int build_id_of_notes(const void *notes, size_t size, struct strbuf *hex) __must_check;

/**
 * build_ids_of_modules() - read the modules' build IDs
 * @path: /sys/module; each module's note is NAME/notes/.note.gnu.build-id in it
 * @out: receives lines "name hex", sorted by name
 *
 * Leaves out modules without a build ID and built-in modules.
 *
 * Return: 0; -ENOMEM; another -errno of opening @path.
 */
int build_ids_of_modules(const char *path, struct strbuf *out) __must_check;

#endif
