// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_import.h"

#include "base/bytes.h"
#include "import/perf_events.h"
#include "import/perf_file.h"
#include "import/perf_records.h"
#include "import/perf_system.h"
#include "import/perf_tracing.h"
#include "symbol/user_symbols.h"

/* Records between two calls of @progress. */
#define PROGRESS_RECORDS 4096U
/* Sections with a word or two are read up to this size. */
#define SECTION_MAX	 (64U << 10)
/* The most files of a directory: perf has at most one thread per CPU. */
#define PERF_MAX_FILES	 4096U

struct perf_reader {
	const struct recording_import_options *opts;
	const struct source *src;
	const char *path;
	const struct log *log;
	struct perf_import *out;
	struct perf_file file;
	struct perf_tracing tracing;
	struct perf_system system;
	struct perf_events events;
	struct user_maps user;
};

/* --- sections ---------------------------------------------------------------------------- */

/* @advice: a separate line; NULL: none */
static int failed_advise(const struct perf_reader *pi, int err, const char *why,
			 const char *advice)
{
	log_msg(pi->log, LOG_ERROR, advice ? "%s %s\n  %s" : "%s %s", pi->path, why,
		advice);
	return err;
}

static int failed(const struct perf_reader *pi, int err, const char *why)
{
	return failed_advise(pi, err, why, NULL);
}

/* Reads the file's @range into *@out, which the caller frees in any case. */
static int read_range(const struct perf_reader *pi, const struct perf_range *range,
		      uint8_t **out)
{
	*out = malloc((size_t)range->size + 1);
	return *out ? source_read(pi->src, *out, (size_t)range->size, range->offset)
		    : -ENOMEM;
}

static int read_tracing(struct perf_reader *pi, const struct perf_range *range)
{
	uint8_t *data __auto_mem = NULL;
	int ret;

	if (pi->tracing.subbuf_size)
		return 0; /* there was an earlier record */
	if (range->size > PERF_TRACING_MAX)
		return failed(pi, -EBADMSG, "has too much tracing data");
	ret = read_range(pi, range, &data);
	if (!ret)
		ret = perf_tracing_read(&pi->tracing, data, (size_t)range->size,
					&pi->out->made.texts, pi->log);
	pi->out->made.cpus.big_endian = pi->tracing.big_endian;
	pi->out->made.cpus.page_size = pi->tracing.subbuf_size;
	if (!ret && pi->tracing.big_endian != pi->file.big_endian)
		ret = failed(pi, -EBADMSG, "has tracing data in another byte order");
	return ret;
}

static int take_record(void *ctx, const struct perf_record *rec)
{
	struct perf_reader *pi = ctx;
	int ret = perf_events_record(&pi->events, rec);

	return ret ? ret : perf_system_record(&pi->system, rec);
}

static int read_sections(struct perf_reader *pi)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < PERF_FEATURES; i++) {
		struct perf_range range = pi->file.sections[i];
		uint8_t *data = NULL;

		if (i == PERF_FEATURE_TRACING_DATA || !range.size)
			continue;
		range.size = SMALLER(range.size, SECTION_MAX);
		ret = read_range(pi, &range, &data);
		if (!ret)
			perf_system_feature(&pi->system, i, data, (size_t)range.size,
					    pi->file.big_endian);
		if (!ret && i == PERF_FEATURE_BUILD_ID)
			ret = perf_records_of_build_ids(data, (size_t)range.size,
							pi->file.big_endian, take_record,
							pi);
		free(data);
	}
	if (!ret && pi->file.sections[PERF_FEATURE_TRACING_DATA].size)
		ret = read_tracing(pi, &pi->file.sections[PERF_FEATURE_TRACING_DATA]);
	return ret;
}

/* --- records ----------------------------------------------------------------------------- */

/* An attr, then its ids; the attr has its own size. */
static int read_attr_record(struct perf_reader *pi, const struct perf_record *rec)
{
	const bool big = pi->file.big_endian;
	uint32_t size;
	int ret;

	if (rec->size < PERF_ATTR_SIZE_MIN)
		return 0;
	size = get_u32(rec->data + 4, big);
	if (size < PERF_ATTR_SIZE_MIN || size > rec->size)
		return 0;
	ret = perf_attrs_add(&pi->file.attrs, rec->data, size);
	for (uint32_t at = size; !ret && rec->size - at >= 8; at += 8)
		ret = perf_attrs_add_id(&pi->file.attrs, get_u64(rec->data + at, big));
	return ret == -EBADMSG ? 0 : ret;
}

