// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx version.
 * In: the options of the build. Out: the version and the optional features built in.
 */

#include "cmd/options/message.h"
#include "cmd/options/options.h"

#ifdef HAVE_ZSTD
#define BUILT_ZSTD "yes"
#else
#define BUILT_ZSTD "no"
#endif
#ifdef HAVE_ZLIB
#define BUILT_ZLIB "yes"
#else
#define BUILT_ZLIB "no"
#endif
#ifdef HAVE_LZMA
#define BUILT_LZMA "yes"
#else
#define BUILT_LZMA "no"
#endif
#ifdef HAVE_LIBDW
#define BUILT_LIBDW "yes"
#else
#define BUILT_LIBDW "no"
#endif
#ifdef HAVE_DEBUGINFOD
#define BUILT_DEBUGINFOD "yes"
#else
#define BUILT_DEBUGINFOD "no"
#endif
#ifdef HAVE_NCURSES
#define BUILT_NCURSES "yes"
#else
#define BUILT_NCURSES "no"
#endif
#ifdef HAVE_SQLITE
#define BUILT_SQLITE "yes"
#else
#define BUILT_SQLITE "no"
#endif
#ifdef HAVE_MICROHTTPD
#define BUILT_MICROHTTPD "yes"
#else
#define BUILT_MICROHTTPD "no"
#endif
#ifdef KMEMX_STATIC
#define BUILT_STATIC "yes"
#else
#define BUILT_STATIC "no"
#endif

static const struct {
	const char *name;
	const char *built;
	const char *what;
	const char *packages; /* needed to build it */
} build_options[] = {
	{ "zstd", BUILT_ZSTD, "recordings and modules compressed with zstd",
	  "libzstd-dev (Fedora: libzstd-devel)" },
	{ "zlib", BUILT_ZLIB, "recordings and modules compressed with zlib",
	  "zlib1g-dev (Fedora: zlib-devel)" },
	{ "xz", BUILT_LZMA, "modules compressed with xz",
	  "liblzma-dev (Fedora: xz-devel)" },
	{ "libdw", BUILT_LIBDW,
	  "inlined functions, lines and directories from debug information",
	  "libdw-dev (Fedora: elfutils-devel)" },
	{ "debuginfod", BUILT_DEBUGINFOD, "debug information from servers",
	  "libdebuginfod-dev (Fedora: elfutils-debuginfod-client-devel)" },
	{ "ncurses", BUILT_NCURSES, "the screen of kmemx top",
	  "libncurses-dev (Fedora: ncurses-devel)" },
	{ "sqlite", BUILT_SQLITE, "kmemx query",
	  "libsqlite3-dev (Fedora: sqlite-devel)" },
	{ "microhttpd", BUILT_MICROHTTPD, "kmemx report --serve",
	  "libmicrohttpd-dev (Fedora: libmicrohttpd-devel)" },
	{ "static", BUILT_STATIC, "one binary that needs no shared library", NULL },
};

const char *version_packages(const char *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(build_options); i++)
		if (!strcmp(build_options[i].name, option))
			return build_options[i].packages;
	return NULL;
}

static int run_version(int argc, char **argv)
{
	static const struct option_usage usage = {
		.command = "version",
		.purpose = "Show the version of kmemx and how it was built.",
		.usage = "kmemx version [--build-options]",
		.examples = "  kmemx version\n  kmemx version --build-options\n",
	};
	bool show_build = false;
	const struct option_entry options[] = {
		{ OPTION_FLAG, 0, "build-options", NULL, &show_build,
		  "list the optional features, built in or not" },
		OPTIONS_END,
	};
	int operands, ret;

	ret = options_parse(&usage, options, argc, argv, &operands);
	if (ret != GO_ON)
		return ret;
	if (operands < argc)
		return message_fail(EXIT_USAGE, usage.command, "unexpected argument '%s'",
				    argv[operands]);
	printf("kmemx %s\n", KMEMX_VERSION);
	if (!show_build)
		return EXIT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(build_options); i++) {
		const char *packages = build_options[i].packages;
		bool lacks = packages && !strcmp(build_options[i].built, "no");

		printf("%-10s %-4s %s%s%s\n", build_options[i].name,
		       build_options[i].built, build_options[i].what,
		       lacks ? "; needs " : "", lacks ? packages : "");
	}
	return EXIT_OK;
}

const struct command command_version = {
	.name = "version",
	.purpose = "show the version and the optional features built in",
	.group = COMMAND_OTHER,
	.seldom = true,
	.run = run_version,
};
