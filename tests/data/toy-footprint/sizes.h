/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function of that many bytes with any compiler. */
#define FUNCTION(section, name, size)                                                \
	asm(".section " section ",\"ax\",@progbits\n.type " #name ",@function\n" #name \
	    ": .skip " #size "\n.size " #name ", " #size "\n.text\n")
