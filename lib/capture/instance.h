/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a tracefs instance of our own.
 * In: the machine's tracefs. Out: files of the instance, which is gone after
 * instance_destroy(), and the removal of what killed recorders left.
 */
#ifndef KMEMX_CAPTURE_INSTANCE_H
#define KMEMX_CAPTURE_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"

struct tracefs_instance;

/**
 * struct instance - an instance that this process owns
 * @lock_fd: the instance's directory, locked with flock(2) as long as the owner lives:
 *	that is how another kmemx tells a leftover, even across pid namespaces
 */
struct instance {
	struct tracefs_instance *tracefs;
	char name[48];
	int lock_fd;
};

/**
 * instance_create() - remove leftovers of killed recorders, then make "kmemx-PID"
 * @retry: what the user should run with more rights, for the message ("kmemx record -- ls")
 *
 * Mounts tracefs where it is not mounted. Tracing is off in the new instance.
 *
 * Return: 0; -errno after an LOG_ERROR message: -EACCES without the right to trace, -ENOENT
 * without tracefs, -ENOTSUP without instances.
 */
int instance_create(struct instance *in, const char *retry,
		    const struct log *log) __must_check;
/* Stops tracing and removes the instance; every descriptor into it must be closed.
 * May be called again, and on a zeroed struct.
 */
void instance_destroy(struct instance *in, const struct log *log);

/* Files of the instance, by path inside it. 0 or -errno; instance_read() appends. */
int instance_write(const struct instance *in, const char *file,
		   const char *text) __must_check;
int instance_append(const struct instance *in, const char *file,
		    const char *text) __must_check;
int instance_read(const struct instance *in, const char *file,
		  struct strbuf *out) __must_check;
bool instance_has(const struct instance *in, const char *file);
/* A descriptor, or -errno. */
int instance_open(const struct instance *in, const char *file, int flags) __must_check;

/* A file outside the instance: of tracefs' top directory, or anywhere if absolute. */
int instance_read_top(const char *file, struct strbuf *out) __must_check;

#endif
