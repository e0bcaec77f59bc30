// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: writes a recording as a stream.
 * In: facts and pages. Out: records, written sequentially to a descriptor that cannot seek.
 */
#include <sys/uio.h>

#include "recording/compose.h"
#include "recording/wire.h"

_Static_assert(sizeof(WIRE_MAGIC) == WIRE_MAGIC_SIZE, "the magic holds its NUL");

static int write_all(struct wire *w, const void *head, size_t head_size, const void *data,
		     size_t size)
{
	struct iovec iov[2] = { { (void *)(uintptr_t)head, head_size },
				{ (void *)(uintptr_t)data, size } };
	size_t i = 0;

	while (i < ARRAY_SIZE(iov)) {
		ssize_t n = writev(w->fd, iov + i, (int)(ARRAY_SIZE(iov) - i));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		w->bytes += (uint64_t)n;
		for (; i < ARRAY_SIZE(iov) && (size_t)n >= iov[i].iov_len; i++)
			n -= (ssize_t)iov[i].iov_len;
		if (i < ARRAY_SIZE(iov)) {
			iov[i].iov_base = (char *)iov[i].iov_base + n;
			iov[i].iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int send_composed(struct wire *w, struct composer *c)
{
	int ret = c->sb.failed ? -ENOMEM : c->too_large ? -EINVAL : 0;

	if (!ret)
		ret = write_all(w, c->sb.data, c->sb.size, NULL, 0);
	strbuf_free(&c->sb);
	return ret;
}

/* A record header is a section header with the CPU in place of the description. */
static size_t record_begin(struct composer *c, uint16_t id)
{
	size_t start = section_begin(c, id);

	if (!c->sb.failed)
		memset(c->sb.data + start + 4, 0, 4);
	return start;
}

static void add_options(struct wire *w, struct composer *c)
{
	struct writer_facts facts = *c->facts;
	const struct writer_facts *all = c->facts;
	size_t start = record_begin(c, WIRE_OPTIONS);

	if (facts.meta) /* no pointer arithmetic on NULL */
		facts.meta += w->nr_meta;
	facts.nr_meta -= w->nr_meta;
	c->facts = &facts;
	compose_options(c);
	c->facts = all;
	if (c->sb.failed || c->sb.size > start + SECTION_HEADER_SIZE)
		section_end(c, start);
	else
		c->sb.size = start; /* an empty record would look like a hole */
	w->nr_meta = all->nr_meta;
}

int wire_start(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts };

	strbuf_add(&c.sb, WIRE_MAGIC, WIRE_MAGIC_SIZE);
	compose_machine(&c);
	for (size_t i = 0; i < NR_COMPOSE_SECTIONS; i++) {
		size_t start = record_begin(&c, compose_sections[i].id);

		compose_sections[i].compose(&c);
		section_end(&c, start);
	}
	add_options(w, &c);
	w->symbols = facts->kallsyms_size;
	return send_composed(w, &c);
}

int wire_options(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts };

	add_options(w, &c);
	return send_composed(w, &c);
}

int wire_pages(struct wire *w, uint32_t cpu, const void *pages, size_t size)
{
	struct strbuf __auto_free head = { 0 };

	put_u16(&head, WIRE_PAGES);
	put_u16(&head, 0);
	put_u32(&head, cpu);
	put_u64(&head, size);
	return head.failed ? -ENOMEM : write_all(w, head.data, head.size, pages, size);
}

int wire_end(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts };

	section_end(&c, record_begin(&c, WIRE_END));
	return send_composed(w, &c);
}

static void add_part(struct composer *c, uint16_t id)
{
	for (size_t i = 0; i < NR_COMPOSE_SECTIONS; i++) {
		size_t start;

		if (compose_sections[i].id != id)
			continue;
		start = record_begin(c, id);
		compose_sections[i].compose(c);
		section_end(c, start);
	}
}

int wire_finish(struct wire *w, const struct writer_facts *facts)
{
	struct composer c = { .facts = facts };

	add_part(&c, WIRE_CMDLINES);
	add_options(w, &c);
	if (!w->symbols)
		add_part(&c, OPTION_KALLSYMS);
	section_end(&c, record_begin(&c, WIRE_END));
	return send_composed(w, &c);
}
