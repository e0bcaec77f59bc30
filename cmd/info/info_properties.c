// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): what a recording is, for people.
 * In: struct info. Out: properties of a report: names and values.
 */
#include <ctype.h>

#include "cmd/info/info.h"
#include "recording/recording.h"
#include "report/text_cell.h"

static void add_text(struct report *r, const char *name, const char *text)
{
	report_add_property(r, name, false, "%s", *text ? text : "unknown");
}

/* Adds @text and frees it, ready for the next line. */
static void add_line(struct report *r, const char *name, bool loud, struct strbuf *text)
{
	const char *value = strbuf_text(text);

	r->failed |= text->failed;
	report_add_property(r, name, loud, "%s", *value ? value : "unknown");
	strbuf_free(text);
}

const char *info_compression(const struct recording *rec)
{
	static const char *const names[] = { [COMPRESSION_NONE] = "none",
					     [COMPRESSION_ZSTD] = "zstd",
					     [COMPRESSION_ZLIB] = "zlib" };

	return names[rec->compression];
}

uint64_t info_buffer_bytes(const struct recording_buffer *buf)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < buf->nr_cpus; i++)
		sum += buf->cpus[i].size;
	return sum;
}

static void add_file(struct report *r, const struct info *info)
{
	const struct recording *rec = info->rec;
	struct strbuf line = { 0 };

	add_text(r, "file", info->facts.path);
	if (rec->stream)
		strbuf_puts(&line, "kmemx stream");
	else
		strbuf_printf(&line, "trace.dat %u", rec->file_version);
	if (rec->compression != COMPRESSION_NONE)
		strbuf_printf(&line, ", %s", info_compression(rec));
	strbuf_puts(&line, ", ");
	text_bytes(&line, rec->file_bytes, " ");
	if (rec->writer_version && *rec->writer_version)
		/* trace-cmd writes only a version number. */
		strbuf_printf(&line, ", written by %s%s",
			      isdigit((unsigned char)*rec->writer_version) ? "trace-cmd "
									   : "",
			      rec->writer_version);
	add_line(r, "format", false, &line);
}

static void add_machine(struct report *r, const struct study_facts *f)
{
	add_text(r, "kernel", f->kernel.text);
	add_text(r, "machine", f->machine.text);
	report_add_property(r, "layout", false, "%s endian, %u-byte long, %u-byte pages",
			    f->big_endian ? "big" : "little", f->long_size, f->page_size);
	report_add_property(r, "cpus", false, "%u", f->nr_cpus);
	add_text(r, "clock", f->clock);
}

/* Adds who recorded, when, and why. */
static void add_recorder(struct report *r, const struct study_facts *f)
{
	if (*f->command)
		add_text(r, "command", f->command);
	if (*f->host.text)
		add_text(r, "host", f->host.text);
	if (*f->started)
		add_text(r, "started", f->started);
}

/* Adds the labels of --label. */
static void add_labels(struct report *r, const struct recording *rec)
{
	const char *text = recording_meta_text(rec, RECORDING_META_LABELS);
	struct strbuf line = { 0 };
	size_t size;

	for (; *text; text += size + (text[size] != '\0')) {
		size = strcspn(text, "\n");
		if (size && line.size)
			strbuf_puts(&line, ", ");
		strbuf_add(&line, text, size);
	}
	if (line.size)
		add_line(r, "labels", false, &line);
}

/* Appends a span of the clock of @f, as --time takes it. */
static void text_span(struct strbuf *line, const struct study_facts *f, uint64_t first,
		      uint64_t last)
{
	if (recording_clock_is_ns(f->clock)) {
		text_time(line, first);
		strbuf_puts(line, " to ");
		text_time(line, last);
	} else {
		strbuf_printf(line, "%" PRIu64 " to %" PRIu64 " clock units", first,
			      last);
	}
}

