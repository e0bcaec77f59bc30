/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: threads that leave signals to the one that started them.
 * In: a function. Out: a thread that no signal is delivered to, but for its own faults.
 */
#ifndef KMEMX_BASE_THREAD_H
#define KMEMX_BASE_THREAD_H

#include <pthread.h>

#include "base/compiler.h"

/**
 * thread_start() - pthread_create() of a thread that does not take the process's signals
 *
 * A signal goes to any thread that does not block it: what blocks one for a while, so that a file
 * is not left behind, would block it in vain. Return: 0 or -errno; pthread_join() is the caller's.
 */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg) __must_check;

#endif
