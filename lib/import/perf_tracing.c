// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_tracing.h"

#include "base/bytes.h"
#include "event/formats.h"
#include "import/text_events.h"
#include "recording/reader.h"
#include "recording/subbuf_writer.h"
#include "recording/trace_dat.h"

/* Larger than any kernel's sub-buffers. */
#define MAX_SUBBUF     (1U << 20)
#define MAX_COMMON     16 /* fields; kernels have four to six */
/* perf puts these marks between frames; they are the highest possible addresses. */
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER   ((uint64_t)-512)
#define CONTEXT_MAX    ((uint64_t)-4095)

/* --- formats ----------------------------------------------------------------------------- */

/* The end of the last field whose name begins with common_; 0 if there is none. */
static uint32_t common_end(const char *format)
{
	const char *at = format;
	uint32_t end = 0;

	for (int i = 0; i < MAX_COMMON && (at = strstr(at, " common_")); i++) {
		const char *offset = strstr(at, "offset:"), *size = strstr(at, "size:");
		unsigned int o, s;

		if (!offset || !size || sscanf(offset, "offset:%5u", &o) != 1 ||
		    sscanf(size, "size:%5u", &s) != 1)
			break;
		end = LARGER(end, o + s);
		at += 8;
	}
	return end;
}

/* Adds the usable texts to @to. A format without a name or an ID has no events. */
static int take_formats(struct perf_tracing *t, struct recording_text *from, size_t nr,
			struct text_list *to)
{
	for (size_t i = 0; i < nr; i++) {
		char name[128];
		uint16_t id;
		int ret;

		/* The ID of stacks is the same in all kernels and never belongs to an event. */
		if (!format_head(from[i].text, from[i].size, name, &id) ||
		    id == TEXT_ID_STACK || perf_tracing_knows(t, id))
			continue;
		if (!t->common_size)
			t->common_size = common_end(from[i].text);
		t->known[id / 8] |= (uint8_t)(1U << id % 8);
		t->has_kmem |= !strcmp(from[i].name, "kmem");
		ret = text_list_add(to, from[i].name, from[i].text, from[i].size);
		if (ret)
			return ret;
	}
	return 0;
}

static uint32_t size_at(const struct perf_tracing *t)
{
	return (t->common_size + 3) & ~3U;
}

static uint32_t frames_at(const struct perf_tracing *t)
{
	uint32_t align = t->layout.long_size;

	return (size_at(t) + 4 + align - 1) & ~(align - 1);
}

/* Adds the stack format as the kernel prints it for longs of this size. */
static int add_stack_format(const struct perf_tracing *t, const char *model,
			    struct text_list *to)
{
	const unsigned int word = t->layout.long_size;
	const char *fields = strstr(model, "\tfield:"), *end = strstr(model, "\n\n");
	struct strbuf sb = { 0 };

	strbuf_printf(&sb, "name: kernel_stack\nID: %d\nformat:\n", TEXT_ID_STACK);
	if (fields && end && fields < end)
		strbuf_add(&sb, fields, (size_t)(end - fields));
	strbuf_printf(&sb,
		      "\n\n\tfield:int size;\toffset:%" PRIu32 ";\tsize:4;\tsigned:1;\n"
		      "\tfield:unsigned long caller[8];\toffset:%" PRIu32
		      ";\tsize:%u;\tsigned:0;\n\nprint fmt: \"",
		      size_at(t), frames_at(t), 8 * word);
	for (int i = 0; i < 8; i++)
		strbuf_puts(&sb, "\\t=> %ps\\n");
	strbuf_puts(&sb, "\"");
	for (int i = 0; i < 8; i++)
		strbuf_printf(&sb, ", (void *)REC->caller[%d]", i);
	strbuf_puts(&sb, "\n");
	return text_list_take(to, "ftrace", &sb);
}

static int take_all_formats(struct perf_tracing *t, struct recording *rec,
			    struct system_texts *texts)
{
	int ret = take_formats(t, rec->event_formats, rec->nr_event_formats,
			       &texts->event_formats);

	if (!ret)
		ret = take_formats(t, rec->ftrace_formats, rec->nr_ftrace_formats,
				   &texts->ftrace_formats);
	if (ret)
		return ret;
	if (!texts->event_formats.count || t->common_size < 8 || t->common_size > 64)
		return -EBADMSG;
	return add_stack_format(t, texts->event_formats.items[0].text,
				&texts->ftrace_formats);
}

/* --- the section ------------------------------------------------------------------------- */

/* 23 8 68 "tracing" "0.6" NUL, byte order, size of a long, size of a page. */
static int read_start(struct perf_tracing *t, struct reader *r)
{
	uint8_t order, long_size;

	if (!reader_tag(r, "\x17\x08\x44tracing", 10))
		return -EBADMSG;
	free(reader_name(r)); /* the version */
	reader_bytes(r, &order, 1);
	reader_bytes(r, &long_size, 1);
	if (r->err || order > 1)
		return -EBADMSG;
	t->big_endian = r->big_endian = order;
	t->layout.long_size = long_size == 4 ? 4 : 8;
	t->page_size = reader_u32(r);
	return r->err;
}

