// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/split.h"

#include "base/array.h"
#include "event/stack_claims.h"
#include "event/user_stacks.h"
#include "recording/cpu_cursor.h"
#include "recording/kernel_curve.h"
#include "recording/subbuf_writer.h"
#include "recording/writer.h"

/* Whether the callchain of a waiting event is kept. */
enum { CLAIM_KEPT = 1, CLAIM_DROPPED };

/* The state of one CPU. */
struct split_cpu {
	struct subbuf_writer pw;
	struct stack_claims claims; /* CLAIM_* */
	uint64_t last_ts, gap_ts;
	bool damaged, past_stop;
};

struct split {
	const struct recording *rec;
	const struct event_formats *fmts;
	const struct split_options *opts;
	const struct event_common *common;
	const struct event_format
		*user_stack; /* NULL: the recording has no such events */
	struct split_result *result;
	uint64_t pages_size;  /* what is in pages_fd */
	uint64_t done, total; /* bytes of CPUs that belong to the part */
	bool lacks_cpus;      /* CPUs with events do not belong to it */
	/* records of the current sub-buffer that belong to the part */
	struct raw_record *kept;
	size_t kept_capacity;
};

enum verdict { DROP, KEEP, STOP };

int split_sample_check(const struct recording *rec, const struct event_formats *fmts)
{
	if (recording_meta(rec, RECORDING_META_SAMPLE) ||
	    recording_meta(rec, RECORDING_META_STACK_SAMPLE))
		return -EEXIST;
	return ANY(i, fmts->count,
		   kmem_is_page(fmts->list[i].type) && fmts->list[i].page_pointer)
		       ? -ENOTSUP
		       : 0;
}

/* The value of field @nr; 0 if the event has no such field. */
static uint64_t field(const struct event_format *fmt, unsigned int nr,
		      const struct raw_record *rec, bool big_endian)
{
	const struct event_field *f = &fmt->fields[nr];

	return f->size ? get_uint(rec->data + f->offset, f->size, big_endian) : 0;
}

/* Is the event in the sample? Events that are not of the slab and page allocators always are. @rec
 * is at least as long as @fmt wants.
 */
static bool is_sampled(const struct sample *s, const struct event_format *fmt,
		       const struct raw_record *rec, bool big_endian)
{
	uint64_t address;

	if (kmem_is_slab(fmt->type)) {
		address = field(fmt, SLAB_PTR, rec, big_endian);
		return sample_object(s, address) != SAMPLE_OUT &&
		       (address || !kmem_is_slab_free(fmt->type));
	}
	if (!kmem_is_page(fmt->type))
		return true;
	address = field(fmt, PAGE_PFN, rec, big_endian);
	if (fmt->fields[PAGE_PFN].size == 4 && address == UINT32_MAX)
		address = KMEM_NO_PFN;
	return sample_block(s, address,
			    (uint32_t)field(fmt, PAGE_ORDER, rec, big_endian)) !=
	       SAMPLE_OUT;
}

/* Does a record that belongs to the part keep its callchain? */
static bool keeps_stack(const struct split *p, const struct event_format *fmt,
			const struct raw_record *rec)
{
	return !p->opts->stack_sample.one_in || !fmt || !kmem_is_slab(fmt->type) ||
	       rec->size < fmt->min_size ||
	       is_sampled(&p->opts->stack_sample, fmt, rec, p->rec->big_endian);
}

/* Does the record belong to the part? Same rule as a stream with this time window (cpu_events.c),
 * except that a callchain is kept if its event is.
 */
static enum verdict judge(struct split *p, struct split_cpu *c,
			  const struct raw_record *rec)
{
	bool be = p->rec->big_endian;
	bool inside = rec->ts >= p->opts->start_ts && rec->ts <= p->opts->stop_ts;
	const struct event_format *fmt;
	uintptr_t *claim, owner;

	if (rec->size < p->common->min_size)
		return inside ? KEEP : DROP;
	c->last_ts = rec->ts;
	fmt = event_formats_find(p->fmts,
				 get_u16(rec->data + p->common->type_offset, be));
	claim = stack_claims_at(&c->claims, rec->data[p->common->flags_offset],
				get_u32(rec->data + p->common->pid_offset, be));
	if (fmt && ((fmt->type == KMEM_KERNEL_STACK && rec->size >= fmt->min_size) ||
		    fmt == p->user_stack)) {
		owner = *claim;
		/* With user_stack events, an event may have a callchain of each kind. */
		if (!p->user_stack)
			*claim = 0;
		if (owner)
			inside = owner == CLAIM_KEPT;
		return inside ? KEEP : DROP;
	}
	if (rec->ts > p->opts->stop_ts)
		return STOP;
	if (inside && p->opts->sample.one_in && fmt && rec->size >= fmt->min_size)
		inside = is_sampled(&p->opts->sample, fmt, rec, be);
	*claim = inside && keeps_stack(p, fmt, rec) ? CLAIM_KEPT : CLAIM_DROPPED;
	return inside ? KEEP : DROP;
}

