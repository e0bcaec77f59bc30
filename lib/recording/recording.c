// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording.h"

#include "base/array.h"
#include "base/hash.h"
#include "recording/trace_dat.h"
#include "recording/wire.h"

static int not_a_recording(struct trace_dat *td)
{
	log_msg(td->rec->log, LOG_INFO, "%s: not a trace.dat file (bad magic)",
		td->rec->path);
	return -EPROTO;
}

/* Reads the magic and, in trace.dat, the version. */
static int read_magic(struct trace_dat *td, struct reader *r)
{
	static const size_t size = sizeof(TRACE_DAT_MAGIC) - 1;
	struct recording *rec = td->rec;
	uint8_t start[WIRE_MAGIC_SIZE] = { 0 };
	char *version __auto_mem = NULL;

	reader_bytes(r, start, size);
	if (!r->err && !memcmp(start, WIRE_MAGIC, size)) {
		reader_bytes(r, start + size, sizeof(start) - size);
		rec->stream = !memcmp(start, WIRE_MAGIC, sizeof(start));
		return r->err || rec->stream ? r->err : not_a_recording(td);
	}
	if (r->err && r->err != -ENODATA)
		return r->err;
	if (r->err || memcmp(start, TRACE_DAT_MAGIC, size))
		return not_a_recording(td);
	version = reader_name(r);
	if (version)
		rec->file_version = (unsigned int)strtoul(version, NULL, 10);
	return r->err;
}

/* Magic, version, byte order, user space's long size, page size. */
static int read_start(struct trace_dat *td)
{
	struct recording *rec = td->rec;
	uint8_t flags[2];
	struct reader r;
	int err;

	reader_init(&r, &rec->src, 0, UINT64_MAX, false);
	err = read_magic(td, &r);
	if (err)
		return err == -ENODATA ? -EBADMSG : err;
	reader_bytes(&r, flags, sizeof(flags));
	rec->big_endian = flags[0] != 0;
	rec->user_long_size = flags[1] == 4 ? 4 : 8;
	r.big_endian = rec->big_endian;
	rec->page_size = reader_u32(&r);
	rec->layout =
		(struct page_layout){ rec->user_long_size, 8, 8 + rec->user_long_size };
	td->pos = r.pos;
	if (!r.err)
		trace_dat_check_page_size(td);
	return r.err == -ENODATA ? -EBADMSG : r.err;
}

/* Finds the buffer of each CPU's statistics: by name, or the only buffer. */
static int resolve_cpustats(struct trace_dat *td)
{
	struct recording *rec = td->rec;
	uint32_t of_name[TRACE_DAT_MAX_BUFFERS] = { 0 }, b, id = 1;
	struct intern names = { 0 };

	for (b = 0; b < rec->nr_buffers && id; b++) {
		const char *name = rec->buffers[b].name;
		uint32_t known = names.count;

		id = intern_id(&names, name, strlen(name));
		if (id > known)
			of_name[id - 1] = b;
	}
	for (size_t i = 0; i < rec->nr_cpustats && id; i++) {
		const char *name = td->cpustat_names[i];
		uint32_t of = intern_find(&names, name, strlen(name));

		rec->cpustats[i].buffer = of			 ? of_name[of - 1]
					  : rec->nr_buffers == 1 ? 0
								 : UINT32_MAX;
	}
	intern_free(&names);
	return id ? 0 : -ENOMEM;
}

/* Where a CPU's data lies. */
struct extent {
	uint64_t start, end;
	uint32_t buffer, index;
};

ORDER_BY(compare_extents, struct extent, start, end)

/* Leaves out CPUs whose data begins within another's, so that no event is read twice, and counts
 * the others.
 */
