// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: only walks over a recording's event headers: a lower bound for the time of any reader.
 * In: a recording. Out: the number of event records, on stdout.
 */
#include <inttypes.h>
#include <stdio.h>

#include "recording/cpu_cursor.h"
#include "source_file.h"

static int walk(const struct recording *rec, uint32_t buffer, uint32_t cpu, uint64_t *nr)
{
	struct cpu_cursor *cur;
	struct subbuf sb;
	int ret = cpu_cursor_open(&cur, rec, buffer, cpu, NULL);

	if (ret)
		return ret;
	while ((ret = cpu_cursor_next(cur, &sb)) > 0) {
		struct subbuf_iter it = subbuf_iter(&sb, rec->big_endian);
		struct raw_record raw;

		while (subbuf_iter_next(&it, &raw) > 0)
			++*nr;
	}
	cpu_cursor_close(cur);
	return ret;
}

int main(int argc, char **argv)
{
	struct recording *rec;
	struct source src;
	uint64_t nr = 0;
	uint32_t b, c;
	int ret = argc == 2 ? source_open_file(&src, argv[1]) : -1;

	if (!ret)
		ret = recording_open(&rec, &src, argv[1], NULL);
	if (ret) {
		fprintf(stderr, "usage: walk RECORDING\n");
		return 2;
	}
	for (b = 0; b < rec->nr_buffers; b++) {
		for (c = 0; c < rec->buffers[b].nr_cpus && !ret; c++)
			ret = walk(rec, b, c, &nr);
	}
	recording_close(rec);
	printf("%" PRIu64 "\n", nr);
	return ret ? 1 : 0;
}
