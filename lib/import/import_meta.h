/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what every import records about the kernel and itself.
 * In: what the copy and the user specify. Out: texts of the recording.
 */
#ifndef KMEMX_IMPORT_IMPORT_META_H
#define KMEMX_IMPORT_IMPORT_META_H

#include <stdint.h>

#include "recording/system_texts.h"

/**
 * import_kernel() - "Linux HOST RELEASE MACHINE", or nothing if release and machine are unknown
 * @host, @release, @machine: NULL or "": unknown
 */
void import_kernel(struct strbuf *uname, const char *host, const char *release,
		   const char *machine);

/**
 * import_meta() - add the item RECORDING_META_IMPORT, and the size of the kernel's pages
 * @notes: what the copy lacks, one note per line; copied
 * @page_size: in bytes; 0: unknown
 *
 * Return: 0 or -ENOMEM, also if @notes ran out of memory.
 */
int import_meta(struct text_list *meta, const struct strbuf *notes,
		uint32_t page_size) __must_check;

#endif
