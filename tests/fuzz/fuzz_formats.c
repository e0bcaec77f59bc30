// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: the text of an event format.
 * In: arbitrary bytes as the format of an event of kmem and of a probe. Out: a crash is a finding.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/formats.h"
#include "recording/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char kmem[] = "kmem", probes[] = "kmemx_1";
	struct recording_text format = { kmem, text, size };
	struct recording rec = { .event_formats = &format,
				 .nr_event_formats = 1,
				 .page_size = 4096,
				 .layout = { 8, 8, 16 } };
	struct event_formats *fmts = NULL;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (!event_formats_new(&fmts, &rec, NULL))
		event_formats_free(fmts);
	format.name = probes;
	if (!event_formats_new(&fmts, &rec, NULL))
		event_formats_free(fmts);
	free(text);
	return 0;
}
