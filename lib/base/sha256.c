// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base: SHA-256 (FIPS 180-4), for the hashes that a page gives of its own scripts and styles.
 * In: bytes. Out: the hash in base64.
 */
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

#define BLOCK 64

/* Sections 4.2.2 and 5.3.3: from the cube roots and square roots of the first primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const uint32_t first[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t rotate(uint32_t x, unsigned int by)
{
	return x >> by | x << (32 - by);
}

/* Section 6.2.2. */
static void take_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], v[8], t1, t2;
	unsigned int i;

	for (i = 0; i < 16; i++)
		w[i] = get_u32(block + i * 4, true);
	for (; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, state, sizeof(v));
	for (i = 0; i < 64; i++) {
		t1 = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
		t2 = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		state[i] += v[i];
}

static void hash(const uint8_t *data, size_t size, uint8_t out[32])
{
	uint64_t bits = (uint64_t)size * 8;
	uint8_t last[2 * BLOCK] = { 0 };
	uint32_t state[8];
	size_t left, end;
	unsigned int i;

	memcpy(state, first, sizeof(state));
	for (left = size; left >= BLOCK; left -= BLOCK, data += BLOCK)
		take_block(state, data);
	if (left)
		memcpy(last, data, left);
	last[left] = 0x80;
	end = left + 9 > BLOCK ? 2 * BLOCK : BLOCK;
	for (i = 0; i < 8; i++)
		last[end - 1 - i] = (uint8_t)(bits >> 8 * i);
	take_block(state, last);
	if (end > BLOCK)
		take_block(state, last + BLOCK);
	for (i = 0; i < 32; i++)
		out[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

void sha256_base64(const void *data, size_t size, char out[SHA256_TEXT])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t sum[33] = { 0 };
	unsigned int i, k = 0;

	hash(data, size, sum);
	for (i = 0; i < 33; i += 3) {
		uint32_t three =
			(uint32_t)sum[i] << 16 | (uint32_t)sum[i + 1] << 8 | sum[i + 2];

		out[k++] = digits[three >> 18];
		out[k++] = digits[three >> 12 & 63];
		out[k++] = digits[three >> 6 & 63];
		out[k++] = digits[three & 63];
	}
	out[k - 1] = '='; /* 32 bytes: the last group has two */
	out[k] = '\0';
}
