// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): reads a recording to its end.
 * In: an open recording. Out: struct info.
 */

#include "base/array.h"
#include "cmd/info/info.h"
#include "cmd/output/output.h"

const char *info_compression(const struct recording *rec)
{
	switch (rec->compression) {
	case COMPRESSION_ZSTD:
		return "zstd";
	case COMPRESSION_ZLIB:
		return "zlib";
	default:
		return "none";
	}
}

uint64_t info_buffer_bytes(const struct recording_buffer *buf)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < buf->nr_cpus; i++)
		sum += buf->cpus[i].size;
	return sum;
}

static int compare_names(const void *a, const void *b)
{
	const struct info_event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int collect_events(struct info *info, const struct event_formats *fmts,
			  const struct event_stream_stats *s)
{
	uint32_t nr = event_formats_count(fmts), i;
	uint64_t named = 0;
	size_t kept = 0;

	info->events = calloc(nr ? nr : 1, sizeof(*info->events));
	if (!info->events)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		info->events[i] = (struct info_event){ fmt->name, s->by_id[fmt->id] };
		named += s->by_id[fmt->id];
	}
	info->nr_unnamed = s->nr_events > named ? s->nr_events - named : 0;
	qsort(info->events, nr, sizeof(*info->events), compare_names);
	for (i = 0; i < nr; i++) {
		if (!info->events[i].count)
			continue;
		if (kept && !strcmp(info->events[kept - 1].name, info->events[i].name))
			info->events[kept - 1].count += info->events[i].count;
		else
			info->events[kept++] = info->events[i];
	}
	info->nr_events = kept;
	return 0;
}

ORDER_BY(compare_cpus, struct info_cpu, cpu, cpu)

static uint64_t bytes_of(const struct recording *rec, const struct event_stream_cpu *c)
{
	const struct recording_buffer *buf = &rec->buffers[c->buffer];

	for (uint32_t i = 0; i < buf->nr_cpus; i++)
		if (buf->cpus[i].cpu == c->cpu)
			return buf->cpus[i].size;
	return 0;
}

static void add_statistics(const struct recording *rec, const struct event_stream_cpu *c,
			   struct info_cpu *to)
{
	for (size_t i = 0; i < rec->nr_cpustats; i++) {
		const struct recording_cpustat *cs = &rec->cpustats[i];

		if (cs->cpu != c->cpu || cs->buffer != c->buffer)
			continue;
		to->overrun += cs->overrun;
		to->dropped += cs->commit_overrun + cs->dropped_events;
		to->missing += recording_truncated(rec) ? cs->entries : 0;
	}
}

/* Adds CPUs whose buffer could not be read: only their statistics are known. */
static size_t add_unread(const struct recording *rec, struct info_cpu *cpus, size_t nr)
{
	size_t known = nr, k;

	for (size_t i = 0; i < rec->nr_cpustats && recording_truncated(rec); i++) {
		const struct recording_cpustat *cs = &rec->cpustats[i];

		for (k = 0; k < known && cpus[k].cpu != cs->cpu; k++)
			;
		if (k == known && cs->entries)
			cpus[nr++] = (struct info_cpu){ .cpu = cs->cpu,
							.missing = cs->entries };
	}
	return nr;
}

static int collect_cpus(struct info *info, const struct event_stream_stats *s)
{
	struct info_cpu *cpus =
		calloc(s->nr_cpus + info->rec->nr_cpustats + 1, sizeof(*cpus));
	size_t kept = 0, nr;

	if (!cpus)
		return -ENOMEM;
	info->cpus = cpus;
	for (uint32_t i = 0; i < s->nr_cpus; i++) {
		const struct event_stream_cpu *c = &s->cpus[i];

		cpus[i] = (struct info_cpu){ .cpu = c->cpu,
					     .nr_events = c->nr_events,
					     .nr_lost = c->nr_lost,
					     .nr_gaps = c->nr_gaps,
					     .nr_unknown = c->nr_unknown,
					     .bytes = bytes_of(info->rec, c) };
		add_statistics(info->rec, c, &cpus[i]);
	}
	nr = info->instance ? s->nr_cpus : add_unread(info->rec, cpus, s->nr_cpus);
	qsort(cpus, nr, sizeof(*cpus), compare_cpus);
	for (uint32_t i = 0; i < nr; i++) {
		struct info_cpu *to = kept ? &cpus[kept - 1] : NULL;

		if (!to || to->cpu != cpus[i].cpu) {
			cpus[kept++] = cpus[i];
			continue;
		}
		to->nr_events += cpus[i].nr_events;
		to->nr_lost += cpus[i].nr_lost;
		to->nr_gaps += cpus[i].nr_gaps;
		to->nr_unknown += cpus[i].nr_unknown;
		to->bytes += cpus[i].bytes;
		to->overrun += cpus[i].overrun;
		to->dropped += cpus[i].dropped;
		to->missing += cpus[i].missing;
	}
	info->nr_cpus = kept;
	return 0;
}

static int add_gap(struct info *info, const struct kmem_event *ev)
{
	if (info->nr_gaps == INFO_MAX_GAPS)
		return 0;
	if (array_reserve(&info->gaps, &info->gaps_capacity, info->nr_gaps + 1,
			  sizeof(*info->gaps)))
		return -ENOMEM;
	info->gaps[info->nr_gaps++] =
		(struct info_gap){ ev->cpu, ev->buffer, ev->loss.since_ts, ev->ts,
				   ev->loss.count };
	return 0;
}

/* Reads all events, to count them. */
static int count_all(struct info *info, const struct study *study)
{
	uint64_t count = 0, pause = PROGRESS_INTERVAL, done, total;
	struct progress progress;
	struct kmem_event ev;
	int ret;

	progress_start(&progress, "decoding");
	while ((ret = event_stream_next(study->stream, &ev)) > 0) {
		if (ev.type == KMEM_LOSS && add_gap(info, &ev)) {
			ret = -ENOMEM;
			break;
		}
		if (++count < pause)
			continue;
		pause += PROGRESS_INTERVAL;
		study_progress(study, &done, &total);
		progress_show(&progress, done, total, count);
	}
	progress_end(&progress);
	return ret;
}

/* The buffer whose clock is used: the named one, or the first. */
static uint32_t main_buffer(const struct info *info, const struct recording *rec)
{
	for (uint32_t i = 0; info->instance && i < rec->nr_buffers; i++)
		if (!strcmp(rec->buffers[i].name, info->instance))
			return i;
	return 0;
}

static int collect_curve(struct info *info)
{
	int err = kernel_curve_of(&info->curve, info->rec);

	if (!err || err == -ENOMEM)
		return err;
	kernel_curve_free(&info->curve);
	info->curve.damaged = err == -EBADMSG;
	return 0;
}

int info_collect(struct info *info, const struct study *study)
{
	const struct event_stream_stats *stats = event_stream_stats(study->stream);
	int err = count_all(info, study);

	if (err)
		return err;
	info->rec = study->rec;
	info->instance = study->window.instance;
	info->origin = &study->origin;
	info->nr_symbols = symbols_count(study->syms);
	study_facts_init(&info->facts, study, main_buffer(info, study->rec));
	err = collect_curve(info);
	if (!err)
		err = collect_events(info, study->fmts, stats);
	return err ? err : collect_cpus(info, stats);
}

void info_free(struct info *info)
{
	free(info->events);
	free(info->cpus);
	free(info->gaps);
	kernel_curve_free(&info->curve);
}