/* u64 number, then the content of a section. */
static void read_feature_record(struct perf_reader *pi, const struct perf_record *rec)
{
	uint64_t nr;

	if (rec->size < 8)
		return;
	nr = get_u64(rec->data, pi->file.big_endian);
	if (nr < PERF_FEATURES)
		perf_system_feature(&pi->system, (unsigned int)nr, rec->data + 8,
				    rec->size - 8, pi->file.big_endian);
}

/* u32 size of the data after the record, padded to eight bytes. */
static int read_tracing_record(struct perf_reader *pi, struct perf_records *records,
			       const struct perf_record *rec)
{
	struct perf_range range;
	int ret;

	if (rec->size < 4)
		return -EBADMSG;
	range.size = get_u32(rec->data, pi->file.big_endian);
	ret = perf_records_payload(records, (range.size + 7) & ~7ULL, &range.offset);
	return ret ? ret : read_tracing(pi, &range);
}

static int skip_auxtrace(const struct perf_reader *pi, struct perf_records *records,
			 const struct perf_record *rec)
{
	uint64_t offset;

	if (rec->size < 8)
		return -EBADMSG;
	return perf_records_payload(records, get_u64(rec->data, pi->file.big_endian),
				    &offset);
}

static int import_record(struct perf_reader *pi, struct perf_records *records,
			 const struct perf_record *rec)
{
	switch (rec->type) {
	case PERF_HEADER_ATTR:
		return pi->file.pipe ? read_attr_record(pi, rec) : 0;
	case PERF_HEADER_FEATURE:
		read_feature_record(pi, rec);
		return 0;
	case PERF_TRACING_DATA:
		return read_tracing_record(pi, records, rec);
	case PERF_AUXTRACE:
		return skip_auxtrace(pi, records, rec);
	default:
		return take_record(pi, rec);
	}
}

/* @nr: number of the file, as in struct perf_import's cut_file */
static int read_all(struct perf_reader *pi, struct perf_records *records, unsigned int nr)
{
	const uint64_t total = pi->opts->open_more ? 0 : pi->file.data.size;
	struct perf_record rec;
	int ret;

	while ((ret = perf_records_next(records, &rec)) > 0) {
		ret = import_record(pi, records, &rec);
		if (ret)
			break;
		if (++pi->out->nr_records % PROGRESS_RECORDS == 0 && pi->opts->progress)
			pi->opts->progress(pi->opts->ctx,
					   perf_records_done(records) -
						   pi->file.data.offset,
					   total, pi->out->nr_events);
	}
	/* Data before a damaged or missing end are still valid. */
	if ((ret == -ENODATA || ret == -EBADMSG) && pi->out->nr_samples) {
		pi->out->cut_at = perf_records_done(records);
		pi->out->cut_error = ret;
		pi->out->cut_file = nr;
		return 0;
	}
	if (ret == -ENOTSUP)
		return failed(
			pi, ret,
			"has compressed records, and this build of kmemx has no zstd");
	if (ret == -ENODATA || ret == -EBADMSG)
		return failed(pi, -EBADMSG, "is damaged: its records cannot be read");
	return ret;
}

static int read_file(struct perf_reader *pi, const struct source *src,
		     const struct perf_range *range, unsigned int nr)
{
	struct perf_records *records = NULL;
	int ret = perf_records_open(&records, src, range->offset,
				    range->offset + range->size, pi->file.big_endian);

	ret = ret ?: read_all(pi, records, nr);
	perf_records_close(records);
	return ret;
}

/* perf record --threads writes the records of each thread to a separate file. */
static int read_records(struct perf_reader *pi)
{
	int ret = read_file(pi, pi->src, &pi->file.data, 0);

	for (unsigned int i = 0; !ret && pi->opts->open_more && i < PERF_MAX_FILES; i++) {
		struct perf_range all = { 0 };
		struct source src = { 0 };

		ret = pi->opts->open_more(pi->opts->ctx, i, &src);
		if (ret <= 0)
			break;
		all.size = src.size;
		ret = perf_events_restart(&pi->events);
		ret = ret ?: read_file(pi, &src, &all, i + 1);
		source_close(&src);
	}
	return ret ? ret : perf_events_finish(&pi->events);
}

