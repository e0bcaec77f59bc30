// SPDX-License-Identifier: GPL-2.0-or-later
#include "../include/linux/slab.h"

#define __releases(x)

void vm_area_alloc(void)
{
}

void vm_area_dup(void) __releases(lock)
{
}

__attribute__((noinline)) static void *copy_process(
	int (*function)(void *), void *argument) __attribute__((used));

/* Inlined around addresses of the recording: copy_process+0x20e, +0xa49 and +0xacd. */
static inline __attribute__((always_inline)) void alloc_task_struct_node(void)
{
	FILL(0x300);
}

static inline __attribute__((always_inline)) void dup_task_struct(void)
{
	alloc_task_struct_node();
}

static inline __attribute__((always_inline)) void copy_sighand(void)
{
	kmem_cache_zalloc(1088);
}

static inline __attribute__((always_inline)) void copy_signal(void)
{
	FILL(0x80);
}

static void *copy_process(int (*function)(void *), void *argument)
{
	dup_task_struct();
	FILL(0x6f0);
	copy_sighand();
	copy_signal();
	FILL(0xe20);
	return function ? argument : 0;
}
