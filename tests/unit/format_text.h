/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: the part that all event formats share.
 */
#ifndef KMEMX_TESTS_FORMAT_TEXT_H
#define KMEMX_TESTS_FORMAT_TEXT_H

/* The common fields at the start of every event, eight bytes. */
#define FORMAT_COMMON                                                                  \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#endif
