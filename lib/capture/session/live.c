// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/session/live.h"

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
	return ret ? ret : out.fd;
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
	if (ret)
		log_msg(s->log, LOG_ERROR, "cannot prepare the analysis: %s",
			strerror(-ret));
	s->reader.take = take;
	s->reader.take_ctx = s;
	return ret;
}

/* Events up to this time have all been written. */
static uint64_t settled_until(const struct session *s)
{
	uint64_t now = session_time(s);

	return now > SETTLE_NS ? now - SETTLE_NS : 0;
}

static int drain(struct session *s)
{
	int ret = 0;

	for (size_t i = 0; i < s->reader.nr_cpus && !ret; i++)
		ret = ring_reader_drain(&s->reader, i, true);
	return ret;
}

static bool on_round(void *ctx)
{
	struct session *s = ctx;
	const struct capture_live *live = s->opts->live;
	uint64_t until = settled_until(s);
	int ret = drain(s);

	if (s->facts.comms.count > COMMS_MAX && !s->writing)
		comms_free(&s->facts.comms);
	if (ret) {
		log_msg(s->log, LOG_ERROR, "cannot take what was read: %s",
			strerror(-ret));
		s->result->read_error = -ret;
		return true;
	}
	return live->round(live->ctx, until);
}

static bool on_input(void *ctx)
{
	const struct capture_live *live = ((struct session *)ctx)->opts->live;

	return live->input(live->ctx);
}

struct pump_live live_pump(struct session *s)
{
	const struct capture_live *live = s->opts->live;

	return (struct pump_live){ .round = on_round,
				   .round_ms = live ? live->round_ms : 0,
				   .input = on_input,
				   .input_fd = live ? live->input_fd : -1,
				   .ctx = s };
}

int live_end(struct session *s)
{
	const struct capture_live *live = s->opts->live;
	int ret = drain(s);

	live->round(live->ctx, UINT64_MAX);
	return ret ? ret : session_read_statistics(s);
}

int live_pause(struct session *s, bool paused)
{
	const struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	const char *on = paused ? "0" : "1";
	int ret = 0;

	/* Frees are recorded longer than allocations. */
	if (frees.tracefs && !paused)
		ret = instance_write(&frees, "tracing_on", on);
	if (!ret)
		ret = instance_write(&s->instance, "tracing_on", on);
	if (!ret && frees.tracefs && paused)
		ret = instance_write(&frees, "tracing_on", on);
	watch_switched(&s->watch, s->log);
	if (!ret)
		s->watch.stopped = s->paused = paused;
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
	if (!ret)
		ret = facts_add_comms(&s->facts);
	if (!ret)
		ret = facts_compose(&s->facts);
	return ret ? ret : wire_finish(&s->wire, &s->facts.writer);
}
