// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * study: the symbols of a recording: its own, or those of a matching file.
 * In: an open recording. Out: study.syms and study.origin.
 */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "study/study.h"

/* Number of first events that are searched for callsites. */
#define MAX_SITE_EVENTS 50000

struct collector {
	struct symbol_sites *sites;
	struct u64_map seen;
};

static int add_site(struct collector *c, uint64_t addr)
{
	size_t before = c->seen.count;

	if (!addr || c->sites->nr == SYMBOL_SITES_MAX)
		return 0;
	if (!u64_map_insert(&c->seen, addr, 0))
		return -ENOMEM;
	if (c->seen.count > before)
		c->sites->addrs[c->sites->nr++] = addr;
	return 0;
}

static int add_event_sites(struct collector *c, const struct event_stream *stream,
			   const struct kmem_event *ev)
{
	const uint64_t *frames;
	uint32_t nr = 0, i;
	int err = 0;

	if (kmem_is_slab_alloc(ev->type))
		err = add_site(c, ev->slab_alloc.callsite);
	else if (kmem_is_slab_free(ev->type))
		err = add_site(c, ev->slab_free.callsite);
	frames = event_stream_stack(stream, ev->stack, &nr);
	for (i = 0; !err && frames && i < nr; i++)
		err = add_site(c, frames[i]);
	return err;
}

/* Collects callsites of the first events, enough to see whether symbols fit. */
static int collect_sites(void *ctx, struct symbol_sites *sites)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct collector c = { .sites = sites };
	const struct study *s = ctx;
	struct event_stream *stream = NULL;
	struct kmem_event ev;
	unsigned int i;
	int ret = event_stream_open(&stream, s->rec, s->fmts, &opts, NULL);

	for (i = 0; ret >= 0 && i < MAX_SITE_EVENTS && sites->nr < SYMBOL_SITES_MAX;
	     i++) {
		ret = event_stream_next(stream, &ev);
		if (ret <= 0)
			break;
		ret = add_event_sites(&c, stream, &ev);
	}
	event_stream_close(stream);
	u64_map_free(&c.seen);
	return ret < 0 ? ret : 0;
}

/* 32-bit ARM kernels are never moved at boot. */
static bool never_moved(const struct recording *rec)
{
	char machine[64];

	recording_machine(rec, machine, sizeof(machine));
	return !strncmp(machine, "arm", 3) && rec->layout.long_size == 4;
}

static int open_file(struct study *s, const struct symbol_files *files)
{
	const struct recording_text *meta = recording_meta(s->rec, "build_id");
	const struct symbol_target target = {
		.name = s->path,
		.log = &s->log,
		.own = { s->rec->kallsyms, s->rec->kallsyms_size },
		.build_id = meta ? meta->text : NULL,
		.build_id_len = meta ? strcspn(meta->text, " \n") : 0,
		.is_64 = s->rec->layout.long_size == 8,
		.big_endian = s->rec->big_endian,
		.never_moved = never_moved(s->rec),
		.callsites = collect_sites,
		.ctx = s,
	};

	s->failure.part = STUDY_SYMBOL_FILE;
	return symbol_files_open(&s->syms, &s->origin, files, &target,
				 &s->failure.symbols);
}

static int open_recorded(struct study *s)
{
	size_t size;
	char *text = recording_take_kallsyms(s->rec, &size);

	s->origin = (struct symbol_origin){ .kind = SYMBOLS_RECORDED };
	s->failure.part = STUDY_SYMBOLS;
	return symbols_take(&s->syms, text, size, &s->log);
}

int study_open_symbols(struct study *s, const struct symbol_files *files)
{
	int err = symbol_files_any(files) ? open_file(s, files) : open_recorded(s);

	s->failure.err = err;
	if (err)
		return err;
	if (symbols_hidden(s->syms))
		log_msg(&s->log, LOG_WARN,
			"the symbols' addresses are hidden (kptr_restrict): callsites are addresses\n  Give the symbols with --kallsyms FILE or --vmlinux FILE");
	else if (!symbols_count(s->syms))
		log_msg(&s->log, LOG_WARN,
			"no symbols: callsites are addresses\n  Give the symbols with --kallsyms FILE or --vmlinux FILE");
	return 0;
}
