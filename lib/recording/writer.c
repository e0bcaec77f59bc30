// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: writes trace.dat 7 or 6.
 * In: metadata texts and each CPU's pages in a file of its own. Out: one file.
 *
 * Format: trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v6.5.txt and v7.5.txt. All
 * metadata is composed in memory, as its length decides where the pages begin.
 */
#include "recording/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "recording/compose.h"
#include "recording/regions.h"

/* --- version 7 --------------------------------------------------------------------------- */

/* Closes the metadata with the header of the buffer section; returns where pages begin. */
static uint64_t compose_buffer_section(struct composer *c)
{
	size_t start = section_begin(c, SECTION_BUFFER);
	uint64_t first = round_up(c->sb.size, c->align);
	uint64_t offset = first;

	compose_set_buffer(c, start);
	for (size_t i = 0; i < c->nr_parts; i++) {
		offset = round_up(offset, c->align);
		compose_set_cpu(c, i, offset);
		offset += c->parts[i].size;
	}
	compose_set_u64(c, start + 8, offset - start - SECTION_HEADER_SIZE);
	return first;
}

static uint64_t compose_v7(struct composer *c)
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
	compose_u16(c, OPTION_DONE);
	compose_u32(c, 8);
	compose_u64(c, 0); /* no further options section */
	section_end(c, start);
	return compose_buffer_section(c);
}

/* --- version 6 --------------------------------------------------------------------------- */

/* Version 6 lists every CPU from 0 on; those without pages have a size of 0. */
static uint64_t compose_v6(struct composer *c)
{
	uint32_t nr_cpus = c->facts->nr_cpus;
	const char *clock = c->facts->clock ? c->facts->clock : "local";
	size_t table, part = 0;
	uint64_t first, offset;

	compose_magic(c);
	for (size_t i = 0; i < NR_COMPOSE_SECTIONS; i++)
		compose_sections[i].compose(c);
	compose_u32(c, nr_cpus);
	compose_string(c, "options  ");
	compose_options(c);
	compose_u16(c, OPTION_DONE);
	compose_string(c, "flyrecord");
	table = c->sb.size;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		compose_u64(c, 0);
		compose_u64(c, 0);
	}
	compose_u64(c, strlen(clock) + 2);
	strbuf_printf(&c->sb, "[%s]", clock);

	first = offset = round_up(c->sb.size, c->align);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		if (part < c->nr_parts && c->parts[part].cpu == cpu)
			offset = round_up(offset, c->align);
		compose_set_u64(c, table + cpu * 16, offset);
		if (part == c->nr_parts || c->parts[part].cpu != cpu)
			continue;
		compose_set_u64(c, table + cpu * 16 + 8, c->parts[part].size);
		offset += c->parts[part++].size;
	}
	return first;
}

/* --- output ------------------------------------------------------------------------------ */

/* Copies through memory, for files between which copy_file_range() does not work. */
static int copy_by_hand(int from, uint64_t src, int to, uint64_t dst, uint64_t size)
{
	size_t room = size < WRITER_CHUNK ? (size_t)size : WRITER_CHUNK;
	char *buf = malloc(room ? room : 1);
	int ret = buf ? 0 : -ENOMEM;

	while (!ret && size) {
		size_t n = size < room ? (size_t)size : room;

		ret = io_pread_all(from, buf, n, src);
		if (!ret)
			ret = io_pwrite_all(to, buf, n, dst);
		src += n;
		dst += n;
		size -= n;
	}
	free(buf);
	return ret;
}

