// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/session/session.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "capture/file/unfinished.h"

void session_init(struct session *s, const struct capture_options *opts,
		  struct capture_result *result)
{
	*s = (struct session){ .opts = opts,
			       .result = result,
			       .log = opts->log,
			       .instance = { .lock_fd = -1 },
			       .output = NEW_RECORDING_INIT,
			       .watch = WATCH_INIT,
			       .reader = RING_READER_INIT,
			       .unfinished = { .fd = -1 } };
	*result = (struct capture_result){ .stacks_how = "none", .child = CHILD_INIT };
}

void session_close(struct session *s)
{
	watch_close(&s->watch);
	ring_reader_close(&s->reader);
	new_recording_close(&s->output);
	facts_free(&s->facts);
	mappings_end(s->mappings);
	events_free(&s->events);
}

int session_begin(struct session *s)
{
	int ret = instance_check_user(s->opts->command_line, s->log);

	/* A user who may not record gains nothing from advice about the output. */
	if (ret)
		return ret;
	ret = new_file_token(s->token);
	if (ret)
		return log_errno(s->log, LOG_ERROR, ret, "cannot get random bits: %m");
	if (!session_has_file(s))
		return 0;
	return new_recording_open_recorder(&s->output, s->opts->output, s->token,
					   !s->many_files, s->log);
}

uint64_t session_statistic(const struct session *s, uint32_t cpu, const char *key)
{
	struct strbuf __auto_free sb = { 0 };

	return facts_read_cpustat(&s->instance, cpu, &sb)
		       ? 0
		       : facts_number(strbuf_text(&sb), key);
}

void session_progress(const struct session *s, struct capture_progress *out)
{
	uint64_t skip = s->read_before + s->reader.discarded;
	struct strbuf __auto_free sb = { 0 };

	*out = (struct capture_progress){ 0 };
	for_each(c, s->reader.cpus, s->reader.nr_cpus) {
		const char *text;

		strbuf_reset(&sb);
		out->bytes += c->size;
		if (c->absent || facts_read_cpustat(&s->instance, c->cpu, &sb))
			continue;
		text = strbuf_text(&sb);
		out->events += facts_number(text, "entries");
		out->events += facts_number(text, "read events");
		out->bytes += facts_number(text, "bytes");
		out->lost += facts_number(text, "overrun");
		out->lost += facts_number(text, "commit overrun");
		out->lost += facts_number(text, "dropped events");
	}
	out->events -= SMALLER(out->events, skip);
}

void session_watch(struct session *s)
{
	const struct watch_verdict earlier = s->watch.earlier;

	watch_close(&s->watch);
	s->watch.earlier = earlier;
	s->watch.own_pids = s->opts->cgroup;
	watch_start(&s->watch, &s->instance, &s->events, &s->reader, s->log);
}

uint64_t session_now(const struct session *s)
{
	struct strbuf __auto_free sb = { 0 };

	return facts_read_cpustat(&s->instance, s->reader.cpus[0].cpu, &sb)
		       ? 0
		       : facts_time(strbuf_text(&sb), "now ts:");
}

uint64_t session_time(const struct session *s)
{
	return strcmp(s->clock, "mono") != 0 ? session_now(s) : clock_ns(CLOCK_MONOTONIC);
}

void session_take_counts(struct session *s)
{
	uint64_t now = s->facts.curve.open ? session_time(s) : 0;

	/* If the kernel does not report the trace clock's time, there is no curve. */
	if (!now || curve_take(&s->facts.curve, now, recording_clock_is_ns(s->clock)))
		curve_free(&s->facts.curve);
}

/* The metadata collected at the end need as much again as those in the unfinished file, plus room
 * for the pages that are moved. Without an unfinished file, both need room, by the size of an
 * earlier one.
 */
static uint64_t room_needed(const struct session *s)
{
	return s->metadata_bytes * (s->unfinished.fd < 0 ? 2 : 1) + WRITER_CHUNK_MIN * 2;
}

/* Gives spare reserved room back, for events. */
static bool give_back(void *ctx)
{
	struct session *s = ctx;

	return new_recording_shrink_reserve(&s->output, room_needed(s));
}

