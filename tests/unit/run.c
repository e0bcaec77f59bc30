// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: runs every unit suite, or those named on the command line.
 * In: suite names. Out: Check's summary; exit 1 if a test failed.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) Suite *name##_suite(void);
#include "suites.h"
#undef SUITE

static const struct {
	const char *name;
	Suite *(*create)(void);
} suites[] = {
#define SUITE(name) { #name, name##_suite },
#include "suites.h"
#undef SUITE
};

/* Check's own 4 s are over before a test begins where others use the machine too. */
#define TIMEOUT_SECONDS "120"

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	size_t i;
	int failed, arg;

	setenv("CK_DEFAULT_TIMEOUT", TIMEOUT_SECONDS, 0); /* tcase_create() reads it */
	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		for (arg = 1; arg < argc && strcmp(argv[arg], suites[i].name); arg++)
			;
		if (argc == 1 || arg < argc)
			srunner_add_suite(runner, suites[i].create());
	}
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
