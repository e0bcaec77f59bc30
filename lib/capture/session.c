// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: the parts of a recording on their way into a file.
 * In: a tracing instance's pages and facts. Out: the file.
 */
#include "capture/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void session_init(struct session *s, const struct capture_options *opts,
		  struct capture_result *result)
{
	*s = (struct session){ .opts = opts,
			       .result = result,
			       .log = opts->log,
			       .instance = { .lock_fd = -1 },
			       .output = OUTPUT_INIT,
			       .head = { .fd = -1 } };
	*result = (struct capture_result){ .stacks_how = "none", .child = CHILD_INIT };
}

void session_close(struct session *s)
{
	reader_close(&s->reader);
	output_close(&s->output);
	facts_free(&s->facts);
	events_free(&s->events);
}

uint64_t session_statistic(const struct session *s, uint32_t cpu, const char *key)
{
	struct strbuf sb = { 0 };
	uint64_t nr = 0;
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	if (!instance_read(&s->instance, file, &sb))
		nr = facts_number(strbuf_text(&sb), key);
	strbuf_free(&sb);
	return nr;
}

int session_open_reader(struct session *s)
{
	const struct reader_output output = { s->output.prefix, s->output.tmp,
					      s->output.fd };
	struct reader_layout layout;
	int ret = facts_read_headers(&s->facts, &s->instance);

	if (!ret)
		ret = reader_parse_layout(strbuf_text(&s->facts.header_page), &layout);
	if (ret) {
		log_msg(s->log, LOG_ERROR,
			"cannot understand the kernel's ring buffer (events/header_page): %s",
			strerror(-ret));
		return ret;
	}
	ret = reader_open(&s->reader, &s->instance, &layout, &output, s->log);
	if (!ret) {
		const struct reader *r = &s->reader;

		s->facts.writer.file_version = s->opts->file_version;
		s->facts.writer.page_size = r->subbuf_size;
		s->facts.writer.clock = s->clock;
		s->facts.writer.nr_cpus = r->cpus[r->nr_cpus - 1].cpu + 1;
		for (size_t i = 0; i < r->nr_cpus; i++)
			s->read_before +=
				session_statistic(s, r->cpus[i].cpu, "read events");
	}
	return ret;
}

int session_add_meta(struct session *s, const char *name, const char *text)
{
	return facts_add_meta(&s->facts, name, text, strlen(text));
}

int session_add_truncated(struct session *s)
{
	return s->result->write_error ? session_add_meta(s, "truncated",
							 strerror(s->result->write_error))
				      : 0;
}

int session_drain_rest(struct session *s)
{
	for (size_t i = 0; i < s->reader.nr_cpus && !s->result->write_error; i++) {
		int ret = reader_drain(&s->reader, i, true);

		if (ret)
			s->result->write_error = -ret;
	}
	return 0;
}

int session_read_statistics(struct session *s)
{
	struct capture_result *result = s->result;
	uint64_t skip = s->read_before + s->reader.discarded;

	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		int ret =
			facts_add_cpustat(&s->facts, &s->instance, s->reader.cpus[i].cpu);
		const char *text;

		if (ret)
			return ret;
		text = s->facts.cpustats.items[s->facts.cpustats.count - 1].text;
		/* Counted by the kernel: walking over the pages would cost a tenth of all the
		 * recorder's time.
		 */
		result->events += facts_number(text, "read events");
		result->overrun += facts_number(text, "overrun");
		result->commit_overrun += facts_number(text, "commit overrun");
		result->dropped += facts_number(text, "dropped events");
	}
	result->events -= result->events < skip ? result->events : skip;
	return 0;
}

static size_t list_parts(const struct session *s, struct writer_part *parts)
{
	uint64_t total = 0;
	size_t nr = 0;
	bool consume;

	for (size_t i = 0; i < s->reader.nr_cpus; i++)
		total += s->reader.cpus[i].size;
	consume = !output_has_room(&s->output, total);
	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		const struct reader_cpu *c = &s->reader.cpus[i];

		if (c->size)
			parts[nr++] = (struct writer_part){ c->cpu, c->part_fd, c->size,
							    consume, c->offset };
	}
	return nr;
}

/* Have the parts still all their bytes, where they were? */
static bool parts_whole(const struct writer_part *parts, size_t nr)
{
	struct stat st;

	for (size_t i = 0; i < nr; i++)
		if (fstat(parts[i].fd, &st) < 0 ||
		    (uint64_t)st.st_size < parts[i].offset + parts[i].size)
			return false;
	return true;
}

static int join(struct session *s, const struct writer_part *parts, size_t nr)
{
	const struct writer_facts *w = &s->facts.writer;
	const struct regions *regions = &s->reader.regions;
	uint64_t *bytes = &s->result->file_bytes;

	if (regions->stride)
		return writer_join(s->output.fd, w, parts, nr, regions->block, bytes,
				   s->log);
	if (ftruncate(s->output.fd, 0) < 0)
		return -errno;
	return writer_write(s->output.fd, w, parts, nr, bytes, s->log);
}

/* Compresses into a file of its own: what is there already stays, in case of a full disk.
 * True: that is the recording now.
 */
static bool compress(struct session *s, const struct writer_part *parts, size_t nr)
{
	struct output *o = &s->output;
	int ret = output_open_second(o);

	if (!ret)
		ret = writer_compress(o->second_fd, &s->facts.writer, parts, nr,
				      &s->result->file_bytes, s->log);
	if (!ret)
		ret = output_use_second(o);
	if (!ret)
		return true;
	output_drop_second(o);
	log_msg(s->log, LOG_WARN, "cannot compress the recording: %s; it stays as it is",
		strerror(-ret));
	return false;
}

static int write_file(struct session *s)
{
	const struct reader *r = &s->reader;
	struct writer_facts *w = &s->facts.writer;
	struct writer_part *parts = calloc(r->nr_cpus + 1, sizeof(*parts));
	size_t nr;
	int ret;

	if (!parts)
		return -ENOMEM;
	output_release_reserve(&s->output);
	reader_end_direct(&s->reader);
	nr = list_parts(s, parts);
	ret = s->opts->compress && compress(s, parts, nr) ? 0 : join(s, parts, nr);
	if (ret == -ENOSPC && w->kallsyms_size && parts_whole(parts, nr)) {
		log_msg(s->log, LOG_WARN,
			"no room for the kernel's symbols: callsites will show as addresses");
		w->kallsyms_size = 0;
		ret = join(s, parts, nr);
	}
	if (ret)
		log_msg(s->log, LOG_ERROR,
			"cannot write %s: %s\n  Make room there, or choose another place: -o FILE",
			s->opts->output, strerror(-ret));
	free(parts);
	return ret;
}

int session_finish_file(struct session *s)
{
	int ret = write_file(s);

	reader_close(&s->reader);
	return ret ? ret
		   : output_commit(&s->output, s->opts->owner_uid, s->opts->owner_gid,
				   s->log);
}
