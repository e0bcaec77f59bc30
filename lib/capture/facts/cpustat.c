// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: the ring buffers' statistics, and numbers in texts like them.
 * In: per_cpu/cpuN/stats of tracefs. Out: texts owned by struct facts.
 */

#include "capture/facts/facts.h"

/* Marks the following statistics as those of the frees' buffer, as trace-cmd marks an instance. */
static int begin_frees(struct facts *f)
{
	static const char mark[] = "\nBuffer: " RECORDING_FREES "\n\n";
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < f->texts.cpustats.count; i++)
		if (!strcmp(f->texts.cpustats.items[i].text, mark))
			return 0;
	strbuf_puts(&sb, mark);
	return text_list_take(&f->texts.cpustats, "cpustat", &sb);
}

int facts_read_cpustat(const struct instance *in, uint32_t cpu, struct strbuf *out)
{
	struct instance of = instance_of_cpu(in, &cpu);
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	return instance_read(&of, file, out);
}

int facts_add_cpustat(struct facts *f, const struct instance *in, uint32_t cpu)
{
	int ret = cpu < RECORDING_FREES_CPU ? 0 : begin_frees(f);
	struct strbuf __auto_free sb = { 0 };

	strbuf_printf(&sb, "CPU: %u\n", cpu % RECORDING_FREES_CPU);
	if (!ret)
		ret = facts_read_cpustat(in, cpu, &sb);
	return ret ? ret : text_list_take(&f->texts.cpustats, "cpustat", &sb);
}

uint64_t facts_number(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return strtoull(line + len + 1, NULL, 10);
	}
	return 0;
}

uint64_t facts_meminfo(const char *key)
{
	struct strbuf __auto_free sb = { 0 };

	return instance_read_top("/proc/meminfo", &sb)
		       ? 0
		       : facts_number(strbuf_text(&sb), key) * 1024;
}
