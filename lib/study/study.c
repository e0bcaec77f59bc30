// SPDX-License-Identifier: GPL-2.0-or-later
#include "study/study.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "recording/time_span.h"
#include "symbol/last_boot.h"

/* Is @fd a regular file at offset 0? Then it need not be copied. */
static bool is_whole_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

/* A recording needs random access, so a pipe's content is copied to an unnamed file first. */
static int open_pipe(struct source *src, int fd, const char *dir)
{
	struct stat st;
	int tmp, err, dir_fd;

	/* A device may have no end. */
	if (!fstat(fd, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		return -ENODEV;
	dir_fd = open(dir && *dir ? dir : "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	tmp = new_file_unnamed(dir_fd, false);
	close(dir_fd);
	if (tmp < 0)
		return tmp;
	err = io_copy_rest(fd, tmp);
	if (!err)
		return source_open_fd(src, tmp);
	close(tmp);
	return err;
}

/* Opens @path, or standard input as "-". -ENODEV for a device, which may have no end. */
static int open_source(struct source *src, const char *path, const char *tmpdir)
{
	int fd, err;

	if (!strcmp(path, "-") && !is_whole_file(STDIN_FILENO))
		return open_pipe(src, STDIN_FILENO, tmpdir);
	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : source_open_fd(src, fd);
	}
	fd = io_open_input(path, IO_FILE_OR_PIPE);
	if (fd < 0)
		return fd;
	err = source_open_fd(src, fd);
	if (err == -ENODEV)
		err = open_pipe(src, fd, tmpdir);
	else if (!err)
		return 0;
	close(fd);
	return err;
}

bool window_has_buffer(const struct window *w, const struct recording *rec, uint32_t i)
{
	return !w->instance || !strcmp(rec->buffers[i].name, w->instance);
}

/* The frees by all tasks belong to the allocations by some: the top buffer alone would show as live
 * what was freed, so both are selected.
 */
static void select_frees(struct window *w, const struct recording *rec)
{
	const struct recording_text *frees = recording_meta(rec, RECORDING_META_FREES);

	if (w->instance && !*w->instance && frees && !strcmp(frees->text, "all") &&
	    !ANY(b, rec->nr_buffers,
		 *rec->buffers[b].name && strcmp(rec->buffers[b].name, RECORDING_FREES)))
		w->instance = NULL;
}

/* Finds the time span of the selected buffers. */
static void find_span(struct window *w, const struct recording *rec)
{
	uint64_t first, last;
	bool found = false;

	for (uint32_t i = 0; i < rec->nr_buffers; i++) {
		if (!window_has_buffer(w, rec, i) ||
		    recording_time_span(rec, i, &first, &last))
			continue;
		if (!found) {
			w->buffer = i;
			w->first_ts = first;
			w->last_ts = last;
			found = true;
		}
		w->first_ts = SMALLER(w->first_ts, first);
		w->last_ts = LARGER(w->last_ts, last);
	}
}

/* Fills in the time stamps; errors as time_window_resolve(). */
static int window_resolve(struct window *w, const struct recording *rec)
{
	struct time_range recorded, range = { 0 };
	uint64_t start, stop;
	int err;

	w->start_ts = 0;
	w->stop_ts = UINT64_MAX;
	find_span(w, rec);
	/* Before that time a flight recording has the events of some CPUs only. */
	if (!w->time && recording_flight(rec) && !recording_span(rec, &start, &stop))
		w->start_ts = start;
	if (!w->time)
		return 0;
	recorded = (struct time_range){ w->first_ts, w->last_ts };
	err = time_window_resolve(&w->parsed, &recorded,
				  recording_clock_is_ns(recording_clock(rec, w->buffer)),
				  &range);
	w->start_ts = range.first;
	w->stop_ts = range.last;
	return err;
}

static int open_rule(struct study *s, const struct study_options *o)
{
	int err;

	if (!o->want_rule)
		return 0;
	err = callsite_rule_new(&s->rule, o->skip, o->nr_skip, &s->failure.text);
	return err ? study_fail(s, STUDY_RULE, err) : 0;
}

static void open_migratetypes(struct study *s)
{
	const char *info = recording_meta_text(s->rec, "pagetypeinfo.before");

	if (!*info)
		info = recording_meta_text(s->rec, "pagetypeinfo.after");
	migratetypes_init(&s->migratetypes, info, recording_release(s->rec).text);
}

/* Without a readable rule, the callchains of the other objects cannot be guessed. */
static int open_guess(struct study *s)
{
	const char *rule = recording_meta_text(s->rec, RECORDING_META_STACK_SAMPLE);
	struct sample sample;

	if (sample_parse(&sample, rule))
		return 0;
	s->guess = malloc(sizeof(*s->guess));
	if (!s->guess)
		return study_fail(s, STUDY_RECORDING, -ENOMEM);
	stack_guess_init(s->guess, &sample);
	return 0;
}

static int open_recording(struct study *s, const struct study_options *o)
{
	struct source src;
	int err = open_source(&src, s->path, o->tmpdir);

	if (err)
		return study_fail(s, STUDY_FILE, err);
	err = recording_open(&s->rec, &src, s->path, &s->log);
	if (err)
		return study_fail(s, STUDY_RECORDING, err);
	err = event_formats_new(&s->fmts, s->rec, &s->log);
	if (err)
		return study_fail(s, STUDY_FORMATS, err);
	select_frees(&s->window, s->rec);
	open_migratetypes(s);
	return open_guess(s);
}

/* The text after "INSTANCE:"; NULL: memory ran out. The caller frees it. */
static char *info_text(const struct recording_option *option)
{
	const char *data = (const char *)option->data;
	const char *colon = memchr(data, ':', option->size);
	size_t skip = colon ? (size_t)(colon - data) + 1 : 0;

	return strndup(data + skip, option->size - skip);
}

static void tell_last_boot(const struct study *s, const struct last_boot *last)
{
	if (last->kind == LAST_BOOT_UNKNOWN)
		log_msg(&s->log, LOG_WARN,
			"the events are from an earlier boot whose kernel address is unknown: the symbols are not used\n  Give the symbols of that boot with --kallsyms FILE, or --vmlinux FILE");
	else
		log_msg(&s->log, LOG_WARN,
			"the events are from an earlier boot; symbols of the boot after it were relocated (modules: %u relocated, %u left out)\n  They are right if both boots ran the same kernel",
			last->nr_modules, last->nr_dropped);
}

/* trace-cmd can save events of the previous boot: then moves the symbols to their addresses during
 * that boot. 0, or as study_open().
 */
static int move_to_last_boot(struct study *s)
{
	const struct recording_option *option = recording_last_boot(s->rec);
	const struct symbol_text kallsyms = { s->rec->kallsyms, s->rec->kallsyms_size };
	struct strbuf __auto_free moved = { 0 };
	struct last_boot last;
	char *info __auto_mem = NULL;
	int err;

	if (!option || !kallsyms.size)
		return 0;
	info = info_text(option);
	err = info ? last_boot_symbols(
			     info, &kallsyms,
			     recording_meta_text(s->rec, RECORDING_META_MODULES), &moved,
			     &last)
		   : -ENOMEM;
	if (!err && last.kind != LAST_BOOT_NONE && last.kind != LAST_BOOT_SAME) {
		tell_last_boot(s, &last);
		/* An empty text removes the symbols. */
		recording_forget_kallsyms(s->rec);
		s->rec->kallsyms_size = moved.size;
		s->rec->kallsyms = strbuf_detach(&moved);
	}
	return err ? study_fail(s, STUDY_SYMBOLS, err) : 0;
}

int study_open(struct study *s, const struct study_options *opts)
{
	int err;

	*s = (struct study){ .path = opts->path,
			     .log = opts->log,
			     .window = opts->window };
	err = open_rule(s, opts) ?: open_recording(s, opts);
	if (!err && opts->want_symbols)
		err = move_to_last_boot(s);
	if (!err && opts->want_symbols)
		err = study_find_debug(s, opts);
	if (!err && opts->want_symbols)
		err = study_find_symbols(s, opts);
	return err || opts->only_search ? err : study_open_debug(s, opts);
}

int study_place_window(struct study *s)
{
	int err = window_resolve(&s->window, s->rec);

	return err ? study_fail(s, STUDY_WINDOW, err) : 0;
}

int study_read(struct study *s, const struct event_stream_options *how)
{
	struct event_stream_options opts = *how;
	int err;

	event_stream_close(s->stream);
	s->stream = NULL;
	recording_forget_kallsyms(s->rec);
	err = study_place_window(s);
	if (err)
		return err;
	opts.instance = s->window.instance;
	opts.start_ts = s->window.start_ts;
	opts.stop_ts = s->window.stop_ts;
	err = event_stream_open(&s->stream, s->rec, s->fmts, &opts, &s->log);
	if (err)
		return study_fail(s, err == -ENOENT ? STUDY_INSTANCE : STUDY_EVENTS, err);
	return 0;
}

void study_close(struct study *s)
{
	event_stream_close(s->stream);
	if (s->guess)
		stack_guess_free(s->guess);
	free(s->guess);
	directories_free(s->dirs);
	source_lines_free(s->lines);
	directory_sources_free(&s->sources);
	callsite_rule_free(s->rule);
	symbols_free(s->syms);
	event_formats_free(s->fmts);
	debug_found_free(&s->found);
	debug_server_close(s->server);
	recording_close(s->rec);
	strbuf_free(&s->failure.text);
	*s = (struct study){ 0 };
}

struct analysis_env study_env(const struct study *s)
{
	const struct window *w = &s->window;

	return (struct analysis_env){
		.rec = s->rec,
		.fmts = s->fmts,
		.stream = s->stream,
		.syms = s->syms,
		.rule = s->rule,
		.migratetypes = &s->migratetypes,
		.moved_by = study_vmlinux_offset(s),
		.dirs = s->dirs,
		.lines = s->lines,
		.log = &s->log,
		.guess = s->guess,
		.first_ts = w->start_ts > w->first_ts ? w->start_ts : w->first_ts,
		.last_ts = w->stop_ts < w->last_ts ? w->stop_ts : w->last_ts,
		.bare_frames = recording_import_noted(s->rec, RECORDING_BARE_FRAMES),
		.no_irq_info = recording_import_noted(s->rec, RECORDING_NO_IRQ_INFO),
		.page_size = recording_kernel_page_size(s->rec),
	};
}

void study_progress(const struct study *s, uint64_t *done, uint64_t *total)
{
	uint64_t now = event_stream_stats(s->stream)->last_ts;

	*done = less(now, s->window.first_ts);
	*total = s->window.last_ts - s->window.first_ts;
}

uint64_t study_count(const struct study *s, uint32_t types, const char *name)
{
	const struct event_stream_stats *stats = event_stream_stats(s->stream);
	uint64_t nr = 0;

	for_each(fmt, s->fmts->list, s->fmts->count) {
		if (name ? !strcmp(fmt->name, name) : types >> fmt->type & 1)
			nr += stats->by_id[fmt->id];
	}
	return nr;
}