/* Keeps a gap before time @ts if any part of it is in the window. */
static void add_gap(struct split *p, struct split_cpu *c, uint64_t ts, uint64_t missed)
{
	stack_claims_clear(&c->claims);
	ts = LARGER(ts, c->last_ts);
	if (ts < p->opts->start_ts || c->last_ts > p->opts->stop_ts)
		return;
	p->result->nr_gaps++;
	c->gap_ts = SMALLER(ts, p->opts->stop_ts);
	subbuf_writer_lost(&c->pw,
			   missed && !c->damaged ? missed : SUBBUF_MISSED_UNKNOWN);
}

/* Puts the records of a sub-buffer that belong to the part into p->kept. Returns whether all do;
 * -ENOMEM.
 */
static int choose(struct split *p, struct split_cpu *c, const struct subbuf *sb,
		  size_t *nr)
{
	struct subbuf_iter it = subbuf_iter(sb, p->rec->big_endian);
	bool all = !sb->truncated;
	struct raw_record rec;
	int ret;

	*nr = 0;
	if (array_reserve(&p->kept, &p->kept_capacity, sb->size / 8 + 2))
		return -ENOMEM;
	while ((ret = subbuf_iter_next(&it, &rec)) > 0) {
		enum verdict v = judge(p, c, &rec);

		if (v == STOP) {
			c->past_stop = true;
			return false;
		}
		if (v == KEEP)
			p->kept[(*nr)++] = rec;
		else
			all = false;
	}
	if (ret == -EBADMSG)
		c->damaged = true;
	return all && ret != -EBADMSG;
}

static int add_subbuf(struct split *p, struct split_cpu *c, const struct subbuf *sb)
{
	bool long_form;
	size_t nr, i;
	int ret;

	if (sb->missed || c->damaged)
		add_gap(p, c, sb->ts, sb->missed);
	c->damaged = sb->truncated;
	ret = choose(p, c, sb, &nr);
	if (ret < 0 || !nr)
		return ret < 0 ? ret : 0;
	p->result->nr_events += nr;
	if (ret)
		return subbuf_writer_copy(&c->pw, sb);
	long_form = subbuf_has_long_form(sb, p->rec->big_endian);
	for (i = 0, ret = 0; i < nr && !ret; i++)
		ret = subbuf_writer_add(&c->pw, &p->kept[i], long_form);
	return ret;
}

/* Reports progress; @sb is of @cpu, which follows the CPUs that are done. */
static void tell_progress(const struct split *p, const struct recording_cpu *cpu,
			  const struct subbuf *sb)
{
	uint64_t here = less(sb->file_offset, cpu->offset);

	if (p->opts->progress)
		p->opts->progress(p->opts->ctx, p->done + SMALLER(here, cpu->size),
				  p->total, p->result->nr_events);
}

static int walk_cpu(struct split *p, struct split_cpu *c, uint32_t buffer, uint32_t i)
{
	struct cpu_cursor *cur;
	struct subbuf sb;
	int ret = cpu_cursor_open(&cur, p->rec, buffer, i, NULL);

	p->result->unread = ret != 0;
	if (ret)
		return ret;
	while (!c->past_stop) {
		ret = cpu_cursor_next(cur, &sb);
		if (ret == -EBADMSG) {
			c->damaged = true;
			continue;
		}
		if (ret > 0) {
			tell_progress(p, &p->rec->buffers[buffer].cpus[i], &sb);
			ret = add_subbuf(p, c, &sb);
		} else {
			p->result->unread = ret < 0;
			break;
		}
		if (ret < 0)
			break;
	}
	if (!ret && c->damaged && !c->past_stop)
		add_gap(p, c, c->last_ts, 0);
	cpu_cursor_close(cur);
	return ret;
}

/* Writes the part's pages of one CPU; @out->size is 0 if there are none. */
static int add_cpu(struct split *p, uint32_t buffer, uint32_t i, struct writer_part *out)
{
	const struct recording_buffer *buf = &p->rec->buffers[buffer];
	struct split_cpu c = { 0 };
	int ret = subbuf_writer_init(&c.pw, &p->rec->layout, p->rec->big_endian,
				     buf->page_size);

	subbuf_writer_to(&c.pw, p->opts->pages_fd, p->pages_size);
	ret = ret ?: walk_cpu(p, &c, buffer, i);
	ret = ret ?: subbuf_writer_finish(&c.pw, c.gap_ts);
	*out = (struct writer_part){ .cpu = buf->cpus[i].cpu,
				     .fd = p->opts->pages_fd,
				     .size = c.pw.offset - p->pages_size,
				     .offset = p->pages_size };
	p->pages_size = c.pw.offset;
	subbuf_writer_free(&c.pw);
	return ret;
}

