// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): a recording as text.
 * In: struct info. Out: lines of a name and a value, and two or three lists.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/safe_text.h"
#include "info.h"
#include "report/text_cell.h"

#define NS_PER_S   UINT64_C(1000000000)
/* So many gaps are listed without -v. */
#define SHORT_LIST 10

static void text_line(struct strbuf *sb, const char *label, const char *text)
{
	strbuf_printf(sb, "%-12s ", label);
	safe_text_puts(sb, *text ? text : "unknown");
	strbuf_puts(sb, "\n");
}

static void text_file(struct strbuf *sb, const struct info *info)
{
	const struct recording *rec = info->rec;
	struct strbuf line = { 0 };

	text_line(sb, "file", info->facts.path);
	if (rec->stream)
		strbuf_puts(&line, "kmemx stream");
	else
		strbuf_printf(&line, "trace.dat %u", rec->file_version);
	if (rec->compression != COMPRESSION_NONE)
		strbuf_printf(&line, ", %s", info_compression(rec));
	strbuf_puts(&line, ", ");
	text_bytes(&line, rec->file_bytes, " ");
	if (rec->writer_version && *rec->writer_version)
		/* trace-cmd gives but its number. */
		strbuf_printf(&line, ", written by %s%s",
			      isdigit((unsigned char)*rec->writer_version) ? "trace-cmd "
									   : "",
			      rec->writer_version);
	text_line(sb, "format", strbuf_text(&line));
	strbuf_free(&line);
}

/* The span as --time takes it. */
static void text_span(struct strbuf *line, const struct info *info)
{
	const struct study_facts *f = &info->facts;

	if (!f->nr_events)
		strbuf_puts(line, "no events");
	else if (recording_clock_is_ns(f->clock))
		strbuf_printf(line, "%" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64,
			      f->first_ts / NS_PER_S, f->first_ts % NS_PER_S,
			      f->last_ts / NS_PER_S, f->last_ts % NS_PER_S);
	else
		strbuf_printf(line, "%" PRIu64 " to %" PRIu64 " of the clock's units",
			      f->first_ts, f->last_ts);
}

/* Why the recording has no end, and what is known of the rest. */
static void text_truncated(struct strbuf *sb, const struct info *info)
{
	struct strbuf line = { 0 };
	size_t i;

	strbuf_printf(&line, "CUT SHORT: %s", info->facts.truncated);
	text_line(sb, "truncated", strbuf_text(&line));
	for (i = 0; i < info->nr_cpus; i++) {
		if (info->cpus[i].missing)
			strbuf_printf(sb,
				      "%-12s %" PRIu64
				      " events of CPU %u were still in its ring buffer\n",
				      "", info->cpus[i].missing, info->cpus[i].cpu);
	}
	strbuf_free(&line);
}

static void text_machine(struct strbuf *sb, const struct info *info)
{
	const struct study_facts *f = &info->facts;
	struct strbuf line = { 0 };

	text_line(sb, "kernel", f->kernel);
	text_line(sb, "machine", f->machine);
	strbuf_printf(&line, "%s endian, %u-byte long, %u-byte pages",
		      f->big_endian ? "big" : "little", f->long_size, f->page_size);
	text_line(sb, "layout", strbuf_text(&line));
	strbuf_printf(sb, "%-12s %u\n", "cpus", f->nr_cpus);
	text_line(sb, "clock", f->clock);
	strbuf_reset(&line);
	if (f->has_duration) {
		text_duration(&line, f->duration_ns, " ");
		strbuf_puts(&line, study_facts_span_text(f));
	} else if (f->nr_events) {
		strbuf_printf(&line, "%" PRIu64 " of the clock's units",
			      f->last_ts - f->first_ts);
	}
	text_line(sb, "duration", strbuf_text(&line));
	if (f->part)
		text_line(
			sb, "scope",
			f->lacks_frees
				? "part of the allocations; FREES by other tasks were left out: what lives is unknown"
				: "part of the allocations; frees by all tasks");
	strbuf_reset(&line);
	text_span(&line, info);
	text_line(sb, "time", strbuf_text(&line));
	strbuf_reset(&line);
	study_facts_lost_text(f, &line);
	text_line(sb, "lost", strbuf_text(&line));
	if (f->nr_dropped)
		strbuf_printf(sb,
			      "%-12s %" PRIu64
			      " events, by the ring buffer's own statistics\n",
			      "dropped", f->nr_dropped);
	if (*f->truncated)
		text_truncated(sb, info);
	strbuf_free(&line);
}

