// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * study (internal): the symbols and the debug information of a recording's kernel.
 * In: an open recording, and the places to search. Out: study.found, study.lines, study.dirs.
 */
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "study/study.h"
#include "symbol/elf.h"

/* Checks that all of the recording's functions have the same offset in the file that was found. 0,
 * else an error.
 */
static int place_found(struct study *s)
{
	const struct symbol_text own = { s->rec->kallsyms, s->rec->kallsyms_size };
	struct symbol_failure *why = &s->failure.symbols;
	int fd = io_open_input(s->found.vmlinux, IO_FILE), err;
	struct symbol_text theirs;
	struct elf_image img;

	*why = (struct symbol_failure){ .problem = SYMBOLS_UNREADABLE,
					.kind = SYMBOLS_VMLINUX,
					.path = s->found.vmlinux };
	if (fd < 0)
		return fd;
	err = elf_image_open(&img, fd);
	close(fd);
	if (err)
		return err;
	theirs = (struct symbol_text){ img.symbols.data, img.symbols.size };
	err = symbol_fit_names(&theirs, &own, &why->fit);
	s->found_offset = why->fit.offset;
	if (err == -EXDEV)
		why->problem = SYMBOLS_OTHER_NAMES;
	elf_image_close(&img);
	return err;
}

int study_find_debug(struct study *s, const struct study_options *o)
{
	const struct recording_word release = recording_release(s->rec);
	const struct recording_word build_id = recording_build_id(s->rec);
	bool asked = debug_places_any(&o->places);
	struct debug_wanted wanted = { .places = o->places,
				       .release = release.text,
				       .build_id = build_id.text };
	int err;

	if (!o->search || symbol_files_any(&o->symbols))
		return 0;
	err = o->places.debuginfod ? debug_server_open(&s->server, &o->fetching) : 0;
	wanted.server = s->server;
	err = err ?: debug_search(&s->found, &wanted);
	if (err)
		return study_fail(s, STUDY_DIRS, err);
	if (!s->found.vmlinux)
		return asked ? study_fail(s, STUDY_SEARCH, -ENOENT) : 0;
	/* A recording without symbols gets those of the file, which are placed later. */
	if (!s->rec->kallsyms_size)
		return 0;
	err = place_found(s);
	if (!err || err == -ENOMEM)
		return err ? study_fail(s, STUDY_DIRS, err) : 0;
	log_msg(&s->log, LOG_INFO, "%s is not used: %s", s->found.vmlinux,
		err == -EXDEV ? "its functions are elsewhere" : strerror(-err));
	if (asked && err == -EXDEV)
		return study_fail(s, STUDY_SYMBOL_FILE, err);
	s->found.vmlinux = NULL;
	return asked ? study_fail(s, STUDY_SEARCH, err) : 0;
}

uint64_t study_vmlinux_offset(const struct study *s)
{
	return s->origin.kind == SYMBOLS_VMLINUX ? s->origin.offset : s->found_offset;
}

int study_find_symbols(struct study *s, const struct study_options *o)
{
	struct symbol_files files = o->symbols;
	int err;

	if (!s->found.vmlinux || s->rec->kallsyms_size)
		return study_open_symbols(s, &files);
	files.vmlinux = s->found.vmlinux;
	err = study_open_symbols(s, &files);
	if (!err || err == -ENOMEM || debug_places_any(&o->places))
		return err;
	log_msg(&s->log, LOG_INFO, "%s is not used: it cannot be placed",
		s->found.vmlinux);
	s->found.vmlinux = NULL;
	symbols_free(s->syms);
	s->syms = NULL;
	return study_open_symbols(s, &o->symbols);
}

/* The user's files, completed by those that were found. */
static struct dir_files with_found(const struct study *s, const struct dir_files *given)
{
	struct dir_files files = *given;

	if (s->found.vmlinux && !files.vmlinux)
		files.vmlinux = s->found.vmlinux;
	if (s->found.vmlinux && !files.modules) {
		files.modules = s->found.modules;
		files.found = true;
	}
	return files;
}

