// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: the walk over one ring-buffer page.
 * In: a byte that chooses the byte order, then arbitrary bytes as a page's events.
 * Out: findings are a crash and a record outside the page.
 */
#include <stdint.h>
#include <stdlib.h>

#include "recording/subbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct subbuf sb = { .data = data + 1 };
	struct raw_record rec;
	struct subbuf_iter it;
	const uint8_t *at = data + 1;

	if (!size || size > 1U << 20)
		return 0;
	sb.size = (uint32_t)size - 1;
	it = subbuf_iter(&sb, data[0] & 1);
	while (subbuf_iter_next(&it, &rec) > 0) {
		if (rec.data < at || rec.data + rec.size > data + size)
			abort();
		at = rec.data + rec.size;
	}
	return 0;
}
