/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event (internal): a shortcut from a callchain to its number.
 * In: frames as they lie in a record. Out: their slot in a small table.
 */
#ifndef KMEMX_EVENT_RECENT_STACKS_H
#define KMEMX_EVENT_RECENT_STACKS_H

#include <stdint.h>
#include <string.h>

#define RECENT_STACKS 2048U

/* The slot of a stack with these frames: stacks differ in the middle, if not in the first frames.
 */
static inline uint32_t recent_stack_slot(const uint8_t *frames, uint32_t nr)
{
	size_t step = nr / 4 * 8UL;
	uint64_t some[4];

	memcpy(&some[0], frames + step, 8);
	memcpy(&some[1], frames + 2 * step, 8);
	memcpy(&some[2], frames + 3 * step, 8);
	memcpy(&some[3], frames + 4 * step - 8, 8);
	some[0] = (some[0] + nr) * 0x9e3779b97f4a7c15ULL + some[1];
	some[2] = (some[0] ^ some[0] >> 32) * 0x9e3779b97f4a7c15ULL + some[2];
	some[3] = (some[2] ^ some[2] >> 32 ^ some[3]) * 0x9e3779b97f4a7c15ULL;
	return (uint32_t)(some[3] >> 32) % RECENT_STACKS;
}

#endif