int session_open_reader(struct session *s)
{
	struct ring_reader *r = &s->reader;
	int ret = facts_read_headers(&s->facts, &s->instance);

	ret = ret ?: ring_reader_init(r, strbuf_text(&s->facts.texts.header_page));
	if (ret)
		return log_errno(
			s->log, LOG_ERROR, ret,
			"cannot understand the kernel's ring buffer (events/header_page): %m");
	ret = comms_watch(&s->facts.comms, &s->instance);
	if (!ret)
		ret = ring_reader_open(r, &s->instance, s->output.prefix, &s->output.file,
				       s->log);
	if (ret)
		return ret;
	r->seen = comms_see;
	r->seen_ctx = &s->facts.comms;
	r->make_room = give_back;
	r->room_ctx = s;
	s->facts.writer.file_version = s->opts->file_version;
	s->facts.writer.page_size = r->subbuf_size;
	s->facts.writer.clock = s->clock;
	s->facts.writer.nr_cpus = r->cpus[r->nr_cpus - 1].cpu % RECORDING_FREES_CPU + 1;
	for (size_t i = 0; i < r->nr_cpus; i++)
		s->read_before += session_statistic(s, r->cpus[i].cpu, "read events");
	return 0;
}

void session_add_meta(struct session *s, const char *name, const char *text)
{
	facts_add_meta(&s->facts, name, text, strlen(text));
}

static void add_sample(struct session *s, const char *name, const struct sample *sample)
{
	struct strbuf __auto_free text = { 0 };

	if (!sample->one_in)
		return;
	sample_format(sample, &text);
	s->facts.failed |= text.failed;
	session_add_meta(s, name, strbuf_text(&text));
}

void session_add_recorder(struct session *s)
{
	char page_size[24];

	snprintf(page_size, sizeof(page_size), "%ld", sysconf(_SC_PAGESIZE));
	session_add_meta(s, RECORDING_META_CMDLINE, s->opts->command_line);
	session_add_meta(s, "recorder", "kmemx " KMEMX_VERSION);
	session_add_meta(s, "page_size", page_size);
	if (s->opts->labels && *s->opts->labels)
		session_add_meta(s, RECORDING_META_LABELS, s->opts->labels);
	session_add_meta(s, "stack", s->result->stacks_how);
	add_sample(s, RECORDING_META_SAMPLE, &s->sample);
	add_sample(s, RECORDING_META_STACK_SAMPLE, &s->stack_sample);
}

void session_add_span(struct session *s, uint64_t from)
{
	char text[64];

	/* The duration that all reports will show. */
	if (recording_clock_is_ns(s->clock) && s->stop_ts > from)
		s->result->duration_ns = s->stop_ts - from;
	snprintf(text, sizeof(text), "%" PRIu64, s->result->duration_ns);
	session_add_meta(s, "duration_ns", text);
	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64, from, s->stop_ts);
	if (s->stop_ts > from)
		session_add_meta(s, RECORDING_META_SPAN, text);
}

void session_add_truncated(struct session *s)
{
	const struct capture_result *r = s->result;
	int err = r->write_error ? r->write_error : r->read_error;
	char taken[64];

	snprintf(taken, sizeof(taken), "%" PRIu64 " event%s taken by another reader",
		 r->taken, r->taken == 1 ? " was" : "s were");
	if (err || r->meddled || r->taken)
		session_add_meta(s, RECORDING_META_TRUNCATED,
				 err	      ? strerror(err)
				 : r->meddled ? r->meddled
					      : taken);
}

int session_compose(struct session *s, int err)
{
	int ret = err ? err : facts_compose(&s->facts);

	return log_errno(s->log, LOG_ERROR, ret,
			 "cannot collect information about the system: %m");
}

/* Shrinking takes about 0.1 ms for a cache that CPUs hold slabs of, longer with many CPUs. This
 * much at each end disturbs hardly anyone.
 */
#define SHRINK_NS	  50000000
/* How fast the busiest CPU may fill its buffer: nothing is read while caches are shrunk, and that
 * may use a quarter of the buffer.
 */
#define FILL_BYTES_PER_NS 0.04

void session_count_slabs(struct session *s, const char *when)
{
	double room_ns = (double)s->buffer_bytes / 4 / FILL_BYTES_PER_NS;
	uint64_t shrink_ns = room_ns < SHRINK_NS ? (uint64_t)room_ns : SHRINK_NS;

	facts_count_slabs(&s->facts, when, s->opts->exact_ledger ? UINT64_MAX : shrink_ns,
			  s->log);
}

/* --- the unfinished file ----------------------------------------------------------------- */

