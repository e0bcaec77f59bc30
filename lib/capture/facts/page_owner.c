// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: who owns pages, by page_owner, and what each page frame is used for before a recording.
 * In: /sys/kernel/debug/page_owner, /proc/kpageflags. Out: a line for each callchain, "PAGES 0xGFP
 * FUNCTION ..."; the text of RECORDING_META_OPENING.
 *
 * Newer kernels number their callchains: page_owner_stacks/show_stacks_handles lists them. After
 * "mode=handle" is written to page_owner, a page has the number of its callchain instead of the
 * callchain itself, which takes the kernel longest to print.
 */
#include "capture/facts/lists.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"

#define CHAIN_MAX  512
#define ORDER_MAX  20
/* The most callchains that are kept. */
#define STACKS_MAX (1U << 16)

/**
 * struct opening_runs - the text of RECORDING_META_OPENING under construction
 * @next: the frame after the runs in @out; @first, @nr, @name: the run that is not written yet
 */
struct opening_runs {
	struct strbuf *out;
	struct intern names;
	uint32_t nr_names;
	uint64_t next, first, nr;
	uint32_t name;
};

/* A text with a blank before each function. */
struct chain {
	char text[CHAIN_MAX];
	size_t len;
};

/* @numbers: maps a handle of the kernel to the number of its " FUNCTION FUNCTION ..." in @chains.
 * @latest: the callchain being read.
 */
struct stacks {
	struct intern chains;
	struct u64_map numbers;
	struct chain latest;
};

/* @key: "0xGFP FUNCTION ..." of the block being read, which has @pages frames from @first on; 0:
 * there is none. @bare: the length of @key without functions. @runs: receives each block's frames;
 * NULL: they are added up in @list.
 */
struct page_sums {
	struct list *list;
	struct stacks stacks;
	struct opening_runs *runs;
	uint64_t first, pages;
	struct chain key;
	size_t bare;
};

/* --- uses of page frames ---------------------------------------------------------------- */

/* Appends the last run. */
static void end_runs(struct opening_runs *r)
{
	if (r->nr)
		strbuf_printf(r->out, "%" PRIx64 " %" PRIx64 " %" PRIx32 "\n",
			      r->first - r->next, r->nr, r->name);
	r->next = r->first + r->nr;
	r->nr = 0;
}

/* Adds @nr frames from @first on, unless they begin before the end of earlier ones. 0 or -ENOMEM.
 */
static int add_run(struct opening_runs *r, uint64_t first, uint64_t nr, const char *name,
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
	end_runs(r);
	if (id > r->nr_names) {
		strbuf_printf(r->out, "=%.*s\n", (int)name_len, name);
		r->nr_names = id;
	}
	r->first = first;
	r->nr = nr;
	r->name = id;
	return r->out->failed ? -ENOMEM : 0;
}

/* --- callchains by handle --------------------------------------------------------------- */

/* Appends " FUNCTION" of " FUNCTION+0x6f/0xc2 [MODULE]", if it has room. */
static void add_function(struct chain *c, const char *line)
{
	size_t len = *line == ' ' ? strcspn(line + 1, "+ \n") : 0;

	if (!len || c->len + len + 1 >= sizeof(c->text))
		return;
	memcpy(c->text + c->len, line, len + 1);
	c->len += len + 1;
}

/* Reads "handle: 15728651"; the kernel prints it with a sign in some files. */
static bool read_handle(const char *line, uint32_t *handle)
{
	int64_t value;

	if (sscanf(line, "handle: %" SCNd64, &value) != 1)
		return false;
	*handle = (uint32_t)value;
	return true;
}

/* Reads blocks of functions and a line "handle: NUMBER". */
static int add_stack(void *ctx, char *line)
{
	struct stacks *s = ctx;
	struct chain *c = &s->latest;
	uint32_t handle, id;

	add_function(c, line);
	if (s->numbers.count >= STACKS_MAX || !read_handle(line, &handle))
		return 0;
	id = intern_id(&s->chains, c->text, c->len);
	c->len = 0;
	return id && u64_map_insert(&s->numbers, handle, id) ? 0 : -ENOMEM;
}

/* Opens page_owner, which prints handles if the kernel can and @handles is set. */
static FILE *open_pages(const char *path, bool handles)
{
	static const char mode[] = "mode=handle";
	int fd = handles ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct statfs fs;
	FILE *file;

	/* It must be the kernel's own file, as writing would damage any other. */
	if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == DEBUGFS_MAGIC &&
	    write(fd, mode, strlen(mode)) == (ssize_t)strlen(mode))
		lseek(fd, 0, SEEK_SET);
	if (fd < 0)
		return fopen(path, "re");
	file = fdopen(fd, "r");
	if (!file)
		io_close(&fd);
	return file;
}

