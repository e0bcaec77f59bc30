// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Format: trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v6.5.txt and v7.5.txt. All metadata is
 * composed in memory, because its length decides where the pages begin.
 */
#include "recording/writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "recording/compose.h"
#include "recording/cpu_regions.h"

/* Is the file of version 6, which has no sections? */
static bool is_v6(const struct composer *c)
{
	return c->facts->file_version == 6;
}

/* --- version 6 --------------------------------------------------------------------------- */

/* Version 6 lists every CPU from 0 on; those without pages have size 0. Lists at least one, because
 * readers take a file with no CPUs for damaged.
 */
static uint32_t table_cpus(const struct composer *c)
{
	return c->facts->nr_cpus ? c->facts->nr_cpus : 1;
}

static void compose_table(struct composer *c, struct compose_buffer *b)
{
	const char *clock = b->is.clock ? b->is.clock : "local";
	const struct compose_cpu *next = b->cpus, *end = next + b->is.nr_parts;
	uint64_t at = b->first;

	b->table = c->sb.size;
	compose_string(c, "flyrecord");
	for (uint32_t cpu = 0; cpu < table_cpus(c); cpu++) {
		bool has = next < end && next->from->cpu == cpu;

		at = has ? next->offset : at;
		compose_uint(c, at, 8);
		compose_uint(c, has ? next->size : 0, 8);
		if (has)
			at += next++->size;
	}
	compose_uint(c, strlen(clock) + 2, 8);
	strbuf_printf(&c->sb, "[%s]", clock);
}

/* An instance is an option with its name and the offset of its table. */
static void compose_v6(struct composer *c)
{
	compose_uint(c, table_cpus(c), 4);
	compose_string(c, "options  ");
	compose_options(c);
	for (size_t i = 1; i < c->nr_buffers; i++) {
		const struct compose_buffer *b = &c->buffers[i];

		compose_uint(c, OPTION_BUFFER, 2);
		compose_uint(c, 8 + strlen(b->is.name) + 1, 4);
		compose_uint(c, b->table, 8);
		compose_string(c, b->is.name);
	}
	compose_uint(c, OPTION_DONE, 2);
	for (size_t i = 0; i < c->nr_buffers; i++)
		compose_table(c, &c->buffers[i]);
}

/* --- both versions ----------------------------------------------------------------------- */

/* Composes the part that has the offsets of pages. */
static void compose_places(struct composer *c, const uint64_t sections[])
{
	size_t start;

	if (is_v6(c)) {
		compose_v6(c);
		return;
	}
	start = section_begin(c, SECTION_OPTIONS);
	compose_all_options(c, sections);
	section_end(c, start);
}

/* Places the buffers after the metadata, the pages of each CPU at multiples of the page size and of
 * @block.
 */
static void place_pages(struct composer *c, uint32_t block)
{
	uint64_t end = c->sb.size;

	for (struct compose_buffer *b = c->buffers; b < c->buffers + c->nr_buffers; b++) {
		uint32_t align = LARGER(b->is.page_size, block);

		b->section = end;
		b->first = round_up(end + (is_v6(c) ? 0 : SECTION_HEADER_SIZE), align);
		end = b->first;
		for (size_t i = 0; i < b->is.nr_parts; i++) {
			b->cpus[i].offset = round_up(end, align);
			end = b->cpus[i].offset + b->cpus[i].size;
		}
		b->end = end;
	}
}

/* Composes everything except the pages and the headers of their sections. 0 or -errno. */
static int compose(struct composer *c, uint32_t block)
{
	uint64_t sections[COMPOSE_PARTS];
	size_t options = 0, at;

	compose_magic(c);
	if (!is_v6(c))
		options = compose_compression(c, "none", "");
	for (uint16_t i = 0; i < COMPOSE_PARTS; i++) {
		sections[i] = c->sb.size;
		if (is_v6(c))
			compose_part(c, OPTION_HEADER_INFO + i);
		else
			compose_section(c, OPTION_HEADER_INFO + i);
	}
	at = c->sb.size;
	if (!is_v6(c))
		compose_set_u64(c, options, at);
	/* Compose this part twice: its length decides where the pages begin. */
	compose_places(c, sections);
	place_pages(c, block);
	c->sb.size = at;
	compose_places(c, sections);
	return compose_result(c);
}

