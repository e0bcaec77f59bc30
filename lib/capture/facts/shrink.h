/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: makes CPUs return the slabs that they hold.
 * In: /sys/kernel/slab. Out: caches whose active_objs counts hardly any free object.
 */
#ifndef KMEMX_CAPTURE_SHRINK_H
#define KMEMX_CAPTURE_SHRINK_H

#include "base/log.h"

/**
 * shrink_caches() - shrink every slab cache
 * @path: /sys/kernel/slab, or a directory like it
 * @level: level of the message about failures
 *
 * Skips aliases, which are symbolic links, so that each cache is shrunk once. Caches that vanish
 * meanwhile do not count.
 *
 * Return: true if all caches were shrunk; false after a message of @level, and a LOG_INFO one
 * for each cache that was not.
 */
bool shrink_caches(const char *path, enum log_level level, const struct log *log);
/* Shrinks again the few caches of which CPUs have taken slabs since. */
void shrink_again(const char *path, const struct log *log);

#endif