static void text_buffers(struct strbuf *sb, const struct recording *rec)
{
	uint32_t i;
	size_t m;

	for (i = 0; i < rec->nr_buffers; i++) {
		const struct recording_buffer *buf = &rec->buffers[i];
		uint64_t bytes = 0;
		uint32_t c;

		for (c = 0; c < buf->nr_cpus; c++)
			bytes += buf->cpus[c].size;
		strbuf_printf(sb, "%-12s ", i ? "" : "buffers");
		if (*buf->name) {
			strbuf_puts(sb, "'");
			safe_text_puts(sb, buf->name);
			strbuf_puts(sb, "'");
		} else {
			strbuf_puts(sb, "(top)");
		}
		if (rec->nr_buffers > 1) {
			strbuf_puts(sb, ", clock ");
			safe_text_puts(sb, recording_clock(rec, i));
		}
		strbuf_printf(sb, ", %u CPU%s with data, ", buf->nr_cpus,
			      buf->nr_cpus == 1 ? "" : "s");
		text_bytes(sb, bytes, " ");
		strbuf_printf(sb, ", sub-buffers of %" PRIu32 " bytes\n", buf->page_size);
	}
	for (m = 0; m < rec->nr_meta; m++) {
		strbuf_puts(sb, m ? " " : "metadata     ");
		safe_text_puts(sb, rec->meta[m].name);
	}
	if (rec->nr_meta)
		strbuf_puts(sb, "\n");
}

/* How the recording was made of something else, and what that lost. */
static void text_import(struct strbuf *sb, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_IMPORT);
	const char *p = item ? item->text : "";

	while (*p) {
		size_t len = strcspn(p, "\n");
		char note[512];

		snprintf(note, sizeof(note), "%.*s", (int)len, p);
		text_line(sb, p == item->text ? "imported" : "", note);
		p += len + (p[len] == '\n');
	}
}

static void text_damage(struct strbuf *sb, const struct study_facts *f)
{
	const struct {
		const char *what;
		uint64_t count;
	} items[] = {
		{ "parts of the file's description damaged", f->nr_damaged },
		{ "pages or chunks damaged", f->nr_bad_pages },
		{ "records that fit no format", f->nr_undecodable },
		{ "callchains that belong to no event", f->nr_stacks_unclaimed },
		{ "times the clock ran backwards", f->nr_backwards },
		{ "events of impossible times, which the duration leaves out",
		  f->nr_impossible },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		if (items[i].count)
			strbuf_printf(sb, "%-12s %" PRIu64 " %s\n", "trouble",
				      items[i].count, items[i].what);
	}
}

static void text_counts(struct strbuf *sb, const struct info *info)
{
	size_t i;

	strbuf_printf(sb, "\n%12s  event\n", "count");
	for (i = 0; i < info->nr_events; i++) {
		strbuf_printf(sb, "%12" PRIu64 "  ", info->events[i].count);
		safe_text_puts(sb, info->events[i].name);
		strbuf_puts(sb, "\n");
	}
	if (info->nr_unnamed)
		strbuf_printf(sb, "%12" PRIu64 "  (of no known format)\n",
			      info->nr_unnamed);
	strbuf_printf(sb, "%12" PRIu64 "  in all\n", info->facts.nr_events);
}

/* What overran and was dropped is what the kernel counted while the buffer was full. */
static void text_cpus(struct strbuf *sb, const struct info *info)
{
	bool stats = false;
	size_t i;

	for (i = 0; i < info->nr_cpus; i++)
		stats |= info->cpus[i].overrun || info->cpus[i].dropped;
	strbuf_printf(sb, "\n%12s  %12s  %12s  %12s  %6s%s\n", "cpu", "events", "bytes",
		      "lost", "gaps", stats ? "       overrun       dropped" : "");
	for (i = 0; i < info->nr_cpus; i++) {
		const struct info_cpu *c = &info->cpus[i];

		strbuf_printf(sb,
			      "%12u  %12" PRIu64 "  %12" PRIu64 "  %11" PRIu64
			      "%s  %6" PRIu64,
			      c->cpu, c->nr_events, c->bytes, c->nr_lost,
			      c->nr_unknown ? "+" : " ", c->nr_gaps);
		if (stats)
			strbuf_printf(sb, "  %12" PRIu64 "  %12" PRIu64, c->overrun,
				      c->dropped);
		strbuf_puts(sb, "\n");
	}
}

