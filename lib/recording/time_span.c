// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/time_span.h"

#include "base/array.h"
#include "recording/cpu_cursor.h"
#include "recording/subbuf.h"

/* No clock reaches this: 146 years in ns. */
#define TIME_MAX  (UINT64_C(1) << 62)
/* No CPU is silent for this long: 13 days in ns. */
#define TIME_JUMP (UINT64_C(1) << 50)

#define NO_PAGE UINT32_MAX

/* The sub-buffers of CPU rec->buffers[@buffer].cpus[@index], in the file's order. */
struct pages {
	uint32_t buffer, index;
	uint64_t *ts; /* their own times */
	uint8_t *kept;
	size_t nr;
};

/* --- which sub-buffers are in order ------------------------------------------------------ */

static int open_quiet(struct cpu_cursor **out, const struct recording *rec,
		      uint32_t buffer, uint32_t index)
{
	int ret = cpu_cursor_open(out, rec, buffer, index, NULL);

	if (!ret)
		cpu_cursor_quiet(*out);
	return ret;
}

static int read_times(struct pages *pages, const struct recording *rec)
{
	struct cpu_cursor *cur;
	struct subbuf sb;
	int ret = open_quiet(&cur, rec, pages->buffer, pages->index);

	if (ret)
		return ret;
	while ((ret = cpu_cursor_next(cur, &sb)) == 1 || ret == -EBADMSG) {
		if (ret != 1)
			continue;
		ret = pages->nr >= NO_PAGE - 1 ? -ENOMEM
					       : ARRAY_ADD(pages->ts, pages->nr, sb.ts);
		if (ret)
			break;
	}
	cpu_cursor_close(cur);
	return ret;
}

/* Keeps the longest sequence of pages that never goes back in time (patience sorting):
 * tails[n] is the earliest page that ends such a sequence of n + 1.
 */
static int keep_ordered(struct pages *pages)
{
	uint32_t *tails __auto_mem = calloc(pages->nr + 1, sizeof(*tails));
	uint32_t *before __auto_mem = calloc(pages->nr + 1, sizeof(*before));
	size_t nr = 0, at;

	pages->kept = calloc(pages->nr + 1, sizeof(*pages->kept));
	if (!tails || !before || !pages->kept)
		return -ENOMEM;
	for (size_t i = 0; i < pages->nr; i++) {
		if (pages->ts[i] >= TIME_MAX)
			continue;
		/* The first tail whose page is later. */
		at = COUNT_FIRST(k, nr, pages->ts[tails[k]] <= pages->ts[i]);
		before[i] = at ? tails[at - 1] : NO_PAGE;
		tails[at] = (uint32_t)i;
		if (at == nr)
			nr++;
	}
	for (uint32_t page = nr ? tails[nr - 1] : NO_PAGE; page != NO_PAGE;
	     page = before[page])
		pages->kept[page] = 1;
	return 0;
}

ORDER_NUMBERS(compare_times, uint64_t)

/* The first and last time of the largest group of pages without a long silence in between. */
static int find_most(const struct pages *cpus, uint32_t nr_cpus, uint64_t *low,
		     uint64_t *high)
{
	size_t nr = 0, most = 0, first = 0;
	uint64_t *times __auto_mem = NULL;

	for (uint32_t c = 0; c < nr_cpus; c++)
		nr += cpus[c].nr;
	times = calloc(nr + 1, sizeof(*times));
	if (!times)
		return -ENOMEM;
	nr = 0;
	for (uint32_t c = 0; c < nr_cpus; c++) {
		for (size_t i = 0; i < cpus[c].nr; i++) {
			if (cpus[c].kept[i])
				times[nr++] = cpus[c].ts[i];
		}
	}
	qsort(times, nr, sizeof(*times), compare_times);
	*low = UINT64_MAX;
	*high = 0;
	for (size_t i = 0; i < nr; i++) {
		if (i && times[i] - times[i - 1] > TIME_JUMP)
			first = i;
		if (i - first + 1 <= most)
			continue;
		most = i - first + 1;
		*low = times[first];
		*high = times[i];
	}
	return 0;
}

/* --- the events in them ------------------------------------------------------------------ */

/* The time that events of page @i cannot exceed; 0: the page itself is not in order. */
static uint64_t latest(const struct pages *pages, size_t i, uint64_t high)
{
	if (!pages->kept[i])
		return 0;
	for (i++; i < pages->nr; i++) {
		if (pages->kept[i])
			return pages->ts[i];
	}
	return high + TIME_JUMP;
}

static void count_page(const struct subbuf *sb, bool big_endian, uint64_t limit,
		       const struct time_span_options *opts, struct time_span *span)
{
	struct subbuf_iter it = subbuf_iter(sb, big_endian);
	struct raw_record rec;

	while (subbuf_iter_next(&it, &rec) == 1) {
		if (rec.size < opts->min_size || rec.ts < opts->start_ts ||
		    rec.ts > opts->stop_ts)
			continue;
		if (!limit || rec.ts < sb->ts || rec.ts > limit) {
			span->nr_impossible++;
			continue;
		}
		if (!span->nr_possible || rec.ts < span->first)
			span->first = rec.ts;
		if (!span->nr_possible || rec.ts > span->last)
			span->last = rec.ts;
		span->nr_possible++;
	}
}

