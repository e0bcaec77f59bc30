// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (import): the symbols of the running kernel.
 * In: what a source says about its kernel. Out: /proc/kallsyms, if that kernel is running.
 */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/events/instance.h"
#include "capture/facts/build_ids.h"
#include "cmd/import/import.h"
#include "import/perf_symbols.h"

/* Same release and build ID: the same kernel, but perhaps of another boot. perf record -z and -o -
 * write no build ID: then compare the host name, and leave the rest to perf_symbols_fit().
 */
static int is_running(const struct import_kernel *kernel)
{
	struct strbuf notes = { 0 }, build_id = { 0 };
	struct utsname here;
	int ret;

	if (uname(&here) || strcmp(here.release, kernel->release) != 0)
		return 0;
	if (!*kernel->build_id)
		return !strcmp(here.nodename, kernel->host);
	ret = instance_read_top("/sys/kernel/notes", &notes);
	if (!ret)
		ret = build_id_of_notes(strbuf_text(&notes), notes.size, &build_id);
	if (!ret)
		ret = !strcmp(strbuf_text(&build_id), kernel->build_id);
	strbuf_free(&notes);
	strbuf_free(&build_id);
	return ret;
}

int import_running_symbols(void *ctx, const struct import_kernel *kernel,
			   struct strbuf *out)
{
	int ret = is_running(kernel);

	if (ret > 0)
		ret = instance_read_top("/proc/kallsyms", out);
	/* Each boot moves the kernel, and unprivileged users see no addresses. */
	if (ret || !perf_symbols_fit(strbuf_text(out), kernel))
		strbuf_reset(out);
	return ret == -ENOMEM ? ret : 0;
}