static int ask_dirs(struct study *s, const struct directory_sources *sources)
{
	int err = directories_new(&s->dirs, sources, s->syms, study_vmlinux_offset(s),
				  recording_machine(s->rec).text);

	return err ? study_fail(s, STUDY_DIRS, err) : 0;
}

static int open_dirs(struct study *s, const struct study_options *o)
{
	const struct directory_sources *sources = o->sources;
	const struct dir_files files = with_found(s, &o->dirs);
	int err;

	if (!sources) {
		err = dir_files_open(&s->sources, &files, &s->failure.dirs);
		if (err)
			return study_fail(s, STUDY_DIR_FILE, err);
		sources = &s->sources;
	}
	return ask_dirs(s, sources);
}

/* Opens inlined functions and lines, if there is a source for them. */
static int open_lines(struct study *s, const struct study_options *o)
{
	const struct directory_sources *sources = o->sources ? o->sources : &s->sources;
	const struct dir_files files = with_found(s, &o->lines);
	const struct recording_text *user =
		recording_meta(s->rec, RECORDING_META_USER_LINES);
	int err = 0;

	if (!o->sources && !s->dirs)
		err = dir_files_open_lines(&s->sources, &files, &s->log);
	if (!err && (user || sources->vmlinux || sources->modules))
		err = source_lines_new(&s->lines, sources, s->syms,
				       study_vmlinux_offset(s));
	if (!err && user)
		err = source_lines_add_user(s->lines, user->text);
	if (err)
		return study_fail(s, STUDY_DIRS, err);
	if (o->dirs_of_lines && !s->dirs && directory_sources_any(sources))
		err = ask_dirs(s, sources);
	if (err)
		return err;
	if (s->lines && s->rule && !o->no_inline)
		callsite_rule_use(s->rule, s->lines);
	return 0;
}

/* Sets the expected build of each module. Only for sources that this study opened itself, as shared
 * sources serve several recordings. If the kernel's debug information is known, a module can also
 * be found by its build ID alone.
 */
static int expect_modules(struct study *s, const struct study_options *o)
{
	const char *ids = recording_meta_text(s->rec, "module_build_ids");
	const struct module_places places = { .ids = ids,
					      .root = o->places.symfs,
					      .server = s->server };
	int err = 0;

	if (!s->sources.modules && s->sources.vmlinux && *ids && o->search)
		err = module_files_new(&s->sources.modules);
	if (s->sources.modules)
		module_files_expect(s->sources.modules, &places);
	return err ? study_fail(s, STUDY_DIRS, err) : 0;
}

int study_open_debug(struct study *s, const struct study_options *o)
{
	const struct dir_files dirs = with_found(s, &o->dirs);
	int err = 0;

	if (o->sources ? !o->only_lines : o->want_dirs && dir_files_any(&dirs))
		err = open_dirs(s, o);
	if (!err && o->want_symbols)
		err = open_lines(s, o);
	return err ?: expect_modules(s, o);
}

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
	int ret = event_stream_open(&stream, s->rec, s->fmts, &opts, NULL);

	for (unsigned int i = 0;
	     ret >= 0 && i < MAX_SITE_EVENTS && sites->nr < SYMBOL_SITES_MAX; i++) {
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
	return !strncmp(recording_machine(rec).text, "arm", 3) &&
	       rec->layout.long_size == 4;
}

static int open_file(struct study *s, const struct symbol_files *files)
{
	const struct recording_word build_id = recording_build_id(s->rec);
	const struct symbol_target target = {
		.name = s->path,
		.log = &s->log,
		.own = { s->rec->kallsyms, s->rec->kallsyms_size },
		.build_id = build_id.text,
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
	const struct recording_text *user =
		recording_meta(s->rec, RECORDING_META_USER_SYMBOLS);
	int err = symbol_files_any(files) ? open_file(s, files) : open_recorded(s);

	if (!err && user)
		err = symbols_add_user(s->syms, user->text, user->size, &s->log);
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