ORDER_BY(compare_cpus, struct writer_part, cpu, cpu)

static bool has_buffer(const struct split *p, uint32_t b)
{
	return !p->opts->instance || !strcmp(p->rec->buffers[b].name, p->opts->instance);
}

/* Bytes of all CPUs that belong to the part, regardless of its time. */
static uint64_t count_bytes(const struct split *p)
{
	uint64_t sum = 0;

	for (uint32_t b = 0; b < p->rec->nr_buffers; b++) {
		const struct recording_buffer *buf = &p->rec->buffers[b];

		for (uint32_t i = 0; has_buffer(p, b) && i < buf->nr_cpus; i++) {
			if (!p->opts->cpus || p->opts->cpus[buf->cpus[i].cpu])
				sum += buf->cpus[i].size;
		}
	}
	return sum;
}

/* Adds all CPUs of one buffer that have pages. The caller frees @in->parts. */
static int add_buffer(struct split *p, uint32_t b, struct writer_instance *in)
{
	const struct recording_buffer *buf = &p->rec->buffers[b];
	struct writer_part *parts = calloc(buf->nr_cpus + 1, sizeof(*parts));
	size_t nr = 0;
	int ret = parts ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < buf->nr_cpus && !ret; i++) {
		uint32_t cpu = buf->cpus[i].cpu;

		if (p->opts->cpus && !p->opts->cpus[cpu]) {
			p->lacks_cpus |= buf->cpus[i].size != 0;
			continue;
		}
		/* A CPU that a damaged file names twice is taken once. */
		if (ANY(k, nr, parts[k].cpu == cpu))
			continue;
		ret = add_cpu(p, b, i, &parts[nr]);
		p->done += buf->cpus[i].size;
		if (!ret && parts[nr].size)
			nr++;
	}
	if (parts)
		qsort(parts, nr, sizeof(*parts), compare_cpus);
	*in = (struct writer_instance){ buf->name, buf->clock, buf->page_size, parts,
					nr };
	return ret;
}

/* The kernel's counts during the part; no text if there are none. 0 or -ENOMEM. */
static int curve_item(const struct split *p, struct strbuf *out)
{
	struct kernel_curve curve = { 0 };
	int ret = kernel_curve_of(&curve, p->rec);

	if (!ret)
		kernel_curve_clip(&curve, p->opts->start_ts, p->opts->stop_ts);
	if (!ret && curve.nr)
		kernel_curve_format(&curve, out);
	kernel_curve_free(&curve);
	return ret == -ENOMEM || out->failed ? -ENOMEM : 0;
}

/* Is the item about the whole recording, or about a time before or after the part? */
static bool says_too_much(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!strcmp(name, "pagetypeinfo.before") ||
	    !strncmp(name, RECORDING_META_PROCESSES ".",
		     strlen(RECORDING_META_PROCESSES ".")))
		return false;
	return (dot && (!strcmp(dot, ".before") || !strcmp(dot, ".after"))) ||
	       !strcmp(name, "duration_ns") || !strcmp(name, RECORDING_META_CURVE);
}

/* The @nr_own items about this part, and the recording's others except those. */
static struct recording_text *choose_meta(const struct split *p,
					  const struct recording_text *own, size_t nr_own,
					  size_t *nr)
{
	const struct recording *rec = p->rec;
	struct recording_text *meta = calloc(rec->nr_meta + nr_own, sizeof(*meta));

	*nr = 0;
	if (!meta)
		return NULL;
	for (size_t i = 0; i < rec->nr_meta; i++) {
		const struct recording_text *item = &rec->meta[i];

		if (!says_too_much(item->name) &&
		    !ANY(k, nr_own, !strcmp(own[k].name, item->name)))
			meta[(*nr)++] = *item;
	}
	memcpy(meta + *nr, own, nr_own * sizeof(*own));
	*nr += nr_own;
	return meta;
}

/* Writes the times of the part; the recording itself may be a part. Returns the text's length. */
static size_t part_format(const struct split *p, char *text, size_t size)
{
	uint64_t start = p->opts->start_ts, stop = p->opts->stop_ts, first, last;

	if (recording_part(p->rec, &first, &last)) {
		start = LARGER(start, first);
		stop = SMALLER(stop, last);
		stop = LARGER(start, stop);
	}
	return (size_t)snprintf(text, size, "%" PRIu64 ",%" PRIu64, start, stop);
}

/* The item with a sample's rule, whose text is in @out. */
static struct recording_text rule_item(char *name, const struct sample *rule,
				       struct strbuf *out)
{
	sample_format(rule, out);
	return (struct recording_text){ name, out->data, out->size };
}

