// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: questions to an open recording.
 * In: struct recording. Out: its clock, its kernel, its named items.
 */

#include "recording/recording.h"

const struct recording_text *recording_meta(const struct recording *rec, const char *name)
{
	for (size_t i = 0; i < rec->nr_meta; i++)
		if (!strcmp(rec->meta[i].name, name))
			return &rec->meta[i];
	return NULL;
}

const char *recording_meta_text(const struct recording *rec, const char *name)
{
	const struct recording_text *item = recording_meta(rec, name);

	return item ? item->text : "";
}

const char *recording_clock(const struct recording *rec, uint32_t index)
{
	return index < rec->nr_buffers ? rec->buffers[index].clock : "";
}

bool recording_truncated(const struct recording *rec)
{
	return recording_meta(rec, RECORDING_META_TRUNCATED);
}

/*
 * in_ns of kernel/trace/trace.c's trace_clocks: counter counts events, x86-tsc and ppc-tb
 * cycles, uptime hundredths of a second.
 */
bool recording_clock_is_ns(const char *clock)
{
	static const char *const others[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(clock, others[i]))
			return false;
	return true;
}

bool recording_clocks_are_ns(const struct recording *rec)
{
	for (uint32_t b = 0; b < rec->nr_buffers; b++) {
		if (!recording_clock_is_ns(recording_clock(rec, b)))
			return false;
	}
	return true;
}

/* The word that is @from_end words before the last one. */
static void uname_word(const struct recording *rec, unsigned int from_end, char *buf,
		       size_t size)
{
	const char *start = rec->uname, *end, *at;

	if (!size)
		return;
	buf[0] = 0;
	if (!start)
		return;
	end = start + strlen(start);
	for (;;) {
		while (end > start && end[-1] == ' ')
			end--;
		at = end;
		while (at > start && at[-1] != ' ')
			at--;
		if (!from_end--)
			break;
		end = at;
	}
	snprintf(buf, size, "%.*s", (int)(end - at), at);
}

void recording_release(const struct recording *rec, char *buf, size_t size)
{
	uname_word(rec, 1, buf, size);
}

void recording_machine(const struct recording *rec, char *buf, size_t size)
{
	uname_word(rec, 0, buf, size);
}

void recording_host(const struct recording *rec, char *buf, size_t size)
{
	/* "Linux HOST RELEASE MACHINE" */
	uname_word(rec, 3, buf, size);
	if (size && *buf)
		uname_word(rec, 2, buf, size);
	if (size && !strcmp(buf, "(none)")) /* the kernel's word for no host name */
		*buf = '\0';
}

bool recording_is_part(const struct recording *rec)
{
	return recording_meta(rec, RECORDING_META_SCOPE);
}

bool recording_lacks_frees(const struct recording *rec)
{
	const struct recording_text *frees = recording_meta(rec, RECORDING_META_FREES);

	return recording_is_part(rec) && (!frees || strcmp(frees->text, "all"));
}

const char *recording_flight(const struct recording *rec)
{
	const struct recording_text *flight = recording_meta(rec, RECORDING_META_FLIGHT);

	return flight ? flight->text : NULL;
}

bool recording_part(const struct recording *rec, uint64_t *first, uint64_t *last)
{
	const struct recording_text *part = recording_meta(rec, RECORDING_META_PART);

	return part && sscanf(part->text, "%20" SCNu64 ",%20" SCNu64, first, last) == 2 &&
	       *first <= *last;
}

int recording_span(const struct recording *rec, uint64_t *start, uint64_t *stop)
{
	const struct recording_text *span = recording_meta(rec, RECORDING_META_SPAN);
	uint64_t first, last;

	if (!span || sscanf(span->text, "%20" SCNu64 " %20" SCNu64, start, stop) != 2 ||
	    *stop < *start)
		return -ENOENT;
	if (!recording_part(rec, &first, &last))
		return 0;
	*start = first > *start ? first : *start;
	*stop = last < *stop ? last : *stop;
	return *start <= *stop ? 0 : -ENOENT;
}

uint32_t recording_kernel_page_size(const struct recording *rec)
{
	/* These have pages of 4 KiB only; elsewhere it depends on the kernel's configuration. */
	static const char *const small[] = { "x86_64", "i386",	 "i486",   "i586",
					     "i686",   "s390x",	 "s390",   "armv5tel",
					     "armv6l", "armv7l", "armv8l", "riscv64",
					     "riscv32" };
	const struct recording_text *meta = recording_meta(rec, "page_size");
	char machine[64];

	if (meta) {
		unsigned long value = strtoul(meta->text, NULL, 10);

		if (value >= 4096 && value <= 1UL << 20 && !(value & (value - 1)))
			return (uint32_t)value;
	}
	recording_machine(rec, machine, sizeof(machine));
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		if (!strcmp(machine, small[i]))
			return 4096;
	}
	return rec->page_size;
}