int session_read_system(struct session *s)
{
	return session_compose(s,
			       facts_system(&s->facts, &s->instance, &s->events, s->log));
}

static void check_unfinished(struct session *s, int err)
{
	if (s->unfinished.bytes > s->unfinished_symbols + s->metadata_bytes)
		s->metadata_bytes = s->unfinished.bytes - s->unfinished_symbols;
	if (log_errno(
		    s->log, LOG_INFO, err,
		    "no space for the recovery data: if this recorder is killed, its events are lost: %m"))
		s->unfinished.fd = -1;
}

/* Events matter more than symbols, which are available elsewhere: on a small disk the symbols are
 * written at the end.
 */
void session_begin_unfinished(struct session *s)
{
	struct writer_facts facts = s->facts.writer;

	if (io_lacks_room(s->output.file.fd,
			  facts.kallsyms_size * SESSION_SYMBOLS_SHARE)) {
		log_msg(s->log, LOG_INFO,
			"little space: if this recorder is killed, the recovered recording has no symbols");
		facts.kallsyms_size = 0;
	}
	s->unfinished_symbols = facts.kallsyms_size;
	s->unfinished.fd = s->output.file.fd;
	check_unfinished(s, unfinished_write(&s->unfinished, &facts, &s->reader));
}

int session_add_to_unfinished(struct session *s)
{
	int ret = s->unfinished.fd < 0 ? 0 : facts_compose(&s->facts);

	if (!ret && s->unfinished.fd >= 0)
		check_unfinished(s, unfinished_add(&s->unfinished, &s->facts.writer));
	return ret;
}

int session_reserve(struct session *s)
{
	int ret = new_recording_reserve(&s->output, room_needed(s));

	log_errno(s->log, LOG_INFO, ret, "cannot reserve space for %s: %m",
		  s->output.path);
	return ret == -ENOSPC || ret == -EDQUOT ? ret : 0;
}

int session_check_room(struct session *s)
{
	return log_errno(
		s->log, LOG_ERROR, session_reserve(s),
		"cannot record to %s: no room for the first event: %m\n  Make room there, or choose another place: -o FILE",
		s->opts->output);
}

/* --- the end of a recording ---------------------------------------------------------------- */

void session_drain_rest(struct session *s)
{
	struct ring_reader *r = &s->reader;
	int *write_error = &s->result->write_error;

	for (size_t i = 0; i < r->nr_cpus && !*write_error; i++) {
		int ret, before = r->read_error;

		r->read_error = 0;
		ret = ring_reader_drain(r, i, true);
		/* A CPU that cannot be read does not stop the others from being read. */
		if (!r->read_error)
			*write_error = -ret;
		r->read_error = r->read_error ? r->read_error : before;
	}
	s->result->read_error = r->read_error;
}

void session_check_parts(struct session *s)
{
	struct capture_result *result = s->result;

	result->meddled = s->verdict.meddled;
	for (size_t i = 0; i < s->reader.nr_cpus; i++)
		result->cut_bytes += ring_reader_missing(&s->reader, i);
	if (result->cut_bytes)
		result->meddled = "another process truncated the recording";
	else if (s->verdict.read && s->reader.wire)
		result->meddled = "another process read the ring buffers";
}

/* The kernel's count is wrong if other processes have read events or cleared the buffer. */
static void count_parts(struct session *s)
{
	struct capture_result *result = s->result;
	uint64_t counted = 0;

	ring_reader_end_direct(&s->reader);
	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		uint64_t n;

		if (ring_reader_count(&s->reader, i, UINT64_MAX, &n))
			return;
		counted += n;
	}
	if (s->verdict.read && result->events > counted && !result->cut_bytes)
		result->taken = result->events - counted;
	result->events = counted;
}

int session_read_statistics(struct session *s)
{
	struct capture_result *result = s->result;
	uint64_t skip = s->read_before + s->reader.discarded;

	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		const char *text;
		int ret = facts_add_cpustat(&s->facts, &s->instance,
					    s->reader.cpus[i].cpu, &text);

		if (ret)
			return ret;
		if (s->reader.cpus[i].cpu < RECORDING_FREES_CPU)
			result->wanted += facts_number(text, "read events");
		/* Use the kernel's count: walking the pages would cost a tenth of the recorder's
		 * time.
		 */
		result->events += facts_number(text, "read events");
		result->overrun += facts_number(text, "overrun");
		result->commit_overrun += facts_number(text, "commit overrun");
		result->dropped += facts_number(text, "dropped events");
		if (result->write_error)
			result->missing += facts_number(text, "entries");
	}
	result->events -= SMALLER(result->events, skip);
	result->wanted -= SMALLER(result->wanted, skip);
	if ((result->meddled || s->verdict.read) && !s->reader.wire && !s->opts->live)
		count_parts(s);
	return 0;
}

