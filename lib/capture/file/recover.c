// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/file/recover.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/safe_text.h"
#include "capture/events/ring_reader.h"
#include "capture/facts/facts.h"
#include "capture/file/dead.h"
#include "capture/file/new_recording.h"
#include "capture/file/unfinished.h"
#include "recording/cpu_regions.h"
#include "recording/writer.h"

#define RECOVERED_ITEM RECORDING_META_RECOVERED

struct recovery {
	const struct leftover *l;
	const char *path; /* of the recording */
	struct recover_result *result;
	const struct log *log;
	struct recording *rec;
	struct ring_reader reader; /* its parts are the leftover's */
	struct instance instance;
	struct facts facts; /* what could still be read from the instance */
	struct new_recording output;
};

/* --- the parts --------------------------------------------------------------------------- */

/* A descriptor or -errno. */
static int duplicate(int fd)
{
	int again = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return again < 0 ? -errno : again;
}

static int open_head(struct recovery *v)
{
	struct source src;
	int ret, fd = duplicate(v->l->fd);

	ret = fd < 0 ? fd : source_open_fd(&src, fd);
	if (ret)
		io_close(&fd);
	return ret ?: recording_open(&v->rec, &src, v->l->tmp, v->log);
}

/* Is the sub-buffer at @at unwritten, i.e. are its time and size zero? */
static bool is_empty(const struct recovery *v, const struct ring_reader_cpu *c,
		     uint64_t at)
{
	/* A recorder that was joining may have put the next buffer's section header there. */
	static const uint8_t section[8] = { 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };
	uint8_t head[16], zeros[16] = { 0 };

	return io_pread_all(c->part_fd, head, sizeof(head), c->offset + at) ||
	       !memcmp(head, zeros, sizeof(head)) ||
	       !memcmp(head, section, sizeof(section));
}

/* Sets the part's size: whole sub-buffers from its beginning to the last one that was written. */
static void find_size(const struct recovery *v, struct ring_reader_cpu *c)
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
	c->size = SMALLER(c->size, c->room);
	c->size -= c->size % size;
	while (c->size && is_empty(v, c, c->size - size))
		c->size -= size;
}

static int add_part(struct recovery *v, uint32_t cpu, int fd, uint64_t offset,
		    uint64_t room)
{
	struct ring_reader *r = &v->reader;
	struct ring_reader_cpu *c;
	int ret = fd < 0 ? fd : array_grow(&r->cpus, r->nr_cpus);

	if (ret) {
		io_close(&fd);
		return ret;
	}
	c = &r->cpus[r->nr_cpus++];
	*c = (struct ring_reader_cpu){
		.cpu = cpu, .pipe_fd = -1, .part_fd = fd, .offset = offset, .room = room
	};
	find_size(v, c);
	return 0;
}

static int add_regions(struct recovery *v, const struct unfinished_layout *layout)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < layout->nr_cpus; i++)
		ret = add_part(v, layout->cpus[i], duplicate(v->l->fd),
			       cpu_regions_start(&layout->regions, i),
			       layout->regions.stride);
	return ret;
}

static int add_files(struct recovery *v)
{
	struct leftover_part *parts __auto_mem = NULL;
	size_t nr;
	int ret = leftover_parts(v->l, &parts, &nr);

	for (size_t i = 0; !ret && i < nr; i++)
		ret = add_part(v, parts[i].cpu, leftover_open_cpu(v->l, parts[i].cpu), 0,
			       INT64_MAX / 4);
	return ret;
}

static int open_parts(struct recovery *v)
{
	const char *text = v->rec->header_page ? v->rec->header_page : "";
	struct unfinished_layout layout;
	int ret = ring_reader_init(&v->reader, text);

	ret = ret ?: unfinished_read_layout(v->rec, &layout);
	if (ret)
		return ret;
	v->reader.log = v->log;
	if (v->reader.subbuf_size != v->rec->page_size)
		ret = -EBADMSG;
	else
		ret = layout.regions.stride ? add_regions(v, &layout) : add_files(v);
	free(layout.cpus);
	return ret;
}

/* --- what is still in the kernel --------------------------------------------------------- */

static int read_buffer(struct recovery *v, size_t i)
{
	struct ring_reader_cpu *c = &v->reader.cpus[i];
	uint64_t before = c->size, written = 0, read;
	const char *text;
	int ret;

	if (!instance_of_cpu(&v->instance, c->cpu))
		return 0;
	c->pipe_fd = instance_open_pipe(&v->instance, c->cpu);
	/* The CPU went offline. */
	if (c->pipe_fd == -ENODEV || c->pipe_fd == -ENXIO)
		return 0;
	if (c->pipe_fd < 0)
		return c->pipe_fd;
	ret = ring_reader_drain(&v->reader, i, true);
	io_close(&c->pipe_fd);
	v->result->from_buffers += c->size - before;
	ret = ret ?: ring_reader_count(&v->reader, i, UINT64_MAX, &written);
	ret = ret ?: facts_add_cpustat(&v->facts, &v->instance, c->cpu, &text);
	if (ret)
		return ret;
	read = facts_number(text, "read events");
	v->result->unwritten += less(read, written);
	return 0;
}

