/* SPDX-License-Identifier: GPL-2.0-or-later */
static inline __attribute__((always_inline)) long kmem_cache_zalloc(long size)
{
	return size + 1;
}
