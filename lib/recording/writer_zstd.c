// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: writes trace.dat 7, fully compressed.
 * In: metadata texts and each CPU's pages. Out: one file.
 *
 * The format is trace-cmd's: each metadata section is one block; pages are in chunks of several,
 * each compressed alone. Compressed sizes are known only afterwards, so the options, which have the
 * offsets, come last.
 */
#include "recording/writer.h"

#include "base/io.h"
#include "recording/compose.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

/* trace-cmd's chunks have ten pages. Larger chunks compress better and decompress faster, as long
 * as they are still in the L2 cache when decoded. Readers hold two or three chunks of each CPU:
 * with many CPUs, chunks are smaller.
 */
#define CHUNK_PAGES	   4U
#define CHUNK_BYTES	   (128U << 10)
#define CHUNK_MEMORY	   (4U << 20)
#define SECTION_COMPRESSED 1U
/* There is little text. */
#define TEXTS_LEVEL	   1
/* Bytes of a compressed block's header: compressed size, size. */
#define BLOCK_HEADER	   8U

/**
 * struct zwriter - the file being written
 * @texts, @events: compressors for the metadata and for the pages
 * @sb: bytes not written yet, to be written at @offset
 * @room: space for one compressed block
 */
struct zwriter {
	int fd;
	ZSTD_CCtx *texts, *events;
	struct strbuf sb;
	uint64_t offset;
	char *room;
	size_t room_size;
};

/* A recording is compressed once, while the user waits, but read many times. With this strategy and
 * a target length, zstd stores literals uncompressed and makes few short matches: compared with
 * level 1, the file is hardly larger, takes no longer to write and two thirds of the time to
 * decompress.
 */
static int set_up(struct zwriter *z)
{
	const struct {
		ZSTD_cParameter what;
		int value;
	} events[] = { { ZSTD_c_strategy, ZSTD_fast },
		       { ZSTD_c_targetLength, 1 },
		       { ZSTD_c_hashLog, 14 },
		       { ZSTD_c_minMatch, 7 } };
	size_t err;

	z->texts = ZSTD_createCCtx();
	z->events = ZSTD_createCCtx();
	if (!z->texts || !z->events)
		return -ENOMEM;
	err = ZSTD_CCtx_setParameter(z->texts, ZSTD_c_compressionLevel, TEXTS_LEVEL);
	for (size_t i = 0; i < ARRAY_SIZE(events) && !ZSTD_isError(err); i++)
		err = ZSTD_CCtx_setParameter(z->events, events[i].what, events[i].value);
	return ZSTD_isError(err) ? -EINVAL : 0;
}

static int flush(struct zwriter *z)
{
	int ret = z->sb.failed ? -ENOMEM
			       : io_pwrite_all(z->fd, z->sb.data, z->sb.size, z->offset);

	z->offset += z->sb.size;
	strbuf_reset(&z->sb);
	return ret;
}

static uint64_t position(const struct zwriter *z)
{
	return z->offset + z->sb.size;
}

/* u32 compressed size, u32 size, data. */
static int add_block(struct zwriter *z, ZSTD_CCtx *with, const void *data, size_t size)
{
	size_t bound = ZSTD_compressBound(size), n;

	if (size > UINT32_MAX || bound > UINT32_MAX)
		return -EINVAL;
	if (bound > z->room_size) {
		free(z->room);
		z->room = malloc(bound);
		z->room_size = z->room ? bound : 0;
	}
	if (!z->room)
		return -ENOMEM;
	n = ZSTD_compress2(with, z->room, z->room_size, data, size);
	if (ZSTD_isError(n))
		return -ENOMEM;
	put_u32(&z->sb, (uint32_t)n);
	put_u32(&z->sb, (uint32_t)size);
	strbuf_add(&z->sb, z->room, n);
	return z->sb.failed ? -ENOMEM : 0;
}

/* u16 id, u16 flags, u32 no description, u64 size. */
static void put_section_header(struct strbuf *sb, uint16_t id, uint64_t size)
{
	put_u16(sb, id);
	put_u16(sb, SECTION_COMPRESSED);
	put_u32(sb, UINT32_MAX);
	put_u64(sb, size);
}

