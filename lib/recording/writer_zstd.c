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

#include "base/array.h"
#include "base/io.h"
#include "recording/compose.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

/* trace-cmd's chunks have ten pages. Larger chunks compress better and decompress faster, as long
 * as they are still in the L2 cache when decoded. Readers hold two or three chunks of each CPU:
 * with many CPUs, chunks are smaller.
 */
#define CHUNK_PAGES  4U
#define CHUNK_BYTES  (128U << 10)
#define CHUNK_MEMORY (4U << 20)
/* Compression level of the metadata, of which there is little. */
#define TEXTS_LEVEL  1

/**
 * struct zwriter - the file being written
 * @texts, @events: compressors for the metadata and for the pages
 * @out: bytes not written yet, to be written at @offset
 * @room: space for one compressed block
 */
struct zwriter {
	int fd;
	ZSTD_CCtx *texts, *events;
	struct composer out;
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
	int ret = z->out.sb.failed ? -ENOMEM
				   : io_pwrite_all(z->fd, z->out.sb.data, z->out.sb.size,
						   z->offset);

	z->offset += z->out.sb.size;
	strbuf_reset(&z->out.sb);
	return ret;
}

static uint64_t position(const struct zwriter *z)
{
	return z->offset + z->out.sb.size;
}

/* u32 compressed size, u32 size, data. */
static int add_block(struct zwriter *z, ZSTD_CCtx *with, const void *data, size_t size)
{
	size_t bound = ZSTD_compressBound(size), n;

	if (size > UINT32_MAX || bound > UINT32_MAX)
		return -EINVAL;
	if (array_renew(&z->room, &z->room_size, bound))
		return -ENOMEM;
	n = ZSTD_compress2(with, z->room, z->room_size, data, size);
	if (ZSTD_isError(n))
		return -ENOMEM;
	compose_uint(&z->out, n, 4);
	compose_uint(&z->out, size, 4);
	strbuf_add(&z->out.sb, z->room, n);
	return z->out.sb.failed ? -ENOMEM : 0;
}

/* Writes the contents of @c as a section, and empties @c. */
static int add_section(struct zwriter *z, struct composer *c, uint16_t id)
{
	size_t start = section_begin(&z->out, id);
	int ret = compose_result(c);

	ret = ret ?: add_block(z, z->texts, strbuf_text(&c->sb), c->sb.size);
	section_end(&z->out, start);
	strbuf_reset(&c->sb);
	return ret;
}

/* Bytes of a chunk of whole pages, with @nr_parts CPUs. */
static size_t chunk_size(uint32_t page_size, size_t nr_parts)
{
	size_t least = (size_t)CHUNK_PAGES * page_size;
	size_t size = CHUNK_MEMORY / (nr_parts ? nr_parts : 1);

	size = SMALLER(size, CHUNK_BYTES);
	size -= size % page_size;
	return LARGER(size, least);
}

/* Adds one CPU's pages, and sets their size as the format counts it, without the number of chunks.
 */
static int add_cpu(struct zwriter *z, struct compose_cpu *cpu, size_t chunk)
{
	const struct writer_part *part = cpu->from;
	uint64_t chunks = (part->size + chunk - 1) / chunk, start, done = 0;
	char *buf __auto_mem = malloc(chunk);
	int ret = buf ? 0 : -ENOMEM;

	if (chunks > UINT32_MAX)
		ret = -EINVAL;
	compose_uint(&z->out, chunks, 4);
	start = position(z);
	while (!ret && done < part->size) {
		size_t n =
			part->size - done < chunk ? (size_t)(part->size - done) : chunk;

		ret = io_pread_all(part->fd, buf, n, part->offset + done);
		ret = ret ?: add_block(z, z->events, buf, n);
		if (!ret && z->out.sb.size >= WRITER_CHUNK)
			ret = flush(z);
		done += n;
	}
	cpu->size = position(z) - start;
	return ret;
}

/* Adds the section of the buffer's pages, and sets its place and that of each CPU. */
static int add_pages(struct zwriter *z, struct compose_buffer *b)
{
	const size_t chunk = chunk_size(b->is.page_size, b->is.nr_parts);
	int ret = 0;

	b->section = position(z);
	section_begin(&z->out, OPTION_BUFFER);
	for (size_t i = 0; !ret && i < b->is.nr_parts; i++) {
		b->cpus[i].offset = round_up(position(z), b->is.page_size);
		strbuf_fill(&z->out.sb, '\0', (size_t)(b->cpus[i].offset - position(z)));
		ret = add_cpu(z, &b->cpus[i], chunk);
	}
	ret = ret ?: flush(z);
	return ret ? ret : section_write_header(z->fd, &z->out, b->section, position(z));
}

static int write_compressed(struct zwriter *z, struct composer *c)
{
	uint64_t sections[COMPOSE_PARTS], options, at;
	int ret = 0;

	compose_magic(c);
	at = compose_compression(c, "zstd", ZSTD_versionString());
	strbuf_add(&z->out.sb, strbuf_text(&c->sb), c->sb.size);
	strbuf_reset(&c->sb);
	for (uint16_t i = 0; !ret && i < COMPOSE_PARTS; i++) {
		sections[i] = position(z);
		compose_part(c, OPTION_HEADER_INFO + i);
		ret = add_section(z, c, OPTION_HEADER_INFO + i);
	}
	for (size_t i = 0; !ret && i < c->nr_buffers; i++)
		ret = add_pages(z, &c->buffers[i]);
	options = position(z);
	if (!ret) {
		compose_all_options(c, sections);
		ret = add_section(z, c, SECTION_OPTIONS);
	}
	ret = ret ?: flush(z);
	return ret ?: io_pwrite_all(z->fd, &options, sizeof(options), at);
}

bool writer_can_compress(void)
{
	return true;
}

int writer_compress(struct writer_out *out, const struct writer_facts *facts,
		    const struct writer_part *parts, size_t nr_parts)
{
	struct zwriter z = { .fd = out->fd,
			     .out = { .facts = facts, .compressed = true } };
	struct composer c;
	int ret = compose_begin(&c, facts, parts, nr_parts, out->log);

	if (!ret && (facts->file_version != 7 || facts->foreign_endian))
		ret = compose_refuse(out->log);
	ret = ret ?: set_up(&z);
	ret = ret ?: write_compressed(&z, &c);
	if (!ret)
		out->bytes = z.offset;
	ZSTD_freeCCtx(z.texts);
	ZSTD_freeCCtx(z.events);
	strbuf_free(&z.out.sb);
	free(z.room);
	compose_end(&c);
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