static void add_times(struct report *r, const struct study_facts *f)
{
	struct strbuf line = { 0 };

	if (f->has_duration) {
		text_duration(&line, f->duration_ns, " ");
		strbuf_puts(&line, study_facts_span_text(f));
	} else if (f->nr_events) {
		strbuf_printf(&line, "%" PRIu64 " clock units", f->last_ts - f->first_ts);
	}
	add_line(r, "duration", false, &line);
	if (f->part)
		add_text(
			r, "scope",
			f->lacks_frees
				? "part of the allocations; FREES by other tasks or on other CPUs are missing, so what is live is unknown"
				: "part of the allocations; frees by all tasks");
	if (f->flight[0])
		report_add_property(
			r, "flight", false,
			"saved by: %s%s%s; events older than the duration were overwritten",
			f->flight, *f->flight_what ? ": " : "", f->flight_what);
	if (f->sample_unknown)
		add_text(r, "sample",
			 "by a rule that this version of kmemx does not know");
	else if (f->sample.one_in)
		report_add_property(
			r, "sample", false,
			"one in %u objects and pages, part %u, and all large ones",
			f->sample.one_in, f->sample.phase);
	if (f->nr_events)
		text_span(&line, f, f->first_ts, f->last_ts);
	else
		strbuf_puts(&line, "no events");
	add_line(r, "time", false, &line);
}

/* Says why the recording is cut short, and how many events are missing. */
static void add_truncated(struct report *r, const struct info *info)
{
	const char *name = "";

	report_add_property(r, "truncated", true, "CUT SHORT: %s", info->facts.truncated);
	for (size_t i = 0; i < info->cpus.nr; i++) {
		if (info->cpus.of[i].missing)
			report_add_property(
				r, name, true,
				"%" PRIu64
				" event%s of CPU %u %s still in its ring buffer",
				info->cpus.of[i].missing,
				plural(info->cpus.of[i].missing), info->cpus.of[i].cpu,
				info->cpus.of[i].missing == 1 ? "was" : "were");
	}
}

static void add_totals(struct report *r, const struct info *info)
{
	const struct study_facts *f = &info->facts;
	struct strbuf line = { 0 };

	strbuf_printf(&line, "%" PRIu64, f->nr_events);
	if (info->nr_unnamed)
		strbuf_printf(&line, ", %" PRIu64 " of them of unknown format",
			      info->nr_unnamed);
	add_line(r, "events", false, &line);
	study_facts_lost_text(f, &line);
	add_line(r, "lost", f->nr_gaps || *f->truncated, &line);
	if (f->nr_dropped)
		report_add_property(r, "dropped", true,
				    "%" PRIu64
				    " event%s, according to the ring buffer's statistics",
				    f->nr_dropped, plural(f->nr_dropped));
	if (*f->truncated)
		add_truncated(r, info);
}

/* Says where function names come from. */
static void add_symbols(struct report *r, const struct info *info)
{
	static const char *const kinds[] = {
		[SYMBOLS_RECORDED] = "the recording's kallsyms",
		[SYMBOLS_KALLSYMS] = "kallsyms of ",
		[SYMBOLS_SYSTEM_MAP] = "System.map ",
		[SYMBOLS_VMLINUX] = "vmlinux ",
	};
	const struct symbol_origin *o = info->origin;
	struct strbuf line = { 0 };

	if (!info->nr_symbols) {
		add_text(r, "symbols", "none");
		return;
	}
	strbuf_printf(&line, "%zu function%s, %s%s", info->nr_symbols,
		      plural(info->nr_symbols), kinds[o->kind], o->path ? o->path : "");
	if (o->offset)
		strbuf_printf(&line, ", KASLR offset 0x%" PRIx64, o->offset);
	if (o->build_id_equal)
		strbuf_puts(&line, ", build IDs match");
	add_line(r, "symbols", false, &line);
}

