// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (import): a folder of raw pages.
 * In: copies of trace_pipe_raw and of what describes them. Out: a recording.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "command.h"
#include "import.h"
#include "import/raw_pages.h"

static const char command_name[] = "import";

/* What it was that failed has been said where that is known. */
static int open_failed(const struct import *im, int err)
{
	switch (err) {
	case -ENOENT:
	case -ENODATA:
	case -EBADMSG:
	case -EINVAL:
		return EXIT_UNREADABLE;
	default:
		message_error(command_name, "cannot import %s: %s", im->opts->raw_pages,
			      strerror(-err));
		return err == -ENOMEM || err == -ENOSPC ? EXIT_FAILED : EXIT_UNREADABLE;
	}
}

static void say(const struct import *im, const struct raw_pages *rp)
{
	struct strbuf sb = { 0 };
	size_t nr_cpus;

	raw_pages_parts(rp, &nr_cpus);
	strbuf_printf(&sb, "%" PRIu64 " bytes, raw pages of %zu CPU%s", im->file_bytes,
		      nr_cpus, nr_cpus == 1 ? "" : "s");
	import_say(im, strbuf_text(&sb), raw_pages_notes(rp));
	strbuf_free(&sb);
}

static int run(struct import *im, const struct strbuf *symbols)
{
	const struct recording_import_options opts = import_known(im, symbols);
	struct raw_pages *rp = NULL;
	int err = raw_pages_open(&rp, im->opts->raw_pages, &opts, &im->log), ret;
	const struct writer_part *parts;
	size_t nr_parts;

	if (err)
		return open_failed(im, err);
	parts = raw_pages_parts(rp, &nr_parts);
	ret = import_write(im, raw_pages_facts(rp), parts, nr_parts);
	if (ret == GO_ON) {
		say(im, rp);
		ret = EXIT_OK;
	}
	raw_pages_close(rp);
	return ret;
}

int import_raw_pages(struct import *im)
{
	struct strbuf symbols = { 0 };
	int ret = import_read_symbols(im->opts, &symbols);

	if (ret == GO_ON)
		ret = import_open_output(im);
	if (ret == GO_ON)
		ret = run(im, &symbols);
	strbuf_free(&symbols);
	return ret;
}
