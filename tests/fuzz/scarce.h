/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: memory that runs out when it is told to.
 * In: a number. Out: that allocation fails, of those that kmemx's own code asks for.
 */
#ifndef KMEMX_TESTS_FUZZ_SCARCE_H
#define KMEMX_TESTS_FUZZ_SCARCE_H

/* The @nth allocation from now on fails; 0: none does. */
void scarce_set(unsigned long nth);

#endif
