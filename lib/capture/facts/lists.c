// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: what a recording has of long files of the kernel: a list made of each.
 * In: /proc. Out: texts.
 */
#include "capture/facts/lists.h"

#include <errno.h>
#include <string.h>

#include "capture/facts/processes.h"
#include "capture/facts/vmallocinfo.h"
#include "recording/recording.h"

/* Reading one takes no longer. Without processes, reports by process and control group are refused,
 * so these are waited for on a busy machine, too.
 */
#define AREAS_NS     100000000ULL
#define PROCESSES_NS 500000000ULL

int list_read(const char *item, struct strbuf *out, const struct log *log)
{
	bool processes = !strcmp(item, RECORDING_META_PROCESSES);
	int ret = processes ? processes_list("/proc", PROCESSES_NS, out)
			    : vmallocinfo_sum("/proc/vmallocinfo", AREAS_NS, out);

	if (ret)
		log_msg(log, LOG_INFO,
			"cannot read %s: %s; the recording will lack its %s",
			processes ? "/proc" : "/proc/vmallocinfo", strerror(-ret), item);
	return ret;
}