static void add_buffers(struct report *r, const struct recording *rec)
{
	struct strbuf line = { 0 };

	for (uint32_t i = 0; i < rec->nr_buffers; i++) {
		const struct recording_buffer *buf = &rec->buffers[i];

		if (*buf->name)
			strbuf_printf(&line, "'%s'", buf->name);
		else
			strbuf_puts(&line, "(top)");
		if (rec->nr_buffers > 1)
			strbuf_printf(&line, ", clock %s", recording_clock(rec, i));
		strbuf_printf(&line, ", %u CPU%s with data, ", buf->nr_cpus,
			      plural(buf->nr_cpus));
		text_bytes(&line, info_buffer_bytes(buf), " ");
		strbuf_printf(&line, ", sub-buffers of %" PRIu32 " bytes",
			      buf->page_size);
		add_line(r, i ? "" : "buffers", false, &line);
	}
	for (size_t m = 0; m < rec->nr_meta; m++)
		strbuf_printf(&line, "%s%s", m ? " " : "", rec->meta[m].name);
	if (rec->nr_meta) {
		strbuf_puts(&line, " (--fact NAME prints it)");
		add_line(r, "facts", false, &line);
	}
}

/* Says which events were recorded. */
static void add_recorded(struct report *r, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_EVENTS);

	if (item)
		add_text(r, "recorded", item->text);
}

/* Says when the kernel's own counts were read. */
static void add_curve(struct report *r, const struct info *info)
{
	const struct kernel_curve *c = &info->curve;
	struct strbuf line = { 0 };

	if (!c->nr) {
		if (c->damaged)
			report_add_property(r, "counts", true,
					    "the kernel's cannot be read");
		return;
	}
	strbuf_printf(&line, "%zu of the kernel's at %u moment%s, ", c->series.nr, c->nr,
		      plural(c->nr));
	text_span(&line, &info->facts, c->times[0], c->times[c->nr - 1]);
	add_line(r, "counts", false, &line);
	if (c->damaged)
		report_add_property(r, "", true, "%zu more cannot be read", c->damaged);
}

/* Says which dynamic probes were set, and why others were not. */
static void add_probes(struct report *r, const struct recording *rec)
{
	const char *text = recording_meta_text(rec, RECORDING_META_PROBES),
		   *name = "probes";
	struct probe_line probe;
	char why[sizeof(probe.why)] = "";

	for (; probe_list_next(&text, &probe); name = "") {
		if (probe.set)
			report_add_property(r, name, false, "%s: %s", probe.name,
					    probe.function);
		else
			report_add_property(r, name, false, "no %s: %s", probe.name,
					    strcmp(why, probe.why) ? probe.why
								   : "likewise");
		snprintf(why, sizeof(why), "%s", probe.why);
	}
}

static void add_damage(struct report *r, const struct study_facts *f)
{
	const struct {
		const char *what, *which;
		uint64_t count;
	} items[] = {
		{ "damaged part", " of the file's metadata", f->nr_damaged },
		{ "damaged piece", " of the data (pages or chunks)", f->nr_bad_pages },
		{ "record", " of no known format", f->nr_undecodable },
		{ "callchain", " without an event", f->nr_stacks_unclaimed },
		{ "time", " the clock ran backwards", f->nr_backwards },
		{ "event", " with impossible times, not counted in the duration",
		  f->nr_impossible },
	};

	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		if (items[i].count)
			report_add_property(r, "trouble", true, "%" PRIu64 " %s%s%s",
					    items[i].count, items[i].what,
					    plural(items[i].count), items[i].which);
	}
}

void info_add_properties(struct report *r, const struct info *info,
			 const struct table *imported)
{
	add_file(r, info);
	add_machine(r, &info->facts);
	add_recorder(r, &info->facts);
	add_labels(r, info->rec);
	add_times(r, &info->facts);
	add_totals(r, info);
	add_symbols(r, info);
	add_recorded(r, info->rec);
	add_probes(r, info->rec);
	add_curve(r, info);
	add_buffers(r, info->rec);
	/* How the recording was imported, and what that lost. */
	for (size_t i = 0; i < imported->nr_rows; i++)
		add_text(r, i ? "" : "imported", table_text(imported, i, 0));
	add_damage(r, &info->facts);
}