static void text_ts(struct strbuf *sb, const struct info *info, uint32_t buffer,
		    uint64_t ts)
{
	char text[48];

	if (!ts)
		snprintf(text, sizeof(text), "start");
	else if (recording_clock_is_ns(recording_clock(info->rec, buffer)))
		snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, ts / NS_PER_S,
			 ts % NS_PER_S);
	else
		snprintf(text, sizeof(text), "%" PRIu64, ts);
	strbuf_printf(sb, "  %20s", text);
}

/* The gaps one by one; all of them only with -v. */
static void text_gaps(struct strbuf *sb, const struct info *info)
{
	size_t shown = info->nr_gaps, i;

	if (!info->nr_gaps)
		return;
	if (!info->verbose && shown > SHORT_LIST)
		shown = SHORT_LIST;
	strbuf_printf(sb, "\n%12s  %20s  %20s  %s\n", "gap on cpu", "from", "to", "lost");
	for (i = 0; i < shown; i++) {
		const struct info_gap *gap = &info->gaps[i];

		strbuf_printf(sb, "%12u", gap->cpu);
		text_ts(sb, info, gap->buffer, gap->since_ts);
		text_ts(sb, info, gap->buffer, gap->ts);
		if (gap->lost == KMEM_LOSS_UNKNOWN)
			strbuf_puts(sb, "  unknown number");
		else
			strbuf_printf(sb, "  %" PRIu64, gap->lost);
		if (*info->rec->buffers[gap->buffer].name) {
			strbuf_puts(sb, " in '");
			safe_text_puts(sb, info->rec->buffers[gap->buffer].name);
			strbuf_puts(sb, "'");
		}
		strbuf_puts(sb, "\n");
	}
	if (shown < info->facts.nr_gaps)
		strbuf_printf(sb, "%12s  %" PRIu64 " more%s\n", "",
			      info->facts.nr_gaps - shown,
			      info->verbose ? "" : " (-v lists them)");
}

/* Where names of functions come from. */
static void text_symbols(struct strbuf *sb, const struct info *info)
{
	static const char *const kinds[] = {
		[SYMBOLS_RECORDED] = "the recording's kallsyms",
		[SYMBOLS_KALLSYMS] = "kallsyms of ",
		[SYMBOLS_SYSTEM_MAP] = "System.map ",
		[SYMBOLS_VMLINUX] = "vmlinux ",
	};
	const struct symbol_origin *o = info->origin;

	if (!info->nr_symbols) {
		strbuf_printf(sb, "%-12s none\n", "symbols");
		return;
	}
	strbuf_printf(sb, "%-12s %zu functions, %s", "symbols", info->nr_symbols,
		      kinds[o->kind]);
	if (o->path)
		safe_text_puts(sb, o->path);
	if (o->offset)
		strbuf_printf(sb, ", moved by 0x%" PRIx64 " (KASLR)", o->offset);
	if (o->build_id_equal)
		strbuf_puts(sb, ", build ids equal");
	strbuf_puts(sb, "\n");
}

int info_print_text(const struct render_out *out, const void *arg)
{
	const struct info *info = arg;
	struct strbuf sb = { 0 };
	int err;

	text_file(&sb, info);
	text_machine(&sb, info);
	text_symbols(&sb, info);
	text_buffers(&sb, info->rec);
	text_import(&sb, info->rec);
	text_damage(&sb, &info->facts);
	text_counts(&sb, info);
	text_cpus(&sb, info);
	text_gaps(&sb, info);
	err = sb.failed ? -ENOMEM : out->write(out->ctx, sb.data, sb.size);
	strbuf_free(&sb);
	return err;
}
