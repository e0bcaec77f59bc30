// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: measures the CPU time of each thread of a program.
 * In: a program with this in LD_PRELOAD. Out: a line "thread SECONDS" on standard error when a
 * thread ends; the main thread's comes last.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct start {
	void *(*fn)(void *arg);
	void *arg;
};

static void tell(void)
{
	struct timespec t;

	if (!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		fprintf(stderr, "thread %ld.%09ld\n", (long)t.tv_sec, t.tv_nsec);
}

static void *run(void *arg)
{
	struct start start = *(struct start *)arg;
	void *ret;

	free(arg);
	ret = start.fn(start.arg);
	tell();
	return ret;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *arg),
		   void *arg)
{
	int (*next)(pthread_t * thread, const pthread_attr_t *attr,
		    void *(*fn)(void *arg), void *arg);
	struct start *start = malloc(sizeof(*start));

	*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	if (!start || !next)
		abort();
	*start = (struct start){ fn, arg };
	return next(thread, attr, run, start);
}

static void __attribute__((destructor)) end(void)
{
	tell();
}