/* --- facts ------------------------------------------------------------------------------- */

/* perf's own clock is the one that ftrace calls "perf"; the others have POSIX numbers. */
static const char *clock_of(const struct perf_attr *attr)
{
	static const char *const clocks[] = { [0] = "realtime",
					      [1] = "mono",
					      [4] = "mono_raw",
					      [7] = "boot",
					      [11] = "tai" };
	const bool known = attr->own_time && attr->clockid >= 0 &&
			   attr->clockid < (int32_t)ARRAY_SIZE(clocks);

	return known && clocks[attr->clockid] ? clocks[attr->clockid] : "perf";
}

/* Finds what applies to all tracepoints. */
static void look_at_attrs(struct perf_reader *pi)
{
	struct perf_import *r = pi->out;
	bool any = false;

	r->period = 1;
	r->clock = "perf";
	for_each(a, pi->file.attrs.items, pi->file.attrs.nr) {
		pi->system.some_tasks |= a->on_exec;
		if (a->type != PERF_ATTR_TRACEPOINT)
			continue;
		if (!any)
			r->clock = clock_of(a);
		any = true;
		if (a->freq)
			r->period = 0;
		else if (!a->period)
			r->counted++;
		else if (r->period && a->period > r->period)
			r->period = a->period;
	}
}

static int add_meta(struct perf_reader *pi, const char *name, const char *text)
{
	return text_list_add(&pi->out->made.texts.meta, name, text, strlen(text));
}

/* Adds the names of the recorded events: those that have a format. */
static int add_events(struct perf_reader *pi)
{
	const struct text_list *formats = &pi->out->made.texts.event_formats;
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < formats->count; i++) {
		const char *at = formats->items[i].text;

		if (strncmp(at, "name: ", 6) != 0)
			continue;
		strbuf_printf(&sb, "%s%s:%.*s", sb.size ? " " : "",
			      formats->items[i].name, (int)strcspn(at + 6, "\n"), at + 6);
	}
	return text_list_take(&pi->out->made.texts.meta, RECORDING_META_EVENTS, &sb);
}

/* Adds the user's symbols, or else the ones that the caller has for this kernel. */
static int add_symbols(struct perf_reader *pi)
{
	struct perf_import *r = pi->out;
	struct strbuf __auto_free found = { 0 };
	const char *text = pi->opts->symbols;
	int ret = 0;

	r->symbols = text ? PERF_SYMBOLS_GIVEN : PERF_SYMBOLS_NONE;
	if (!text && pi->opts->find_symbols) {
		ret = pi->opts->find_symbols(pi->opts->ctx, &pi->system, &found);
		text = found.size ? found.data : NULL;
		r->symbols = text ? PERF_SYMBOLS_FOUND : PERF_SYMBOLS_NONE;
	}
	return ret || !text ? ret
			    : perf_symbols_add(&r->made.texts.kallsyms, text, &pi->system,
					       &r->moved);
}

static int add_user_symbols(struct perf_reader *pi)
{
	const struct user_symbols_options opts = { .open = pi->opts->open_program,
						   .ctx = pi->opts->ctx,
						   .chosen = pi->opts->programs_chosen,
						   .owner = UINT32_MAX };
	struct user_texts texts = { 0 };
	int ret = user_symbols(&pi->user, &opts, &texts);

	if (!ret && texts.symbols.size)
		ret = text_list_take(&pi->out->made.texts.meta,
				     RECORDING_META_USER_SYMBOLS, &texts.symbols);
	if (!ret && texts.lines.size)
		ret = text_list_take(&pi->out->made.texts.meta, RECORDING_META_USER_LINES,
				     &texts.lines);
	strbuf_free(&texts.symbols);
	strbuf_free(&texts.lines);
	return ret;
}

static int compose_texts(struct perf_reader *pi)
{
	const struct perf_system *s = &pi->system;
	struct system_texts *t = &pi->out->made.texts;
	uint32_t page_size =
		pi->opts->page_size ? pi->opts->page_size : pi->tracing.page_size;
	int ret = perf_system_texts(&pi->system, t);

	strbuf_printf(&t->trace_clock, "[%s]\n", pi->out->clock);
	ret = ret ?: add_symbols(pi);
	import_kernel(&t->uname, s->host,
		      pi->opts->release ? pi->opts->release : s->release,
		      pi->opts->machine ? pi->opts->machine : s->machine);
	perf_notes(&pi->out->made.notes, s, pi->out);
	ret = ret ?: add_user_symbols(pi);
	ret = ret ?: add_events(pi);
	if (!ret && *s->build_id)
		ret = add_meta(pi, "build_id", s->build_id);
	if (!ret &&
	    (s->some_tasks || s->filtered || pi->out->period != 1 || pi->out->counted))
		ret = add_meta(pi, RECORDING_META_SCOPE, "part");
	return ret ? ret : import_meta(&pi->out->made, page_size);
}