/* Writes the contents of @c as a section, and empties @c. */
static int add_section(struct zwriter *z, struct composer *c, uint16_t id)
{
	size_t start = z->sb.size;
	int ret = c->sb.failed ? -ENOMEM : c->too_large ? -EINVAL : 0;

	put_section_header(&z->sb, id, 0);
	if (!ret)
		ret = add_block(z, z->texts, strbuf_text(&c->sb), c->sb.size);
	set_u64(&z->sb, start + 8, z->sb.size - start - SECTION_HEADER_SIZE);
	strbuf_reset(&c->sb);
	return ret;
}

/* Bytes of a chunk of whole pages, with @nr_parts CPUs. */
static size_t chunk_size(uint32_t page_size, size_t nr_parts)
{
	size_t least = (size_t)CHUNK_PAGES * page_size;
	size_t size = CHUNK_MEMORY / (nr_parts ? nr_parts : 1);

	if (size > CHUNK_BYTES)
		size = CHUNK_BYTES;
	size -= size % page_size;
	return size > least ? size : least;
}

/* Adds one CPU's pages; @compressed receives their size as the format counts it, without the number
 * of chunks.
 */
static int add_cpu(struct zwriter *z, const struct writer_part *part, size_t chunk,
		   uint64_t *compressed)
{
	uint64_t chunks = (part->size + chunk - 1) / chunk, start, done = 0;
	char *buf __auto_mem = malloc(chunk);
	int ret = buf ? 0 : -ENOMEM;

	if (chunks > UINT32_MAX)
		ret = -EINVAL;
	put_u32(&z->sb, (uint32_t)chunks);
	start = position(z);
	while (!ret && done < part->size) {
		size_t n =
			part->size - done < chunk ? (size_t)(part->size - done) : chunk;

		ret = io_pread_all(part->fd, buf, n, part->offset + done);
		if (!ret)
			ret = add_block(z, z->events, buf, n);
		if (!ret && z->sb.size >= WRITER_CHUNK)
			ret = flush(z);
		done += n;
	}
	*compressed = position(z) - start;
	return ret;
}

static void pad(struct zwriter *z, uint64_t to)
{
	static const char zeros[512];
	uint64_t left = round_up(position(z), to) - position(z);

	for (; left > sizeof(zeros); left -= sizeof(zeros))
		strbuf_add(&z->sb, zeros, sizeof(zeros));
	strbuf_add(&z->sb, zeros, (size_t)left);
}

/* Adds the section of all pages. @parts receive their compressed offsets and sizes. */
static int add_pages(struct zwriter *z, uint32_t page_size, struct writer_part *parts,
		     size_t nr_parts, uint64_t *section)
{
	struct strbuf __auto_free head = { 0 };
	int ret = 0;

	*section = position(z);
	put_section_header(&z->sb, OPTION_BUFFER, 0);
	for (size_t i = 0; !ret && i < nr_parts; i++) {
		uint64_t offset, size;

		pad(z, page_size);
		offset = position(z);
		ret = add_cpu(z, &parts[i], chunk_size(page_size, nr_parts), &size);
		parts[i].offset = offset;
		parts[i].size = size;
	}
	if (!ret)
		ret = flush(z);
	put_section_header(&head, OPTION_BUFFER,
			   position(z) - *section - SECTION_HEADER_SIZE);
	return ret	     ? ret
	       : head.failed ? -ENOMEM
			     : io_pwrite_all(z->fd, head.data, head.size, *section);
}

/* Adds @c's current buffer, whose pages are in the section at @section. */
static void add_buffer_option(struct composer *c, uint64_t section)
{
	compose_buffer_option(c);
	compose_set_buffer(c, section);
	for (size_t i = 0; i < c->nr_parts; i++)
		compose_set_cpu(c, i, c->parts[i].offset);
}

/* @buffers: the sections of the top buffer and then of each instance; the parts have the same
 * order.
 */
static int add_options(struct zwriter *z, struct composer *c, const uint64_t *sections,
		       const uint64_t *buffers)
{
	const struct writer_facts *facts = c->facts;

	for (size_t i = 0; i < NR_COMPOSE_SECTIONS; i++)
		put_option(c, compose_sections[i].id, &sections[i], sizeof(sections[i]));
	compose_options(c);
	add_buffer_option(c, buffers[0]);
	for (size_t i = 0; i < facts->nr_instances; i++) {
		c->instance = &facts->instances[i];
		c->parts += c->nr_parts;
		c->nr_parts = c->instance->nr_parts;
		add_buffer_option(c, buffers[i + 1]);
	}
	compose_u16(c, OPTION_DONE);
	compose_u32(c, 8);
	compose_u64(c, 0); /* no further options section */
	return add_section(z, c, SECTION_OPTIONS);
}