static int read_parts(struct recording *rec, struct reader *r)
{
	struct trace_dat td = { .rec = rec };
	int ret = 0;

	for (size_t i = 0; !ret && i < TRACE_DAT_NR_PARTS; i++) {
		ret = trace_dat_parts[i].read(&td, r);
		/* Older versions of perf store no command lines. */
		if (ret && ret != -ENOMEM && rec->nr_event_formats && i > 2)
			return 0;
	}
	return ret;
}

static void use_page(struct perf_tracing *t, struct recording *rec,
		     struct system_texts *texts)
{
	unsigned int word = t->layout.long_size;

	if (rec->header_page &&
	    !trace_dat_parse_header_page(rec->header_page, &t->layout, &t->subbuf_size) &&
	    t->subbuf_size >= NATIVE_PAGES_SIZE && t->subbuf_size <= MAX_SUBBUF &&
	    !(t->subbuf_size & (t->subbuf_size - 1))) {
		strbuf_puts(&texts->header_page, rec->header_page);
		strbuf_puts(&texts->header_event,
			    rec->header_event ? rec->header_event : "");
		return;
	}
	t->layout = (struct page_layout){ word, 8, 8 + word };
	t->subbuf_size = NATIVE_PAGES_SIZE;
	strbuf_printf(&texts->header_page,
		      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		      "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		      "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		      word, 8 + word, NATIVE_PAGES_SIZE - 8 - word);
	strbuf_puts(&texts->header_event, native_pages_header_event);
}

static int read_all(struct perf_tracing *t, struct recording *rec,
		    struct system_texts *texts)
{
	struct reader r;
	int ret;

	reader_init(&r, &rec->src, 0, rec->src.size, false);
	ret = read_start(t, &r);
	rec->layout = t->layout;
	rec->page_size = NATIVE_PAGES_SIZE;
	ret = ret ?: read_parts(rec, &r);
	if (ret)
		return ret == -ENODATA ? -EBADMSG : ret;
	use_page(t, rec, texts);
	if (rec->printk_formats)
		strbuf_puts(&texts->printk_formats, rec->printk_formats);
	if (rec->cmdlines)
		strbuf_puts(&texts->cmdlines, rec->cmdlines);
	return take_all_formats(t, rec, texts);
}

int perf_tracing_read(struct perf_tracing *t, const void *data, size_t size,
		      struct system_texts *texts, const struct log *log)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	int ret;

	if (!rec)
		return -ENOMEM;
	source_open_memory(&rec->src, data, size);
	rec->path = strdup("perf.data");
	ret = rec->path ? read_all(t, rec, texts) : -ENOMEM;
	recording_close(rec);
	if (ret && ret != -ENOMEM) {
		log_msg(log, LOG_ERROR,
			"the tracing data cannot be read: the event formats are damaged");
		return -EBADMSG;
	}
	return ret;
}

/* --- stacks ------------------------------------------------------------------------------ */

size_t perf_tracing_stack_max(const struct perf_tracing *t)
{
	return frames_at(t) + (size_t)PERF_MAX_FRAMES * t->layout.long_size;
}

/* Adds the frames of @context after the first @count; returns the new count. */
static uint32_t add_frames(const struct perf_tracing *t, const struct perf_sample *s,
			   uint64_t context, uint8_t *frames, uint32_t count)
{
	const unsigned int word = t->layout.long_size;
	uint32_t end = count;
	bool wanted = false;

	for (uint64_t i = 0; i < s->nr_chain && count < PERF_MAX_FRAMES; i++) {
		uint64_t frame = get_u64(s->chain + i * 8, t->big_endian);

		if (frame >= CONTEXT_MAX)
			wanted = frame == context;
		else if (wanted)
			set_uint(frames + word * count++, frame, word, t->big_endian);
		/* Unwinders may end the chain with 0; in the middle, 0 is a frame. */
		if (wanted && frame)
			end = count;
	}
	return end;
}

size_t perf_tracing_stack(const struct perf_tracing *t, const struct perf_sample *s,
			  uint8_t *out, uint32_t *nr_user)
{
	const unsigned int word = t->layout.long_size;
	uint8_t *frames = out + frames_at(t);
	uint32_t count = add_frames(t, s, CONTEXT_KERNEL, frames, 0), kernel = count;

	if (!count)
		return 0;
	if (word == 8) {
		count = add_frames(t, s, CONTEXT_USER, frames, count);
		*nr_user = count - kernel;
	}
	memset(out, 0, frames_at(t));
	memcpy(out, s->raw, t->common_size);
	set_uint(out, TEXT_ID_STACK, 2, t->big_endian);
	return perf_tracing_stack_end(t, out, count);
}

uint32_t perf_tracing_stack_frames(const struct perf_tracing *t, size_t size)
{
	return (uint32_t)((size - frames_at(t)) / t->layout.long_size);
}

size_t perf_tracing_stack_end(const struct perf_tracing *t, uint8_t *stack,
			      uint32_t count)
{
	set_uint(stack + size_at(t), count, 4, t->big_endian);
	return frames_at(t) + (size_t)count * t->layout.long_size;
}