/* Counts the events of a CPU. No kept page is later than @high. */
static int count_cpu(const struct recording *rec, const struct pages *pages,
		     const struct time_span_options *opts, uint64_t high,
		     struct time_span *span)
{
	struct cpu_cursor *cur;
	struct subbuf sb;
	size_t i = 0;
	int ret = open_quiet(&cur, rec, pages->buffer, pages->index);

	if (ret)
		return ret;
	while ((ret = cpu_cursor_next(cur, &sb)) == 1 || ret == -EBADMSG) {
		if (ret != 1 || i == pages->nr)
			continue;
		count_page(&sb, rec->big_endian, latest(pages, i++, high), opts, span);
	}
	cpu_cursor_close(cur);
	return ret;
}

/* Lists the CPUs of the chosen ring buffers. 0 or -ENOMEM. */
static int list_cpus(const struct recording *rec, const char *instance,
		     struct pages **cpus, uint32_t *nr)
{
	for (uint32_t b = 0; b < rec->nr_buffers; b++) {
		const struct recording_buffer *buf = &rec->buffers[b];

		if (instance && strcmp(buf->name, instance))
			continue;
		for (uint32_t i = 0; i < buf->nr_cpus; i++) {
			if (ARRAY_ADD(*cpus, *nr, (struct pages){ b, i }))
				return -ENOMEM;
		}
	}
	return 0;
}

int time_span_check(const struct recording *rec, const struct time_span_options *opts,
		    struct time_span *out)
{
	uint64_t low = 0, high = 0;
	struct pages *cpus __auto_mem = NULL;
	uint32_t nr = 0;
	int ret = list_cpus(rec, opts->instance, &cpus, &nr);

	*out = (struct time_span){ 0 };
	for (uint32_t c = 0; c < nr && !ret; c++)
		ret = read_times(&cpus[c], rec) ?: keep_ordered(&cpus[c]);
	ret = ret ?: find_most(cpus, nr, &low, &high);
	for (uint32_t c = 0; c < nr && !ret; c++) {
		for (size_t i = 0; i < cpus[c].nr; i++)
			cpus[c].kept[i] &= cpus[c].ts[i] >= low && cpus[c].ts[i] <= high;
		ret = count_cpu(rec, &cpus[c], opts, high, out);
	}
	for_each(pages, cpus, nr) {
		free(pages->ts);
		free(pages->kept);
	}
	return ret;
}

/* --- a quick look ------------------------------------------------------------------------ */

struct quick_span {
	uint64_t first, last;
	bool any;
	bool odd; /* an impossible time */
};

/* Looks at the first event (@only_first), or at all that are left. 1: there is one; 0; -errno. */
static int walk_span(struct cpu_cursor *cur, bool big_endian, struct quick_span *span,
		     bool only_first)
{
	struct subbuf sb;
	struct subbuf_iter it;
	struct raw_record raw;
	bool here = false;
	int ret;

	while ((ret = cpu_cursor_next(cur, &sb)) == 1 || ret == -EBADMSG) {
		if (ret != 1)
			continue;
		it = subbuf_iter(&sb, big_endian);
		span->odd |= sb.ts >= TIME_MAX;
		while (subbuf_iter_next(&it, &raw) == 1) {
			if (!span->any || raw.ts < span->first)
				span->first = raw.ts;
			if (!span->any || raw.ts > span->last)
				span->last = raw.ts;
			span->any = here = true;
			if (only_first)
				return 1;
		}
	}
	return ret < 0 ? ret : here;
}

/* Looks at the first event and the tail, or the whole CPU if the tail has no event. 0 or -ENOMEM.
 */
static int look_at_cpu(const struct recording *rec, uint32_t buffer, uint32_t index,
		       struct quick_span *span)
{
	int ret;

	for (int pass = 0; pass < 3; pass++) {
		struct cpu_cursor *cur;

		ret = open_quiet(&cur, rec, buffer, index);
		if (ret)
			return ret;
		if (pass == 1)
			cpu_cursor_skip_to_tail(cur);
		ret = walk_span(cur, rec->big_endian, span, pass == 0);
		cpu_cursor_close(cur);
		if (ret == -ENOMEM)
			return ret;
		if ((pass == 0 && ret != 1) || (pass == 1 && ret == 1))
			break;
	}
	return 0;
}

int recording_time_span(const struct recording *rec, uint32_t buffer, uint64_t *first,
			uint64_t *last)
{
	const struct time_span_options opts = { .instance = rec->buffers[buffer].name,
						.stop_ts = UINT64_MAX };
	struct quick_span quick = { 0 };
	struct time_span span;
	int ret = 0;

	for (uint32_t i = 0; i < rec->buffers[buffer].nr_cpus && !ret; i++)
		ret = look_at_cpu(rec, buffer, i, &quick);
	if (ret)
		return ret;
	if (!quick.any)
		return -ENODATA;
	*first = quick.first;
	*last = quick.last;
	if (!quick.odd && quick.last - quick.first <= TIME_SPAN_PLAUSIBLE)
		return 0;
	ret = time_span_check(rec, &opts, &span);
	if (!ret && !span.nr_possible)
		ret = -ENODATA;
	if (!ret) {
		*first = span.first;
		*last = span.last;
	}
	return ret;
}