/* Adds the pages of the top buffer and of the instances; @parts has the parts of all. */
static int add_buffers(struct zwriter *z, const struct writer_facts *facts,
		       struct writer_part *parts, size_t nr_parts, uint64_t *buffers)
{
	int ret = add_pages(z, facts->page_size, parts, nr_parts, &buffers[0]);

	for (size_t i = 0; !ret && i < facts->nr_instances; i++) {
		const struct writer_instance *in = &facts->instances[i];

		parts += nr_parts;
		nr_parts = in->nr_parts;
		ret = add_pages(z, in->page_size, parts, nr_parts, &buffers[i + 1]);
	}
	return ret;
}

static int write_compressed(struct zwriter *z, const struct writer_facts *facts,
			    struct writer_part *parts, size_t nr_parts)
{
	struct composer c = { .facts = facts, .parts = parts, .nr_parts = nr_parts };
	uint64_t *buffers __auto_mem = calloc(facts->nr_instances + 1, sizeof(*buffers));
	uint64_t sections[NR_COMPOSE_SECTIONS], options, at;
	int ret = buffers ? 0 : -ENOMEM;

	compose_magic(&c);
	at = compose_compression(&c, "zstd", ZSTD_versionString());
	strbuf_add(&z->sb, strbuf_text(&c.sb), c.sb.size);
	strbuf_reset(&c.sb);
	for (size_t i = 0; !ret && i < NR_COMPOSE_SECTIONS; i++) {
		sections[i] = position(z);
		compose_sections[i].compose(&c);
		ret = add_section(z, &c, compose_sections[i].id);
	}
	if (!ret)
		ret = add_buffers(z, facts, parts, nr_parts, buffers);
	options = position(z);
	if (!ret)
		ret = add_options(z, &c, sections, buffers);
	if (!ret)
		ret = flush(z);
	if (!ret)
		ret = io_pwrite_all(z->fd, &options, sizeof(options), at);
	strbuf_free(&c.sb);
	return ret;
}

bool writer_can_compress(void)
{
	return true;
}

/* All parts in one array that may be changed; NULL: memory ran out. */
static struct writer_part *copy_parts(const struct writer_facts *facts,
				      const struct writer_part *parts, size_t nr_parts)
{
	size_t nr = nr_parts;
	struct writer_part *copy;

	for (size_t i = 0; i < facts->nr_instances; i++)
		nr += facts->instances[i].nr_parts;
	copy = calloc(nr + 1, sizeof(*copy));
	if (!copy)
		return NULL;
	for (nr = 0; nr < nr_parts; nr++)
		copy[nr] = parts[nr];
	for (size_t i = 0; i < facts->nr_instances; i++)
		for (size_t k = 0; k < facts->instances[i].nr_parts; k++)
			copy[nr++] = facts->instances[i].parts[k];
	return copy;
}

int writer_compress(struct writer_out *out, const struct writer_facts *facts,
		    const struct writer_part *parts, size_t nr_parts)
{
	struct zwriter z = { .fd = out->fd };
	struct writer_part *copy = copy_parts(facts, parts, nr_parts);
	int ret = facts->file_version == 7 && !facts->foreign_endian
			  ? compose_check(facts, parts, nr_parts)
			  : -EINVAL;

	if (ret)
		log_msg(out->log, LOG_ERROR,
			"cannot write the recording: inconsistent facts");
	else
		ret = copy ? set_up(&z) : -ENOMEM;
	if (!ret)
		ret = write_compressed(&z, facts, copy, nr_parts);
	if (!ret)
		out->bytes = z.offset;
	ZSTD_freeCCtx(z.texts);
	ZSTD_freeCCtx(z.events);
	strbuf_free(&z.sb);
	free(z.room);
	free(copy);
	return ret;
}

#else

bool writer_can_compress(void)
{
	return false;
}

int writer_compress(struct writer_out *out, const struct writer_facts *facts,
		    const struct writer_part *parts, size_t nr_parts)
{
	return -ENOTSUP;
}

#endif