/* Where all pages end. */
static uint64_t file_end(const struct composer *c)
{
	return c->buffers[c->nr_buffers - 1].end;
}

/* Writes the header of the buffer's section, at @at, if the version has one. */
static int write_header(int fd, const struct composer *c, const struct compose_buffer *b,
			uint64_t at)
{
	return is_v6(c) ? 0 : section_write_header(fd, c, at, at + (b->end - b->section));
}

/* --- output ------------------------------------------------------------------------------ */

/* A copy of pages to @out, from @first to @end in the file. */
struct page_copy {
	const struct writer_out *out;
	uint64_t first, end;
};

/* Reports that everything before @offset is written. */
static void tell_progress(const struct page_copy *copy, uint64_t offset)
{
	if (copy->out->progress)
		copy->out->progress(copy->out->ctx, offset - copy->first,
				    copy->end - copy->first);
}

/* Like io_copy(), but keeps holes: the file is extended past @dst + @size later. */
static int copy_data(const struct page_copy *copy, int from, uint64_t src, uint64_t dst,
		     uint64_t size)
{
	uint64_t at = 0, end;
	struct stat st;
	int ret = fstat(from, &st) < 0 ? -errno : 0;

	if (!ret && (uint64_t)st.st_size < src + size)
		ret = -ENODATA;
	while (!ret && at < size) {
		off_t data = lseek(from, (off_t)(src + at), SEEK_DATA), hole;

		if (data < 0 && errno == ENXIO)
			at = size;
		else if (data >= 0)
			at = (uint64_t)data - src;
		if (at >= size)
			break;
		hole = lseek(from, (off_t)(src + at), SEEK_HOLE);
		end = hole < 0 || (uint64_t)hole - src > size ? size
							      : (uint64_t)hole - src;
		if (copy->out->progress && end - at > WRITER_PROGRESS)
			end = at + WRITER_PROGRESS;
		ret = io_copy(from, src + at, copy->out->fd, dst + at, end - at);
		at = end;
		tell_progress(copy, dst + at);
	}
	return ret;
}

static bool has_holes(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_blocks < st.st_size / 1024;
}

static int copy_cpu(const struct page_copy *copy, const struct compose_cpu *cpu)
{
	const struct writer_part *part = cpu->from;
	uint64_t left = part->size;
	int ret = 0;

	/* A part with holes takes little disk space: truncating it step by step is not worth it. */
	if (!part->consume || has_holes(part->fd))
		return copy_data(copy, part->fd, part->offset, cpu->offset, left);
	while (!ret && left) {
		uint64_t step = io_spare(copy->out->fd, WRITER_CHUNK_MIN, WRITER_CHUNK);
		uint64_t size = left % step ? left % step : step;

		left -= size;
		ret = copy_data(copy, part->fd, left, cpu->offset + left, size);
		if (!ret && ftruncate(part->fd, (off_t)left) < 0)
			ret = -errno;
	}
	return ret;
}

static int copy_buffer(const struct page_copy *copy, const struct composer *c,
		       const struct compose_buffer *b)
{
	int ret = write_header(copy->out->fd, c, b, b->section);

	for (size_t i = 0; !ret && i < b->is.nr_parts; i++) {
		ret = copy_cpu(copy, &b->cpus[i]);
		tell_progress(copy, b->cpus[i].offset + b->cpus[i].size);
	}
	return ret;
}

/* Writes the metadata in @c, and all pages. */
static int write_composed(const struct writer_out *out, const struct composer *c)
{
	const struct page_copy copy = { out, c->buffers[0].first, file_end(c) };
	int ret;

	tell_progress(&copy, copy.first);
	ret = io_pwrite_all(out->fd, c->sb.data, c->sb.size, 0);
	/* The pages may end in a hole, or there may be no pages. */
	if (!ret && ftruncate(out->fd, (off_t)copy.end) < 0)
		ret = -errno;
	for (size_t i = 0; !ret && i < c->nr_buffers; i++)
		ret = copy_buffer(&copy, c, &c->buffers[i]);
	return ret;
}

