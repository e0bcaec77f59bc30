// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: how much a flight recorder keeps.
 * In: a size, or a time. Out: ring buffers that are large enough, within bounds.
 */
#include "capture/session/flight.h"

#include "capture/session/session.h"

/* First and smallest size of a CPU's buffer when buffers must hold a time. */
#define FIRST_BYTES (4U << 20)
#define LEAST_BYTES (64U << 10)
/* Event rates vary: the buffers have room for a quarter more. */
#define SPARE	    1.25
/* A buffer does not grow by more than this factor at once. */
#define GROWTH_MOST 8.0

static uint64_t share_of_memory(bool has_frees)
{
	return LARGER(setup_share_of_memory(has_frees), LEAST_BYTES);
}

uint64_t flight_buffers_first(uint64_t total, uint64_t time_ns, bool has_frees)
{
	uint64_t share = share_of_memory(has_frees);

	if (total) {
		total /= setup_nr_buffers(has_frees);
		return LARGER(total, LEAST_BYTES);
	}
	return time_ns ? SMALLER(share, FIRST_BYTES) : 0;
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

/* Has the CPU's buffer overwritten events that are younger than the wanted time? */
static bool cpu_is_short(struct flight_buffers *b, uint32_t cpu)
{
	struct strbuf __auto_free sb = { 0 };
	bool is_short = false;

	if (recording_clock_is_ns(b->s->clock) &&
	    !facts_read_cpustat(&b->s->instance, cpu, &sb) &&
	    facts_number(strbuf_text(&sb), "overrun")) {
		uint64_t oldest = facts_time(strbuf_text(&sb), "oldest event ts:");
		uint64_t now = facts_time(strbuf_text(&sb), "now ts:");

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
	if (is_short && b->bytes >= b->limit && !b->warned) {
		b->warned = true;
		log_msg(b->s->log, LOG_WARN,
			"ring buffers of %" PRIu64
			" KiB per CPU hold less than the requested time\n  They already use 1/32 of memory. Record less: --page, --min-bytes, --stack none",
			b->bytes / 1024);
	}
	return is_short && b->bytes < b->limit;
}

void flight_buffers_grow(struct flight_buffers *b)
{
	double factor =
		SPARE * (double)b->time_ns / (double)(b->held_ns ? b->held_ns : 1);
	double wanted = (double)b->bytes * SMALLER(factor, GROWTH_MOST);
	uint64_t bytes = wanted < (double)b->limit ? (uint64_t)wanted : b->limit;
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, bytes / 1024);
	if (setup_write(b->s, "buffer_size_kb", text) < 0) {
		b->limit = b->bytes;
		return;
	}
	b->bytes = b->s->buffer_bytes = bytes;
	log_msg(b->s->log, LOG_INFO, "ring buffer: %s KiB per CPU", text);
}
