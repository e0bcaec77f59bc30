// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx version.
 * In: the options of the build. Out: the version and the optional features built in.
 */

#include "cmd/options/message.h"
#include "cmd/options/options.h"

/* The value of a macro as text: "1" if the build defines it, else its name. */
#define VALUE_OF(macro) TEXT_OF(macro)
#define TEXT_OF(value)	#value

static const struct {
	const char *name;
	const char *built; /* VALUE_OF() of the macro that enables it */
	const char *what;
	const char *packages; /* needed to build it */
} build_options[] = {
	{ "zstd", VALUE_OF(HAVE_ZSTD), "recordings and modules compressed with zstd",
	  "libzstd-dev (Fedora: libzstd-devel)" },
	{ "zlib", VALUE_OF(HAVE_ZLIB), "recordings and modules compressed with zlib",
	  "zlib1g-dev (Fedora: zlib-devel)" },
	{ "xz", VALUE_OF(HAVE_LZMA), "modules compressed with xz",
	  "liblzma-dev (Fedora: xz-devel)" },
	{ "libdw", VALUE_OF(HAVE_LIBDW),
	  "inlined functions, lines and directories from debug information",
	  "libdw-dev (Fedora: elfutils-devel)" },
	{ "debuginfod", VALUE_OF(HAVE_DEBUGINFOD), "debug information from servers",
	  "libdebuginfod-dev (Fedora: elfutils-debuginfod-client-devel)" },
	{ "ncurses", VALUE_OF(HAVE_NCURSES), "the screen of kmemx top",
	  "libncurses-dev (Fedora: ncurses-devel)" },
	{ "sqlite", VALUE_OF(HAVE_SQLITE), "kmemx query",
	  "libsqlite3-dev (Fedora: sqlite-devel)" },
	{ "microhttpd", VALUE_OF(HAVE_MICROHTTPD), "kmemx report --serve",
	  "libmicrohttpd-dev (Fedora: libmicrohttpd-devel)" },
	{ "static", VALUE_OF(KMEMX_STATIC), "one binary that needs no shared library",
	  NULL },
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
	bool show_build = false;
	const struct option_entry options[] = {
		{ OPTION_FLAG, 0, "build-options", NULL, &show_build,
		  "list the optional features, built in or not" },
		OPTIONS_END,
	};
	int operands, ret;

	ret = options_parse(&command_version, options, argc, argv, &operands);
	if (ret != GO_ON)
		return ret;
	if (operands < argc)
		return message_fail(EXIT_USAGE, argv[0], "unexpected argument '%s'",
				    argv[operands]);
	printf("kmemx %s\n", KMEMX_VERSION);
	if (!show_build)
		return EXIT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(build_options); i++) {
		const char *packages = build_options[i].packages;
		bool built = !strcmp(build_options[i].built, "1");
		bool lacks = packages && !built;

		printf("%-10s %-4s %s%s%s\n", build_options[i].name, built ? "yes" : "no",
		       build_options[i].what, lacks ? "; needs " : "",
		       lacks ? packages : "");
	}
	return EXIT_OK;
}

const struct command command_version = {
	"version",
	"show the version and the optional features built in",
	COMMAND_OTHER,
	run_version,
	.seldom = true,
	.about = "Show the version of kmemx and how it was built.",
	.usage = "kmemx version [--build-options]",
	.examples = "  kmemx version\n  kmemx version --build-options\n",
};
