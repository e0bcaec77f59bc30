// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (import): a directory of raw pages.
 * In: copies of trace_pipe_raw and of the files that describe them. Out: a recording.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "cmd/import/import.h"
#include "cmd/options/command.h"
#include "import/raw_pages.h"

/* For these errors the message was already logged. */
static int open_failed(const struct import *im, int err)
{
	switch (err) {
	case -ENOENT:
	case -ENODATA:
	case -EBADMSG:
	case -EINVAL:
		return EXIT_UNREADABLE;
	default:
		return import_failed(im, im->opts->raw_pages, err);
	}
}

static int write_recording(struct import *im, const struct raw_pages *rp)
{
	struct import_result r = { .facts = raw_pages_facts(rp),
				   .notes = raw_pages_notes(rp) };
	char summary[64];
	int ret;

	r.parts = raw_pages_parts(rp, &r.nr_parts);
	ret = import_write(im, &r);
	if (ret != GO_ON)
		return ret;
	snprintf(summary, sizeof(summary), "%" PRIu64 " bytes of raw pages",
		 im->file_bytes);
	r.summary = summary;
	import_say(im, &r);
	return EXIT_OK;
}

static int run(struct import *im, const struct strbuf *symbols)
{
	const struct recording_import_options opts = import_known(im, symbols);
	struct raw_pages *rp = NULL;
	int err, ret;

	progress_start(&im->progress, "importing");
	err = raw_pages_open(&rp, im->opts->raw_pages, &opts, &im->log);
	progress_end(&im->progress);
	if (err)
		return open_failed(im, err);
	ret = write_recording(im, rp);
	raw_pages_close(rp);
	return ret;
}

int import_raw_pages(struct import *im)
{
	struct strbuf symbols = { 0 };
	int ret = import_begin(im, &symbols);

	if (ret == GO_ON)
		ret = run(im, &symbols);
	strbuf_free(&symbols);
	return ret;
}
