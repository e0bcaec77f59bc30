// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: who has pages, by page_owner.
 * In: /sys/kernel/debug/page_owner. Out: a line for each callchain, "PAGES 0xGFP FUNCTION ...".
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

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "capture/facts/opening.h"

#define CHAIN_MAX  512
#define ORDER_MAX  20
/* More callchains are not kept. */
#define STACKS_MAX (1U << 16)

/* A text with a blank before each function. */
struct chain {
	char text[CHAIN_MAX];
	size_t len;
};

/* @numbers: a handle of the kernel's -> the number of its " FUNCTION FUNCTION ..." in @chains. */
struct stacks {
	struct intern chains;
	struct u64_map numbers;
};

/* @key: "0xGFP FUNCTION ..." of the block that is being read, of @pages from frame @first on; 0:
 * none is. @bare: the length of the key without functions. @runs: also gets each block's frames;
 * may be NULL.
 */
struct page_sums {
	struct stacks stacks;
	struct intern keys;
	struct opening_runs *runs;
	uint64_t first;
	uint64_t *pages_of, pages;
	size_t nr, capacity;
	struct chain key;
	size_t bare;
};

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

/* --- callchains by handle --------------------------------------------------------------- */

static int add_stack(struct stacks *s, uint32_t handle, struct chain *c)
{
	uint32_t id = intern_id(&s->chains, c->text, c->len);

	c->len = 0;
	return id && u64_map_insert(&s->numbers, handle, id) ? 0 : -ENOMEM;
}

/* Reads blocks of functions and a line "handle: NUMBER". 0, also without such a file. */
static int read_stacks(struct stacks *s, const char *path, uint64_t end)
{
	FILE *file __auto_file = fopen(path, "re");
	struct chain c = { .len = 0 };
	uint32_t handle;
	size_t size = 0;
	char *line __auto_mem = NULL;
	int ret = 0;

	while (file && !ret && getline(&line, &size, file) > 0) {
		add_function(&c, line);
		if (s->numbers.count < STACKS_MAX && read_handle(line, &handle))
			ret = add_stack(s, handle, &c);
		if (!ret && *line != ' ' && clock_ns(CLOCK_MONOTONIC) > end)
			ret = -ETIME;
	}
	return ret;
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
	uint32_t id;

	if (!s->pages)
		return 0;
	if (s->runs) {
		int ret =
			opening_add(s->runs, s->first, s->pages, s->key.text, s->key.len);

		s->pages = 0;
		return ret;
	}
	id = intern_id(&s->keys, s->key.text, s->key.len);
	if (!id ||
	    array_reach(&s->pages_of, &s->nr, &s->capacity, id, sizeof(*s->pages_of)))
		return -ENOMEM;
	s->pages_of[id - 1] += s->pages;
	s->pages = 0;
	return 0;
}

/* Appends the callchain with @handle; nothing if the kernel's list does not have it. */
static void add_known(struct page_sums *s, uint32_t handle)
{
	const uint32_t *number = u64_map_find(&s->stacks.numbers, handle);
	size_t len = 0;
	const char *text = number ? intern_get(&s->stacks.chains, *number, &len) : NULL;

	/* A key has a number before its functions, so that the last may not fit. */
	while (len && s->key.len + len >= sizeof(s->key.text))
		len = (size_t)((const char *)memrchr(text, ' ', len) - text);
	if (len)
		memcpy(s->key.text + s->key.len, text, len);
	s->key.len += len;
}

/* Reads "Page allocated via order 0, mask 0x141cca(...), ...", "PFN 0x1a38 type ...",
 * " FUNCTION+0x6f/0xc2 [MODULE]", or "handle: 15728651".
 */
static int add_line(struct page_sums *s, const char *line)
{
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

static int read_blocks(struct page_sums *s, const char *path, uint64_t most_ns,
		       const struct strbuf *frames, size_t most_bytes)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + most_ns;
	char numbered[PATH_MAX];
	size_t size = 0;
	char *line __auto_mem = NULL;
	FILE *file __auto_file = NULL;
	int ret;

	snprintf(numbered, sizeof(numbered), "%s_stacks/show_stacks_handles", path);
	ret = read_stacks(&s->stacks, numbered, end);
	file = open_pages(path, s->stacks.numbers.count);
	if (!ret && !file)
		ret = -errno;
	while (!ret && getline(&line, &size, file) > 0) {
		ret = add_line(s, line);
		if (!ret && *line != ' ' && clock_ns(CLOCK_MONOTONIC) > end)
			ret = -ETIME;
		if (!ret && frames && frames->size > most_bytes)
			ret = -EFBIG;
	}
	if (!ret)
		ret = end_block(s);
	if (!ret && ferror(file))
		ret = -EIO;
	intern_free(&s->stacks.chains);
	u64_map_free(&s->stacks.numbers);
	return ret;
}

int page_owner_frames(const char *path, uint64_t most_ns, size_t most_bytes,
		      struct strbuf *out)
{
	struct opening_runs runs = { .out = out };
	struct page_sums s = { .runs = &runs };
	int ret = read_blocks(&s, path, most_ns, out, most_bytes);

	opening_end(&runs);
	intern_free(&runs.names);
	return out->failed ? -ENOMEM : ret;
}

int page_owner_sum(const char *path, uint64_t most_ns, size_t most_bytes,
		   struct strbuf *out)
{
	struct page_sums s = { 0 };
	int ret = read_blocks(&s, path, most_ns, NULL, 0);

	for (uint32_t i = 0; !ret && i < s.nr; i++) {
		size_t len = 0;
		const char *key = intern_get(&s.keys, i + 1, &len);

		strbuf_printf(out, "%" PRIu64 " %.*s\n", s.pages_of[i], (int)len, key);
		if (out->size > most_bytes)
			ret = -EFBIG;
	}
	if (out->failed)
		ret = -ENOMEM;
	intern_free(&s.keys);
	free(s.pages_of);
	return ret;
}
