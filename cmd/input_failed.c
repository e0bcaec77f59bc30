// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: what went wrong with an input that was opened.
 * In: an error. Out: a message and an exit code.
 */
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "command.h"
#include "input.h"

int input_no_instance(const struct input *in, const char *instance)
{
	struct strbuf names = { 0 };
	uint32_t i;

	for (i = 0; i < in->rec->nr_buffers; i++)
		strbuf_printf(&names, " '%s'", in->rec->buffers[i].name);
	message_error(in->command, "%s has no ring buffer named '%s'.\n  It has:%s",
		      in->path, instance, strbuf_text(&names));
	strbuf_free(&names);
	return EXIT_FAILED;
}

int input_stream_failed(const struct input *in, int err)
{
	message_error(in->command, "cannot read the events of %s: %s", in->path,
		      err == -E2BIG ? "they are too many for its size" : strerror(-err));
	return err == -ENOMEM ? EXIT_FAILED : EXIT_UNREADABLE;
}