/* In a flight recorder, overwritten events are not lost, only too old: the recording begins after
 * them. The last event sets its end.
 */
static int begin_flight(struct recovery *v)
{
	char span[64];
	uint64_t ts;
	int ret;

	if (!recording_flight(v->rec))
		return 0;
	ret = ring_reader_begin_at(&v->reader, &ts);
	if (ret || !ts)
		return ret;
	snprintf(span, sizeof(span), "%" PRIu64 " %" PRIu64, ts, ts);
	facts_add_meta(&v->facts, RECORDING_META_SPAN, span, strlen(span));
	return 0;
}

/* If the instance is gone or this user may not read it, only the last events are lost. Any other
 * failure must not lose anything.
 */
static int read_buffers(struct recovery *v)
{
	int ret;

	if (v->result->extract)
		return 0;
	ret = instance_adopt(&v->instance, v->l->token);
	if (ret == -ENOENT)
		return 0;
	if (ret == -EACCES || ret == -EPERM) {
		log_msg(v->log, LOG_WARN,
			"cannot read the ring buffers that the recorder left: %s",
			strerror(-ret));
		return 0;
	}
	for (size_t i = 0; !ret && i < v->reader.nr_cpus; i++)
		ret = read_buffer(v, i);
	ret = ret ?: begin_flight(v);
	ret = ret ?: facts_add_saved_comms(&v->facts);
	v->result->buffers_read = !ret;
	return log_errno(
		v->log, LOG_ERROR, ret,
		"cannot read the ring buffers that the recorder left: %m\n  %s and the buffers are unchanged",
		v->l->tmp);
}

/* Removes the instance if the recording has all of it. */
static void leave_instance(struct recovery *v, bool done)
{
	struct dead_content content;

	if (!v->instance.tracefs)
		return;
	if (done && !dead_count(&v->instance, &content) && !content.events) {
		instance_destroy(&v->instance, v->log);
		return;
	}
	if (done)
		log_msg(v->log, LOG_WARN,
			"some events remain in the kernel's buffers, perhaps those of an offline CPU\n  Save them: kmemx extract --instance %s",
			v->instance.name);
	instance_detach(&v->instance);
}

/* --- the file ---------------------------------------------------------------------------- */

/* Describes what became of the events that the killed process had not written. */
static void tell_how(const struct recovery *v, struct strbuf *sb)
{
	const struct recover_result *r = v->result;

	if (r->extract)
		strbuf_puts(
			sb,
			"the extract was killed; unread events are still in the buffer");
	else if (r->buffers_read)
		strbuf_puts(sb,
			    "the recorder was killed; its ring buffers were read later");
	else
		strbuf_puts(
			sb,
			"the recorder was killed; the events in its ring buffers are lost");
	if (r->unwritten)
		strbuf_printf(sb, "; %" PRIu64 " event%s that it had read %s lost",
			      r->unwritten, plural(r->unwritten),
			      r->unwritten == 1 ? "is" : "are");
}

/* Adds the head's items except its layout, and how the file was recovered. */
static void add_meta(struct recovery *v)
{
	struct strbuf __auto_free how = { 0 };

	tell_how(v, &how);
	for_each(item, v->rec->meta, v->rec->nr_meta) {
		if (strcmp(item->name, UNFINISHED_LAYOUT) != 0 &&
		    strcmp(item->name, RECOVERED_ITEM) != 0)
			facts_add_meta(&v->facts, item->name, item->text, item->size);
	}
	v->facts.failed |= how.failed;
	facts_add_meta(&v->facts, RECOVERED_ITEM, strbuf_text(&how), how.size);
}