struct writer_facts writer_facts_of(const struct recording *rec)
{
	return (struct writer_facts){
		.file_version = 7,
		.page_size = rec->page_size,
		.header_page = rec->header_page,
		.header_event = rec->header_event,
		.ftrace_formats = rec->ftrace_formats,
		.nr_ftrace_formats = rec->nr_ftrace_formats,
		.event_formats = rec->event_formats,
		.nr_event_formats = rec->nr_event_formats,
		.kallsyms = rec->kallsyms,
		.kallsyms_size = rec->kallsyms_size,
		.printk_formats = rec->printk_formats,
		.cmdlines = rec->cmdlines,
		.uname = rec->uname,
		.writer_version = rec->writer_version,
		.trace_clock = rec->trace_clock,
		.clock = recording_clock(rec, 0),
		.nr_cpus = rec->nr_cpus,
	};
}

size_t writer_take_frees(struct writer_facts *facts, struct writer_part *parts, size_t nr,
			 struct writer_instance *frees)
{
	size_t top = 0;

	while (top < nr && parts[top].cpu < RECORDING_FREES_CPU)
		top++;
	*frees = (struct writer_instance){ RECORDING_FREES, facts->clock,
					   facts->page_size, parts + top, nr - top };
	for (size_t i = top; i < nr; i++)
		parts[i].cpu -= RECORDING_FREES_CPU;
	facts->instances = frees;
	facts->nr_instances = top < nr;
	return top;
}

int writer_write(struct writer_out *out, const struct writer_facts *facts,
		 const struct writer_part *parts, size_t nr_parts)
{
	struct composer c;
	int ret = compose_begin(&c, facts, parts, nr_parts, out->log);

	ret = ret ?: compose(&c, 0);
	ret = ret ?: write_composed(out, &c);
	if (!ret)
		out->bytes = file_end(&c);
	compose_end(&c);
	return ret;
}

/* --- pages that are already in the file --------------------------------------------------- */

/* Where a CPU's pages end until the holes are removed. */
static uint64_t part_end(const struct compose_cpu *cpu)
{
	return cpu->from->offset + cpu->size;
}

/* Where the pages of CPU @i must begin: as far after the previous CPU's current ones as in the
 * finished file.
 */
static uint64_t wanted(const struct composer *c, size_t i)
{
	const struct compose_cpu *cpu = &c->cpus[i];

	return i ? part_end(cpu - 1) + (cpu->offset - cpu[-1].offset - cpu[-1].size)
		 : cpu->offset;
}

static int check_regions(const struct composer *c, uint32_t align)
{
	for (size_t i = 0; i < c->nr_cpus; i++) {
		uint64_t offset = c->cpus[i].from->offset;

		if (offset % align || offset > INT64_MAX / 2 || offset < wanted(c, i))
			return i ? -EINVAL : -EFBIG;
	}
	return 0;
}

/* Lists holes from the end of the file on, so that removing one does not move the others. Skips
 * empty ranges, because the file's size shows the progress. Returns their number.
 */
static size_t list_holes(const struct composer *c, struct join_range *out)
{
	size_t nr = 0;

	for (size_t i = c->nr_cpus; i-- > 0;) {
		uint64_t from = wanted(c, i);

		if (from < c->cpus[i].from->offset)
			out[nr++] = (struct join_range){ from, c->cpus[i].from->offset };
	}
	return nr;
}

static int run_plan(int fd, const struct join_plan *plan, const struct log *log)
{
	int noted = plan->nr ? join_plan_write(fd, plan) : 0;

	if (noted)
		log_msg(log, LOG_INFO,
			"no space for the recovery plan: if kmemx is killed now, the recording is lost: %s",
			strerror(-noted));
	return join_plan_run(fd, plan);
}

/* Writes the header of each section, after the previous part. */
static int write_headers(int fd, const struct composer *c)
{
	const struct compose_cpu *cpu = c->cpus;
	int ret = 0;

	for (size_t i = 0; !ret && i < c->nr_buffers; i++) {
		const struct compose_buffer *b = &c->buffers[i];

		ret = write_header(fd, c, b,
				   cpu > c->cpus ? part_end(cpu - 1) : b->section);
		cpu += b->is.nr_parts;
	}
	return ret;
}

