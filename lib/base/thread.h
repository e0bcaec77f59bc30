/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: threads that leave signals to the thread that started them.
 * In: a function. Out: a thread that receives no signals except for its own faults.
 */
#ifndef KMEMX_BASE_THREAD_H
#define KMEMX_BASE_THREAD_H

#include <pthread.h>

#include "base/compiler.h"

/**
 * thread_start() - pthread_create() of a thread that blocks the process's signals
 *
 * A signal goes to any thread that does not block it. So if a thread blocks one for a while, in
 * order not to leave a file behind, all other threads must block it, too. Return: 0 or -errno; the
 * caller calls pthread_join().
 */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg) __must_check;

#endif
