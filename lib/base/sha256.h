/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: SHA-256 (FIPS 180-4), for the hashes that a page gives of its own scripts and styles.
 * In: bytes. Out: the hash in base64.
 */
#ifndef KMEMX_BASE_SHA256_H
#define KMEMX_BASE_SHA256_H

#include <stddef.h>

/* 32 bytes as base64, and the NUL. */
#define SHA256_TEXT 45

void sha256_base64(const void *data, size_t size, char out[SHA256_TEXT]);

#endif
