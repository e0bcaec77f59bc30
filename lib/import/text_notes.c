// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: what a kernel's text log lacked or hid, for readers of the recording.
 * In: counts made while reading it. Out: notes, one per line.
 */
#include "import/text_import.h"

#include <stdarg.h>

struct notes {
	struct strbuf *out;
	const struct text_events *events;
};

static void note(struct notes *n, const char *fmt, ...) __printf_fmt(2, 3);

static void note(struct notes *n, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	strbuf_printf(n->out, "%s\n", text);
}

static void note_symbols(struct notes *n)
{
	struct name_addr_stats s = name_addrs_stats(n->events->addrs);

	if (s.nr_made_up)
		note(n,
		     "functions with made-up addresses: %" PRIu64 ", from 0x%" PRIx64
		     " on; the text has only their names",
		     s.nr_made_up, NAME_ADDR_BASE);
	if (s.nr_ambiguous)
		note(n,
		     "%" PRIu64
		     " functions share their name with others: the address of the first is used",
		     s.nr_ambiguous);
	if (n->events->stats.nr_hex_sites && !name_addrs_given(n->events->addrs))
		note(n, "callsites are addresses: names need --kallsyms or --system-map");
	if (s.nr_refused)
		note(n, "%" PRIu64 " callsite%s or frame%s could not be given an address",
		     s.nr_refused, plural(s.nr_refused), plural(s.nr_refused));
	if (n->events->stats.nr_bare_frames)
		note(n, "stack frames are functions without an offset");
}

static void note_pointers(struct notes *n)
{
	const struct text_event_stats *s = &n->events->stats;

	/* Objects are word-aligned; in a hashed address the low 32 bits are random. */
	if (!s->nr_high && s->nr_uneven > s->nr_pointers / 8)
		note(n,
		     "pointers are hashed: equal ones are the same object, but their values mean nothing");
	if (s->nr_hidden)
		note(n,
		     "%" PRIu64
		     " pointer%s printed as (____ptrval____): those objects cannot be told apart",
		     s->nr_hidden, s->nr_hidden == 1 ? " was" : "s were");
}

/* There were slab cache events, but none with the cache's name. */
static bool lacks_cache_names(const struct text_events *te)
{
	bool caches = false;

	for (size_t i = 0; i < TEXT_NR_SPECS; i++) {
		const struct text_field *f = text_specs[i].fields;

		while (f->key && f->kind != TEXT_NAME)
			f++;
		if (!f->key)
			continue;
		if (te->seen[i] >> (f - text_specs[i].fields) & 1)
			return false;
		caches |= te->seen[i] != 0;
	}
	return caches;
}

static void note_texts(struct notes *n)
{
	const struct text_event_stats *s = &n->events->stats;
	const struct text_gfp *g = &n->events->gfp;
	if (s->nr_no_gfp)
		note(n, "%" PRIu64 " event%s no GFP flags: the kernel printed nothing",
		     s->nr_no_gfp, s->nr_no_gfp == 1 ? " has" : "s have");
	if (s->nr_no_name)
		note(n, "%" PRIu64 " event%s no cache name: the kernel printed nothing",
		     s->nr_no_name, s->nr_no_name == 1 ? " has" : "s have");
	if (lacks_cache_names(n->events))
		note(n, "no cache names: the text has none");
	note(n,
	     "the values of GFP flags are those of Linux %s; the text has only their names",
	     text_gfp_era_name(g->era));
	if (g->nr_new)
		note(n,
		     "%" PRIu64 " GFP flags do not exist there: their bits were made up",
		     g->nr_new);
	if (g->nr_other)
		note(n,
		     "%" PRIu64
		     " sets of GFP flags show other names than the text (--release RELEASE chooses the kernel)",
		     g->nr_other);
	if (g->nr_unreadable)
		note(n, "%" PRIu64 " set%s of GFP flags could not be read: shown as none",
		     g->nr_unreadable, plural(g->nr_unreadable));
	if (s->nr_others)
		note(n, "%" PRIu64 " event%s of other kinds kept as text", s->nr_others,
		     plural(s->nr_others));
	if (s->nr_cut)
		note(n, "%" PRIu64 " texts or frames were too long and are cut",
		     s->nr_cut);
}

void text_notes(struct strbuf *out, const struct text_traits *traits,
		const struct text_events *events, const struct text_import_result *r)
{
	struct notes notes = { out, events }, *n = &notes;
	struct name_addr_stats s = name_addrs_stats(events->addrs);

	/* The first note is shown at the top of every report. */
	note(n, "from text%s", s.nr_made_up ? "; addresses are not the kernel's" : "");
	note(n, "%" PRIu64 " line%s of the kernel's trace file", r->nr_lines,
	     plural(r->nr_lines));
	if (!traits->nanoseconds && (traits->seconds || traits->latency))
		note(n,
		     "times are rounded to microseconds; the nanoseconds only keep the order of the text");
	if (traits->latency)
		note(n,
		     "names of tasks are cut to 8 characters, and times may begin at the first event (latency-format)");
	if (traits->counter)
		note(n, "the clock counts no time (printed without a decimal point)");
	if (traits->no_flags)
		note(n,
		     "no interrupt context: the text has no such column (option irq-info)");
	note_symbols(n);
	note_pointers(n);
	note_texts(n);
	if (traits->overwritten && traits->header_cpus != 1)
		note(n,
		     "%" PRIu64
		     " events were overwritten before the first; the text does not say on which CPUs, all count as CPU %" PRIu32
		     "'s",
		     traits->overwritten, traits->lowest_cpu);
	if (r->cut_short)
		note(n, "the compressed text is truncated");
	if (r->nr_unreadable)
		note(n, "unreadable lines: %" PRIu64 ", the first is line %" PRIu64,
		     r->nr_unreadable, r->first_unreadable);
}
