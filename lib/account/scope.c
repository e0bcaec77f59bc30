// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: which frees an account cannot match, because their allocations were not recorded.
 * In: a recording, a free. Out: is it of an unrecorded allocation?
 */
#include "account/scope.h"

#include <stdlib.h>

struct scope scope_of(const struct recording *rec)
{
	const struct recording_text *self =
		recording_meta(rec, RECORDING_META_RECORDER_PID);
	long pid = self ? strtol(self->text, NULL, 10) : 0;

	return (struct scope){ .part = recording_is_part(rec),
			       .self = pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0 };
}
