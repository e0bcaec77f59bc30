/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: kmem events as printed, and as records made from that text.
 * In: the name of an event. Out: its fields.
 *
 * Format: TP_printk() of include/trace/events/kmem.h, 2.6.33 to 6.18.
 */
#ifndef KMEMX_IMPORT_TEXT_SPECS_H
#define KMEMX_IMPORT_TEXT_SPECS_H

#include "base/compiler.h"

/* Event IDs: the kernel's own for a stack; the events of text_specs start at TEXT_ID_KMEM. */
#define TEXT_ID_STACK 4
#define TEXT_ID_KMEM  1000
#define TEXT_ID_OTHER 2000

/* Offsets in a record: fields, a stack's frames, the text of an event that is kept as text. */
#define TEXT_COMMON_SIZE  8
#define TEXT_STACK_FRAMES 16
#define TEXT_OTHER_TEXT	  12

enum text_kind {
	TEXT_SITE,    /* %pS, or %lx before Linux 4.15 */
	TEXT_POINTER, /* %p */
	TEXT_PFN,
	TEXT_UINT,
	TEXT_INT,
	TEXT_GFP,
	TEXT_BOOL,
	TEXT_NAME, /* a string, at the record's end */
};

/**
 * struct text_field - a field, its place in the record, and how it is printed
 * @optional: some kernels do not print it; then the format lacks it, too
 * @print: its part of the print format
 */
struct text_field {
	const char *key;
	uint8_t kind; /* enum text_kind */
	uint8_t offset, size;
	bool optional;
	const char *print;
};

/* @size: bytes of the common part and all fields. */
struct text_spec {
	const char *name;
	uint8_t size;
	const struct text_field *fields; /* a NULL key ends them */
};

/* Number of event types. */
#define TEXT_NR_SPECS 12
extern const struct text_spec text_specs[TEXT_NR_SPECS];

/* The index of the event in text_specs, also by its name before 3.4; -1: another event. */
int text_spec_find(const char *name, size_t len);

#endif
