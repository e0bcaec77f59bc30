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
#include "recording/join_plan.h"

/* --- version 7 --------------------------------------------------------------------------- */

/* Selects the buffer that is being composed. */
static void select_instance(struct composer *c, const struct writer_instance *instance)
{
	c->instance = instance;
	c->parts = instance->parts;
	c->nr_parts = instance->nr_parts;
}

/* Assigns the offsets of the CPUs' pages, from @first on. Returns the end. */
static uint64_t place_v7(struct composer *c, uint64_t first)
{
	uint64_t offset = first;

	for (size_t i = 0; i < c->nr_parts; i++) {
		offset = round_up(offset, c->align);
		compose_set_cpu(c, i, offset);
		offset += c->parts[i].size;
	}
	return offset;
}

/* Ends the metadata with the header of the buffer section. @end receives the end of the pages;
 * returns their start.
 */
static uint64_t compose_buffer_section(struct composer *c, uint64_t *end)
{
	size_t start = section_begin(c, OPTION_BUFFER);
	uint64_t first = round_up(c->sb.size, c->align);

	compose_set_buffer(c, start);
	*end = place_v7(c, first);
	compose_set_u64(c, start + 8, *end - start - SECTION_HEADER_SIZE);
	return first;
}

/* Composes the BUFFER options of the instances, to be filled in later. */
static void compose_instance_options(struct composer *c)
{
	struct composer top = *c;

	for (size_t i = 0; i < c->facts->nr_instances; i++) {
		select_instance(c, &c->facts->instances[i]);
		compose_buffer_option(c);
		c->tables[i] = c->offsets;
	}
	c->instance = NULL;
	c->parts = top.parts;
	c->nr_parts = top.nr_parts;
	c->offsets = top.offsets;
}

static uint64_t compose_v7(struct composer *c, uint64_t *end)
{
	uint64_t offsets[NR_COMPOSE_SECTIONS];
	size_t options, start;

	compose_magic(c);
	options = compose_compression(c, "none", "");
	for (size_t i = 0; i < NR_COMPOSE_SECTIONS; i++) {
		offsets[i] = start = section_begin(c, compose_sections[i].id);
		compose_sections[i].compose(c);
		section_end(c, start);
	}
	compose_set_u64(c, options, c->sb.size);
	start = section_begin(c, SECTION_OPTIONS);
	for (size_t i = 0; i < NR_COMPOSE_SECTIONS; i++)
		compose_offset_option(c, compose_sections[i].id, offsets[i]);
	compose_options(c);
	compose_buffer_option(c);
	compose_instance_options(c);
	compose_offset_option(c, OPTION_DONE, 0); /* no further options section */
	section_end(c, start);
	return compose_buffer_section(c, end);
}

/* --- version 6 --------------------------------------------------------------------------- */

/* Version 6 lists every CPU from 0 on; those without pages have size 0. Lists at least one, because
 * readers take a file with no CPUs for damaged.
 */
static uint32_t table_cpus(const struct composer *c)
{
	return c->facts->nr_cpus ? c->facts->nr_cpus : 1;
}

/* Returns the offset of the table. */
static size_t compose_table(struct composer *c, const char *clock)
{
	size_t table;

	compose_string(c, "flyrecord");
	table = c->sb.size;
	for (uint32_t cpu = 0; cpu < table_cpus(c); cpu++) {
		compose_u64(c, 0);
		compose_u64(c, 0);
	}
	clock = clock ? clock : "local";
	compose_u64(c, strlen(clock) + 2);
	strbuf_printf(&c->sb, "[%s]", clock);
	return table;
}

/* Fills in the table: pages begin at @offset. Returns their end. */
static uint64_t place_v6(struct composer *c, size_t table, uint64_t offset)
{
	size_t part = 0;

	for (uint32_t cpu = 0; cpu < table_cpus(c); cpu++) {
		if (part < c->nr_parts && c->parts[part].cpu == cpu)
			offset = round_up(offset, c->align);
		compose_set_u64(c, table + cpu * 16, offset);
		if (part == c->nr_parts || c->parts[part].cpu != cpu)
			continue;
		compose_set_u64(c, table + cpu * 16 + 8, c->parts[part].size);
		offset += c->parts[part++].size;
	}
	return offset;
}