static int drop_overlaps(struct trace_dat *td)
{
	struct recording *rec = td->rec;
	size_t nr = 0, i = 0;
	struct extent *list __auto_mem = NULL;
	uint64_t end = 0;

	for (uint32_t b = 0; b < rec->nr_buffers; b++)
		nr += rec->buffers[b].nr_cpus;
	list = calloc(nr + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (uint32_t b = 0; b < rec->nr_buffers; b++)
		for (uint32_t c = 0; c < rec->buffers[b].nr_cpus; c++) {
			const struct recording_cpu *cpu = &rec->buffers[b].cpus[c];

			list[i++] = (struct extent){ cpu->offset, cpu->offset + cpu->size,
						     b, c };
		}
	qsort(list, nr, sizeof(*list), compare_extents);
	for (i = 0; i < nr; i++) {
		struct recording_buffer *buf = &rec->buffers[list[i].buffer];

		if (list[i].start >= end) {
			end = list[i].end;
			continue;
		}
		trace_dat_damage(td, list[i].start,
				 "CPU %" PRIu32
				 " of buffer '%s' overlaps another; it is ignored",
				 buf->cpus[list[i].index].cpu, buf->name);
		buf->cpus[list[i].index].size = 0;
	}
	for_each(buf, rec->buffers, rec->nr_buffers) {
		uint32_t kept = 0;

		for_each(cpu, buf->cpus, buf->nr_cpus) {
			if (!cpu->size)
				continue;
			if (cpu->cpu >= rec->nr_cpus)
				rec->nr_cpus = cpu->cpu + 1;
			buf->cpus[kept++] = *cpu;
		}
		buf->nr_cpus = kept;
	}
	return 0;
}

/* Finds out whether the recording is cut short: its recorder noted that, or the file shows it. */
static int find_cut(struct trace_dat *td)
{
	struct recording *rec = td->rec;
	const struct recording_text *item = recording_meta(rec, RECORDING_META_TRUNCATED);

	if (!item) {
		item = recording_meta(rec, RECORDING_META_RECOVERED);
		if (item && !strstr(item->text, "is lost"))
			item = NULL; /* nothing was lost */
	}
	td->all_cut |= item != NULL;
	if (item)
		td->cut = item->text;
	for (uint32_t b = 0; b < rec->nr_buffers && td->all_cut; b++) {
		for (uint32_t c = 0; c < rec->buffers[b].nr_cpus; c++)
			rec->buffers[b].cpus[c].cut = true;
	}
	rec->cut_short = td->cut ? strdup(td->cut) : NULL;
	return td->cut && !rec->cut_short ? -ENOMEM : 0;
}

static int read_file(struct trace_dat *td)
{
	struct recording *rec = td->rec;
	int err = read_start(td);

	if (err)
		return err;
	switch (rec->stream ? WIRE_VERSION : rec->file_version) {
	case WIRE_VERSION:
		err = trace_dat_open_wire(td);
		break;
	case 6:
		err = trace_dat_open_v6(td);
		break;
	case 7:
		err = trace_dat_open_v7(td);
		break;
	default:
		log_msg(rec->log, LOG_ERROR,
			"%s: trace.dat version %u; kmemx reads 6 and 7 (trace-cmd convert makes them)",
			rec->path, rec->file_version);
		return -ENOTSUP;
	}
	if (err)
		return err;
	if (!rec->nr_buffers && td->has_text) {
		log_msg(rec->log, LOG_ERROR,
			"%s: a recording of the latency tracers' text, which contains no events; record with trace-cmd record -e kmem or kmemx record",
			rec->path);
		return -ENOTSUP;
	}
	if (!rec->nr_buffers) {
		log_msg(rec->log, LOG_ERROR,
			"%s describes no ring buffer; was it cut short?", rec->path);
		return -EBADMSG;
	}
	err = resolve_cpustats(td);
	err = err ?: drop_overlaps(td);
	return err ? err : find_cut(td);
}

int recording_open(struct recording **out, struct source *src, const char *path,
		   const struct log *log)
{
	struct trace_dat td = { 0 };
	struct recording *rec = calloc(1, sizeof(*rec));
	int err = -ENOMEM;

	*out = NULL;
	if (!rec) {
		source_close(src);
		return -ENOMEM;
	}
	rec->src = *src;
	rec->file_bytes = src->size;
	*src = (struct source){ 0 };
	rec->log = log;
	rec->path = strdup(path);
	td.rec = rec;
	if (rec->path)
		err = read_file(&td);
	for (size_t i = 0; i < rec->nr_cpustats; i++)
		free(td.cpustat_names[i]);
	free(td.cpustat_names);
	free(td.cpustat_buffer);
	if (err) {
		recording_close(rec);
		return err;
	}
	*out = rec;
	return 0;
}

const struct recording_option *recording_last_boot(const struct recording *rec)
{
	return FIND(option, rec->options, rec->nr_options,
		    option->id == OPTION_LAST_BOOT_INFO);
}

int recording_add_cpus(struct recording *rec)
{
	for_each(buf, rec->buffers, rec->nr_buffers) {
		struct recording_cpu *cpus = calloc(rec->nr_cpus + 1UL, sizeof(*cpus));

		if (!cpus)
			return -ENOMEM;
		for (uint32_t i = 0; i < rec->nr_cpus; i++)
			cpus[i].cpu = i;
		free(buf->cpus);
		buf->cpus = cpus;
		buf->nr_cpus = rec->nr_cpus;
	}
	return 0;
}

char *recording_take_kallsyms(struct recording *rec, size_t *size)
{
	char *text = rec->kallsyms;

	*size = rec->kallsyms_size;
	rec->kallsyms = NULL;
	rec->kallsyms_size = 0;
	return text;
}

void recording_forget_kallsyms(struct recording *rec)
{
	size_t size;

	free(recording_take_kallsyms(rec, &size));
}

void recording_close(struct recording *rec)
{
	if (!rec)
		return;
	for (size_t i = 0; i < rec->nr_buffers; i++) {
		free(rec->buffers[i].name);
		free(rec->buffers[i].clock);
		free(rec->buffers[i].cpus);
	}
	free(rec->buffers);
	recording_texts_free(rec->ftrace_formats, rec->nr_ftrace_formats);
	recording_texts_free(rec->event_formats, rec->nr_event_formats);
	recording_texts_free(rec->meta, rec->nr_meta);
	for (size_t i = 0; i < rec->nr_options; i++)
		free(rec->options[i].data);
	free(rec->options);
	free(rec->cpustats);
	free(rec->path);
	free(rec->cut_short);
	free(rec->header_page);
	free(rec->header_event);
	free(rec->kallsyms);
	free(rec->printk_formats);
	free(rec->cmdlines);
	free(rec->uname);
	free(rec->writer_version);
	free(rec->trace_clock);
	free(rec->trace_id);
	source_close(&rec->src);
	free(rec);
}
