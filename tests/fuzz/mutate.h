/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: changes that know what they change.
 * In: a file's bytes. Out: the same, changed in a place that a reader gets to.
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

/* The fuzzer's: changes a few bytes at random; returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* xorshift64: the same seed, the same change. */
uint32_t mutate_random(uint64_t *state);
/* A number below @limit, which is not 0. */
uint32_t mutate_below(uint64_t *state, size_t limit);
/* A value at which something may change: 0, powers of two, all ones, or any. */
uint64_t mutate_value(uint64_t *state);
/* Puts @size bytes in the place of the @old ones at @at. False: no room. */
bool bytes_replace(struct bytes *b, size_t at, size_t old, const void *data, size_t size);

/* A line is doubled, dropped, moved, or one of its numbers changed. */
void mutate_text(struct bytes *b, uint64_t *state);
/*
 * trace.dat 6 or 7, or a stream: an option, a section (opened if it is compressed, changed,
 * closed again), a sub-buffer or an event in it. False if it is none of them, or too damaged.
 */
bool mutate_recording(struct bytes *b, uint64_t *state);
/* An event of a sub-buffer of @size bytes, or what the sub-buffer says of itself. */
void mutate_page(uint8_t *page, size_t size, bool big_endian, unsigned int long_size,
		 uint64_t *state);

#endif
