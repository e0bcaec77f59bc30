// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: makes a recording of what a killed recorder left.
 * In: the beginning of its file, pages, ring buffers. Out: a whole file.
 */
#include "capture/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "capture/comms.h"
#include "capture/facts.h"
#include "capture/head.h"
#include "capture/output.h"
#include "capture/reader.h"
#include "recording/writer.h"

#define RECOVERED_ITEM "recovered"

struct recovery {
	const struct leftover *l;
	const struct recover_options *opts;
	struct recover_result *result;
	const struct log *log;
	struct recording *rec;
	struct reader reader; /* its parts are the leftover's */
	struct instance instance;
	struct facts facts; /* what the instance still told */
	struct output output;
};

/* --- the parts --------------------------------------------------------------------------- */

static int open_head(struct recovery *v)
{
	struct source src;
	int ret, fd = dup(v->l->fd);

	ret = fd < 0 ? -errno : source_open_fd(&src, fd);
	if (ret) {
		if (fd >= 0)
			close(fd);
		return ret;
	}
	ret = recording_open(&v->rec, &src, v->l->tmp, v->log);
	if (ret)
		return ret;
	/* It has the description of the finished file already. */
	return v->rec->stream ? 0 : -EALREADY;
}

/* Is the sub-buffer at @at all zeros where its time and size should be? */
static bool is_empty(const struct recovery *v, const struct reader_cpu *c, uint64_t at)
{
	uint8_t head[16], zeros[16] = { 0 };

	return io_pread_all(c->part_fd, head, sizeof(head), c->offset + at) ||
	       !memcmp(head, zeros, sizeof(head));
}

/* Whole sub-buffers from the part's beginning on, without what was never written. */
static void find_size(const struct recovery *v, struct reader_cpu *c)
{
	const uint32_t size = v->reader.subbuf_size;
	off_t begin = (off_t)c->offset, end;
	struct stat st;

	if (fstat(c->part_fd, &st) < 0 || st.st_size <= begin)
		return;
	end = lseek(c->part_fd, begin, SEEK_HOLE);
	if (end < begin || end > st.st_size)
		end = st.st_size;
	c->size = (uint64_t)(end - begin);
	if (c->size > c->room)
		c->size = c->room;
	c->size -= c->size % size;
	while (c->size && is_empty(v, c, c->size - size))
		c->size -= size;
}

static int add_part(struct recovery *v, uint32_t cpu, int fd, uint64_t offset,
		    uint64_t room)
{
	struct reader *r = &v->reader;
	struct reader_cpu *c = reallocarray(r->cpus, r->nr_cpus + 1, sizeof(*c));

	if (fd < 0 || !c) {
		int err = fd < 0 ? errno : ENOMEM;

		if (c)
			r->cpus = c;
		if (fd >= 0)
			close(fd);
		return -err;
	}
	r->cpus = c;
	c += r->nr_cpus++;
	*c = (struct reader_cpu){
		.cpu = cpu, .pipe_fd = -1, .part_fd = fd, .offset = offset, .room = room
	};
	find_size(v, c);
	return 0;
}

static int add_regions(struct recovery *v, const struct head_layout *layout)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < layout->nr_cpus; i++)
		ret = add_part(v, layout->cpus[i], dup(v->l->fd),
			       regions_start(&layout->regions, i),
			       layout->regions.stride);
	return ret;
}

static int add_files(struct recovery *v)
{
	uint32_t *cpus = NULL;
	size_t nr = 0;
	int ret = leftover_cpus(v->l, &cpus, &nr);

	for (size_t i = 0; !ret && i < nr; i++) {
		char *path;

		if (asprintf(&path, "%s.cpu%u", v->l->prefix, cpus[i]) < 0) {
			ret = -ENOMEM;
			break;
		}
		ret = add_part(v, cpus[i], open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW), 0,
			       INT64_MAX / 4);
		free(path);
	}
	free(cpus);
	return ret;
}

static int open_parts(struct recovery *v)
{
	const char *text = v->rec->header_page ? v->rec->header_page : "";
	struct reader_layout pages;
	struct head_layout layout;
	int ret = reader_parse_layout(text, &pages);

	if (!ret)
		ret = head_read_layout(v->rec, &layout);
	if (ret)
		return ret;
	v->reader = (struct reader){ .subbuf_size = pages.subbuf_size,
				     .data_offset = pages.data_offset,
				     .long_size = pages.long_size,
				     .log = v->log };
	if (pages.subbuf_size != v->rec->page_size)
		ret = -EBADMSG;
	else
		ret = layout.regions.stride ? add_regions(v, &layout) : add_files(v);
	free(layout.cpus);
	return ret;
}

/* --- what is still in the kernel --------------------------------------------------------- */

static int read_buffer(struct recovery *v, size_t i)
{
	struct reader_cpu *c = &v->reader.cpus[i];
	uint64_t before = c->size;
	char file[64];
	int ret;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", c->cpu);
	c->pipe_fd = instance_open(&v->instance, file, O_RDONLY | O_NONBLOCK);
	if (c->pipe_fd < 0)
		return c->pipe_fd;
	ret = reader_drain(&v->reader, i, true);
	close(c->pipe_fd);
	c->pipe_fd = -1;
	v->result->from_buffers += c->size - before;
	return ret ? ret : facts_add_cpustat(&v->facts, &v->instance, c->cpu);
}

