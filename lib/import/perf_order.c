// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: puts the records of a perf.data file into time order.
 * In: records ring by ring, and perf's marks between rounds. Out: the same, sorted.
 */
#include "import/perf_events.h"

#include "base/array.h"

struct perf_order_entry {
	uint64_t ts, seq, lost;
	size_t at; /* offset in the bytes */
	uint32_t cpu, size, stack_size, nr_user, pid;
};

ORDER_BY(compare, struct perf_order_entry, ts, seq)

/* The records of one ring are mostly in order already. */
static void sort(struct perf_order *o)
{
	for (size_t i = 1; i < o->nr; i++)
		if (compare(&o->entries[i - 1], &o->entries[i]) > 0) {
			qsort(o->entries, o->nr, sizeof(*o->entries), compare);
			return;
		}
}

/* Moves the remaining records together into newly allocated memory. */
static int keep_from(struct perf_order *o, size_t first)
{
	uint8_t *bytes;
	size_t size = 0;

	for (size_t i = first; i < o->nr; i++)
		size += (size_t)o->entries[i].size + o->entries[i].stack_size;
	bytes = malloc(size + 1);
	if (!bytes)
		return -ENOMEM;
	o->nr_bytes = 0;
	for (size_t i = first; i < o->nr; i++) {
		struct perf_order_entry *e = &o->entries[i];

		size = (size_t)e->size + e->stack_size;
		if (size)
			memcpy(bytes + o->nr_bytes, o->bytes + e->at, size);
		e->at = o->nr_bytes;
		o->nr_bytes += size;
	}
	free(o->bytes);
	o->bytes = bytes;
	o->bytes_capacity = o->nr_bytes + 1;
	o->nr -= first;
	memmove(o->entries, o->entries + first, o->nr * sizeof(*o->entries));
	return 0;
}

/* Passes on the first @nr entries, which are sorted. */
static int release(struct perf_order *o, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct perf_order_entry *e = &o->entries[i];
		const struct perf_item item = { .ts = e->ts,
						.lost = e->lost,
						.data = o->bytes + e->at,
						.cpu = e->cpu,
						.size = e->size,
						.stack_size = e->stack_size,
						.nr_user = e->nr_user,
						.pid = e->pid };
		int ret = o->write(o->ctx, &item);

		if (ret)
			return ret;
	}
	return nr ? keep_from(o, nr) : 0;
}

int perf_order_add(struct perf_order *o, const struct perf_item *item)
{
	const size_t size = (size_t)item->size + item->stack_size;

	if (o->nr >= PERF_ORDER_ENTRIES || o->nr_bytes + size > PERF_ORDER_BYTES) {
		int ret;

		sort(o);
		ret = release(o, (o->nr + 1) / 2);
		if (ret)
			return ret;
	}
	if (array_reserve(&o->entries, &o->capacity, o->nr + 1, sizeof(*o->entries)) ||
	    array_reserve(&o->bytes, &o->bytes_capacity, o->nr_bytes + size + 1, 1))
		return -ENOMEM;
	o->entries[o->nr++] = (struct perf_order_entry){ .ts = item->ts,
							 .seq = o->added++,
							 .lost = item->lost,
							 .at = o->nr_bytes,
							 .cpu = item->cpu,
							 .size = item->size,
							 .stack_size = item->stack_size,
							 .nr_user = item->nr_user,
							 .pid = item->pid };
	if (size)
		memcpy(o->bytes + o->nr_bytes, item->data, size);
	o->nr_bytes += size;
	if (item->ts > o->newest)
		o->newest = item->ts;
	return 0;
}

int perf_order_round(struct perf_order *o)
{
	size_t nr = 0;
	int ret;

	sort(o);
	while (nr < o->nr && o->entries[nr].ts <= o->safe)
		nr++;
	ret = release(o, nr);
	o->safe = o->newest;
	return ret;
}

int perf_order_finish(struct perf_order *o)
{
	sort(o);
	return release(o, o->nr);
}

int perf_order_restart(struct perf_order *o)
{
	int ret = perf_order_finish(o);

	o->safe = o->newest = 0;
	return ret;
}

void perf_order_free(struct perf_order *o)
{
	free(o->entries);
	free(o->bytes);
	*o = (struct perf_order){ 0 };
}
