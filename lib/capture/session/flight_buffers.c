// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: how much a flight recorder remembers.
 * In: a size, or a time. Out: ring buffers that are large enough, within bounds.
 */
#include "capture/session/flight.h"

#include <unistd.h>

#include "capture/session/session.h"

/* First and smallest size of a CPU's buffer when buffers must hold a time. */
#define FIRST_BYTES  (4U << 20)
#define LEAST_BYTES  (64U << 10)
/* Share of memory that all buffers together may take. */
#define MEMORY_SHARE 32
/* Rates vary: the time is held with a quarter to spare. */
#define SPARE	     1.25
/* A buffer does not grow by more than this factor at once. */
#define GROWTH_MOST  8.0

static uint64_t nr_buffers(bool has_frees)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return (uint64_t)(cpus > 0 ? cpus : 1) * (has_frees ? 2 : 1);
}

static uint64_t share_of_memory(bool has_frees)
{
	uint64_t bytes = facts_meminfo("MemTotal") / MEMORY_SHARE / nr_buffers(has_frees);

	return bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
}

uint64_t flight_buffers_first(uint64_t total, uint64_t time_ns, bool has_frees)
{
	uint64_t share = share_of_memory(has_frees);

	if (total) {
		total /= nr_buffers(has_frees);
		return total > LEAST_BYTES ? total : LEAST_BYTES;
	}
	if (!time_ns)
		return 0;
	return share < FIRST_BYTES ? share : FIRST_BYTES;
}

void flight_buffers_init(struct flight_buffers *b, struct session *s, uint64_t time_ns)
{
	*b = (struct flight_buffers){ .s = s,
				      .bytes = s->buffer_bytes,
				      .limit = s->buffer_bytes,
				      .time_ns = time_ns };
	if (time_ns && share_of_memory(s->instance.frees) > b->limit)
		b->limit = share_of_memory(s->instance.frees);
}

/* "KEY 1535.858089" in ns, from clocks that count time; 0 from other clocks. */
static uint64_t time_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	unsigned int us;
	uint64_t s;

	if (!at || sscanf(at + strlen(key), "%" SCNu64 ".%6u", &s, &us) != 2)
		return 0;
	return s * 1000000000 + us * UINT64_C(1000);
}

/* Has the CPU's buffer overwritten events that are younger than the wanted time? */
static bool cpu_is_short(struct flight_buffers *b, uint32_t cpu)
{
	struct strbuf __auto_free sb = { 0 };
	bool is_short = false;

	if (!facts_read_cpustat(&b->s->instance, cpu, &sb) &&
	    facts_number(strbuf_text(&sb), "overrun")) {
		uint64_t oldest = time_of(strbuf_text(&sb), "oldest event ts:");
		uint64_t now = time_of(strbuf_text(&sb), "now ts:");

		is_short = oldest && now > oldest && now - oldest < b->time_ns;
		if (is_short && now - oldest < b->held_ns)
			b->held_ns = now - oldest;
	}
	return is_short;
}

bool flight_buffers_short(struct flight_buffers *b)
{
	const struct ring_reader *r = &b->s->reader;
	bool is_short = false;

	b->held_ns = b->time_ns;
	for (size_t i = 0; i < r->nr_cpus; i++)
		is_short |= cpu_is_short(b, r->cpus[i].cpu);
	if (is_short && b->bytes >= b->limit && !b->told) {
		b->told = true;
		log_msg(b->s->log, LOG_WARN,
			"ring buffers of %" PRIu64
			" KiB per CPU hold less than the requested time\n  They already use 1/32 of memory. Record less: --page, --min-bytes, --stack none",
			b->bytes / 1024);
	}
	return is_short && b->bytes < b->limit;
}

int flight_buffers_grow(struct flight_buffers *b)
{
	double factor =
		SPARE * (double)b->time_ns / (double)(b->held_ns ? b->held_ns : 1);
	double wanted = (double)b->bytes * (factor < GROWTH_MOST ? factor : GROWTH_MOST);
	uint64_t bytes = wanted < (double)b->limit ? (uint64_t)wanted : b->limit;
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, bytes / 1024);
	if (setup_write(b->s, "buffer_size_kb", text) < 0) {
		b->limit = b->bytes;
		return 0;
	}
	b->bytes = b->s->buffer_bytes = bytes;
	log_msg(b->s->log, LOG_INFO, "ring buffer: %s KiB per CPU", text);
	return 0;
}

uint64_t flight_buffers_bytes(const struct flight_buffers *b)
{
	return b->bytes * nr_buffers(b->s->instance.frees);
}

uint64_t flight_buffers_limit(const struct flight_buffers *b)
{
	return b->limit * nr_buffers(b->s->instance.frees);
}
