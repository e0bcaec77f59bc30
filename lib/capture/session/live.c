// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: a recording whose pages are processed as they arrive.
 * In: a session. Out: its pages, in rounds; optionally a stream of them in a file.
 */
#include "capture/session/session.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"

/* The longest delay between an event's time and its write: an interrupt or a hypervisor may come in
 * between.
 */
#define SETTLE_NS 2000000
/* Task names that are kept for a stream that may be requested. */
#define COMMS_MAX 65536

/* Writes the recording with all CPUs but without pages into a file in memory. A descriptor or
 * -errno.
 */
static int write_beginning(struct session *s)
{
	struct writer_facts *w = &s->facts.writer;
	struct writer_part *parts __auto_mem =
		calloc(s->reader.nr_cpus + 1, sizeof(*parts));
	struct writer_instance frees;
	struct writer_out out = { .fd = memfd_create("kmemx", MFD_CLOEXEC),
				  .log = s->log };
	struct writer_facts all = *w;
	size_t nr;
	int ret = !parts ? -ENOMEM : out.fd < 0 ? -errno : 0;

	for (size_t i = 0; !ret && i < s->reader.nr_cpus; i++)
		parts[i] = (struct writer_part){ .cpu = s->reader.cpus[i].cpu,
						 .fd = out.fd };
	if (!ret) {
		nr = writer_take_frees(&all, parts, s->reader.nr_cpus, &frees);
		ret = writer_write(&out, &all, parts, nr);
	}
	if (ret)
		io_close(&out.fd);
	return ret ?: out.fd;
}

static int take(void *ctx, uint32_t cpu, const void *pages, size_t size)
{
	struct session *s = ctx;
	int ret = s->opts->live->pages(s->opts->live->ctx, cpu, pages, size);

	if (!ret && s->writing && !s->result->write_error)
		s->result->write_error = -wire_pages(&s->wire, cpu, pages, size);
	return ret;
}

int live_start(struct session *s)
{
	int ret = session_read_system(s), fd;

	if (ret)
		return ret;
	fd = write_beginning(s);
	ret = fd < 0 ? fd : s->opts->live->begin(s->opts->live->ctx, s, fd);
	log_errno(s->log, LOG_ERROR, ret, "cannot prepare the analysis: %m");
	s->reader.take = take;
	s->reader.take_ctx = s;
	return ret;
}

/* Events up to this time have all been written. */
static uint64_t settled_until(const struct session *s)
{
	return less(session_time(s), SETTLE_NS);
}

static int drain(struct session *s)
{
	int ret = 0;

	for (size_t i = 0; i < s->reader.nr_cpus && !ret; i++)
		ret = ring_reader_drain(&s->reader, i, true);
	return ret;
}

bool live_round(struct session *s)
{
	const struct capture_live *live = s->opts->live;
	uint64_t until = settled_until(s);
	int ret = drain(s);

	if (s->facts.comms.by_pid.nr > COMMS_MAX && !s->writing)
		comms_free(&s->facts.comms);
	if (log_errno(s->log, LOG_ERROR, ret, "cannot take what was read: %m")) {
		s->result->read_error = -ret;
		return true;
	}
	return live->round(live->ctx, until);
}

int live_end(struct session *s)
{
	const struct capture_live *live = s->opts->live;
	int ret = drain(s);

	live->round(live->ctx, UINT64_MAX);
	return ret ?: session_read_statistics(s);
}

int live_pause(struct session *s, bool paused)
{
	/* Frees are recorded longer than allocations. */
	int ret = paused ? setup_write(s, "tracing_on", "0") : setup_switch_on(s);

	watch_switched(&s->watch, s->log);
	if (!ret)
		s->watch.stopped = paused;
	return ret;
}

int live_write(struct session *s, int fd)
{
	int ret;

	if (s->writing)
		return -EBUSY;
	s->wire = (struct wire){ .fd = fd };
	s->result->write_error = 0;
	ret = wire_start(&s->wire, &s->facts.writer);
	s->writing = !ret;
	return ret;
}

int live_write_end(struct session *s)
{
	int ret = -s->result->write_error;

	if (!s->writing)
		return 0;
	s->writing = false;
	facts_add_comms(&s->facts);
	ret = ret ?: facts_compose(&s->facts);
	return ret ?: wire_finish(&s->wire, &s->facts.writer);
}
