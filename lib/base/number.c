// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/number.h"

int number_read_decimal(const char **at, uint64_t *whole, uint64_t *billionths)
{
	uint64_t scale = 1000000000;
	const char *p, *start;
	int ret = number_read(at, NULL, 10, UINT64_MAX, whole);

	*billionths = 0;
	if (ret || **at != '.')
		return ret;
	p = start = *at + 1;
	ret = number_read(&p, NULL, 10, UINT64_MAX, billionths);
	if (ret || p - start > 9)
		return -EINVAL;
	for (; start < p; start++)
		scale /= 10;
	*billionths *= scale;
	*at = p;
	return 0;
}
