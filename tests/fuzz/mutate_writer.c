// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: how the fuzzer changes a recording for the writers.
 * In: an input of fuzz_writer. Out: the same with a change at a place that readers reach, or at
 * random.
 */
#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
	struct bytes b = { data, size, max };

	if (mutate_below(&state, 4) && mutate_recording(&b, &state))
		return b.size;
	return LLVMFuzzerMutate(data, b.size, max);
}
