// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/trace_dat.h"

#include <stdarg.h>

#include "base/array.h"

/* Sub-buffers are powers of two, from a small page up to the kernel's maximum (64K pages << 7). */
#define MIN_PAGE_SIZE 4096U
#define MAX_PAGE_SIZE (8U << 20)

/* After this many messages about damage, the rest is only counted. */
#define MAX_DAMAGE_MESSAGES 20

void trace_dat_damage(struct trace_dat *td, uint64_t offset, const char *fmt, ...)
{
	struct recording *rec = td->rec;
	char text[256];
	va_list ap;

	if (rec->nr_damaged++ >= MAX_DAMAGE_MESSAGES)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_msg(rec->log, LOG_WARN, "%s: at offset %" PRIu64 ": %s", rec->path, offset,
		text);
}

static bool page_size_ok(uint32_t size)
{
	return size >= MIN_PAGE_SIZE && size <= MAX_PAGE_SIZE && !(size & (size - 1));
}

int trace_dat_add_buffer(struct trace_dat *td, const char *name, const char *clock,
			 uint32_t page_size)
{
	struct recording *rec = td->rec;
	struct recording_buffer *b;

	if (!page_size_ok(page_size)) {
		trace_dat_damage(td, td->pos,
				 "buffer '%s' claims sub-buffers of %" PRIu32 " bytes",
				 name, page_size);
		page_size = rec->page_size;
	}
	if (rec->nr_buffers >= TRACE_DAT_MAX_BUFFERS)
		return -EBADMSG;
	if (!name || !clock ||
	    array_grow(&rec->buffers, rec->nr_buffers, sizeof(*rec->buffers)))
		return -ENOMEM;
	b = &rec->buffers[rec->nr_buffers++];
	*b = (struct recording_buffer){ .name = strdup(name),
					.clock = strdup(clock),
					.page_size = page_size };
	return b->name && b->clock ? 0 : -ENOMEM;
}

static const char ends_early[] = "the file ends before its data does";

int trace_dat_add_cpu(struct trace_dat *td, const struct recording_cpu *cpu,
		      uint64_t extra_bytes)
{
	struct recording *rec = td->rec;
	struct recording_buffer *b = &rec->buffers[rec->nr_buffers - 1];
	uint64_t size = cpu->size + extra_bytes, real, cut = 0;

	if (cpu->cpu >= TRACE_DAT_MAX_CPUS || cpu->offset >= rec->src.size ||
	    size < cpu->size) {
		trace_dat_damage(td, cpu->offset,
				 "CPU %" PRIu32
				 " of buffer '%s' is beyond the end of the file",
				 cpu->cpu, b->name);
		td->cut = ends_early;
		return 0;
	}
	real = rec->src.size - cpu->offset;
	if (size > real) {
		trace_dat_damage(td, rec->src.size,
				 "the file ends %" PRIu64
				 " bytes before the data of CPU %" PRIu32
				 " of buffer '%s' does",
				 size - real, cpu->cpu, b->name);
		cut = size - real;
		size = real;
	}
	/* No two CPUs share bytes, so together they cannot claim more than the file. */
	if (size > rec->src.size - td->data_bytes) {
		trace_dat_damage(td, cpu->offset,
				 "CPU %" PRIu32 " of buffer '%s' overlaps other CPUs",
				 cpu->cpu, b->name);
		return 0;
	}
	td->data_bytes += size;
	if (array_grow(&b->cpus, b->nr_cpus, sizeof(*b->cpus)))
		return -ENOMEM;
	/* Less than a sub-buffer may be missing only its unused end; its header shows it. */
	cut = cpu->cut || cut >= b->page_size;
	if (cut)
		td->cut = ends_early;
	b->cpus[b->nr_cpus++] =
		(struct recording_cpu){ cpu->cpu, cpu->offset, size, cut };
	return 0;
}

void trace_dat_check_page_size(struct trace_dat *td)
{
	struct recording *rec = td->rec;

	if (page_size_ok(rec->page_size))
		return;
	trace_dat_damage(td, td->pos - 4,
			 "the file claims pages of %" PRIu32 " bytes; assuming %u",
			 rec->page_size, MIN_PAGE_SIZE);
	rec->page_size = MIN_PAGE_SIZE;
	td->page_size_lost = true;
}

void trace_dat_found_page_size(struct trace_dat *td, uint32_t size)
{
	if (td->page_size_lost && page_size_ok(size))
		td->rec->page_size = size;
}
