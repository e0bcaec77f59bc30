// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: runs all unit suites, or those named on the command line.
 * In: names of suites, with or without "test_", or --list. Out: Check's summary, or a line for each
 * suite; exit 1 if a test failed or a name is unknown.
 */
#include <check.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
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

/* On a busy machine, a test may not even begin within Check's default of 4 s. */
#define TIMEOUT_SECONDS "120"

/* Allocated memory is filled with the complement of this, as in tests/lib.sh. */
#define PERTURB 90

/* Check writes the place of every successful assertion to a file, for its message about a crash,
 * which takes two fifths of all time. The linker substitutes __wrap__mark_point(), which writes the
 * first 1000 of each process, then every hundredth.
 */
void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line)
{
	static unsigned int calls;

	if (calls++ < 1000 || calls % 100 == 0)
		__real__mark_point(file, line);
}

static bool has_name(const char *suite, const char *name)
{
	return !strcmp(suite, name) || !strcmp(suite + strlen("test_"), name);
}

static bool is_known(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		if (has_name(suites[i].name, name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	SRunner *runner;
	size_t i;
	int failed, arg;

	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
			puts(suites[i].name);
		return EXIT_SUCCESS;
	}
	for (arg = 1; arg < argc; arg++) {
		if (is_known(argv[arg]))
			continue;
		fprintf(stderr, "no unit test is named %s\n", argv[arg]);
		return EXIT_FAILURE;
	}
#ifdef __SANITIZE_ADDRESS__
	/* Do not fork: a leak check at the end of each process takes longer than most tests. */
	setenv("CK_FORK", "no", 0);
#endif
#ifdef M_PERTURB
	/* Fill uninitialized memory with other bytes than 0, so that a test that reads it fails. */
	mallopt(M_PERTURB, PERTURB);
#endif
	runner = srunner_create(NULL);
	setenv("CK_DEFAULT_TIMEOUT", TIMEOUT_SECONDS, 0); /* tcase_create() reads it */
	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		for (arg = 1; arg < argc && !has_name(suites[i].name, argv[arg]); arg++)
			;
		if (argc == 1 || arg < argc)
			srunner_add_suite(runner, suites[i].create());
	}
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