/* An instance that is gone, or that cannot be read, costs the last events, not the rest. */
static void read_buffers(struct recovery *v)
{
	int ret = instance_adopt(&v->instance, v->l->pid);

	for (size_t i = 0; !ret && i < v->reader.nr_cpus; i++)
		ret = read_buffer(v, i);
	if (!ret)
		ret = facts_add_saved_comms(&v->facts);
	v->result->buffers_read = !ret;
	if (ret && ret != -ENOENT)
		log_msg(v->log, LOG_WARN,
			"cannot read the ring buffers that the recorder left: %s",
			strerror(-ret));
	instance_destroy(&v->instance, v->log);
}

/* --- the file ---------------------------------------------------------------------------- */

static size_t list_parts(const struct recovery *v, struct writer_part *parts)
{
	size_t nr = 0;

	for (size_t i = 0; i < v->reader.nr_cpus; i++) {
		const struct reader_cpu *c = &v->reader.cpus[i];

		v->result->page_bytes += c->size;
		if (c->size)
			parts[nr++] = (struct writer_part){ c->cpu, c->part_fd, c->size,
							    false, c->offset };
	}
	v->result->nr_cpus = nr;
	return nr;
}

/* The head's items but for its layout, and what this file is. */
static int add_meta(struct recovery *v)
{
	const char *how =
		v->result->buffers_read
			? "the recorder was killed; its ring buffers were read later"
			: "the recorder was killed; what was in its ring buffers is lost";
	int ret = 0;

	for (size_t i = 0; !ret && i < v->rec->nr_meta; i++) {
		const struct recording_text *item = &v->rec->meta[i];

		if (strcmp(item->name, HEAD_LAYOUT) != 0 &&
		    strcmp(item->name, RECOVERED_ITEM) != 0)
			ret = facts_add_meta(&v->facts, item->name, item->text,
					     item->size);
	}
	return ret ? ret : facts_add_meta(&v->facts, RECOVERED_ITEM, how, strlen(how));
}

/* The facts of the head, with those that came later in the places of the others. */
static int merge_facts(struct recovery *v, struct writer_facts *out)
{
	const struct recording *rec = v->rec;
	int ret = add_meta(v);

	if (!ret && rec->cmdlines)
		ret = comms_add_text(&v->facts.comms, rec->cmdlines);
	if (!ret)
		ret = facts_compose(&v->facts);
	if (ret)
		return ret;
	*out = writer_facts_of(rec);
	out->cmdlines = v->facts.writer.cmdlines;
	out->writer_version = v->facts.writer.writer_version;
	out->cpustats = v->facts.writer.cpustats;
	out->nr_cpustats = v->facts.writer.nr_cpustats;
	out->meta = v->facts.writer.meta;
	out->nr_meta = v->facts.writer.nr_meta;
	return 0;
}

static int write_file(struct recovery *v)
{
	const struct recover_options *opts = v->opts;
	struct writer_part *parts = calloc(v->reader.nr_cpus + 1, sizeof(*parts));
	struct writer_facts facts;
	size_t nr;
	int ret = parts ? merge_facts(v, &facts) : -ENOMEM;

	if (!ret) {
		output_release_reserve(&v->output);
		nr = list_parts(v, parts);
		ret = writer_write(v->output.fd, &facts, parts, nr,
				   &v->result->file_bytes, v->log);
	}
	if (ret)
		log_msg(v->log, LOG_ERROR,
			"cannot write %s: %s\n  %s stays as it is. Make room there, or choose another place: -o FILE",
			opts->output, strerror(-ret), v->l->tmp);
	free(parts);
	return ret ? ret
		   : output_commit(&v->output, opts->owner_uid, opts->owner_gid, v->log);
}

static int cannot_use(const struct recovery *v, int err)
{
	const char *why = err == -EALREADY
				  ? "its recorder was killed while it finished it"
			  : err == -ENOENT || err == -EBADMSG || err == -EPROTO
				  ? "its beginning is missing or damaged"
				  : strerror(-err);

	log_msg(v->log, LOG_ERROR,
		"cannot recover %s: %s\n  Look what kmemx info makes of it, or remove it: rm %s.*",
		v->l->tmp, why, v->l->prefix);
	return err;
}

static void close_parts(struct recovery *v)
{
	for (size_t i = 0; i < v->reader.nr_cpus; i++)
		close(v->reader.cpus[i].part_fd);
	free(v->reader.cpus);
	free(v->reader.staging);
}

int recover_run(const struct leftover *l, const struct recover_options *opts,
		struct recover_result *result)
{
	struct recovery v = { .l = l,
			      .opts = opts,
			      .result = result,
			      .log = opts->log,
			      .instance = { .lock_fd = -1 },
			      .output = OUTPUT_INIT };
	int ret = open_head(&v);

	*result = (struct recover_result){ 0 };
	if (!ret)
		ret = open_parts(&v);
	if (!ret)
		ret = reader_alloc_staging(&v.reader);
	if (ret)
		ret = cannot_use(&v, ret);
	else
		ret = output_open(&v.output, opts->output, v.log);
	if (!ret) {
		read_buffers(&v);
		ret = write_file(&v);
	}
	if (!ret && leftover_remove(l) < 0)
		log_msg(v.log, LOG_WARN, "cannot remove %s.*", l->prefix);
	output_close(&v.output);
	close_parts(&v);
	facts_free(&v.facts);
	recording_close(v.rec);
	return ret;
}
