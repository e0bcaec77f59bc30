/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: which of the compiled-in changes is in effect; included before each changed source.
 * In: $MUTANT, its number; $MUTANT_REACHED, a file with a byte for each. Out: yes or no; sets the
 * bytes of those that would make a difference.
 */
#ifndef KMEMX_TESTS_MUTANT_H
#define KMEMX_TESTS_MUTANT_H

extern int mutant_now;
extern unsigned char *mutant_reached; /* NULL: not recorded */

/* Is mutant @id in effect? @differs: its value here differs from the source's. */
#define mutant_is(id, differs)                                                       \
	(mutant_reached && !mutant_reached[id] && (differs) ? mutant_reached[id] = 1 \
							    : 0,                     \
	 mutant_now == (id))

#endif
