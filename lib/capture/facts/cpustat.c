// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: reads the ring buffers' statistics, and numbers from texts like them.
 * In: per_cpu/cpuN/stats of tracefs. Out: texts owned by struct facts.
 */

#include "capture/facts/facts.h"

int facts_read_cpustat(const struct instance *in, uint32_t cpu, struct strbuf *out)
{
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu % RECORDING_FREES_CPU);
	return instance_read(instance_of_cpu(in, cpu), file, out);
}

int facts_add_cpustat(struct facts *f, const struct instance *in, uint32_t cpu,
		      const char **text)
{
	/* Marks the statistics of the frees' buffer, the way trace-cmd marks an instance. */
	static const char mark[] = "\nBuffer: " RECORDING_FREES "\n\n";
	struct text_list *list = &f->texts.cpustats;
	struct strbuf __auto_free sb = { 0 };
	int ret;

	if (cpu >= RECORDING_FREES_CPU &&
	    !ANY(i, list->count, !strcmp(list->items[i].text, mark)))
		f->failed |= text_list_add(list, "cpustat", mark, strlen(mark)) != 0;
	strbuf_printf(&sb, "CPU: %u\n", cpu % RECORDING_FREES_CPU);
	ret = facts_read_cpustat(in, cpu, &sb);
	ret = ret ?: text_list_take(list, "cpustat", &sb);
	*text = ret ? NULL : list->items[list->count - 1].text;
	return ret;
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

uint64_t facts_time(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	uint64_t whole = 0;
	unsigned int us;

	if (at && sscanf(at + strlen(key), "%" SCNu64 ".%6u", &whole, &us) == 2)
		whole = whole * 1000000000 + us * UINT64_C(1000);
	return whole;
}

uint64_t facts_meminfo(const char *key)
{
	struct strbuf __auto_free sb = { 0 };

	return instance_read_top("/proc/meminfo", &sb)
		       ? 0
		       : facts_number(strbuf_text(&sb), key) * 1024;
}
