// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/opening.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"

/* Frames that are read at a time. */
#define FRAMES 8192

/* Bits of kpageflags: include/uapi/linux/kernel-page-flags.h. */
#define UPTODATE   (1ULL << 3)
#define LRU	   (1ULL << 5)
#define SLAB	   (1ULL << 7)
#define BUDDY	   (1ULL << 10)
#define ANON	   (1ULL << 12)
#define SWAPBACKED (1ULL << 14)
#define HUGE	   (1ULL << 17)
#define NOPAGE	   (1ULL << 20)
#define PGTABLE	   (1ULL << 26)

/* The line of the balance that a frame is in; NULL: none, or the flags do not tell. */
static const char *line_of(uint64_t flags)
{
	if (flags & (BUDDY | NOPAGE | SLAB))
		return NULL; /* which slabs are reclaimable is in no flag */
	if (flags & HUGE)
		return "hugetlb";
	if (flags & PGTABLE)
		return "page_tables";
	if (flags & ANON)
		return "anonymous";
	if (flags & SWAPBACKED)
		return "shmem";
	/* A page that was just read is on no LRU list yet. */
	return flags & (LRU | UPTODATE) ? "page_cache" : NULL;
}

void opening_end(struct opening_runs *r)
{
	if (r->nr)
		strbuf_printf(r->out, "%" PRIx64 " %" PRIx64 " %" PRIx32 "\n",
			      r->first - r->next, r->nr, r->name);
	r->next = r->first + r->nr;
	r->nr = 0;
}

int opening_add(struct opening_runs *r, uint64_t first, uint64_t nr, const char *name,
		size_t name_len)
{
	uint32_t id = intern_id(&r->names, name, name_len);

	if (!id)
		return -ENOMEM;
	if (first < r->first + r->nr)
		return 0;
	if (r->nr && r->name == id && r->first + r->nr == first) {
		r->nr += nr;
		return 0;
	}
	opening_end(r);
	if (id > r->nr_names) {
		strbuf_printf(r->out, "=%.*s\n", (int)name_len, name);
		r->nr_names = id;
	}
	r->first = first;
	r->nr = nr;
	r->name = id;
	return r->out->failed ? -ENOMEM : 0;
}

static int add_flags(struct opening_runs *r, uint64_t frame, const uint64_t *flags,
		     size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		const char *line = line_of(flags[i]);

		if (line)
			ret = opening_add(r, frame + i, 1, line, strlen(line));
	}
	return ret;
}

int opening_of_flags(const char *path, uint64_t most_ns, size_t most_bytes,
		     struct strbuf *out)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + most_ns, frame = 0;
	static const size_t unit = sizeof(uint64_t);
	struct opening_runs r = { .out = out };
	int fd __auto_fd = open(path, O_RDONLY | O_CLOEXEC), ret = fd < 0 ? -errno : 0;
	uint64_t flags[FRAMES];
	ssize_t n = 1;

	while (!ret && n > 0) {
		n = pread(fd, flags, sizeof(flags), (off_t)(frame * unit));
		if (n < 0)
			ret = -errno;
		else
			ret = add_flags(&r, frame, flags, (size_t)n / unit);
		frame += n > 0 ? (size_t)n / unit : 0;
		if (!ret && out->size > most_bytes)
			ret = -EFBIG;
		if (!ret && clock_ns(CLOCK_MONOTONIC) > end)
			ret = -ETIME;
	}
	opening_end(&r);
	intern_free(&r.names);
	return out->failed ? -ENOMEM : ret;
}
