// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: random numbers, and changes of bytes and of lines of text.
 * In: a seed, bytes. Out: the same for the same seed.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mutate.h"

uint32_t mutate_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 16);
}

uint32_t mutate_below(uint64_t *state, size_t limit)
{
	return mutate_random(state) % (uint32_t)limit;
}

uint64_t mutate_value(uint64_t *state)
{
	uint64_t v = 1ULL << mutate_below(state, 64);

	switch (mutate_below(state, 6)) {
	case 0:
		return 0;
	case 1:
		return v;
	case 2:
		return v - 1;
	case 3:
		return ~0ULL - mutate_below(state, 4);
	case 4:
		return mutate_below(state, 300);
	default:
		return (uint64_t)mutate_random(state) << 32 | mutate_random(state);
	}
}

bool bytes_replace(struct bytes *b, size_t at, size_t old, const void *data, size_t size)
{
	if (at > b->size || old > b->size - at || b->size - old + size > b->max)
		return false;
	memmove(b->data + at + size, b->data + at + old, b->size - at - old);
	if (size)
		memcpy(b->data + at, data, size);
	b->size = b->size - old + size;
	return true;
}

/* --- text -------------------------------------------------------------------------------- */

/* The line around a random byte: its start, and its length with its line break. */
static size_t pick_line(const struct bytes *b, uint64_t *state, size_t *len)
{
	size_t at = mutate_below(state, b->size), end = at;

	while (at && b->data[at - 1] != '\n')
		at--;
	while (end < b->size && b->data[end] != '\n')
		end++;
	*len = end - at + (end < b->size);
	return at;
}

static void change_number(struct bytes *b, size_t at, size_t len, uint64_t *state)
{
	size_t i = at + mutate_below(state, len), end;
	char text[24];

	while (i < at + len && !isxdigit(b->data[i]))
		i++;
	for (end = i; end < at + len && isxdigit(b->data[end]);)
		end++;
	snprintf(text, sizeof(text), mutate_below(state, 2) ? "%llu" : "%llx",
		 (unsigned long long)mutate_value(state));
	bytes_replace(b, i, end - i, text, strlen(text));
}

void mutate_text(struct bytes *b, uint64_t *state)
{
	size_t at, len, to, unused;
	uint8_t line[1024];

	if (!b->size)
		return;
	at = pick_line(b, state, &len);
	switch (mutate_below(state, 5)) {
	case 0:
		bytes_replace(b, at, len, NULL, 0);
		return;
	case 1:
	case 2:
		if (len > sizeof(line))
			return;
		memcpy(line, b->data + at, len);
		to = pick_line(b, state, &unused);
		bytes_replace(b, to, mutate_below(state, 2) ? unused : 0, line, len);
		return;
	case 3:
		if (len)
			change_number(b, at, len, state);
		return;
	default:
		b->size = LLVMFuzzerMutate(b->data, b->size, b->max);
	}
}