static int compose(struct perf_reader *pi)
{
	struct imported *made = &pi->out->made;
	uint32_t nr_cpus;
	int ret = import_parts(made);

	if (ret)
		return ret;
	ret = compose_texts(pi);
	nr_cpus = made->parts[made->nr_parts - 1].cpu + 1;
	if (pi->system.nr_cpus > nr_cpus && pi->system.nr_cpus <= 4096)
		nr_cpus = pi->system.nr_cpus;
	made->facts = (struct writer_facts){
		.file_version = 7,
		.page_size = pi->tracing.subbuf_size,
		.long_size = pi->tracing.layout.long_size,
		.foreign_endian = pi->file.big_endian != HOST_BIG_ENDIAN,
		.clock = pi->out->clock,
		.nr_cpus = nr_cpus,
	};
	return ret ? ret : system_texts_facts(&made->texts, &made->facts);
}

/* --- running ----------------------------------------------------------------------------- */

static int open_file(struct perf_reader *pi)
{
	int ret = perf_file_read(&pi->file, pi->src);

	if (ret == -ENOTSUP)
		return failed(
			pi, ret,
			"has perf's first format, which perf stopped writing in 2012");
	if (ret == -EBADMSG || ret == -ENODATA)
		return failed(pi, -EBADMSG, "is damaged: its header cannot be read");
	return ret;
}

static int nothing_found(const struct perf_reader *pi)
{
	static const char record[] =
		"Record them: perf kmem record, or perf record -e 'kmem:*' -a -g";
	const bool formats = pi->tracing.subbuf_size;
	const struct reason {
		bool is;
		const char *why, *advice;
	} reasons[] = {
		{ pi->file.unfinished,
		  "has no event formats: perf was killed before it wrote them",
		  "Record again, and end perf with Ctrl-C" },
		{ pi->file.cut && !formats,
		  "is cut short: the event formats at its end are missing" },
		{ !formats, "has no tracepoint events", record },
		{ !pi->tracing.has_kmem, "has tracepoint events, but none of kmem",
		  record },
		{ pi->file.sections[PERF_FEATURE_DIR_FORMAT].size && !pi->opts->open_more,
		  "has no events: they are in data.0 and so on, beside it",
		  "Name its directory" },
		{ pi->out->nr_untimed, "has events without times",
		  "Record again with: perf record -T" },
		{ true, "has no kmem events" },
	};
	const struct reason *r = FIND(one, reasons, ARRAY_SIZE(reasons), one->is);

	return failed_advise(pi, -ENODATA, r->why, r->advice);
}

static int run(struct perf_reader *pi)
{
	int ret = open_file(pi);

	ret = ret ?: read_sections(pi);
	if (!ret && !pi->file.pipe && !pi->tracing.subbuf_size)
		return nothing_found(pi);
	ret = ret ?: read_records(pi);
	if (ret)
		return ret;
	if (!pi->out->nr_samples || !pi->tracing.has_kmem)
		return nothing_found(pi);
	look_at_attrs(pi);
	return compose(pi);
}

int perf_import_run(struct perf_import *out, const struct source *src, const char *path,
		    const struct recording_import_options *opts, const struct log *log)
{
	struct perf_reader *pi __auto_mem = calloc(1, sizeof(*pi));
	int ret;

	*out = (struct perf_import){ .made.cpus.opts = opts };
	if (!pi)
		return -ENOMEM;
	pi->opts = opts;
	pi->src = src;
	pi->path = path;
	pi->log = log;
	pi->out = out;
	pi->events =
		(struct perf_events){ &pi->file.attrs, &pi->tracing, out, &pi->user };
	out->made.cpus.layout = &pi->tracing.layout;
	ret = run(pi);
	perf_events_free(&pi->events);
	perf_file_free(&pi->file);
	perf_system_free(&pi->system);
	user_maps_free(&pi->user);
	return ret;
}
