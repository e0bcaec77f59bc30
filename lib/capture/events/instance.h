/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: a tracefs instance of our own, or somebody else's.
 * In: the machine's tracefs. Out: files of the instance. Our own is removed by instance_destroy();
 * another's stays.
 */
#ifndef KMEMX_CAPTURE_INSTANCE_H
#define KMEMX_CAPTURE_INSTANCE_H

#include <sys/types.h>

#include "base/log.h"
#include "base/strbuf.h"

struct tracefs_instance;

/* The prefix of our instances' names. */
#define INSTANCE_PREFIX "kmemx-"
/* The end of the token of a recording that is sent as a stream and leaves no file. */
#define INSTANCE_STREAM "-stream"
/* Room for a name, and the NUL. */
#define INSTANCE_NAME	64

/**
 * struct instance - an instance that this process owns or reads
 * @tracefs: NULL after instance_attach(): the top-level instance
 * @frees: a second instance of our own, "NAME.frees", for the frees by all tasks where this one
 *	records only some tasks; NULL: none
 * @name: the name of our own instance
 * @lock_fd: the instance's directory, locked with flock(2) while the owner lives; this tells
 *	another kmemx, even across PID namespaces, whether it is a leftover
 */
struct instance {
	struct tracefs_instance *tracefs;
	struct instance *frees;
	char name[INSTANCE_NAME];
	int lock_fd;
};

/* Takes the lock under which instances and probes are made and swept: nobody else may take an
 * instance that is not locked yet, or a probe that is not enabled yet, for a leftover. Returns a
 * descriptor, which close(2) unlocks, or -errno. tracefs must be open.
 */
int instance_lock_all(void) __must_check;
/* May this user trace? Root always may. 0; -errno after a LOG_ERROR message. @retry as for
 * instance_create().
 */
int instance_check_user(const char *retry, const struct log *log) __must_check;

/**
 * instance_create() - make "kmemx-TOKEN"
 * @token: from new_file_token(): unique per recorder; a process number is not, as two PID
 *	namespaces can use the same
 * @retry: the command to run with more rights, for the message ("kmemx record -- ls")
 *
 * Mounts tracefs where it is not mounted. Tracing is off in the new instance.
 *
 * Return: 0; -errno after a LOG_ERROR message: -EACCES without the right to trace, -ENOENT
 * without tracefs, -ENOTSUP without instances.
 */
int instance_create(struct instance *in, const char *token, const char *retry,
		    const struct log *log) __must_check;
/* Makes the second instance, with tracing off. 0; -errno after a LOG_ERROR message. */
int instance_create_frees(struct instance *in, const struct log *log) __must_check;
/* The instance that has the buffers of @cpu: the second one from RECORDING_FREES_CPU on. */
const struct instance *instance_of_cpu(const struct instance *in, uint32_t cpu);
/* Removes the second instance @name of a recorder whose first one is gone. */
void instance_remove_orphan(const char *name);

/**
 * instance_adopt() - take over both instances of a recorder that was killed
 *
 * Tracing is off afterwards. Return: 0; -ENOENT if there is none; -EBUSY if its recorder
 * lives; -errno.
 */
int instance_adopt(struct instance *in, const char *token) __must_check;
/* The token in the name of an instance made by kmemx; NULL for other instances. */
const char *instance_token(const char *name);
/* Does the token end in INSTANCE_STREAM? */
bool instance_is_stream(const char *token);
/* Stops tracing and removes the instance; every descriptor into it must be closed.
 * May be called again, and on a zeroed struct.
 */
void instance_destroy(struct instance *in, const struct log *log);

/* Appends the directories of the instance @name and of its second instance, each after a space. */
void instance_directories(const char *name, struct strbuf *out);

/**
 * instance_attach() - use an existing instance
 * @name: its name; NULL: the top-level instance
 * @retry: as for instance_create()
 *
 * Does not change the instance. Call instance_detach() in any case.
 *
 * Return: 0; -ESRCH without a message if there is none of that name; else -errno after a LOG_ERROR
 * message: -EBUSY if another kmemx has locked it.
 */
int instance_attach(struct instance *in, const char *name, const char *retry,
		    const struct log *log) __must_check;
/* Releases the attached instance without changing it. */
void instance_detach(struct instance *in);
/* The names of all instances, each with a newline; free() it. NULL: no memory. */
char *instance_list(void);

/* Lists the instance's CPUs in order: their numbers may have holes. The caller frees @cpus in any
 * case. 0; -ENOMEM; -errno of reading.
 */
int instance_cpus(const struct instance *in, uint32_t **cpus, size_t *nr) __must_check;

/* Access files of the instance, by path inside it. 0 or -errno; instance_read() appends. */
int instance_write(const struct instance *in, const char *file,
		   const char *text) __must_check;
int instance_append(const struct instance *in, const char *file,
		    const char *text) __must_check;
int instance_read(const struct instance *in, const char *file,
		  struct strbuf *out) __must_check;
bool instance_has(const struct instance *in, const char *file);
/* Does the file begin with @c, such as '1' if it is a switch? False if it cannot be read. */
bool instance_begins(const struct instance *in, const char *file, char c);
/* Returns a descriptor, or -errno. */
int instance_open(const struct instance *in, const char *file, int flags) __must_check;
/* Opens the pipe of @cpu's raw pages, for reading without blocking. A descriptor or -errno. */
int instance_open_pipe(const struct instance *in, uint32_t cpu) __must_check;

/* Reads a file outside the instance: in tracefs' top directory, or anywhere if absolute. */
int instance_read_top(const char *file, struct strbuf *out) __must_check;

#endif