/* Is the disk too full for a copy of all pages? */
static bool is_tight(const struct session *s)
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->reader.nr_cpus; i++)
		total += s->reader.cpus[i].size;
	return !new_recording_has_room(&s->output, total);
}

/* Do the parts still have all their bytes in place? */
static bool parts_whole(const struct writer_part *parts, size_t nr)
{
	struct stat st;

	return !ANY(i, nr,
		    fstat(parts[i].fd, &st) < 0 ||
			    (uint64_t)st.st_size < parts[i].offset + parts[i].size);
}

/* Writes a separate file, which becomes the recording when it is complete: the existing one stays
 * if the disk is full, and the parts remain if this process is killed. 0 or -errno.
 */
static int write_second(struct session *s, const struct writer_part *parts, size_t nr,
			int (*write)(struct writer_out *out,
				     const struct writer_facts *facts,
				     const struct writer_part *parts, size_t nr_parts))
{
	int ret = new_recording_open_second(&s->output);
	struct writer_out out = { .fd = s->output.second.fd, .log = s->log };

	ret = ret ?: write(&out, &s->facts.writer, parts, nr);
	ret = ret ?: new_recording_use_second(&s->output);
	new_file_close(&s->output.second);
	s->result->file_bytes = out.bytes;
	return ret;
}

/* @consume is passed separately, as the top-level buffer may have no part that carries the flag. */
static int join(struct session *s, bool consume, const struct writer_part *parts,
		size_t nr)
{
	const struct writer_facts *w = &s->facts.writer;
	const struct cpu_regions *regions = &s->reader.regions;
	struct writer_out out = { .fd = s->output.file.fd, .log = s->log };
	int ret;

	if (!regions->stride && !consume)
		return write_second(s, parts, nr, writer_write);
	if (regions->stride)
		ret = writer_join(&out, w, parts, nr, regions->block);
	else
		ret = ftruncate(out.fd, 0) < 0 ? -errno
					       : writer_write(&out, w, parts, nr);
	s->result->file_bytes = out.bytes;
	return ret;
}

/* True: the compressed file is the recording now. */
static bool compress(struct session *s, const struct writer_part *parts, size_t nr)
{
	int ret = write_second(s, parts, nr, writer_compress);

	log_errno(s->log, LOG_WARN, ret,
		  "cannot compress the recording: %m; it remains uncompressed");
	return !ret;
}

void session_say_no_symbols(const struct session *s)
{
	log_msg(s->log, LOG_WARN,
		"no space for the kernel's symbols: callsites will show as addresses\n  Copy /proc/kallsyms before the next boot, and read the recording with --kallsyms COPY");
}

static int write_file(struct session *s)
{
	const struct ring_reader *r = &s->reader;
	struct writer_facts *w = &s->facts.writer;
	struct writer_part *parts __auto_mem = calloc(r->nr_cpus + 1, sizeof(*parts));
	struct writer_instance frees;
	bool consume;
	size_t nr;
	int ret;

	if (!parts)
		return -ENOMEM;
	new_recording_release_reserve(&s->output);
	ring_reader_end_direct(&s->reader);
	consume = is_tight(s);
	nr = writer_take_frees(w, parts, ring_reader_parts(r, consume, parts), &frees);
	ret = s->opts->compress && compress(s, parts, nr) ? 0
							  : join(s, consume, parts, nr);
	if ((ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG) && w->kallsyms_size &&
	    parts_whole(parts, nr + (w->nr_instances ? frees.nr_parts : 0))) {
		session_say_no_symbols(s);
		w->kallsyms_size = 0;
		ret = join(s, consume, parts, nr);
	}
	return log_errno(
		s->log, LOG_ERROR, ret,
		"cannot write %s: %m\n  Make room there, or choose another place: -o FILE",
		s->opts->output);
}

int session_join_file(struct session *s)
{
	int ret = write_file(s);

	ring_reader_close(&s->reader);
	return ret;
}

int session_commit_file(struct session *s)
{
	return new_recording_commit(&s->output, true, s->log);
}