/* An instance is an option with its name and the offset of its table. */
static void compose_v6_instances(struct composer *c)
{
	for (size_t i = 0; i < c->facts->nr_instances; i++) {
		const char *name = c->facts->instances[i].name;

		compose_u16(c, OPTION_BUFFER);
		compose_u32(c, (uint32_t)(8 + strlen(name) + 1));
		c->tables[i] = c->sb.size;
		compose_u64(c, 0);
		compose_string(c, name);
	}
}

static uint64_t compose_v6(struct composer *c, uint64_t *end)
{
	const struct writer_facts *facts = c->facts;
	uint64_t first;
	size_t table;

	compose_magic(c);
	for (size_t i = 0; i < NR_COMPOSE_SECTIONS; i++)
		compose_sections[i].compose(c);
	compose_u32(c, table_cpus(c));
	compose_string(c, "options  ");
	compose_options(c);
	compose_v6_instances(c);
	compose_u16(c, OPTION_DONE);
	table = compose_table(c, facts->clock);
	for (size_t i = 0; i < facts->nr_instances; i++) {
		compose_set_u64(c, c->tables[i], c->sb.size);
		c->tables[i] = compose_table(c, facts->instances[i].clock);
	}
	first = round_up(c->sb.size, c->align);
	*end = place_v6(c, table, first);
	return first;
}

/* --- output ------------------------------------------------------------------------------ */

/* Copying of pages to @out, from @first to @end in the file. */
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

static int copy_part(const struct page_copy *copy, uint64_t offset,
		     const struct writer_part *part)
{
	uint64_t left = part->size;
	int ret = 0;

	/* A part with holes takes little disk space: truncating it step by step is not worth it. */
	if (!part->consume || has_holes(part->fd))
		return copy_data(copy, part->fd, part->offset, offset, left);
	while (!ret && left) {
		uint64_t step = io_spare(copy->out->fd, WRITER_CHUNK_MIN, WRITER_CHUNK);
		uint64_t size = left % step ? left % step : step;

		left -= size;
		ret = copy_data(copy, part->fd, left, offset + left, size);
		if (!ret && ftruncate(part->fd, (off_t)left) < 0)
			ret = -errno;
	}
	return ret;
}

/* Composes everything except the pages. 0 with the start and end of the pages; or -errno with @c
 * empty.
 */
static int compose(struct composer *c, uint64_t *first, uint64_t *end,
		   const struct log *log)
{
	int ret = compose_check(c->facts, c->parts, c->nr_parts);

	if (ret) {
		log_msg(log, LOG_ERROR, "cannot write the recording: inconsistent facts");
		return ret;
	}
	*first = c->facts->file_version == 6 ? compose_v6(c, end) : compose_v7(c, end);
	if (!c->sb.failed && !c->too_large)
		return 0;
	ret = c->sb.failed ? -ENOMEM : -EINVAL;
	strbuf_free(&c->sb);
	return ret;
}

/* Offsets of an instance's section (with its header in version 7) and of its pages. */
struct instance_place {
	uint64_t section, first, end;
};

/* Places the instances' pages after the top buffer's, which end at @end, aligned to @block. */
static void place_instances(struct composer *c, struct instance_place *places,
			    uint64_t end, uint32_t block)
{
	for (size_t i = 0; i < c->facts->nr_instances; i++) {
		struct instance_place *p = &places[i];
		bool v6 = c->facts->file_version == 6;

		select_instance(c, &c->facts->instances[i]);
		c->align = c->instance->page_size;
		if (c->align < block)
			c->align = block;
		c->offsets = c->tables[i];
		p->section = end;
		p->first = round_up(end + (v6 ? 0 : SECTION_HEADER_SIZE), c->align);
		if (!v6)
			compose_set_buffer(c, p->section);
		p->end = v6 ? place_v6(c, c->offsets, p->first) : place_v7(c, p->first);
		end = p->end;
	}
}