static int copy_range(int from, uint64_t src, int to, uint64_t dst, uint64_t size)
{
	while (size) {
		off_t in = (off_t)src, out = (off_t)dst;
		size_t want = size < (1U << 30) ? (size_t)size : (1U << 30);
		ssize_t n = copy_file_range(from, &in, to, &out, want, 0);

		if (n < 0 && errno == EINTR)
			continue;
		/* Across filesystems, on old kernels, on special ones: any reason will do,
		 * a true failure shows again in the plain copy.
		 */
		if (n <= 0)
			return copy_by_hand(from, src, to, dst, size);
		src += (uint64_t)n;
		dst += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return 0;
}

static int copy_part(int fd, uint64_t offset, const struct writer_part *part)
{
	uint64_t left = part->size;
	int ret = 0;

	if (!part->consume)
		return copy_range(part->fd, part->offset, fd, offset, left);
	while (!ret && left) {
		uint64_t size = left % WRITER_CHUNK ? left % WRITER_CHUNK : WRITER_CHUNK;

		left -= size;
		ret = copy_range(part->fd, left, fd, offset + left, size);
		if (!ret && ftruncate(part->fd, (off_t)left) < 0)
			ret = -errno;
	}
	return ret;
}

/* Composes all but the pages. 0 and where those begin; -errno, and @c is empty. */
static int compose(struct composer *c, uint64_t *first, const struct log *log)
{
	int ret = compose_check(c->facts, c->parts, c->nr_parts);

	if (ret) {
		log_msg(log, LOG_ERROR, "cannot write the recording: inconsistent facts");
		return ret;
	}
	*first = c->facts->file_version == 6 ? compose_v6(c) : compose_v7(c);
	if (!c->sb.failed && !c->too_large)
		return 0;
	ret = c->sb.failed ? -ENOMEM : -EINVAL;
	strbuf_free(&c->sb);
	return ret;
}

int writer_write(int fd, const struct writer_facts *facts,
		 const struct writer_part *parts, size_t nr_parts,
		 uint64_t *written_bytes, const struct log *log)
{
	struct composer c = { .facts = facts,
			      .parts = parts,
			      .nr_parts = nr_parts,
			      .align = facts->page_size };
	uint64_t offset;
	int ret = compose(&c, &offset, log);

	if (ret)
		return ret;
	ret = io_pwrite_all(fd, c.sb.data, c.sb.size, 0);
	/* Extended up to the first page here: with no pages at all it is the file's end. */
	if (!ret && ftruncate(fd, (off_t)offset) < 0)
		ret = -errno;
	for (size_t i = 0; !ret && i < nr_parts; i++) {
		ret = copy_part(fd, offset, &parts[i]);
		offset += parts[i].size;
	}
	if (!ret && written_bytes)
		*written_bytes = offset;
	strbuf_free(&c.sb);
	return ret;
}

/* --- pages that are in the file already -------------------------------------------------- */

static uint64_t part_end(const struct writer_part *part)
{
	return part->offset + part->size;
}

static int check_regions(const struct writer_part *parts, size_t nr_parts, uint32_t align,
			 uint64_t first)
{
	for (size_t i = 0; i < nr_parts; i++)
		if (parts[i].offset % align || parts[i].offset > INT64_MAX / 2 ||
		    parts[i].offset <
			    (i ? round_up(part_end(&parts[i - 1]), align) : first))
			return i ? -EINVAL : -EFBIG;
	return 0;
}

/* From the end on, so that what is still to be taken out is where it was. */
static int take_out_holes(int fd, const struct writer_part *parts, size_t nr_parts,
			  uint32_t align, uint64_t first)
{
	int ret = ftruncate(fd, (off_t)(nr_parts ? part_end(&parts[nr_parts - 1])
						 : first)) < 0
			  ? -errno
			  : 0;

	for (size_t i = nr_parts; !ret && i-- > 0;)
		ret = regions_take_out(
			fd, i ? round_up(part_end(&parts[i - 1]), align) : first,
			parts[i].offset);
	return ret;
}

int writer_join(int fd, const struct writer_facts *facts, const struct writer_part *parts,
		size_t nr_parts, uint32_t block, uint64_t *written_bytes,
		const struct log *log)
{
	struct composer c = { .facts = facts,
			      .parts = parts,
			      .nr_parts = nr_parts,
			      .align = block > facts->page_size ? block
								: facts->page_size };
	uint64_t first;
	int ret = compose(&c, &first, log);
	struct stat st;

	if (ret)
		return ret;
	ret = check_regions(parts, nr_parts, c.align, first);
	if (!ret)
		ret = io_pwrite_all(fd, c.sb.data, c.sb.size, 0);
	if (!ret)
		ret = take_out_holes(fd, parts, nr_parts, c.align, first);
	if (!ret && fstat(fd, &st) < 0)
		ret = -errno;
	if (!ret && written_bytes)
		*written_bytes = (uint64_t)st.st_size;
	strbuf_free(&c.sb);
	return ret;
}
