// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/import_meta.h"

#include <unistd.h>

#include "base/array.h"
#include "base/io.h"

/* --- CPUs -------------------------------------------------------------------------------- */

static int add_cpu(struct import_cpus *c, uint32_t cpu)
{
	struct import_cpu *new;
	int fd, ret;

	if (!c->by_cpu)
		c->by_cpu = calloc(IMPORT_MAX_CPU + 1, sizeof(*c->by_cpu));
	if (!c->by_cpu || array_reserve(&c->items, &c->capacity, c->nr + 1))
		return -ENOMEM;
	fd = c->opts->open_part(c->opts->ctx, cpu);
	if (fd < 0)
		return fd;
	new = &c->items[c->nr];
	*new = (struct import_cpu){ .cpu = cpu };
	ret = subbuf_writer_init(&new->pages, c->layout, c->big_endian, c->page_size);
	if (ret) {
		close(fd);
		return ret;
	}
	subbuf_writer_to(&new->pages, fd, 0);
	c->by_cpu[cpu] = (uint32_t)++c->nr;
	return 0;
}

int import_cpu(struct import_cpus *cpus, uint32_t cpu, uint32_t *index)
{
	int ret = cpus->by_cpu && cpus->by_cpu[cpu] ? 0 : add_cpu(cpus, cpu);

	*index = ret ? 0 : cpus->by_cpu[cpu] - 1;
	return ret;
}

ORDER_BY(compare_parts, struct writer_part, cpu, cpu)

void import_sort_parts(struct imported *made)
{
	if (made->nr_parts)
		qsort(made->parts, made->nr_parts, sizeof(*made->parts), compare_parts);
}

int import_parts(struct imported *made)
{
	made->parts = calloc(made->cpus.nr + 1, sizeof(*made->parts));
	if (!made->parts)
		return -ENOMEM;
	for (size_t i = 0; i < made->cpus.nr; i++) {
		struct import_cpu *c = &made->cpus.items[i];

		made->parts[i] = (struct writer_part){ .cpu = c->cpu,
						       .fd = c->pages.fd,
						       .size = c->pages.offset,
						       .consume = true };
		c->pages.fd = -1;
	}
	made->nr_parts = made->cpus.nr;
	import_sort_parts(made);
	return 0;
}

/* --- texts ------------------------------------------------------------------------------- */

static const char *known(const char *word)
{
	return word && *word ? word : "unknown";
}

void import_kernel(struct strbuf *uname, const char *host, const char *release,
		   const char *machine)
{
	if ((release && *release) || (machine && *machine))
		strbuf_printf(uname, "Linux %s %s %s", known(host), known(release),
			      known(machine));
}

void import_add_notes(struct strbuf *out, const struct import_note *notes, size_t nr)
{
	for (const struct import_note *n = notes; n < notes + nr; n++) {
		const char *text = n->nr == 1 && n->one ? n->one : n->text;

		if (n->nr && *text == ' ')
			strbuf_printf(out, "%" PRIu64, n->nr);
		if (n->nr)
			strbuf_printf(out, "%s\n", text);
	}
}

int import_meta(struct imported *made, uint32_t page_size)
{
	struct strbuf sb = { 0 };
	int ret = made->notes.failed
			  ? -ENOMEM
			  : text_list_add(&made->texts.meta, RECORDING_META_IMPORT,
					  strbuf_text(&made->notes), made->notes.size);

	if (ret || !page_size)
		return ret;
	strbuf_printf(&sb, "%" PRIu32, page_size);
	return text_list_take(&made->texts.meta, "page_size", &sb);
}

void import_tasks(struct strbuf *cmdlines, const struct u64_map *tasks,
		  const struct intern *names)
{
	struct u64_map_slot *list __auto_mem = u64_map_sorted(tasks);

	for (size_t i = 0; list && i < tasks->count; i++)
		strbuf_printf(cmdlines, "%" PRIu64 " %s\n", list[i].key,
			      (const char *)intern_get(names, list[i].value, NULL));
	cmdlines->failed |= !list;
}

void imported_free(struct imported *made)
{
	struct import_cpus *c = &made->cpus;

	for (size_t i = 0; i < made->nr_parts; i++)
		close(made->parts[i].fd);
	for (size_t i = 0; i < c->nr; i++) {
		io_close(&c->items[i].pages.fd);
		subbuf_writer_free(&c->items[i].pages);
	}
	free(c->items);
	free(c->by_cpu);
	free(made->parts);
	system_texts_free(&made->texts);
	strbuf_free(&made->notes);
	*made = (struct imported){ 0 };
}
