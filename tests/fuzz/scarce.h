/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: allocations that fail on demand.
 * In: a number. Out: the allocation of that number in kmemx's own code fails.
 */
#ifndef KMEMX_TESTS_FUZZ_SCARCE_H
#define KMEMX_TESTS_FUZZ_SCARCE_H

/* The @nth allocation from now on fails; 0: none. */
void scarce_set(unsigned long nth);

#endif