static int copy_parts(const struct page_copy *copy, const struct writer_part *parts,
		      size_t nr_parts, uint64_t offset)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < nr_parts; i++) {
		ret = copy_part(copy, offset, &parts[i]);
		offset += parts[i].size;
		tell_progress(copy, offset);
	}
	return ret;
}

/* Writes nothing for version 6, which has no such header. */
static int write_section_header(int fd, const struct writer_facts *facts,
				const struct instance_place *place)
{
	struct composer c = { .facts = facts };
	size_t start;
	int ret;

	if (facts->file_version == 6)
		return 0;
	start = section_begin(&c, OPTION_BUFFER);
	compose_set_u64(&c, start + 8, place->end - place->section - SECTION_HEADER_SIZE);
	ret = c.sb.failed ? -ENOMEM
			  : io_pwrite_all(fd, c.sb.data, c.sb.size, place->section);
	strbuf_free(&c.sb);
	return ret;
}

static int write_instance(const struct page_copy *copy, const struct writer_facts *facts,
			  const struct writer_instance *instance,
			  const struct instance_place *place)
{
	int ret = write_section_header(copy->out->fd, facts, place);

	return ret ? ret
		   : copy_parts(copy, instance->parts, instance->nr_parts, place->first);
}

/* Writes the metadata in @c, and all pages. @first and @end are the top buffer's. */
static int write_composed(const struct writer_out *out, struct composer *c,
			  struct instance_place *places, uint64_t first, uint64_t *end)
{
	const struct writer_facts *facts = c->facts;
	const struct writer_part *parts = c->parts;
	size_t nr_parts = c->nr_parts;
	struct page_copy copy = { out, first, 0 };
	int ret;

	place_instances(c, places, *end, 0);
	if (facts->nr_instances)
		*end = places[facts->nr_instances - 1].end;
	copy.end = *end;
	tell_progress(&copy, first);
	ret = io_pwrite_all(out->fd, c->sb.data, c->sb.size, 0);
	/* The pages may end in a hole, or there may be no pages. */
	if (!ret && ftruncate(out->fd, (off_t)*end) < 0)
		ret = -errno;
	if (!ret)
		ret = copy_parts(&copy, parts, nr_parts, first);
	for (size_t i = 0; !ret && i < facts->nr_instances; i++)
		ret = write_instance(&copy, facts, &facts->instances[i], &places[i]);
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
	struct composer c = { .facts = facts,
			      .parts = parts,
			      .nr_parts = nr_parts,
			      .align = facts->page_size };
	struct instance_place *places __auto_mem =
		calloc(facts->nr_instances + 1, sizeof(*places));
	uint64_t first, end;
	int ret = -ENOMEM;

	c.tables = calloc(facts->nr_instances + 1, sizeof(*c.tables));
	if (places && c.tables)
		ret = compose(&c, &first, &end, out->log);
	if (!ret)
		ret = write_composed(out, &c, places, first, &end);
	if (!ret)
		out->bytes = end;
	strbuf_free(&c.sb);
	free(c.tables);
	return ret;
}

/* --- pages that are already in the file --------------------------------------------------- */

/**
 * struct join - the parts of a file that already contains all pages
 * @parts: the top buffer's, then the instances'
 * @gap: bytes to keep free before each part: before an instance's first part, its section header
 */
struct join {
	struct writer_part *parts;
	uint32_t *gap;
	size_t nr;
	uint32_t align;
	uint64_t first;
};

static uint64_t part_end(const struct writer_part *part)
{
	return part->offset + part->size;
}

/* Where part @i must begin, given the current place of the part before it. */
static uint64_t wanted(const struct join *j, size_t i)
{
	uint64_t end = i ? part_end(&j->parts[i - 1]) : j->first;

	return round_up(end + j->gap[i], j->align);
}

static int check_regions(const struct join *j)
{
	for (size_t i = 0; i < j->nr; i++)
		if (j->parts[i].offset % j->align || j->parts[i].offset > INT64_MAX / 2 ||
		    j->parts[i].offset < wanted(j, i))
			return i ? -EINVAL : -EFBIG;
	return 0;
}

/* Lists holes from the end of the file on, so that removing one does not move the others. Skips
 * empty ranges, because the file's size shows the progress. Returns their number.
 */