static int write_joined(int fd, const struct composer *c, uint32_t align,
			const struct log *log)
{
	struct join_range *holes __auto_mem = calloc(c->nr_cpus + 1, sizeof(*holes));
	struct join_plan plan = { c->sb.data, c->sb.size, holes, 0 };
	uint64_t end = c->nr_cpus ? part_end(&c->cpus[c->nr_cpus - 1]) : file_end(c);
	int ret = holes ? check_regions(c, align) : -ENOMEM;

	if (!ret && ftruncate(fd, (off_t)end) < 0)
		ret = -errno;
	/* Before the plan: its last step completes the file. */
	ret = ret ?: write_headers(fd, c);
	if (!ret) {
		plan.nr = list_holes(c, holes);
		ret = run_plan(fd, &plan, log);
	}
	return ret;
}

int writer_join(struct writer_out *out, const struct writer_facts *facts,
		const struct writer_part *parts, size_t nr_parts, uint32_t block)
{
	const uint32_t align = LARGER(block, facts->page_size);
	struct composer c;
	struct stat st;
	int ret = compose_begin(&c, facts, parts, nr_parts, out->log);

	/* Without parts, an instance's section has no place. */
	for (size_t i = 0; !ret && i < facts->nr_instances; i++)
		ret = facts->instances[i].nr_parts ? 0 : -EINVAL;
	ret = ret ?: compose(&c, align);
	ret = ret ?: write_joined(out->fd, &c, align, out->log);
	if (!ret && fstat(out->fd, &st) < 0)
		ret = -errno;
	if (!ret)
		out->bytes = (uint64_t)st.st_size;
	compose_end(&c);
	return ret;
}

/* --- texts ------------------------------------------------------------------------------- */

int text_list_take(struct text_list *list, const char *name, struct strbuf *text)
{
	const size_t size = text->size;

	return recording_text_add(&list->items, &list->count, name, strbuf_detach(text),
				  size);
}

int text_list_add(struct text_list *list, const char *name, const char *text, size_t size)
{
	struct strbuf sb = { 0 };

	strbuf_add(&sb, text, size);
	return text_list_take(list, name, &sb);
}

const char *text_list_get(const struct text_list *list, const char *name)
{
	const struct recording_text *found =
		FIND(item, list->items, list->count, !strcmp(item->name, name));

	return found ? found->text : NULL;
}

int system_texts_facts(struct system_texts *t, struct writer_facts *facts)
{
	if (t->header_page.failed || t->header_event.failed || t->kallsyms.failed ||
	    t->printk_formats.failed || t->cmdlines.failed || t->trace_clock.failed ||
	    t->uname.failed)
		return -ENOMEM;
	facts->header_page = strbuf_text(&t->header_page);
	facts->header_event = strbuf_text(&t->header_event);
	facts->ftrace_formats = t->ftrace_formats.items;
	facts->nr_ftrace_formats = t->ftrace_formats.count;
	facts->event_formats = t->event_formats.items;
	facts->nr_event_formats = t->event_formats.count;
	facts->kallsyms = t->kallsyms.data;
	facts->kallsyms_size = t->kallsyms.size;
	facts->printk_formats = t->printk_formats.data;
	facts->cmdlines = t->cmdlines.data;
	facts->uname = t->uname.data;
	facts->writer_version = "kmemx " KMEMX_VERSION;
	facts->trace_clock = t->trace_clock.data;
	facts->cpustats = t->cpustats.items;
	facts->nr_cpustats = t->cpustats.count;
	facts->meta = t->meta.items;
	facts->nr_meta = t->meta.count;
	return 0;
}

void system_texts_free(struct system_texts *t)
{
	strbuf_free(&t->header_page);
	strbuf_free(&t->header_event);
	strbuf_free(&t->kallsyms);
	strbuf_free(&t->printk_formats);
	strbuf_free(&t->cmdlines);
	strbuf_free(&t->trace_clock);
	strbuf_free(&t->uname);
	recording_texts_free(t->ftrace_formats.items, t->ftrace_formats.count);
	recording_texts_free(t->event_formats.items, t->event_formats.count);
	recording_texts_free(t->cpustats.items, t->cpustats.count);
	recording_texts_free(t->meta.items, t->meta.count);
	*t = (struct system_texts){ 0 };
}
