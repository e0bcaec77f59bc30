// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: facts of an open recording, and its named texts.
 * In: struct recording. Out: its clock, its kernel, its named items.
 */

#include "recording/recording.h"

#include "base/array.h"

const struct recording_text *recording_meta(const struct recording *rec, const char *name)
{
	return FIND(item, rec->meta, rec->nr_meta, !strcmp(item->name, name));
}

const char *recording_meta_text(const struct recording *rec, const char *name)
{
	const struct recording_text *item = recording_meta(rec, name);

	return item ? item->text : "";
}

bool recording_import_noted(const struct recording *rec, const char *note)
{
	return text_has_word(recording_meta_text(rec, RECORDING_META_IMPORT), '\n', note);
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

	return !ANY(i, ARRAY_SIZE(others), !strcmp(clock, others[i]));
}

bool recording_clocks_are_ns(const struct recording *rec)
{
	return !ANY(b, rec->nr_buffers, !recording_clock_is_ns(recording_clock(rec, b)));
}

/* Computes ticks * mult >> shift (below 64) with a 96-bit product; false if the result does not fit
 * 64 bits.
 */
static bool scale_ticks(uint64_t ticks, uint32_t mult, unsigned int shift, uint64_t *out)
{
	uint64_t low = (ticks & UINT32_MAX) * mult;
	uint64_t high = (ticks >> 32) * mult + (low >> 32); /* in units of 2^32 */

	low &= UINT32_MAX;
	if (shift >= 32) {
		*out = high >> (shift - 32);
		return true;
	}
	if (high >> (32 + shift))
		return false;
	*out = high << (32 - shift) | low >> shift;
	return true;
}

int recording_ticks_to_ns(const struct recording *rec, uint32_t index, uint64_t ticks,
			  uint64_t *ns)
{
	if (recording_clock_is_ns(recording_clock(rec, index))) {
		*ns = ticks;
		return 0;
	}
	/* Hundredths of a second: trace_clock_jiffies() of kernel/trace/trace_clock.c. */
	if (!strcmp(recording_clock(rec, index), "uptime")) {
		if (ticks > UINT64_MAX / 10000000)
			return -EOPNOTSUPP;
		*ns = ticks * 10000000;
		return 0;
	}
	if (!rec->tsc_mult || rec->tsc_mult > UINT32_MAX || rec->tsc_shift > 63 ||
	    !scale_ticks(ticks, (uint32_t)rec->tsc_mult, (unsigned int)rec->tsc_shift,
			 ns))
		return -EOPNOTSUPP;
	return 0;
}

static struct recording_word make_word(const char *text, size_t size)
{
	struct recording_word word;

	snprintf(word.text, sizeof(word.text), "%.*s", (int)size, text);
	return word;
}

/* The word that is @from_end words before the last one of uname. */
static struct recording_word uname_word(const struct recording *rec,
					unsigned int from_end)
{
	const char *start = rec->uname ? rec->uname : "", *end = start + strlen(start),
		   *at;

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
	return make_word(at, (size_t)(end - at));
}

struct recording_word recording_release(const struct recording *rec)
{
	return uname_word(rec, 1);
}

struct recording_word recording_machine(const struct recording *rec)
{
	return uname_word(rec, 0);
}

struct recording_word recording_host(const struct recording *rec)
{
	/* "Linux HOST RELEASE MACHINE" */
	struct recording_word host = uname_word(rec, *uname_word(rec, 3).text ? 2 : 3);

	/* The kernel's word for no host name. */
	return strcmp(host.text, "(none)") ? host : make_word("", 0);
}

struct recording_word recording_build_id(const struct recording *rec)
{
	const char *id = recording_meta_text(rec, "build_id");

	return make_word(id, strcspn(id, " \n"));
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
	*start = LARGER(first, *start);
	*stop = SMALLER(last, *stop);
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
	const struct recording_word machine = recording_machine(rec);

	if (meta) {
		unsigned long value = strtoul(meta->text, NULL, 10);

		if (value >= 4096 && value <= 1UL << 20 && !(value & (value - 1)))
			return (uint32_t)value;
	}
	return ANY(i, ARRAY_SIZE(small), !strcmp(machine.text, small[i]))
		       ? 4096
		       : rec->page_size;
}

/* --- texts ------------------------------------------------------------------------------- */

int recording_text_add(struct recording_text **texts, size_t *nr, const char *name,
		       char *text, size_t size)
{
	char *copy = strdup(name);

	if (!text || !copy ||
	    ARRAY_ADD(*texts, *nr, (struct recording_text){ copy, text, size })) {
		free(copy);
		free(text);
		return -ENOMEM;
	}
	return 0;
}

void recording_texts_free(struct recording_text *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(texts[i].name);
		free(texts[i].text);
	}
	free(texts);
}

/* --- probes -------------------------------------------------------------------------------- */

#define SET "set"

void probe_list_add(struct strbuf *out, const char *name, const char *function,
		    const char *why)
{
	strbuf_printf(out, "%s %s %s\n", name, function, why ? why : SET);
}

/* Copies the word at *@text and moves past it and its blank; false: there is no word. */
static bool take_word(const char **text, char *word, size_t size)
{
	size_t len = strcspn(*text, " \n");

	snprintf(word, size, "%.*s", (int)(len < size ? len : size - 1), *text);
	*text += len + ((*text)[len] == ' ');
	return len;
}

bool probe_list_next(const char **text, struct probe_line *line)
{
	bool whole = false;

	while (**text && !whole) {
		size_t len;

		whole = take_word(text, line->name, sizeof(line->name)) &&
			take_word(text, line->function, sizeof(line->function));
		len = strcspn(*text, "\n");
		whole &= len != 0;
		line->set = len == strlen(SET) && !strncmp(*text, SET, len);
		snprintf(line->why, sizeof(line->why), "%.*s",
			 line->set ? 0 : (int)(len < INT16_MAX ? len : INT16_MAX), *text);
		*text += len + ((*text)[len] == '\n');
	}
	return whole;
}
