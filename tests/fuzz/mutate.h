/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: changes with knowledge of the format.
 * In: a file's bytes. Out: the same with a change at a place that readers reach.
 */
#ifndef KMEMX_TESTS_FUZZ_MUTATE_H
#define KMEMX_TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that may grow up to @max. */
struct bytes {
	uint8_t *data;
	size_t size, max;
};

/* Defined by the fuzzer: changes a few bytes at random; returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* xorshift64: the same seed leads to the same change. */
uint32_t mutate_random(uint64_t *state);
/* A number below @limit, which must not be 0. */
uint32_t mutate_below(uint64_t *state, size_t limit);
/* A boundary value (0, a power of two, all ones), or any value. */
uint64_t mutate_value(uint64_t *state);
/* Replaces the @old bytes at @at by @size bytes. False if there is no room. */
bool bytes_replace(struct bytes *b, size_t at, size_t old, const void *data, size_t size);

/* Duplicates, drops or moves a line, or changes one of its numbers. */
void mutate_text(struct bytes *b, uint64_t *state);
/*
 * trace.dat 6 or 7, or a stream: changes an option, a section (decompressed, changed and compressed
 * again), a sub-buffer or an event in it. False if it is none of these or too damaged.
 */
bool mutate_recording(struct bytes *b, uint64_t *state);
/* Changes an event of a sub-buffer of @size bytes, or the sub-buffer's header. */
void mutate_page(uint8_t *page, size_t size, bool big_endian, unsigned int long_size,
		 uint64_t *state);

#endif
