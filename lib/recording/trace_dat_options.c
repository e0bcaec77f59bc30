// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording (internal): the options that trace.dat 6 and 7 share.
 * In: an option's id and bytes. Out: fields of struct recording.
 */

#include "recording/trace_dat.h"

#include "base/array.h"

char *trace_dat_option_text(const uint8_t *data, size_t size)
{
	while (size && (!data[size - 1] || data[size - 1] == '\n'))
		size--;
	return strndup((const char *)data, size);
}

/* The first of several is kept. */
static int set_text(char **text, const uint8_t *data, size_t size)
{
	if (*text)
		return 0;
	*text = trace_dat_option_text(data, size);
	return *text ? 0 : -ENOMEM;
}

static uint64_t cpustat_value(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/*
 * trace-cmd writes the top buffer's statistics first, then for each instance an option with only
 * "\nBuffer: NAME\n\n", then that instance's statistics.
 */
static int option_cpustat(struct trace_dat *td, const uint8_t *data, size_t size)
{
	struct recording *rec = td->rec;
	struct recording_cpustat *cs;
	char *text = trace_dat_option_text(data, size), *at;
	int err = -ENOMEM;

	if (!text)
		return -ENOMEM;
	at = strstr(text, "Buffer: ");
	if (at) {
		at += strlen("Buffer: ");
		at[strcspn(at, "\n")] = 0;
		free(td->cpustat_buffer);
		td->cpustat_buffer = strdup(at);
		err = td->cpustat_buffer ? 0 : -ENOMEM;
		goto out;
	}
	err = 0;
	at = strstr(text, "CPU: ");
	if (!at)
		goto out;
	err = -ENOMEM;
	if (array_grow(&rec->cpustats, rec->nr_cpustats, sizeof(*rec->cpustats)) ||
	    array_grow(&td->cpustat_names, rec->nr_cpustats, sizeof(*td->cpustat_names)))
		goto out;
	cs = &rec->cpustats[rec->nr_cpustats];
	*cs = (struct recording_cpustat){
		.cpu = (uint32_t)cpustat_value(at, "CPU: "),
		.entries = cpustat_value(at, "\nentries: "),
		.overrun = cpustat_value(at, "\noverrun: "),
		.commit_overrun = cpustat_value(at, "\ncommit overrun: "),
		.bytes = cpustat_value(at, "\nbytes: "),
		.dropped_events = cpustat_value(at, "\ndropped events: "),
		.read_events = cpustat_value(at, "\nread events: "),
		.buffer = UINT32_MAX,
	};
	td->cpustat_names[rec->nr_cpustats] =
		strdup(td->cpustat_buffer ? td->cpustat_buffer : "");
	if (td->cpustat_names[rec->nr_cpustats]) {
		rec->nr_cpustats++;
		err = 0;
	}
out:
	free(text);
	return err;
}

int trace_dat_add_meta(struct trace_dat *td, const char *name, const void *text,
		       size_t size)
{
	struct recording *rec = td->rec;
	struct recording_text *t;

	if (array_grow(&rec->meta, rec->nr_meta, sizeof(*rec->meta)))
		return -ENOMEM;
	t = &rec->meta[rec->nr_meta];
	t->size = size;
	t->name = strdup(name);
	t->text = malloc(size + 1);
	if (!t->name || !t->text) {
		free(t->name);
		free(t->text);
		return -ENOMEM;
	}
	memcpy(t->text, text, size);
	t->text[size] = 0;
	rec->nr_meta++;
	return 0;
}

static int option_meta(struct trace_dat *td, const uint8_t *data, size_t size)
{
	struct byte_reader r = byte_reader(data, size, td->rec->big_endian);
	const char *name = byte_reader_string(&r);

	if (!name || !*name) {
		trace_dat_damage(td, td->pos, "a kmemx option of %zu bytes has no name",
				 size);
		return 0;
	}
	return trace_dat_add_meta(td, name, r.p, byte_reader_left(&r));
}

static int option_trace_id(struct trace_dat *td, const uint8_t *data, size_t size)
{
	char text[32];

	if (size != 8)
		return set_text(&td->rec->trace_id, data, size);
	snprintf(text, sizeof(text), "0x%" PRIX64, get_u64(data, td->rec->big_endian));
	return set_text(&td->rec->trace_id, (const uint8_t *)text, strlen(text));
}

static void option_cpu_count(struct trace_dat *td, const uint8_t *data, size_t size)
{
	uint64_t count =
		get_uint(data, (unsigned int)(size <= 8 ? size : 0), td->rec->big_endian);

	if (!count || count > TRACE_DAT_MAX_CPUS)
		trace_dat_damage(td, td->pos, "the file claims %" PRIu64 " CPUs", count);
	else
		td->rec->nr_cpus = (uint32_t)count;
}

static void option_tsc2nsec(struct trace_dat *td, const uint8_t *data, size_t size)
{
	struct recording *rec = td->rec;
	struct byte_reader r = byte_reader(data, size, rec->big_endian);
	uint32_t mult = byte_reader_u32(&r), shift = byte_reader_u32(&r);

	byte_reader_u64(&r); /* the offset, which is the same for all events */
	if (r.failed || shift > 63) {
		trace_dat_damage(td, td->pos, "the TSC2NSEC option is invalid");
		return;
	}
	rec->tsc_mult = mult;
	rec->tsc_shift = shift;
}

/* Is the option known to contain no file offset, so that it can be copied to another file? These
 * are DATE to OPTION_CPUCOUNT except BUFFER, OPTION_VERSION to OPTION_TSC2NSEC, and LAST_BOOT_INFO.
 */
static bool option_stands_alone(uint16_t id)
{
	return (id > OPTION_DONE && id <= OPTION_TSC2NSEC && id != OPTION_BUFFER) ||
	       id == OPTION_LAST_BOOT_INFO;
}

static int keep_option(struct recording *rec, uint16_t id, const uint8_t *data,
		       size_t size)
{
	struct recording_option *o;

	if (!option_stands_alone(id) || size > UINT32_MAX)
		return 0;
	if (array_grow(&rec->options, rec->nr_options, sizeof(*rec->options)))
		return -ENOMEM;
	o = &rec->options[rec->nr_options];
	*o = (struct recording_option){ id, (uint32_t)size, malloc(size + 1) };
	if (!o->data)
		return -ENOMEM;
	memcpy(o->data, data, size);
	rec->nr_options++;
	return 0;
}

int trace_dat_option(struct trace_dat *td, uint16_t id, const uint8_t *data, size_t size)
{
	struct recording *rec = td->rec;

	if (keep_option(rec, id, data, size))
		return -ENOMEM;
	switch (id) {
	case OPTION_CPUSTAT:
		return option_cpustat(td, data, size);
	case OPTION_TRACECLOCK:
		return set_text(&rec->trace_clock, data, size);
	case OPTION_UNAME:
		return set_text(&rec->uname, data, size);
	case OPTION_CPUCOUNT:
		option_cpu_count(td, data, size);
		return 0;
	case OPTION_VERSION:
		return set_text(&rec->writer_version, data, size);
	case OPTION_TRACEID:
		return option_trace_id(td, data, size);
	case OPTION_TSC2NSEC:
		option_tsc2nsec(td, data, size);
		return 0;
	case RECORDING_OPTION_META:
		return option_meta(td, data, size);
	default:
		return 0;
	}
}