/* Writes the file from the pages. @all: all buffers; the top one becomes the first. */
static int write_file(struct split *p, struct writer_instance *all, size_t nr,
		      const struct log *log)
{
	struct writer_instance top = { .clock = p->rec->buffers[0].clock,
				       .page_size = p->rec->buffers[0].page_size };
	struct writer_facts facts = writer_facts_of(p->rec);
	struct writer_out out = { .fd = p->opts->fd,
				  .log = log,
				  .progress = p->opts->writing,
				  .ctx = p->opts->ctx };
	char part[] = RECORDING_META_PART, text[64];
	char sample[] = RECORDING_META_SAMPLE, stacks[] = RECORDING_META_STACK_SAMPLE;
	char counts[] = RECORDING_META_CURVE, some[] = "part";
	char scope[] = RECORDING_META_SCOPE, frees[] = RECORDING_META_FREES;
	struct recording_text *meta, own[6] = { { part, text, 0 } };
	struct strbuf __auto_free rule = { 0 }, stack_rule = { 0 }, curve = { 0 };
	struct writer_instance *found = FIND(in, all, nr, !*in->name);
	size_t nr_own = 1;
	int ret;

	/* There is always a top buffer, even an empty one. */
	if (found) {
		top = *found;
		memmove(all + 1, all, (size_t)(found - all) * sizeof(*all));
		all[0] = top;
	}
	own[0].size = part_format(p, text, sizeof(text));
	if (p->rec->file_version)
		facts.file_version = p->rec->file_version;
	facts.foreign_endian = p->rec->big_endian != HOST_BIG_ENDIAN;
	facts.long_size = p->rec->user_long_size;
	facts.file_page_size = p->rec->page_size;
	facts.options = p->rec->options;
	facts.nr_options = p->rec->nr_options;
	facts.page_size = top.page_size;
	facts.clock = top.clock;
	facts.instances = all + (found != NULL);
	facts.nr_instances = nr - (found != NULL);
	if (p->opts->sample.one_in)
		own[nr_own++] = rule_item(sample, &p->opts->sample, &rule);
	if (p->opts->stack_sample.one_in)
		own[nr_own++] = rule_item(stacks, &p->opts->stack_sample, &stack_rule);
	/* What these CPUs allocated may have been freed on another. */
	if (p->lacks_cpus) {
		own[nr_own++] = (struct recording_text){ scope, some, strlen(some) };
		own[nr_own++] = (struct recording_text){ frees, some, strlen(some) };
	}
	ret = curve_item(p, &curve);
	if (curve.size)
		own[nr_own++] = (struct recording_text){ counts, curve.data, curve.size };
	meta = ret || rule.failed || stack_rule.failed
		       ? NULL
		       : choose_meta(p, own, nr_own, &facts.nr_meta);
	facts.meta = meta;
	ret = meta ? writer_write(&out, &facts, top.parts, top.nr_parts) : -ENOMEM;
	p->result->written_bytes = out.bytes;
	free(meta);
	return ret;
}

/* How many CPUs have pages, in whichever of the @nr buffers. */
static uint32_t count_cpus(const struct writer_instance *all, size_t nr)
{
	uint32_t sum = 0;

	for (size_t b = 0; b < nr; b++) {
		const struct writer_part *of = all[b].parts;

		for (size_t i = 0; i < all[b].nr_parts; i++) {
			sum += !ANY(k, b,
				    bsearch(&of[i], all[k].parts, all[k].nr_parts,
					    sizeof(*of), compare_cpus));
		}
	}
	return sum;
}

int split_write(const struct recording *rec, const struct event_formats *fmts,
		const struct split_options *opts, struct split_result *result,
		const struct log *log)
{
	struct split p = { .rec = rec,
			   .fmts = fmts,
			   .opts = opts,
			   .common = &fmts->common,
			   .user_stack = user_stacks_format(fmts),
			   .result = result };
	struct writer_instance *buffers = calloc(rec->nr_buffers + 1, sizeof(*buffers));
	size_t nr = 0;
	int ret = buffers ? 0 : -ENOMEM;

	*result = (struct split_result){ 0 };
	p.total = count_bytes(&p);
	for (uint32_t b = 0; b < rec->nr_buffers && !ret; b++) {
		if (has_buffer(&p, b))
			ret = add_buffer(&p, b, &buffers[nr++]);
	}
	if (!ret && !result->nr_events)
		ret = -ENODATA;
	if (!ret)
		result->nr_cpus = count_cpus(buffers, nr);
	ret = ret ?: write_file(&p, buffers, nr, log);
	for (size_t i = 0; i < nr; i++)
		free((void *)buffers[i].parts);
	free(buffers);
	free(p.kept);
	return ret;
}