static size_t list_holes(const struct join *j, struct join_range *out)
{
	size_t nr = 0;

	for (size_t i = j->nr; i-- > 0;) {
		uint64_t from = wanted(j, i);

		if (from < j->parts[i].offset)
			out[nr++] = (struct join_range){ from, j->parts[i].offset };
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

static int list_all_parts(struct join *j, const struct writer_facts *facts,
			  const struct writer_part *parts, size_t nr_parts)
{
	size_t nr = nr_parts;

	for (size_t i = 0; i < facts->nr_instances; i++)
		nr += facts->instances[i].nr_parts;
	j->parts = calloc(nr + 1, sizeof(*j->parts));
	j->gap = calloc(nr + 1, sizeof(*j->gap));
	if (!j->parts || !j->gap)
		return -ENOMEM;
	for (size_t k = 0; k < nr_parts; k++)
		j->parts[j->nr++] = parts[k];
	for (size_t i = 0; i < facts->nr_instances; i++) {
		/* Without parts, its section has no place. */
		if (!facts->instances[i].nr_parts)
			return -EINVAL;
		if (facts->file_version != 6)
			j->gap[j->nr] = SECTION_HEADER_SIZE;
		for (size_t k = 0; k < facts->instances[i].nr_parts; k++)
			j->parts[j->nr++] = facts->instances[i].parts[k];
	}
	return 0;
}

/* Writes the header of each instance's section, after the previous part. */
static int write_headers(int fd, const struct join *j, const struct writer_facts *facts,
			 const struct instance_place *places)
{
	size_t at = j->nr, k;
	int ret = 0;

	for (size_t i = facts->nr_instances; !ret && i-- > 0;) {
		struct instance_place place = places[i];

		at -= facts->instances[i].nr_parts;
		k = at;
		place.section = k ? part_end(&j->parts[k - 1]) : j->first;
		place.end = places[i].end - places[i].section + place.section;
		ret = write_section_header(fd, facts, &place);
	}
	return ret;
}

static int write_joined(int fd, struct composer *c, struct instance_place *places,
			const struct join *j, const struct log *log)
{
	struct join_range *holes __auto_mem = calloc(j->nr + 1, sizeof(*holes));
	struct join_plan plan = { c->sb.data, c->sb.size, holes, 0 };
	uint64_t end = j->nr ? part_end(&j->parts[j->nr - 1]) : j->first;
	int ret = holes ? check_regions(j) : -ENOMEM;

	if (!ret && ftruncate(fd, (off_t)end) < 0)
		ret = -errno;
	/* Before the plan: its last step completes the file. */
	if (!ret)
		ret = write_headers(fd, j, c->facts, places);
	if (!ret) {
		plan.nr = list_holes(j, holes);
		ret = run_plan(fd, &plan, log);
	}
	return ret;
}

int writer_join(struct writer_out *out, const struct writer_facts *facts,
		const struct writer_part *parts, size_t nr_parts, uint32_t block)
{
	struct join j = { .align = block > facts->page_size ? block : facts->page_size };
	struct composer c = {
		.facts = facts, .parts = parts, .nr_parts = nr_parts, .align = j.align
	};
	struct instance_place *places __auto_mem =
		calloc(facts->nr_instances + 1, sizeof(*places));
	uint64_t end;
	struct stat st;
	int ret = list_all_parts(&j, facts, parts, nr_parts);

	c.tables = calloc(facts->nr_instances + 1, sizeof(*c.tables));
	if (!ret && (!places || !c.tables))
		ret = -ENOMEM;
	if (!ret)
		ret = compose(&c, &j.first, &end, out->log);
	if (!ret)
		place_instances(&c, places, end, j.align);
	if (!ret)
		ret = write_joined(out->fd, &c, places, &j, out->log);
	if (!ret && fstat(out->fd, &st) < 0)
		ret = -errno;
	if (!ret)
		out->bytes = (uint64_t)st.st_size;
	strbuf_free(&c.sb);
	free(c.tables);
	free(j.parts);
	free(j.gap);
	return ret;
}