/* --- pages ------------------------------------------------------------------------------ */

/* Adds up the block that was read. 0 or -ENOMEM. */
static int end_block(struct page_sums *s)
{
	const struct list_sum more = { .nr = s->pages };

	s->pages = 0;
	if (!more.nr)
		return 0;
	if (s->runs)
		return add_run(s->runs, s->first, more.nr, s->key.text, s->key.len);
	return list_add(s->list, s->key.text, s->key.len, &more);
}

/* Appends the callchain with @handle; nothing if the kernel's list does not have it. */
static void add_known(struct page_sums *s, uint32_t handle)
{
	const uint32_t *number = u64_map_find(&s->stacks.numbers, handle);
	size_t len = 0;
	const char *text = number ? intern_get(&s->stacks.chains, *number, &len) : NULL;

	/* The key begins with a number, so the last functions may not fit. */
	while (len && s->key.len + len >= sizeof(s->key.text))
		len = (size_t)((const char *)memrchr(text, ' ', len) - text);
	if (len)
		memcpy(s->key.text + s->key.len, text, len);
	s->key.len += len;
}

/* Reads "Page allocated via order 0, mask 0x141cca(...), ...", "PFN 0x1a38 type ...",
 * " FUNCTION+0x6f/0xc2 [MODULE]", or "handle: 15728651".
 */
static int add_line(void *ctx, char *line)
{
	struct page_sums *s = ctx;
	const char *mask = strstr(line, ", mask 0x");
	unsigned int order;
	uint32_t handle;

	if (mask && sscanf(line, "Page allocated via order %u", &order) == 1) {
		int ret = end_block(s);

		s->pages = order <= ORDER_MAX ? 1ULL << order : 0;
		s->bare = (size_t)snprintf(s->key.text, sizeof(s->key.text), "0x%" PRIx64,
					   (uint64_t)strtoull(mask + 7, NULL, 16));
		s->key.len = s->bare;
		return ret;
	}
	if (!strncmp(line, "PFN ", 4))
		s->first = strtoull(line + 4, NULL, 0);
	if (!s->pages)
		return 0;
	add_function(&s->key, line);
	if (s->key.len == s->bare && read_handle(line, &handle))
		add_known(s, handle);
	return 0;
}

static int read_blocks(struct list *l, const char *path, struct opening_runs *runs)
{
	struct page_sums s = { .list = l, .runs = runs };
	FILE *file __auto_file = NULL, *stacks __auto_file = NULL;
	char numbered[PATH_MAX];
	int ret;

	snprintf(numbered, sizeof(numbered), "%s_stacks/show_stacks_handles", path);
	stacks = fopen(numbered, "re");
	ret = stacks ? list_lines(l, stacks, add_stack, &s.stacks) : 0;
	file = ret ? NULL : open_pages(path, s.stacks.numbers.count);
	ret = ret ?: list_lines(l, file, add_line, &s) ?: end_block(&s);
	intern_free(&s.stacks.chains);
	u64_map_free(&s.stacks.numbers);
	return ret;
}

int page_owner_frames(struct list *l, const char *path)
{
	struct opening_runs runs = { .out = l->out };
	int ret = read_blocks(l, path, &runs);

	end_runs(&runs);
	intern_free(&runs.names);
	return ret;
}

int page_owner_sum(struct list *l, const char *path)
{
	return read_blocks(l, path, NULL);
}

/* --- without page_owner ----------------------------------------------------------------- */

/* Frames read at a time. */
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

static int add_flags(struct opening_runs *r, uint64_t frame, const uint64_t *flags,
		     size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		const char *line = line_of(flags[i]);

		if (line)
			ret = add_run(r, frame + i, 1, line, strlen(line));
	}
	return ret;
}

int opening_of_flags(struct list *l, const char *path)
{
	static const size_t unit = sizeof(uint64_t);
	struct opening_runs r = { .out = l->out };
	int fd __auto_fd = open(path, O_RDONLY | O_CLOEXEC), ret = fd < 0 ? -errno : 0;
	uint64_t flags[FRAMES], frame = 0;
	ssize_t n = 1;

	while (!ret && n > 0) {
		n = pread(fd, flags, sizeof(flags), (off_t)(frame * unit));
		if (n < 0)
			ret = -errno;
		else
			ret = add_flags(&r, frame, flags, (size_t)n / unit);
		frame += n > 0 ? (size_t)n / unit : 0;
		ret = ret ?: list_check(l);
	}
	end_runs(&r);
	intern_free(&r.names);
	return ret;
}