/* Merges the facts of the head with later facts, which replace them. */
static int merge_facts(struct recovery *v, struct writer_facts *out)
{
	const struct recording *rec = v->rec;
	int ret = rec->cmdlines ? comms_add_text(&v->facts.comms, rec->cmdlines) : 0;

	add_meta(v);
	ret = ret ?: facts_compose(&v->facts);
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

/* Gives the written file its name, unless writing it failed with @err. */
static int commit(struct recovery *v, int err)
{
	if (!err)
		return new_recording_commit(&v->output, true, v->log);
	return log_errno(
		v->log, LOG_ERROR, err,
		"cannot write %s: %m\n  %s is unchanged. Make room there, or choose another place: -o FILE",
		v->path, v->l->tmp);
}

static int write_file(struct recovery *v)
{
	struct writer_part *parts __auto_mem =
		calloc(v->reader.nr_cpus + 1, sizeof(*parts));
	struct writer_out out = { .fd = v->output.file.fd, .log = v->log };
	struct writer_instance frees;
	struct writer_facts facts;
	size_t nr;
	int ret = parts ? merge_facts(v, &facts) : -ENOMEM;

	if (!ret) {
		nr = ring_reader_parts(&v->reader, false, parts);
		for (size_t i = 0; i < nr; i++)
			v->result->page_bytes += parts[i].size;
		nr = writer_take_frees(&facts, parts, nr, &frees);
		v->result->nr_cpus = nr;
		ret = writer_write(&out, &facts, parts, nr);
		v->result->file_bytes = out.bytes;
	}
	return commit(v, ret);
}

static int cannot_use(const struct recovery *v, int err)
{
	const char *why = err == -ENOENT || err == -EBADMSG || err == -EPROTO
				  ? "its beginning is missing or damaged"
				  : strerror(-err);
	struct dead_content content;

	log_msg(v->log, LOG_ERROR,
		"cannot recover %s: %s\n  Inspect it with kmemx info, or remove it: rm -r %s.*",
		v->l->tmp, why, SHELL_NAME(v->l->prefix));
	if (!dead_look(v->l->token, &content, v->log) && content.events)
		log_msg(v->log, LOG_ERROR,
			"its last %" PRIu64
			" events are still in the kernel's buffers\n  Save them: kmemx extract --instance " INSTANCE_PREFIX
			"%s",
			content.events, v->l->token);
	return err;
}

/* --- a complete file ---------------------------------------------------------------- */

static int copy_whole(struct recovery *v)
{
	struct stat st;
	int ret = fstat(v->l->fd, &st) < 0 ? -errno : 0;

	ret = ret ?: io_copy(v->l->fd, 0, v->output.file.fd, 0, (uint64_t)st.st_size);
	return commit(v, ret);
}

static void add_up(const struct recording *rec, struct recover_result *result)
{
	for (uint32_t i = 0; i < rec->nr_buffers; i++) {
		for (uint32_t k = 0; k < rec->buffers[i].nr_cpus; k++) {
			result->page_bytes += rec->buffers[i].cpus[k].size;
			result->nr_cpus += rec->buffers[i].cpus[k].size != 0;
		}
	}
}

/* The process was killed between its last write and giving the file its name. */
static int take_whole(struct recovery *v)
{
	const struct leftover *l = v->l;
	int ret = v->rec->nr_damaged ? cannot_use(v, -EBADMSG) : 0;

	v->result->whole = true;
	add_up(v->rec, v->result);
	ret = ret ?: new_recording_open(&v->output, v->path, v->log);
	if (!ret)
		ret = new_recording_commit_other(&v->output, l->dir_fd, leftover_name(l),
						 l->fd, v->log);
	return ret == -EXDEV ? copy_whole(v) : ret;
}

static void close_parts(struct recovery *v)
{
	for (size_t i = 0; i < v->reader.nr_cpus; i++)
		close(v->reader.cpus[i].part_fd);
	free(v->reader.cpus);
	free(v->reader.staging);
}

static int join_parts(struct recovery *v)
{
	int ret = open_parts(v);

	ret = ret ?: ring_reader_alloc_staging(&v->reader);
	if (ret)
		return cannot_use(v, ret);
	v->result->extract = recording_meta(v->rec, "source") != NULL;
	ret = new_recording_open(&v->output, v->path, v->log);
	ret = ret ?: read_buffers(v);
	return ret ?: write_file(v);
}

int recover_run(const struct leftover *l, const char *output,
		struct recover_result *result, const struct log *log)
{
	struct recovery v = { .l = l,
			      .path = output,
			      .result = result,
			      .log = log,
			      .instance = { .lock_fd = -1 },
			      .output = NEW_RECORDING_INIT,
			      .reader = RING_READER_INIT };
	int ret = join_plan_resume(l->fd);

	*result = (struct recover_result){ 0 };
	ret = ret < 0 ? ret : open_head(&v);
	result->nothing = ret && !leftover_has_pages(l);
	if (ret)
		ret = result->nothing ? ret : cannot_use(&v, ret);
	else
		ret = v.rec->stream ? join_parts(&v) : take_whole(&v);
	if (!ret && result->whole && instance_adopt(&v.instance, l->token))
		v.instance.tracefs = NULL;
	leave_instance(&v, !ret);
	if (!ret && leftover_remove(l) < 0)
		log_msg(v.log, LOG_WARN, "cannot remove %s.*", l->prefix);
	new_recording_close(&v.output);
	close_parts(&v);
	facts_free(&v.facts);
	recording_close(v.rec);
	return ret;
}
